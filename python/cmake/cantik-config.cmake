# What find_package(Cantik) and find_package(cantik) read in the Python package, whose folder `cantik config --cmake` prints.
# Cantik::headers are the headers, all that a library of operators needs; Cantik::cantik is the library too.
get_filename_component(CANTIK_PACKAGE "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)
if(NOT TARGET Cantik::headers)
  add_library(Cantik::headers INTERFACE IMPORTED)
  set_target_properties(Cantik::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${CANTIK_PACKAGE}/include" INTERFACE_COMPILE_FEATURES cxx_std_20)
  file(GLOB CANTIK_LIBRARY "${CANTIK_PACKAGE}/libcantik.so*" "${CANTIK_PACKAGE}/../../src/libcantik.so")  # the second in a build folder
  if(CANTIK_LIBRARY)
    list(GET CANTIK_LIBRARY 0 CANTIK_LIBRARY)
    add_library(Cantik::cantik SHARED IMPORTED)
    set_target_properties(Cantik::cantik PROPERTIES IMPORTED_LOCATION "${CANTIK_LIBRARY}" INTERFACE_LINK_LIBRARIES Cantik::headers)
  endif()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/cantik-operators.cmake")

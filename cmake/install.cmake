# What is installed, in components: `library`; `development`, the public headers and what find_package(Cantik) or
# find_package(cantik) reads; `serve`, the server, where it is built.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CANTIK_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/cantik)
# The library's own name belongs to its users, the name without a number to their linkers.
set(CANTIK_LIBRARY LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS cantik cantik_headers EXPORT CantikTargets ${CANTIK_LIBRARY})
foreach(module cantik_images ${CANTIK_MPI_MODULES})
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cantik DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT CantikTargets NAMESPACE Cantik:: DESTINATION ${CANTIK_CMAKE} COMPONENT development)
if(TARGET cantik-serve)
  # A build of the library alone may be installed.
  install(TARGETS cantik-serve RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT serve OPTIONAL)
  install(TARGETS cantik_serve EXPORT CantikServeTargets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT serve OPTIONAL NAMELINK_COMPONENT development)
  install(EXPORT CantikServeTargets NAMESPACE Cantik:: DESTINATION ${CANTIK_CMAKE} COMPONENT development)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cantik-config.cmake.in ${PROJECT_BINARY_DIR}/cantik-config.cmake INSTALL_DESTINATION ${CANTIK_CMAKE})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cantik-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cantik-config.cmake ${PROJECT_BINARY_DIR}/cantik-config-version.cmake ${PROJECT_SOURCE_DIR}/cmake/cantik-operators.cmake
        DESTINATION ${CANTIK_CMAKE} COMPONENT development)

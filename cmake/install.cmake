# What is installed: the library, the public headers, and what find_package(Cantik) or find_package(cantik) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CANTIK_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/cantik)
install(TARGETS cantik cantik_headers EXPORT CantikTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET cantik_images)
  install(TARGETS cantik_images LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
foreach(module ${CANTIK_MPI_MODULES})
  install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cantik DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT CantikTargets NAMESPACE Cantik:: DESTINATION ${CANTIK_CMAKE})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cantik-config.cmake.in ${PROJECT_BINARY_DIR}/cantik-config.cmake INSTALL_DESTINATION ${CANTIK_CMAKE})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cantik-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cantik-config.cmake ${PROJECT_BINARY_DIR}/cantik-config-version.cmake ${PROJECT_SOURCE_DIR}/cmake/cantik-operators.cmake
        DESTINATION ${CANTIK_CMAKE})

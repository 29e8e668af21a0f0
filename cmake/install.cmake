# What is installed: the library, the public headers, and what find_package(Cantik) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS cantik EXPORT CantikTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cantik DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT CantikTargets NAMESPACE Cantik:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Cantik)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/CantikConfig.cmake.in ${PROJECT_BINARY_DIR}/CantikConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Cantik)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/CantikConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/CantikConfig.cmake ${PROJECT_BINARY_DIR}/CantikConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Cantik)

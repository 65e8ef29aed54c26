# Installs the libraries, the public headers, the commands, and the package that find_package(hilo) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/hilo)

get_property(libraries GLOBAL PROPERTY HILO_LIBRARIES)
list(REMOVE_ITEM libraries hilo_testing)
install(TARGETS hilo ${libraries} EXPORT hiloTargets)
install(EXPORT hiloTargets NAMESPACE hilo:: DESTINATION ${package_folder})
# Apart, because only this one needs GoogleTest.
if(TARGET hilo_testing)
  install(TARGETS hilo_testing EXPORT hiloTestingTargets)
  install(EXPORT hiloTestingTargets NAMESPACE hilo:: DESTINATION ${package_folder})
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.pb.h")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/proto/ DESTINATION ${CMAKE_INSTALL_DATADIR}/hilo/proto
        FILES_MATCHING PATTERN "*.proto")

get_property(commands GLOBAL PROPERTY HILO_COMMANDS)
if(commands)
  install(TARGETS ${commands})
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/hiloConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/hiloConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hiloConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hiloConfig.cmake ${PROJECT_BINARY_DIR}/hiloConfigVersion.cmake
        DESTINATION ${package_folder})

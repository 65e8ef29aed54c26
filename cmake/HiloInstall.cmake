# Installs the libraries, the public headers, the commands, and the package that find_package(hilo) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/hilo)

# Three components, which are also the Debian packages: the shared library (runtime), what programs are built with
# (development), and the commands (tools). What was not built is left out.
get_property(libraries GLOBAL PROPERTY HILO_LIBRARIES)
list(REMOVE_ITEM libraries hilo_testing hilo_tools hilo_pjrt_objects hilo_pjrt_start hilo_pjrt_c)
install(TARGETS hilo ${libraries} EXPORT hiloTargets COMPONENT development)
install(EXPORT hiloTargets NAMESPACE hilo:: DESTINATION ${package_folder} COMPONENT development)
# Apart, because only this one needs GoogleTest, and `make run` does not build it.
if(TARGET hilo_testing)
  install(TARGETS hilo_testing EXPORT hiloTestingTargets OPTIONAL COMPONENT development)
  install(EXPORT hiloTestingTargets NAMESPACE hilo:: DESTINATION ${package_folder} COMPONENT development)
endif()

install(TARGETS hilo_shared EXPORT hiloSharedTargets
        LIBRARY OPTIONAL COMPONENT runtime NAMELINK_COMPONENT development)
install(EXPORT hiloSharedTargets NAMESPACE hilo:: DESTINATION ${package_folder} COMPONENT development)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.pb.h")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/proto/ DESTINATION ${CMAKE_INSTALL_DATADIR}/hilo/proto
        COMPONENT development FILES_MATCHING PATTERN "*.proto")

get_property(commands GLOBAL PROPERTY HILO_COMMANDS)
if(commands)
  install(TARGETS ${commands} OPTIONAL COMPONENT tools)
  install(TARGETS hilo_archive_module hilo_lapack_module LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL COMPONENT tools)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/hiloConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/hiloConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hiloConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hiloConfig.cmake ${PROJECT_BINARY_DIR}/hiloConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT development)

# Which programs and libraries load by their names.
foreach(engine IN LISTS HILO_ENGINES)
  install(TARGETS hilo_${engine} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL COMPONENT ${engine})
endforeach()

# For builds without CMake. The archives refer to each other both ways, hence the group.
list(TRANSFORM libraries PREPEND -l OUTPUT_VARIABLE archives)
list(JOIN archives " " HILO_PC_ARCHIVES)
list(TRANSFORM HILO_PRIVATE_LIBRARIES REPLACE "^([^/].*)$" "-l\\1" OUTPUT_VARIABLE others)
list(JOIN others " " HILO_PC_OTHERS)
set(packages ${HILO_PUBLIC_DEPENDENCIES})
list(FILTER packages INCLUDE REGEX "^absl::")
list(TRANSFORM packages REPLACE "^absl::" "absl_")
list(JOIN packages " " HILO_PC_PACKAGES)
file(RELATIVE_PATH HILO_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" HILO_PC_PREFIX ${HILO_PC_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/hilo.pc.in ${PROJECT_BINARY_DIR}/hilo.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hilo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
include(HiloPackage)

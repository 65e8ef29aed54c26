# Builds for AArch64 on another machine: the compiler of g++-aarch64-linux-gnu, the libraries that
# scripts/aarch64_sysroot has unpacked into HILO_SYSROOT, and QEMU to run the tests.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(HILO_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build-aarch64-sysroot CACHE PATH
    "The folder that scripts/aarch64_sysroot has filled")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HILO_SYSROOT)
get_filename_component(CMAKE_SYSROOT ${HILO_SYSROOT} ABSOLUTE)
if(NOT EXISTS ${CMAKE_SYSROOT}/usr/include)
  message(FATAL_ERROR "${CMAKE_SYSROOT} is not there; scripts/aarch64_sysroot ${CMAKE_SYSROOT} makes it")
endif()

# Programs of this machine, all else of the other.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${CMAKE_SYSROOT})

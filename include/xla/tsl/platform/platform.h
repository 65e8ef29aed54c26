#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_PLATFORM_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_PLATFORM_H_

// What the program is compiled for.
#if defined(__APPLE__)
#define PLATFORM_POSIX
#elif defined(_WIN32)
#define PLATFORM_WINDOWS
#elif defined(__linux__)
#define PLATFORM_POSIX
#endif

#if defined(__x86_64__) || defined(__amd64__) || defined(_M_X64)
#define PLATFORM_IS_X86
#endif
#if defined(__aarch64__)
#define PLATFORM_IS_ARM64
#endif

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_PLATFORM_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_STACKTRACE_H_
#define HILO_INCLUDE_TSL_PLATFORM_STACKTRACE_H_

#include "xla/tsl/platform/stacktrace.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_STACKTRACE_H_

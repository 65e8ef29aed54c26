#ifndef HILO_INCLUDE_TSL_PLATFORM_SUBPROCESS_H_
#define HILO_INCLUDE_TSL_PLATFORM_SUBPROCESS_H_

#include "xla/tsl/platform/subprocess.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_SUBPROCESS_H_

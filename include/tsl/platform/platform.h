#ifndef HILO_INCLUDE_TSL_PLATFORM_PLATFORM_H_
#define HILO_INCLUDE_TSL_PLATFORM_PLATFORM_H_

#include "xla/tsl/platform/platform.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_PLATFORM_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_CASTS_H_
#define HILO_INCLUDE_TSL_PLATFORM_CASTS_H_

#include "xla/tsl/platform/casts.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_CASTS_H_

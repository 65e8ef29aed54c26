#ifndef HILO_INCLUDE_TSL_PLATFORM_TYPES_H_
#define HILO_INCLUDE_TSL_PLATFORM_TYPES_H_

#include "xla/tsl/platform/types.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_TYPES_H_

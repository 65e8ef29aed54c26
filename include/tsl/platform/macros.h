#ifndef HILO_INCLUDE_TSL_PLATFORM_MACROS_H_
#define HILO_INCLUDE_TSL_PLATFORM_MACROS_H_

#include "xla/tsl/platform/macros.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_MACROS_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_NUMBERS_H_
#define HILO_INCLUDE_TSL_PLATFORM_NUMBERS_H_

#include "xla/tsl/platform/numbers.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_NUMBERS_H_

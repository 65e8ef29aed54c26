#ifndef HILO_INCLUDE_TSL_PLATFORM_RANDOM_H_
#define HILO_INCLUDE_TSL_PLATFORM_RANDOM_H_

#include "xla/tsl/platform/random.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_RANDOM_H_

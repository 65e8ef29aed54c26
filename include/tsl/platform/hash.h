#ifndef HILO_INCLUDE_TSL_PLATFORM_HASH_H_
#define HILO_INCLUDE_TSL_PLATFORM_HASH_H_

#include "xla/tsl/platform/hash.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_HASH_H_

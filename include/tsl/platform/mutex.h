#ifndef HILO_INCLUDE_TSL_PLATFORM_MUTEX_H_
#define HILO_INCLUDE_TSL_PLATFORM_MUTEX_H_

#include "xla/tsl/platform/mutex.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_MUTEX_H_

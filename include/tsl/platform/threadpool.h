#ifndef HILO_INCLUDE_TSL_PLATFORM_THREADPOOL_H_
#define HILO_INCLUDE_TSL_PLATFORM_THREADPOOL_H_

#include "xla/tsl/platform/threadpool.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_THREADPOOL_H_

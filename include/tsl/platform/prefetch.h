#ifndef HILO_INCLUDE_TSL_PLATFORM_PREFETCH_H_
#define HILO_INCLUDE_TSL_PLATFORM_PREFETCH_H_

#include "xla/tsl/platform/prefetch.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_PREFETCH_H_

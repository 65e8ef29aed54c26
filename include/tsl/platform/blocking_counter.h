#ifndef HILO_INCLUDE_TSL_PLATFORM_BLOCKING_COUNTER_H_
#define HILO_INCLUDE_TSL_PLATFORM_BLOCKING_COUNTER_H_

#include "xla/tsl/platform/blocking_counter.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_BLOCKING_COUNTER_H_

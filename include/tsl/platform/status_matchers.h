#ifndef HILO_INCLUDE_TSL_PLATFORM_STATUS_MATCHERS_H_
#define HILO_INCLUDE_TSL_PLATFORM_STATUS_MATCHERS_H_

#include "xla/tsl/platform/status_matchers.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_STATUS_MATCHERS_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_STATUS_H_
#define HILO_INCLUDE_TSL_PLATFORM_STATUS_H_

#include "xla/tsl/platform/status.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_STATUS_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_ENV_TIME_H_
#define HILO_INCLUDE_TSL_PLATFORM_ENV_TIME_H_

#include "xla/tsl/platform/env_time.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_ENV_TIME_H_

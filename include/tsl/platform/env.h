#ifndef HILO_INCLUDE_TSL_PLATFORM_ENV_H_
#define HILO_INCLUDE_TSL_PLATFORM_ENV_H_

#include "xla/tsl/platform/env.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_ENV_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_LOGGING_H_
#define HILO_INCLUDE_TSL_PLATFORM_LOGGING_H_

#include "xla/tsl/platform/logging.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_LOGGING_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_ERRORS_H_
#define HILO_INCLUDE_TSL_PLATFORM_ERRORS_H_

#include "xla/tsl/platform/errors.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_ERRORS_H_

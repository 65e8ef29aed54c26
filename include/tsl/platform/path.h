#ifndef HILO_INCLUDE_TSL_PLATFORM_PATH_H_
#define HILO_INCLUDE_TSL_PLATFORM_PATH_H_

#include "xla/tsl/platform/path.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_PATH_H_

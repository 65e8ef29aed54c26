#ifndef HILO_INCLUDE_TSL_PLATFORM_STATUSOR_H_
#define HILO_INCLUDE_TSL_PLATFORM_STATUSOR_H_

#include "xla/tsl/platform/statusor.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_STATUSOR_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_STRINGPIECE_H_
#define HILO_INCLUDE_TSL_PLATFORM_STRINGPIECE_H_

#include "xla/tsl/platform/stringpiece.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_STRINGPIECE_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_MEM_H_
#define HILO_INCLUDE_TSL_PLATFORM_MEM_H_

#include "xla/tsl/platform/mem.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_MEM_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_CPU_INFO_H_
#define HILO_INCLUDE_TSL_PLATFORM_CPU_INFO_H_

#include "xla/tsl/platform/cpu_info.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_CPU_INFO_H_

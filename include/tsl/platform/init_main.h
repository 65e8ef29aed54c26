#ifndef HILO_INCLUDE_TSL_PLATFORM_INIT_MAIN_H_
#define HILO_INCLUDE_TSL_PLATFORM_INIT_MAIN_H_

#include "xla/tsl/platform/init_main.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_INIT_MAIN_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_FILE_SYSTEM_H_
#define HILO_INCLUDE_TSL_PLATFORM_FILE_SYSTEM_H_

#include "xla/tsl/platform/file_system.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_FILE_SYSTEM_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_FILE_STATISTICS_H_
#define HILO_INCLUDE_TSL_PLATFORM_FILE_STATISTICS_H_

#include "xla/tsl/platform/file_statistics.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_FILE_STATISTICS_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_RESOURCE_LOADER_H_
#define HILO_INCLUDE_TSL_PLATFORM_RESOURCE_LOADER_H_

#include "xla/tsl/platform/resource_loader.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_RESOURCE_LOADER_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_TEST_H_
#define HILO_INCLUDE_TSL_PLATFORM_TEST_H_

#include "xla/tsl/platform/test.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_TEST_H_

#ifndef HILO_INCLUDE_TSL_PLATFORM_TEST_BENCHMARK_H_
#define HILO_INCLUDE_TSL_PLATFORM_TEST_BENCHMARK_H_

#include "xla/tsl/platform/test_benchmark.h"  // IWYU pragma: export

#endif  // HILO_INCLUDE_TSL_PLATFORM_TEST_BENCHMARK_H_

// Google Benchmark under the names that tests use.
#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_TEST_BENCHMARK_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_TEST_BENCHMARK_H_

#include <benchmark/benchmark.h>  // IWYU pragma: export

namespace testing {
namespace benchmark {
using State = ::benchmark::State;
}  // namespace benchmark
}  // namespace testing

namespace tsl {
namespace testing {

template <typename T>
void DoNotOptimize(const T& value) {
  ::benchmark::DoNotOptimize(value);
}
inline void InitializeBenchmarks(int* argc, char** argv) { ::benchmark::Initialize(argc, argv); }
inline void RunBenchmarks() { ::benchmark::RunSpecifiedBenchmarks(); }

}  // namespace testing
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_TEST_BENCHMARK_H_

// How long calls take that only start something.
#ifndef HILO_BENCH_TIME_TO_RETURN_H_
#define HILO_BENCH_TIME_TO_RETURN_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "benchmark/benchmark.h"

namespace xla {

// Measures start(), and not await(what it gave). To be used with UseManualTime. The median is
// reported too: where all processors are busy, a thread that is woken takes that of the caller now
// and then.
template <typename Start, typename Await>
void MeasureTimeToReturn(benchmark::State& state, const Start& start, const Await& await) {
  std::vector<double> seconds;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    auto started = start();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    state.SetIterationTime(seconds.back());
    await(started);
  }
  const auto middle = seconds.begin() + static_cast<int64_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  state.counters["median_seconds"] = *middle;
}

}  // namespace xla

#endif  // HILO_BENCH_TIME_TO_RETURN_H_

#include "tools/machine_limits.h"

#include <algorithm>
#include <atomic>

#include "codegen/target.h"
#include "runtime/parallel.h"
#include "tools/stopwatch.h"

#if defined(__x86_64__)
#define HILO_TARGET(features) __attribute__((target(features)))
#else
#define HILO_TARGET(features)
#endif

namespace xla {
namespace {

constexpr int64_t kElements = int64_t{1} << 25;
constexpr int64_t kSteps = 1 << 19;
constexpr int kChains = 12;  // enough to fill the pipelines

// Chains of multiply-adds that do not wait for each other; the compiler fuses the two operations.
#define HILO_MULTIPLY_ADDS(name, features, bytes)                          \
  HILO_TARGET(features) float name() {                                     \
    typedef float Vector __attribute__((vector_size(bytes)));              \
    const Vector factor = Vector{} + 0.5f;                                 \
    Vector sums[kChains];                                                  \
    for (Vector & sum : sums) sum = factor;                                \
    for (int64_t i = 0; i < kSteps; ++i) {                                 \
      _Pragma("GCC unroll 12") for (int k = 0; k < kChains; ++k) sums[k] = \
          sums[k] * factor + factor;                                       \
    }                                                                      \
    for (int k = 1; k < kChains; ++k) sums[0] += sums[k];                  \
    return sums[0][0];                                                     \
  }
#if defined(__x86_64__)
HILO_MULTIPLY_ADDS(MultiplyAdds512, "avx512f", 64)
HILO_MULTIPLY_ADDS(MultiplyAdds256, "avx2,fma", 32)
#endif
HILO_MULTIPLY_ADDS(MultiplyAdds128, "sse2", 16)
#undef HILO_MULTIPLY_ADDS

struct Loop {
  float (*run)();
  int lanes;
};

Loop WidestLoop() {
#if defined(__x86_64__)
  const codegen::Target& host = codegen::Target::Host();
  if (host.Has("avx512f")) return {MultiplyAdds512, 16};
  if (host.Has("avx2") && host.has_fma) return {MultiplyAdds256, 8};
#endif
  return {MultiplyAdds128, 4};
}

}  // namespace

Triad::Triad() : a_(kElements), b_(kElements, 1), c_(kElements, 2) {}

double Triad::Run() {
  runtime::ParallelFor(kElements, 1 << 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) a_[i] = b_[i] + 3.0f * c_[i];
  });
  return 3.0 * sizeof(float) * kElements;
}

double RunMultiplyAdds() {
  static std::atomic<float> kept;  // so that the loops are not left out
  const Loop loop = WidestLoop();
  const int threads = runtime::ThreadCount();
  runtime::ParallelFor(threads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) kept = loop.run();
  });
  return 2.0 * kSteps * kChains * loop.lanes * threads;
}

MachineLimits MeasureLimits() {
  constexpr int kRuns = 5;
  MachineLimits limits;
  Triad triad;
  for (int i = 0; i < kRuns; ++i) {
    const Stopwatch memory;
    const double bytes = triad.Run();
    limits.bytes_per_second =
        std::max(limits.bytes_per_second, bytes / memory.Milliseconds() * 1e3);
    const Stopwatch arithmetic;
    const double flops = RunMultiplyAdds();
    limits.flops_per_second =
        std::max(limits.flops_per_second, flops / arithmetic.Milliseconds() * 1e3);
  }
  return limits;
}

}  // namespace xla

// Sweeps of functions over their inputs.
#ifndef HILO_BENCH_ACCURACY_MEASURE_H_
#define HILO_BENCH_ACCURACY_MEASURE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "api/backend.h"
#include "bench/accuracy/functions.h"
#include "xla/xla_data.pb.h"

namespace xla::accuracy {

// Functions of one number of 16 bits are given all there are, of one f32 each `stride`-th. All
// others get `samples`: special values in all combinations first, then random ones of all
// magnitudes.
struct Sampling {
  int64_t stride = 1;
  int64_t samples = 1 << 22;
  int threads = 1;
};

struct Measurement {
  int64_t inputs = 0;
  // In units in the last place; where NaN, infinities and the signs of zeros are right. Of complex
  // numbers the distance in the plane, in units of the larger part.
  double largest_error = 0;
  std::string worst_input;
  int64_t not_nearest = 0;  // Results that are not the number next to the exact one.
  // NaN, infinity or a zero of one sign where something else is right.
  int64_t wrong_class = 0;
  std::string wrong_class_input;
  // f32 is compared with double, and only what comes close to the largest error with the wider
  // type: how far the two were apart where that was looked at, in units of the double.
  double reference_error = 0;
};

// How many inputs Measure will give the function.
int64_t InputCount(const Function& function, PrimitiveType type, const Sampling& sampling);

// Calls `progress` with the number of inputs just done, from several threads.
absl::StatusOr<Measurement> Measure(const Function& function, PrimitiveType type,
                                    ExecutionBackend& backend, const Sampling& sampling,
                                    absl::FunctionRef<void(int64_t)> progress);

}  // namespace xla::accuracy

#endif  // HILO_BENCH_ACCURACY_MEASURE_H_

// Distances between floating-point numbers.
#ifndef XLA_FP_UTIL_H_
#define XLA_FP_UTIL_H_

#include <cstdint>
#include <limits>

#include "xla/util.h"

namespace xla {

// The distance between x and its neighbour away from zero: 2^(e - digits + 1) where 2^e is the
// largest power of two that is not above |x|. That of the subnormal numbers for 0; x itself,
// without sign, where it is infinite or a NaN.
template <typename T>
constexpr T GoldbergUlp(T x) {
  using Limits = std::numeric_limits<T>;
  const T magnitude = x < T(0) ? -x : x;
  if (!(magnitude <= Limits::max())) return magnitude;
  T power = Limits::min();
  while (power <= magnitude / T(2)) power *= T(2);
  return power * Limits::epsilon();
}

// How many numbers of the type lie between two finite ones, the larger one included; -0 and 0 are
// one number.
template <typename T>
int64_t CalculateDistanceInFloats(T a, T b) {
  const auto position = [](T x) -> int64_t {
    const auto [sign, magnitude] = SignAndMagnitude(x);
    return sign != 0 ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
  };
  const int64_t distance = position(a) - position(b);
  return distance < 0 ? -distance : distance;
}

}  // namespace xla

#endif  // XLA_FP_UTIL_H_

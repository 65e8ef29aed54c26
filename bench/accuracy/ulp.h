// Errors in units in the last place.
#ifndef HILO_BENCH_ACCURACY_ULP_H_
#define HILO_BENCH_ACCURACY_ULP_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace xla::accuracy {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The distance of the numbers of type T around `value`; that of the subnormal ones below them.
template <typename T>
long double Ulp(long double value) {
  using Limits = std::numeric_limits<T>;
  const int exponent = value == 0 ? Limits::min_exponent - 1 : std::ilogb(value);
  return std::ldexp(1.0L, std::max(exponent, Limits::min_exponent - 1) - (Limits::digits - 1));
}

// What rounds to infinity: half a unit above the largest number.
template <typename T>
long double OverflowThreshold() {
  using Limits = std::numeric_limits<T>;
  return std::ldexp(1.0L, Limits::max_exponent) -
         std::ldexp(1.0L, Limits::max_exponent - Limits::digits - 1);
}

// How far `result` is from the exact value, in units in the last place of T. Infinite where one of
// the two is NaN, where a value in the range of T became infinite or one beyond it did not, and
// where zero has the wrong sign.
template <typename T>
double UlpError(T result, long double expected) {
  const long double value = static_cast<long double>(result);
  if (std::isnan(expected) || std::isnan(value))
    return std::isnan(expected) && std::isnan(value) ? 0 : kInfinity;
  const bool overflows = std::fabs(expected) >= OverflowThreshold<T>();
  if (std::isinf(value) || overflows)
    return std::isinf(value) && overflows && (value > 0) == (expected > 0) ? 0 : kInfinity;
  if (value == 0 && std::signbit(value) != std::signbit(expected)) return kInfinity;
  return static_cast<double>(std::fabs(value - expected) / Ulp<T>(expected));
}

// The same for float and an expected value known as a double, in a few instructions; NaN
// where it takes a closer look.
inline double QuickUlpError(float result, double expected) {
  const double value = result;
  if (!std::isfinite(value) || !std::isfinite(expected)) {
    constexpr double kOverflow = 0x1.ffffffp127;
    const bool both_nan = std::isnan(value) && std::isnan(expected);
    const bool both_infinite = value == kInfinity    ? expected > kOverflow
                               : value == -kInfinity ? expected < -kOverflow
                                                     : false;
    return both_nan || both_infinite ? 0 : std::numeric_limits<double>::quiet_NaN();
  }
  if (value == 0 && std::signbit(value) != std::signbit(expected))
    return std::numeric_limits<double>::quiet_NaN();
  const int exponent = static_cast<int>(std::bit_cast<uint64_t>(expected) >> 52 & 0x7ff) - 1023;
  const uint64_t reciprocal = static_cast<uint64_t>(1023 + 23 - std::max(exponent, -126));
  return std::fabs(value - expected) * std::bit_cast<double>(reciprocal << 52);
}

}  // namespace xla::accuracy

#endif  // HILO_BENCH_ACCURACY_ULP_H_

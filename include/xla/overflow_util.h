// Arithmetic of 64-bit integers that says when a result does not fit.
#ifndef XLA_OVERFLOW_UTIL_H_
#define XLA_OVERFLOW_UTIL_H_

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace xla {

// The product, and whether it does not fit.
inline std::pair<int64_t, bool> OverflowSafeMultiply(int64_t x, int64_t y) {
  int64_t product = 0;
  const bool overflows = __builtin_mul_overflow(x, y, &product);
  return {product, overflows};
}

// The sum, or nothing where it does not fit.
template <typename T>
std::optional<T> OverflowSafeAdd(T x, T y) {
  static_assert(std::is_integral_v<T>);
  T sum = 0;
  if (__builtin_add_overflow(x, y, &sum)) return std::nullopt;
  return sum;
}

}  // namespace xla

#endif  // XLA_OVERFLOW_UTIL_H_

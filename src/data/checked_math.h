// Arithmetic on sizes, which are not negative, that notices overflow.
#ifndef HILO_DATA_CHECKED_MATH_H_
#define HILO_DATA_CHECKED_MATH_H_

#include <cstdint>
#include <limits>

namespace xla {

// False on overflow, where the result is the largest int64_t.
inline bool CheckedMultiply(int64_t a, int64_t b, int64_t* product) {
  if (!__builtin_mul_overflow(a, b, product)) return true;
  *product = std::numeric_limits<int64_t>::max();
  return false;
}

inline int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  CheckedMultiply(a, b, &product);
  return product;
}

inline int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

// Requires a positive divisor.
inline int64_t SaturatingRoundUp(int64_t value, int64_t divisor) {
  const int64_t remainder = value % divisor;
  return remainder == 0 ? value : SaturatingAdd(value, divisor - remainder);
}

}  // namespace xla

#endif  // HILO_DATA_CHECKED_MATH_H_

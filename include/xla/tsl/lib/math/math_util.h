#ifndef HILO_INCLUDE_XLA_TSL_LIB_MATH_MATH_UTIL_H_
#define HILO_INCLUDE_XLA_TSL_LIB_MATH_MATH_UTIL_H_

#include <type_traits>

#include "absl/log/check.h"

namespace tsl {

class MathUtil {
 public:
  // The quotient of whole numbers, rounded up or down.
  template <typename IntegralType>
  static constexpr IntegralType CeilOfRatio(IntegralType numerator, IntegralType denominator) {
    const IntegralType down = FloorOfRatio(numerator, denominator);
    return down * denominator == numerator ? down : down + 1;
  }
  template <typename IntegralType>
  static constexpr IntegralType FloorOfRatio(IntegralType numerator, IntegralType denominator) {
    static_assert(std::is_integral_v<IntegralType>, "for whole numbers");
    const IntegralType to_zero = numerator / denominator;
    if constexpr (std::is_unsigned_v<IntegralType>) return to_zero;
    const bool is_negative = (numerator < 0) != (denominator < 0);
    return is_negative && to_zero * denominator != numerator ? to_zero - 1 : to_zero;
  }

  template <typename IntegralType>
  static constexpr IntegralType GCD(IntegralType a, IntegralType b) {
    static_assert(std::is_unsigned_v<IntegralType>, "for unsigned numbers");
    while (b != 0) {
      const IntegralType rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }

  // base to a whole power; exponents are not negative.
  template <typename T>
  static constexpr T IPow(T base, int exponent) {
    DCHECK_GE(exponent, 0);
    T result(1);
    for (; exponent > 0; exponent >>= 1, base = base * base) {
      if (exponent & 1) result = result * base;
    }
    return result;
  }
};

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_LIB_MATH_MATH_UTIL_H_

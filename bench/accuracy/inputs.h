// The numbers that functions are tried with.
#ifndef HILO_BENCH_ACCURACY_INPUTS_H_
#define HILO_BENCH_ACCURACY_INPUTS_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "xla/types.h"

namespace xla::accuracy {

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 2, uint16_t,
                                  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;

template <typename T>
T FromBits(uint64_t bits) {
  return std::bit_cast<T>(static_cast<BitsOf<T>>(bits));
}

inline constexpr double kSpecialValues[] = {0.0,
                                            -0.0,
                                            1,
                                            -1,
                                            2,
                                            -2,
                                            0.5,
                                            -0.5,
                                            3,
                                            -3,
                                            1.5,
                                            -1.5,
                                            10,
                                            -10,
                                            100,
                                            -100,
                                            1e-3,
                                            -1e-3,
                                            1.5707963267948966,
                                            -1.5707963267948966,
                                            3.141592653589793,
                                            -3.141592653589793};
inline constexpr int64_t kSpecialCount = std::size(kSpecialValues) + 10;

template <typename T>
T SpecialValue(int64_t index) {
  using Limits = std::numeric_limits<T>;
  constexpr int64_t kListed = std::size(kSpecialValues);
  if (index < kListed) return static_cast<T>(kSpecialValues[index]);
  const T positive[] = {Limits::infinity(), (Limits::max)(), (Limits::min)(), Limits::denorm_min(),
                        Limits::quiet_NaN()};
  const T value = positive[(index - kListed) / 2];
  return index % 2 == 0 ? value : -value;
}

// Well mixed bits (SplitMix64, Steele et al., "Fast Splittable Pseudorandom Number Generators",
// 2014).
inline uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// A random number with an exponent from `low` to `high`, as far as the type has them.
template <typename T>
T Scaled(uint64_t random, int low, int high) {
  const double fraction = 1 + std::ldexp(static_cast<double>(random >> 12), -52);
  const int exponent =
      low + static_cast<int>((random & 0x7ff) % static_cast<uint64_t>(high - low + 1));
  const double value = std::ldexp(fraction, exponent);
  return static_cast<T>((random & 0x800) != 0 ? -value : value);
}

// Sample `index` of `parts` (at most 4) numbers at once: all combinations of special values, then
// in turn any bits, everyday numbers, smaller ones, and numbers near 1 or near the one before.
template <typename T>
void Sample(int64_t index, int parts, T* values) {
  int64_t combinations = 1;
  for (int i = 0; i < std::min(parts, 2); ++i) combinations *= kSpecialCount;
  for (int part = 0; part < parts; ++part) {
    const uint64_t random = Mix(static_cast<uint64_t>(index) * 4 + static_cast<uint64_t>(part));
    if (index < combinations && part < 2) {
      values[part] = SpecialValue<T>(part == 0 ? index % kSpecialCount : index / kSpecialCount);
    } else if (index % 4 == 0) {
      values[part] = FromBits<T>(random);
    } else if (index % 4 == 1) {
      values[part] = Scaled<T>(random, -20, 11);
    } else if (index % 4 == 2) {
      values[part] = Scaled<T>(random, -3, 4);
    } else {
      const double near =
          part == 0 ? (index % 8 == 3 ? 1.0 : -1.0) : static_cast<double>(values[part - 1]);
      values[part] = static_cast<T>(near * (1 + Scaled<double>(random, -30, -1)));
    }
  }
}

}  // namespace xla::accuracy

#endif  // HILO_BENCH_ACCURACY_INPUTS_H_

// Integers of 1, 2 and 4 bits, one in the low bits of a byte (the high bits are zero).
#ifndef HILO_INCLUDE_ML_DTYPES_INTN_H_
#define HILO_INCLUDE_ML_DTYPES_INTN_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

namespace ml_dtypes {

// An integer of N bits, in two's complement where `Underlying` is signed. Arithmetic wraps around.
template <int N, typename Underlying>
class intN {
  static_assert(N >= 1 && N <= 4);
  static constexpr int kUnused = 8 - N;

 public:
  static constexpr int bits = N;
  static constexpr int digits = std::is_signed_v<Underlying> ? N - 1 : N;
  using underlying_type = Underlying;

  constexpr intN() = default;
  // Drops the bits that do not fit. Floating-point numbers drop their fraction first; NaN gives 0.
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  constexpr explicit intN(T value) : bits_(static_cast<uint8_t>(ToInteger(value)) & kMask) {}
  template <int M, typename Other>
  constexpr explicit intN(intN<M, Other> other) : intN(static_cast<int>(other)) {}
  template <typename T,
            std::enable_if_t<!std::is_arithmetic_v<T> && std::is_constructible_v<float, const T&>,
                             int> = 0>
  constexpr explicit intN(const T& value) : intN(static_cast<float>(value)) {}

  static constexpr intN FromBits(uint8_t bits) { return intN(static_cast<int>(bits)); }
  static constexpr intN lowest() {
    return intN(std::is_signed_v<Underlying> ? -(1 << (N - 1)) : 0);
  }
  static constexpr intN highest() { return intN((1 << digits) - 1); }

  template <typename T,
            std::enable_if_t<std::is_arithmetic_v<T> || std::is_constructible_v<T, float>, int> = 0>
  constexpr explicit operator T() const {
    return static_cast<T>(Value());
  }

  constexpr intN operator-() const { return intN(-Value()); }
  constexpr intN operator+() const { return *this; }
  constexpr intN operator~() const { return intN(~Value()); }
  constexpr intN operator<<(int amount) const {
    return intN(amount >= N ? 0 : Value() * (1 << amount));
  }
  constexpr intN operator>>(int amount) const {
    return intN(Value() >> (amount >= N ? N : amount));
  }

  friend constexpr intN operator+(intN a, intN b) { return intN(a.Value() + b.Value()); }
  friend constexpr intN operator-(intN a, intN b) { return intN(a.Value() - b.Value()); }
  friend constexpr intN operator*(intN a, intN b) { return intN(a.Value() * b.Value()); }
  friend constexpr intN operator/(intN a, intN b) { return intN(a.Value() / b.Value()); }
  friend constexpr intN operator%(intN a, intN b) { return intN(a.Value() % b.Value()); }
  friend constexpr intN operator&(intN a, intN b) { return intN(a.Value() & b.Value()); }
  friend constexpr intN operator|(intN a, intN b) { return intN(a.Value() | b.Value()); }
  friend constexpr intN operator^(intN a, intN b) { return intN(a.Value() ^ b.Value()); }
  constexpr intN& operator+=(intN other) { return *this = *this + other; }
  constexpr intN& operator-=(intN other) { return *this = *this - other; }
  constexpr intN& operator*=(intN other) { return *this = *this * other; }
  constexpr intN& operator/=(intN other) { return *this = *this / other; }
  constexpr intN& operator%=(intN other) { return *this = *this % other; }
  constexpr intN& operator&=(intN other) { return *this = *this & other; }
  constexpr intN& operator|=(intN other) { return *this = *this | other; }
  constexpr intN& operator^=(intN other) { return *this = *this ^ other; }
  constexpr intN& operator<<=(int amount) { return *this = *this << amount; }
  constexpr intN& operator>>=(int amount) { return *this = *this >> amount; }
  constexpr intN& operator++() { return *this = intN(Value() + 1); }
  constexpr intN& operator--() { return *this = intN(Value() - 1); }
  constexpr intN operator++(int) { return std::exchange(*this, intN(Value() + 1)); }
  constexpr intN operator--(int) { return std::exchange(*this, intN(Value() - 1)); }

  friend constexpr bool operator==(intN a, intN b) { return a.Value() == b.Value(); }
  friend constexpr bool operator!=(intN a, intN b) { return a.Value() != b.Value(); }
  friend constexpr bool operator<(intN a, intN b) { return a.Value() < b.Value(); }
  friend constexpr bool operator<=(intN a, intN b) { return a.Value() <= b.Value(); }
  friend constexpr bool operator>(intN a, intN b) { return a.Value() > b.Value(); }
  friend constexpr bool operator>=(intN a, intN b) { return a.Value() >= b.Value(); }

  std::string ToString() const { return std::to_string(Value()); }
  friend std::ostream& operator<<(std::ostream& out, intN a) { return out << a.Value(); }
  template <typename Sink>
  friend void AbslStringify(Sink& sink, intN a) {
    sink.Append(a.ToString());
  }
  template <typename H>
  friend H AbslHashValue(H state, intN a) {
    return H::combine(std::move(state), a.Value());
  }

 private:
  static constexpr uint8_t kMask = (1 << N) - 1;

  template <typename T>
  static constexpr int64_t ToInteger(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T kLimit = static_cast<T>(9.2e18);
      if (!(value > -kLimit)) return value < 0 ? INT64_MIN : 0;
      return value < kLimit ? static_cast<int64_t>(value) : INT64_MAX;
    } else {
      return static_cast<int64_t>(value);
    }
  }

  // Ignores the unused bits, which bytes from elsewhere may have set.
  constexpr int Value() const {
    const uint8_t raised = static_cast<uint8_t>(bits_ << kUnused);
    return static_cast<Underlying>(raised) >> kUnused;
  }

  uint8_t bits_ = 0;
};

using int1 = intN<1, int8_t>;
using uint1 = intN<1, uint8_t>;
using int2 = intN<2, int8_t>;
using uint2 = intN<2, uint8_t>;
using int4 = intN<4, int8_t>;
using uint4 = intN<4, uint8_t>;

}  // namespace ml_dtypes

namespace std {

template <int N, typename Underlying>
class numeric_limits<ml_dtypes::intN<N, Underlying>> {
  using T = ml_dtypes::intN<N, Underlying>;

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = is_signed_v<Underlying>;
  static constexpr bool is_integer = true;
  static constexpr bool is_exact = true;
  static constexpr bool has_infinity = false;
  static constexpr bool has_quiet_NaN = false;
  static constexpr bool has_signaling_NaN = false;
  static constexpr float_denorm_style has_denorm = denorm_absent;
  static constexpr bool has_denorm_loss = false;
  static constexpr float_round_style round_style = round_toward_zero;
  static constexpr bool is_iec559 = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = true;
  static constexpr int digits = T::digits;
  static constexpr int digits10 = 0;
  static constexpr int max_digits10 = 0;
  static constexpr int radix = 2;
  static constexpr int min_exponent = 0;
  static constexpr int min_exponent10 = 0;
  static constexpr int max_exponent = 0;
  static constexpr int max_exponent10 = 0;
  static constexpr bool traps = true;
  static constexpr bool tinyness_before = false;

  static constexpr T(min)() { return T::lowest(); }
  static constexpr T lowest() { return T::lowest(); }
  static constexpr T(max)() { return T::highest(); }
  static constexpr T epsilon() { return T(0); }
  static constexpr T round_error() { return T(0); }
  static constexpr T infinity() { return T(0); }
  static constexpr T quiet_NaN() { return T(0); }
  static constexpr T signaling_NaN() { return T(0); }
  static constexpr T denorm_min() { return T(0); }
};

template <int N, typename Underlying>
struct hash<ml_dtypes::intN<N, Underlying>> {
  size_t operator()(ml_dtypes::intN<N, Underlying> value) const {
    return std::hash<int>()(static_cast<int>(value));
  }
};

}  // namespace std

#endif  // HILO_INCLUDE_ML_DTYPES_INTN_H_

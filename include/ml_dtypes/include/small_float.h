// The numbers of 4, 6 and 8 bits that machine learning uses, one template for all of them.
#ifndef HILO_INCLUDE_ML_DTYPES_SMALL_FLOAT_H_
#define HILO_INCLUDE_ML_DTYPES_SMALL_FLOAT_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <type_traits>
#include <utility>

namespace ml_dtypes {

// What the codes with the largest exponent, and the code of minus zero, mean.
enum class FloatEncoding {
  kIeee,                // infinities and NaNs as in IEEE 754
  kFiniteNan,           // "fn": no infinity, NaN is the code of all ones with either sign
  kFiniteUnsignedZero,  // "fnuz": no infinity, no minus zero; its code is the only NaN
  kFinite,      // "fn" without NaN: every code is finite, conversions saturate, NaN becomes -0
  kPowerOfTwo,  // "fnu": only an exponent, no sign, no zero; the code of all ones is NaN
};

// A floating-point number in the low bits of one byte: [sign], `kExponentBits`, `kMantissaBits`.
// Conversion from float and double rounds once, to nearest with ties to the even significand;
// conversion to them is exact (a NaN keeps its sign). Arithmetic is that of float, rounded.
template <int kExponentBits, int kMantissaBits, int kBias, FloatEncoding kEncoding>
class SmallFloat {
  static constexpr bool kHasSign = kEncoding != FloatEncoding::kPowerOfTwo;

  template <typename T>
  using EnableIfFromNumber = std::enable_if_t<
      std::is_convertible_v<const T&, float> || std::is_constructible_v<float, const T&>, int>;
  template <typename T>
  using EnableIfToNumber =
      std::enable_if_t<std::is_arithmetic_v<T> || (!std::is_convertible_v<const SmallFloat&, T> &&
                                                   std::is_constructible_v<T, float>),
                       int>;

 public:
  static constexpr int kBits = (kHasSign ? 1 : 0) + kExponentBits + kMantissaBits;
  static constexpr uint8_t kSignMask = kHasSign ? 1 << (kBits - 1) : 0;
  static constexpr uint8_t kCodeMask = (1 << kBits) - 1;
  static constexpr uint8_t kMagnitudeMask = kCodeMask & ~kSignMask;
  static constexpr uint8_t kMaxFiniteCode = [] {
    switch (kEncoding) {
      case FloatEncoding::kIeee:
        return kMagnitudeMask - (1 << kMantissaBits);
      case FloatEncoding::kFiniteNan:
      case FloatEncoding::kPowerOfTwo:
        return kMagnitudeMask - 1;
      case FloatEncoding::kFiniteUnsignedZero:
      case FloatEncoding::kFinite:
        break;
    }
    return +kMagnitudeMask;
  }();
  static constexpr bool kHasInfinity = kEncoding == FloatEncoding::kIeee;
  static constexpr bool kHasNan = kEncoding != FloatEncoding::kFinite;
  static constexpr bool kHasNegativeZero =
      kEncoding != FloatEncoding::kFiniteUnsignedZero && kHasSign;
  // The code of positive infinity, or what takes its place when a value is too large.
  static constexpr uint8_t kOverflowCode =
      kEncoding == FloatEncoding::kFiniteUnsignedZero ? kSignMask
      : kEncoding == FloatEncoding::kFinite           ? kMaxFiniteCode
                                                      : kMaxFiniteCode + 1;
  // The code of a positive NaN.
  static constexpr uint8_t kNanCode = [] {
    switch (kEncoding) {
      case FloatEncoding::kIeee:
        return kMaxFiniteCode + 1 + ((1 << kMantissaBits) >> 1);
      case FloatEncoding::kFiniteNan:
      case FloatEncoding::kPowerOfTwo:
        break;
      case FloatEncoding::kFiniteUnsignedZero:
      case FloatEncoding::kFinite:
        return +kSignMask;
    }
    return +kMagnitudeMask;
  }();

  constexpr SmallFloat() = default;
  constexpr explicit SmallFloat(double value) : code_(Encode(value)) {}
  constexpr explicit SmallFloat(float value) : code_(Encode(value)) {}
  constexpr explicit SmallFloat(bool value) : code_(Encode(value ? 1.0 : 0.0)) {}
  // Integers of up to 64 bits round once, too.
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  constexpr explicit SmallFloat(T value) : code_(Encode(IntegerToDouble(value))) {}
  template <typename T, std::enable_if_t<!std::is_arithmetic_v<T>, int> = 0,
            EnableIfFromNumber<T> = 0>
  constexpr explicit SmallFloat(const T& value) : code_(Encode(static_cast<float>(value))) {}

  static constexpr SmallFloat FromRep(uint8_t code) {
    SmallFloat result;
    result.code_ = code & kCodeMask;
    return result;
  }
  constexpr uint8_t rep() const { return code_; }

  template <typename T, EnableIfToNumber<T> = 0>
  constexpr explicit operator T() const {
    if constexpr (std::is_same_v<T, bool>) {
      return ToFloat() != 0;
    } else {
      return static_cast<T>(ToFloat());
    }
  }

  constexpr float ToFloat() const { return Decode(code_); }
  constexpr bool IsNan() const {
    switch (kEncoding) {
      case FloatEncoding::kIeee:
        return (code_ & kMagnitudeMask) > kOverflowCode;
      case FloatEncoding::kFiniteNan:
      case FloatEncoding::kPowerOfTwo:
        return (code_ & kMagnitudeMask) == kNanCode;
      case FloatEncoding::kFiniteUnsignedZero:
        return code_ == kNanCode;
      case FloatEncoding::kFinite:
        break;
    }
    return false;
  }
  constexpr bool IsInfinite() const {
    return kHasInfinity && (code_ & kMagnitudeMask) == kOverflowCode;
  }
  constexpr bool SignBit() const { return (code_ & kSignMask) != 0; }

  constexpr SmallFloat operator-() const {
    const bool keeps_code =
        kEncoding == FloatEncoding::kFiniteUnsignedZero && (code_ & kMagnitudeMask) == 0;
    if constexpr (!kHasSign) return FromRep(kNanCode);
    return keeps_code ? *this : FromRep(code_ ^ kSignMask);
  }
  constexpr SmallFloat operator+() const { return *this; }

  friend constexpr SmallFloat operator+(SmallFloat a, SmallFloat b) {
    return SmallFloat(a.ToFloat() + b.ToFloat());
  }
  friend constexpr SmallFloat operator-(SmallFloat a, SmallFloat b) {
    return SmallFloat(a.ToFloat() - b.ToFloat());
  }
  friend constexpr SmallFloat operator*(SmallFloat a, SmallFloat b) {
    return SmallFloat(a.ToFloat() * b.ToFloat());
  }
  friend constexpr SmallFloat operator/(SmallFloat a, SmallFloat b) {
    return SmallFloat(a.ToFloat() / b.ToFloat());
  }
  constexpr SmallFloat& operator+=(SmallFloat other) { return *this = *this + other; }
  constexpr SmallFloat& operator-=(SmallFloat other) { return *this = *this - other; }
  constexpr SmallFloat& operator*=(SmallFloat other) { return *this = *this * other; }
  constexpr SmallFloat& operator/=(SmallFloat other) { return *this = *this / other; }

  friend constexpr bool operator==(SmallFloat a, SmallFloat b) {
    return a.ToFloat() == b.ToFloat();
  }
  friend constexpr bool operator!=(SmallFloat a, SmallFloat b) {
    return a.ToFloat() != b.ToFloat();
  }
  friend constexpr bool operator<(SmallFloat a, SmallFloat b) { return a.ToFloat() < b.ToFloat(); }
  friend constexpr bool operator<=(SmallFloat a, SmallFloat b) {
    return a.ToFloat() <= b.ToFloat();
  }
  friend constexpr bool operator>(SmallFloat a, SmallFloat b) { return a.ToFloat() > b.ToFloat(); }
  friend constexpr bool operator>=(SmallFloat a, SmallFloat b) {
    return a.ToFloat() >= b.ToFloat();
  }

  // With the built-in numbers, as float compares with them.
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  friend constexpr bool operator==(SmallFloat a, T b) {
    return a.ToFloat() == b;
  }
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  friend constexpr bool operator==(T a, SmallFloat b) {
    return a == b.ToFloat();
  }
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  friend constexpr bool operator!=(SmallFloat a, T b) {
    return a.ToFloat() != b;
  }
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  friend constexpr bool operator!=(T a, SmallFloat b) {
    return a != b.ToFloat();
  }

  friend constexpr bool isnan(SmallFloat a) { return a.IsNan(); }
  friend constexpr bool isinf(SmallFloat a) { return a.IsInfinite(); }
  friend constexpr bool isfinite(SmallFloat a) { return !a.IsNan() && !a.IsInfinite(); }
  friend constexpr bool signbit(SmallFloat a) { return a.SignBit(); }
  friend constexpr SmallFloat abs(SmallFloat a) {
    return a.IsNan() && kEncoding == FloatEncoding::kFiniteUnsignedZero
               ? a
               : FromRep(a.code_ & ~kSignMask);
  }
  friend std::ostream& operator<<(std::ostream& out, SmallFloat a) { return out << a.ToFloat(); }
  template <typename H>
  friend H AbslHashValue(H state, SmallFloat a) {
    return H::combine(std::move(state), a == SmallFloat(0.0f) ? 0.0f : a.ToFloat());
  }

 private:
  static constexpr int kMinNormalExponent = 1 - kBias;

  // Integers beyond 53 bits keep a sticky last bit, so that rounding them again gives the right
  // result.
  template <typename T>
  static constexpr double IntegerToDouble(T value) {
    const bool negative = value < 0;
    uint64_t magnitude = static_cast<uint64_t>(value);
    if (negative) magnitude = 0 - magnitude;
    if ((magnitude >> 53) != 0) {
      const uint64_t truncated = magnitude & ~uint64_t{0xfff};
      magnitude = truncated | (truncated != magnitude ? 0x800 : 0);
    }
    const double result = static_cast<double>(magnitude);
    return negative ? -result : result;
  }

  static constexpr float Decode(uint8_t code) {
    const uint32_t sign = (code & kSignMask) != 0 ? 0x80000000u : 0;
    const uint32_t magnitude = code & kMagnitudeMask;
    if (FromRep(code).IsNan()) return __builtin_bit_cast(float, sign | 0x7fc00000u);
    if (FromRep(code).IsInfinite()) return __builtin_bit_cast(float, sign | 0x7f800000u);
    if constexpr (kEncoding == FloatEncoding::kPowerOfTwo) {
      return __builtin_bit_cast(float, magnitude == 0 ? 0x00400000u : magnitude << 23);
    } else {
      if ((magnitude >> kMantissaBits) == 0) {
        const float unit =
            __builtin_bit_cast(float, uint32_t(kMinNormalExponent - kMantissaBits + 127) << 23);
        const float value = static_cast<float>(magnitude) * unit;
        return sign != 0 ? -value : value;
      }
      return __builtin_bit_cast(
          float, sign | ((magnitude << (23 - kMantissaBits)) + (uint32_t(127 - kBias) << 23)));
    }
  }

  static constexpr uint8_t Encode(double value) {
    const uint64_t bits = __builtin_bit_cast(uint64_t, value);
    const uint64_t magnitude = bits & ~(uint64_t{1} << 63);
    const uint8_t sign = (bits >> 63) != 0 ? kSignMask : 0;
    constexpr uint64_t kDoubleInfinity = uint64_t{0x7ff} << 52;
    if constexpr (kEncoding == FloatEncoding::kPowerOfTwo) {
      return magnitude == 0 || magnitude >= kDoubleInfinity || (bits >> 63) != 0
                 ? +kNanCode
                 : EncodePower(magnitude);
    } else {
      if (magnitude > kDoubleInfinity) {
        // Without a NaN, or with only one, the sign says nothing: XLA writes -0 for NaN and +0 for
        // -NaN.
        if (kEncoding == FloatEncoding::kFiniteUnsignedZero) return kNanCode;
        return kNanCode ^ sign;
      }
      const int code = magnitude == kDoubleInfinity ? 1 << kBits : RoundMagnitude(magnitude);
      if (code == 0) return kHasNegativeZero ? sign : 0;
      if (code > kMaxFiniteCode) return kOverflowCode | sign;
      return static_cast<uint8_t>(code) | sign;
    }
  }

  // The code of a finite magnitude as if exponents had no upper end.
  static constexpr int RoundMagnitude(uint64_t magnitude) {
    const int exponent = static_cast<int>(magnitude >> 52) - 1023;
    const uint64_t significand = (magnitude & ((uint64_t{1} << 52) - 1)) | (uint64_t{1} << 52);
    const int missing = exponent < kMinNormalExponent ? kMinNormalExponent - exponent : 0;
    const int shift = 52 - kMantissaBits + missing;
    if (shift > 54) return 0;
    const uint64_t kept = significand >> shift;
    const uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
    const uint64_t half = uint64_t{1} << (shift - 1);
    const int rounded =
        static_cast<int>(kept) + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
    return missing != 0 ? rounded : rounded + ((exponent - kMinNormalExponent) << kMantissaBits);
  }

  // The nearest power of two; of a tie the larger one (the significand 1 is odd, 2 is even). XLA
  // rounds what lies between the two least powers up: of a float no more digit is left there.
  static constexpr uint8_t EncodePower(uint64_t magnitude) {
    constexpr uint64_t kLeast = uint64_t{1023 - kBias} << 52;
    const int exponent = static_cast<int>((magnitude + (uint64_t{1} << 51)) >> 52) - 1023;
    const int code = exponent + kBias;
    if (code <= 0) return magnitude > kLeast ? 1 : 0;
    return code > kMaxFiniteCode ? +kOverflowCode : static_cast<uint8_t>(code);
  }

  uint8_t code_ = 0;
};

}  // namespace ml_dtypes

namespace std {

template <int kExponentBits, int kMantissaBits, int kBias, ml_dtypes::FloatEncoding kEncoding>
class numeric_limits<ml_dtypes::SmallFloat<kExponentBits, kMantissaBits, kBias, kEncoding>> {
  using T = ml_dtypes::SmallFloat<kExponentBits, kMantissaBits, kBias, kEncoding>;
  static constexpr bool kHasSubnormals = kEncoding != ml_dtypes::FloatEncoding::kPowerOfTwo;
  static constexpr int kMaxExponentCode = T::kMaxFiniteCode >> kMantissaBits;
  static constexpr int Log10Floor(int power_of_two) {
    const double value = power_of_two * 0.30102999566398119521;
    const int truncated = static_cast<int>(value);
    return truncated > value ? truncated - 1 : truncated;
  }

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = T::kSignMask != 0;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = T::kHasInfinity;
  static constexpr bool has_quiet_NaN = T::kHasNan;
  static constexpr bool has_signaling_NaN = false;
  static constexpr float_denorm_style has_denorm = kHasSubnormals ? denorm_present : denorm_absent;
  static constexpr bool has_denorm_loss = false;
  static constexpr float_round_style round_style = round_to_nearest;
  static constexpr bool is_iec559 = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr int radix = 2;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = true;
  static constexpr int digits = kMantissaBits + 1;
  static constexpr int digits10 = Log10Floor(kMantissaBits);
  static constexpr int max_digits10 = 1 + Log10Floor(digits) + 1;
  static constexpr int min_exponent = (kHasSubnormals ? 1 : 0) - kBias + 1;
  static constexpr int max_exponent = kMaxExponentCode - kBias + 1;
  static constexpr int min_exponent10 = Log10Floor(min_exponent - 1) + (min_exponent < 1 ? 1 : 0);
  static constexpr int max_exponent10 = Log10Floor(max_exponent);

  static constexpr T(min)() { return T::FromRep(kHasSubnormals ? 1 << kMantissaBits : 0); }
  static constexpr T(max)() { return T::FromRep(T::kMaxFiniteCode); }
  static constexpr T lowest() {
    return is_signed ? T::FromRep(T::kMaxFiniteCode | T::kSignMask) : T::FromRep(0);
  }
  static constexpr T epsilon() { return T(1.0 / (1 << kMantissaBits)); }
  static constexpr T round_error() { return T(kMantissaBits > 0 ? 0.5 : 1.0); }
  static constexpr T infinity() { return T::FromRep(T::kOverflowCode); }
  static constexpr T quiet_NaN() { return T::FromRep(T::kNanCode); }
  static constexpr T signaling_NaN() { return quiet_NaN(); }
  static constexpr T denorm_min() { return T::FromRep(kHasSubnormals ? 1 : 0); }
};

template <int kExponentBits, int kMantissaBits, int kBias, ml_dtypes::FloatEncoding kEncoding>
struct hash<ml_dtypes::SmallFloat<kExponentBits, kMantissaBits, kBias, kEncoding>> {
  size_t operator()(
      ml_dtypes::SmallFloat<kExponentBits, kMantissaBits, kBias, kEncoding> value) const {
    return std::hash<float>()(value.ToFloat());
  }
};

}  // namespace std

#endif  // HILO_INCLUDE_ML_DTYPES_SMALL_FLOAT_H_

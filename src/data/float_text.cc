#include "data/float_text.h"

#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/float_environment.h"
#include "base/status_macros.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// The fields of a floating-point type as bits.
template <typename T>
struct FloatFields;

template <typename T, typename UnsignedT, int kMantissaBits>
struct StandardFields {
  using Bits = UnsignedT;
  static constexpr bool kHasPayload = true;
  static constexpr int kSignShift = 8 * sizeof(T) - 1;
  static constexpr Bits kMantissaMask = (Bits{1} << kMantissaBits) - 1;
  static constexpr Bits kQuietPayload = Bits{1} << (kMantissaBits - 1);
  static constexpr Bits kInfinity = static_cast<Bits>(~kMantissaMask & ~(Bits{1} << kSignShift));
  static Bits ToBits(T value) { return Eigen::numext::bit_cast<Bits>(value); }
  static T FromBits(Bits bits) { return Eigen::numext::bit_cast<T>(bits); }
};
template <>
struct FloatFields<double> : StandardFields<double, uint64_t, 52> {};
template <>
struct FloatFields<float> : StandardFields<float, uint32_t, 23> {};
template <>
struct FloatFields<half> : StandardFields<half, uint16_t, 10> {};
template <>
struct FloatFields<bfloat16> : StandardFields<bfloat16, uint16_t, 7> {};

template <int E, int M, int kBias, ml_dtypes::FloatEncoding kEncoding>
struct FloatFields<ml_dtypes::SmallFloat<E, M, kBias, kEncoding>> {
  using T = ml_dtypes::SmallFloat<E, M, kBias, kEncoding>;
  using Bits = uint8_t;
  static constexpr bool kHasPayload = kEncoding == ml_dtypes::FloatEncoding::kIeee;
  static constexpr int kSignShift = T::kBits - 1;
  static constexpr Bits kMantissaMask = (1 << M) - 1;
  static constexpr Bits kQuietPayload = T::kNanCode & kMantissaMask;
  static constexpr Bits kInfinity = T::kOverflowCode;
  static Bits ToBits(T value) { return value.rep(); }
  static T FromBits(Bits bits) { return T::FromRep(bits); }
};

template <typename T>
constexpr bool kIsNarrow = !std::is_same_v<T, float> && !std::is_same_v<T, double>;

template <typename T>
constexpr bool kIsSmall = kIsNarrow<T> && !std::is_same_v<T, half> && !std::is_same_v<T, bfloat16>;

// As printf("%.*g") does, but for -0, which has a point: HLO text takes "-0" for the integer zero.
template <typename T>
void AppendGeneral(T value, int digits, std::string* out) {
  if (value == 0 && std::signbit(value)) {
    out->append("-0.0");
    return;
  }
  char buffer[40];
  const auto result =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::general, digits);
  out->append(buffer, result.ptr);
}

// The digits of the shortest text that reads back as the value, for a normal number.
template <typename T>
int ShortestDigitCount(T value) {
  char buffer[40];
  const auto result =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  int digits = 0;
  for (const char* p = buffer; p != result.ptr && *p != 'e'; ++p)
    digits += absl::ascii_isdigit(*p) ? 1 : 0;
  return digits;
}

template <typename T>
void AppendNan(T value, std::string* out) {
  using Fields = FloatFields<T>;
  const auto bits = Fields::ToBits(value);
  if (((bits >> Fields::kSignShift) & 1) != 0) out->push_back('-');
  out->append("nan");
  if constexpr (Fields::kHasPayload) {
    const auto payload = bits & Fields::kMantissaMask;
    if (payload != Fields::kQuietPayload) absl::StrAppend(out, "(0x", absl::Hex(payload), ")");
  }
}

template <typename T>
void AppendFloat(T value, std::string* out) {
  using std::isnan;
  if (isnan(value)) return AppendNan(value, out);
  const DefaultFloatEnvironment float_environment;
  if constexpr (kIsNarrow<T>) {
    const size_t start = out->size();
    AppendGeneral(static_cast<float>(value), std::numeric_limits<T>::max_digits10, out);
    double read = 0;
    std::from_chars(out->data() + start, out->data() + out->size(), read);
    if (FloatFields<T>::ToBits(static_cast<T>(read)) == FloatFields<T>::ToBits(value)) return;
    // What is a little above the least scale becomes the next one.
    out->resize(start);
    AppendGeneral(static_cast<float>(value), std::numeric_limits<float>::max_digits10, out);
  } else {
    // Every decimal number of digits10 digits survives the way through a normal number, so that one
    // with a short text needs no more than digits10 digits, and the others need all. Subnormal
    // numbers have to be tried.
    constexpr int kFewDigits = std::numeric_limits<T>::digits10;
    constexpr int kAllDigits = std::numeric_limits<T>::max_digits10;
    if (value != 0 && std::fabs(value) < std::numeric_limits<T>::min()) {
      const size_t start = out->size();
      AppendGeneral(value, kFewDigits, out);
      T read = 0;
      std::from_chars(out->data() + start, out->data() + out->size(), read);
      if (read == value) return;
      out->resize(start);
      AppendGeneral(value, kAllDigits, out);
    } else {
      AppendGeneral(value, ShortestDigitCount(value) <= kFewDigits ? kFewDigits : kAllDigits, out);
    }
  }
}

template <typename T>
std::string TypeName() {
  return primitive_util::LowercasePrimitiveTypeName(primitive_util::NativeToPrimitiveType<T>());
}

template <typename T>
absl::Status NotANumber(absl::string_view text) {
  return InvalidArgument("'%s' is not a value of type %s", text.substr(0, 60), TypeName<T>());
}

template <typename T>
absl::Status OutOfRange(absl::string_view text) {
  return InvalidArgument("%s is out of range for type %s", text, TypeName<T>());
}

template <typename T>
absl::StatusOr<T> ParseNan(absl::string_view text, bool negative) {
  using Fields = FloatFields<T>;
  using Bits = typename Fields::Bits;
  const Bits sign = static_cast<Bits>(static_cast<Bits>(negative) << Fields::kSignShift);
  absl::string_view payload_text = text;
  if (!absl::ConsumePrefix(&payload_text, "nan")) return NotANumber<T>(text);
  if (payload_text.empty()) {
    if constexpr (kIsSmall<T>) {
      constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
      return T(negative ? -kNan : kNan);
    }
    return Fields::FromBits(sign | Fields::kInfinity | Fields::kQuietPayload);
  }
  uint64_t payload = 0;
  if (!absl::ConsumePrefix(&payload_text, "(0x") || !absl::ConsumeSuffix(&payload_text, ")") ||
      !absl::SimpleHexAtoi(payload_text, &payload) || !absl::ascii_isxdigit(payload_text.front())) {
    return NotANumber<T>(text);
  }
  constexpr uint64_t kLargest = Fields::kHasPayload ? uint64_t{Fields::kMantissaMask} : uint64_t{0};
  if (payload == 0 || payload > kLargest) {
    return InvalidArgument("NaN payload 0x%x does not fit type %s, whose largest is 0x%x", payload,
                           TypeName<T>(), kLargest);
  }
  return Fields::FromBits(sign | Fields::kInfinity | static_cast<Bits>(payload));
}

template <typename T>
T RoundTo(double value) {
  if constexpr (std::is_same_v<T, half>) {
    return RoundToHalf(value);
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return RoundToBfloat16(value);
  } else {
    return static_cast<T>(value);
  }
}

// Whether a finite number this large has no nearest finite value in T: it lies half a step or more
// beyond the largest.
template <typename T>
bool IsTooLarge(double value, T rounded) {
  if constexpr (std::is_same_v<T, double>) {
    return std::isinf(value);
  } else if constexpr (kIsNarrow<T>) {
    using std::isfinite;
    if (!isfinite(rounded)) return true;
    if constexpr (!std::numeric_limits<T>::has_infinity && !std::numeric_limits<T>::has_quiet_NaN) {
      const double largest = static_cast<double>(std::numeric_limits<T>::max());
      const double second = static_cast<double>(T::FromRep(T::kMaxFiniteCode - 1));
      return std::fabs(value) > largest + (largest - second) / 2;
    }
    return false;
  } else {
    return std::isinf(rounded);
  }
}

template <typename T>
absl::StatusOr<T> ParseFloat(absl::string_view text) {
  absl::string_view digits = text;
  const bool negative = absl::ConsumePrefix(&digits, "-");
  if (digits.empty()) return NotANumber<T>(text);
  if (!absl::ascii_isdigit(digits[0]) && digits[0] != '.') {
    if (digits != "inf") return ParseNan<T>(digits, negative);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return RoundTo<T>(negative ? -kInfinity : kInfinity);
  }
  const DefaultFloatEnvironment float_environment;
  double value = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return NotANumber<T>(text);
  if (error == std::errc::result_out_of_range) {
    // Only the other function tells too small from too large.
    absl::from_chars(text.data(), end, value);
    if (std::fabs(value) > 1) return OutOfRange<T>(text);
  }
  const T rounded = RoundTo<T>(value);
  if (IsTooLarge(value, rounded)) return OutOfRange<T>(text);
  return rounded;
}

template <typename T>
absl::StatusOr<T> ParseInteger(absl::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return NotANumber<T>(text);
  if constexpr (std::is_same_v<T, uint64_t>) {
    uint64_t unsigned_value = static_cast<uint64_t>(value);
    if (error == std::errc()) return unsigned_value;
    error = std::from_chars(text.data(), end, unsigned_value).ec;
    if (error != std::errc()) return OutOfRange<T>(text);
    return unsigned_value;
  } else {
    if (error != std::errc() || value < static_cast<int64_t>(std::numeric_limits<T>::lowest()) ||
        value > static_cast<int64_t>(std::numeric_limits<T>::max())) {
      return OutOfRange<T>(text);
    }
    return static_cast<T>(value);
  }
}

absl::StatusOr<bool> ParsePred(absl::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  HILO_ASSIGN_OR_RETURN(const int64_t value, ParseInteger<int64_t>(text));
  return value != 0;
}

template <typename T>
absl::StatusOr<T> ParseComplex(absl::string_view text) {
  using Part = typename T::value_type;
  absl::string_view inside = text;
  if (!absl::ConsumePrefix(&inside, "(")) {
    HILO_ASSIGN_OR_RETURN(const Part real, ParseFloat<Part>(text));
    return T(real);
  }
  const size_t comma = inside.find(',');
  if (comma == absl::string_view::npos || !absl::ConsumeSuffix(&inside, ")"))
    return NotANumber<T>(text);
  HILO_ASSIGN_OR_RETURN(const Part real,
                        ParseFloat<Part>(absl::StripAsciiWhitespace(inside.substr(0, comma))));
  HILO_ASSIGN_OR_RETURN(const Part imaginary,
                        ParseFloat<Part>(absl::StripAsciiWhitespace(inside.substr(comma + 1))));
  return T(real, imaginary);
}

// The float that differs from an inexact value in its last bit being odd, so that rounding again to
// fewer bits sees on which side of a tie the value was.
float RoundToOddFloat(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value) || std::isinf(nearest))
    return nearest;
  const uint32_t bits = Eigen::numext::bit_cast<uint32_t>(nearest);
  if ((bits & 1) != 0) return nearest;
  const bool below = std::fabs(static_cast<double>(nearest)) < std::fabs(value);
  return Eigen::numext::bit_cast<float>(below ? bits + 1 : bits - 1);
}

}  // namespace

half RoundToHalf(double value) { return half(RoundToOddFloat(value)); }
bfloat16 RoundToBfloat16(double value) { return bfloat16(RoundToOddFloat(value)); }

template <typename NativeT>
void AppendElement(NativeT value, std::string* out) {
  if constexpr (is_complex_v<NativeT>) {
    out->push_back('(');
    AppendFloat(value.real(), out);
    out->append(", ");
    AppendFloat(value.imag(), out);
    out->push_back(')');
  } else if constexpr (is_specialized_floating_point_v<NativeT>) {
    AppendFloat(value, out);
  } else {
    using Wide = std::conditional_t<std::is_same_v<NativeT, uint64_t>, uint64_t, int64_t>;
    char buffer[24];
    out->append(buffer,
                std::to_chars(buffer, buffer + sizeof(buffer), static_cast<Wide>(value)).ptr);
  }
}

template <typename NativeT>
absl::StatusOr<NativeT> ParseElement(absl::string_view text) {
  if constexpr (std::is_same_v<NativeT, bool>) {
    return ParsePred(text);
  } else if constexpr (is_complex_v<NativeT>) {
    return ParseComplex<NativeT>(text);
  } else if constexpr (is_specialized_floating_point_v<NativeT>) {
    return ParseFloat<NativeT>(text);
  } else {
    return ParseInteger<NativeT>(text);
  }
}

#define HILO_INSTANTIATE(kType, NativeT)                                  \
  template void AppendElement<NativeT>(NativeT value, std::string * out); \
  template absl::StatusOr<NativeT> ParseElement<NativeT>(absl::string_view text);
XLA_FOR_EACH_ARRAY_TYPE(HILO_INSTANTIATE)
#undef HILO_INSTANTIATE

absl::Status ParseElement(PrimitiveType type, absl::string_view text, void* element) {
  return primitive_util::ArrayTypeSwitch(
      [&](auto constant) -> absl::Status {
        using NativeT = primitive_util::NativeTypeOf<constant>;
        HILO_ASSIGN_OR_RETURN(*static_cast<NativeT*>(element), ParseElement<NativeT>(text));
        return absl::OkStatus();
      },
      type);
}

}  // namespace xla

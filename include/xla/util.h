#ifndef HILO_INCLUDE_XLA_UTIL_H_
#define HILO_INCLUDE_XLA_UTIL_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/log/check.h"
#include "absl/numeric/bits.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "google/protobuf/message.h"
#include "xla/status_macros.h"
#include "xla/tsl/platform/logging.h"
#include "xla/xla_data.pb.h"

// Times a scope for profiling in OpenXLA; Hilo measures elsewhere, so this has no effect.
#define XLA_SCOPED_LOGGING_TIMER(label) static_cast<void>(0)

// LOG and VLOG of what happens on one device.
#define XLA_LOG_DEVICE(severity, device_ordinal) \
  LOG(severity) << ::xla::XlaFormatDevice(device_ordinal)
#define XLA_VLOG_DEVICE(level, device_ordinal) \
  VLOG(level) << ::xla::XlaFormatDevice(device_ordinal)

namespace xla {

class HloInstruction;
class HloModule;

// Ranks up to this are stored inline.
inline constexpr size_t InlineRank() { return 6; }

// One number per dimension.
using DimensionVector = absl::InlinedVector<int64_t, InlineRank()>;
using DimLevelTypeVector = absl::InlinedVector<DimLevelType, InlineRank()>;

using HloPredicate = std::function<bool(const HloInstruction*)>;
using HloModulePredicate = std::function<bool(const HloModule*)>;
inline bool HloPredicateTrue(const HloInstruction*) { return true; }
inline bool HloPredicateFalse(const HloInstruction*) { return false; }

using Vector2 = std::array<int64_t, 2>;
using Vector3 = std::array<int64_t, 3>;

// ---- Errors -----------------------------------------------------------------------------------

// InvalidArgument(format, args...) and so on make a status of that code; the format is checked at
// compile time as in absl::StrFormat.
#define HILO_DECLARE_FORMATTED_ERROR(Code)                                            \
  template <typename... Args>                                                         \
  absl::Status Code(const absl::FormatSpec<Args...>& format, const Args&... args) {   \
    return absl::Status(absl::StatusCode::k##Code, absl::StrFormat(format, args...)); \
  }
HILO_DECLARE_FORMATTED_ERROR(Aborted)
HILO_DECLARE_FORMATTED_ERROR(Cancelled)
HILO_DECLARE_FORMATTED_ERROR(DeadlineExceeded)
HILO_DECLARE_FORMATTED_ERROR(FailedPrecondition)
HILO_DECLARE_FORMATTED_ERROR(Internal)
HILO_DECLARE_FORMATTED_ERROR(InvalidArgument)
HILO_DECLARE_FORMATTED_ERROR(NotFound)
HILO_DECLARE_FORMATTED_ERROR(ResourceExhausted)
HILO_DECLARE_FORMATTED_ERROR(Unavailable)
HILO_DECLARE_FORMATTED_ERROR(Unimplemented)
HILO_DECLARE_FORMATTED_ERROR(Unknown)
#undef HILO_DECLARE_FORMATTED_ERROR

// InvalidArgumentStrCat(args...) and so on concatenate their arguments instead.
#define HILO_DECLARE_CONCATENATED_ERROR(Code)                         \
  template <typename... Args>                                         \
  struct Code##StrCat {                                               \
    explicit Code##StrCat(const Args&... args)                        \
        : status(absl::StatusCode::k##Code, absl::StrCat(args...)) {} \
    operator absl::Status() const { return status; } /* NOLINT */     \
    template <typename T>                                             \
    operator absl::StatusOr<T>() const { /* NOLINT */                 \
      return status;                                                  \
    }                                                                 \
    absl::Status status;                                              \
  };                                                                  \
  template <typename... Args>                                         \
  Code##StrCat(const Args&...)->Code##StrCat<Args...>;
HILO_DECLARE_CONCATENATED_ERROR(Internal)
HILO_DECLARE_CONCATENATED_ERROR(InvalidArgument)
HILO_DECLARE_CONCATENATED_ERROR(ResourceExhausted)
HILO_DECLARE_CONCATENATED_ERROR(Unimplemented)
#undef HILO_DECLARE_CONCATENATED_ERROR

// The status with text put before or behind its message, separated by ": ".
absl::Status AddStatus(absl::Status prior, absl::string_view context);
absl::Status AppendStatus(absl::Status prior, absl::string_view context);

// Logs a status and returns it.
absl::Status WithLogBacktrace(const absl::Status& status);

// ---- Text -------------------------------------------------------------------------------------

// The lines of a text, each with the white space at its ends replaced by `indentation` in front.
std::string Reindent(absl::string_view original, absl::string_view indentation);

// A short decimal form that reads back as the same number: a NaN is "nan" or "-nan", followed by
// its payload as in "nan(0x1)" where that is not the usual one.
std::string RoundTripFpToString(float value);
std::string RoundTripFpToString(double value);
template <typename T, std::enable_if_t<std::numeric_limits<T>::is_specialized &&
                                           !std::numeric_limits<T>::is_integer && (sizeof(T) < 4),
                                       int> = 0>
std::string RoundTripFpToString(T value);

// "3.12GFLOP/s" and "3.12GTROP/s": operations per second given their number and the time in
// nanoseconds.
std::string HumanReadableNumFlops(double flops, double nanoseconds);
std::string HumanReadableNumTranscendentalOps(double operations, double nanoseconds);

// Replaces what may not stand in a file name ('/', '\\', '[', ']', ' ') by '_'.
std::string SanitizeFileName(std::string file_name);

// The name with each `old_char` replaced by `new_char`.
std::string SanitizeOpName(absl::string_view value, char old_char, absl::string_view new_char);

// "[3] ", as lines of the log of a device begin.
std::string XlaFormatDevice(int64_t device_ordinal);

// Text format with a line for every field, also those that have their default value; messages that
// are not set are left out.
std::string PrintAllFields(const google::protobuf::Message& message);

// Elements separated by ", ".
template <typename Container>
std::string CommaSeparatedString(const Container& elements, const char* prefix = "",
                                 const char* suffix = "") {
  return absl::StrCat(prefix, absl::StrJoin(elements, ", "), suffix);
}
template <typename T>
std::string CommaSeparatedString(std::initializer_list<T> elements, const char* prefix = "",
                                 const char* suffix = "") {
  return CommaSeparatedString(absl::Span<const T>(elements), prefix, suffix);
}

// The same in parentheses.
template <typename Container>
std::string VectorString(const Container& elements) {
  return CommaSeparatedString(elements, "(", ")");
}
template <typename T>
std::string VectorString(std::initializer_list<T> elements) {
  return CommaSeparatedString(elements, "(", ")");
}

// ---- Containers -------------------------------------------------------------------------------

template <typename Container1, typename Container2>
bool ContainersEqual(const Container1& a, const Container2& b) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}
template <typename Container, typename T>
bool ContainersEqual(const Container& a, std::initializer_list<T> b) {
  return std::equal(std::begin(a), std::end(a), b.begin(), b.end());
}
template <typename Container1, typename Container2, typename Predicate>
bool ContainersEqual(const Container1& a, const Container2& b, Predicate predicate) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b), predicate);
}

// The position of the first element equal to `value`, or the number of elements.
template <typename Container, typename T>
int64_t FindIndex(const Container& container, const T& value) {
  return std::distance(container.begin(), std::find(container.begin(), container.end(), value));
}
template <typename Container>
int64_t PositionInContainer(const Container& container, int64_t value) {
  return FindIndex(container, value);
}

template <typename Container, typename T>
void InsertAt(Container* container, int64_t index, T value) {
  container->insert(container->begin() + index, std::move(value));
}
template <typename Container>
void EraseAt(Container* container, int64_t index) {
  container->erase(container->begin() + index);
}
template <typename T>
void EraseElementFromVector(std::vector<T>* container, const T& value) {
  auto it = std::find(container->begin(), container->end(), value);
  CHECK(it != container->end());
  container->erase(it);
}

template <typename T>
std::vector<std::remove_const_t<T>> SpanToVector(absl::Span<T> values) {
  return std::vector<std::remove_const_t<T>>(values.begin(), values.end());
}
template <typename T, size_t N>
std::vector<T> InlinedVectorToVector(const absl::InlinedVector<T, N>& values) {
  return std::vector<T>(values.begin(), values.end());
}

// The elements whose positions are not in `indices_to_remove`, which must be sorted and without
// repeats.
template <typename Container>
Container RemoveElements(absl::Span<const int64_t> indices_to_remove, const Container& container) {
  Container kept;
  auto next = indices_to_remove.begin();
  for (int64_t i = 0; i < static_cast<int64_t>(container.size()); ++i) {
    if (next != indices_to_remove.end() && *next == i) {
      ++next;
    } else {
      kept.push_back(container[i]);
    }
  }
  return kept;
}

template <typename To, typename From>
std::unique_ptr<To> unique_ptr_down_cast(std::unique_ptr<From> pointer) {
  return std::unique_ptr<To>(static_cast<To*>(pointer.release()));
}

template <typename T>
constexpr std::underlying_type_t<T> to_underlying(T value) noexcept {
  return static_cast<std::underlying_type_t<T>>(value);
}

template <typename T>
absl::Span<uint8_t> CastToByteSlice(absl::Span<T> values) {
  return {reinterpret_cast<uint8_t*>(values.data()), values.size() * sizeof(T)};
}
// Requires a size that is a multiple of sizeof(T).
template <typename T>
absl::Span<T> CastByteSlice(absl::Span<uint8_t> bytes) {
  CHECK_EQ(bytes.size() % sizeof(T), 0u);
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

// Copies `count` elements, one every `source_stride` of the source to one every
// `destination_stride`.
template <typename Destination, typename Source>
void StridedCopy(Destination* destination, int64_t destination_stride, const Source* source,
                 int64_t source_stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    destination[i * destination_stride] = source[i * source_stride];
}

// ---- Integers ---------------------------------------------------------------------------------

// Requires 0 <= dividend and 0 < divisor.
template <typename T>
constexpr T FloorOfRatio(T dividend, T divisor) {
  return dividend / divisor;
}
template <typename T>
constexpr T CeilOfRatio(T dividend, T divisor) {
  return dividend / divisor + (dividend % divisor != 0 ? 1 : 0);
}
template <typename T>
constexpr T RoundUpTo(T value, T divisor) {
  return CeilOfRatio(value, divisor) * divisor;
}
template <typename T>
constexpr T RoundDownTo(T value, T divisor) {
  return FloorOfRatio(value, divisor) * divisor;
}

template <typename T>
struct DivMod {
  T quotient;
  T modulo;
};
// Division that rounds towards minus infinity; the modulo has the sign of the divisor.
template <typename T>
constexpr DivMod<T> FloorDivMod(T dividend, T divisor) {
  DivMod<T> result{static_cast<T>(dividend / divisor), static_cast<T>(dividend % divisor)};
  if (result.modulo != 0 && (result.modulo < 0) != (divisor < 0)) {
    result.modulo += divisor;
    --result.quotient;
  }
  return result;
}

// base to the power of exponent, which must not be negative. Nothing overflows on the way when the
// result does not.
template <typename T, typename Exponent>
constexpr T IPow(T base, Exponent exponent) {
  static_assert(std::is_integral_v<Exponent>);
  T result{1};
  while (exponent > 0) {
    if (exponent & 1) result *= base;
    exponent >>= 1;
    if (exponent > 0) base *= base;
  }
  return result;
}

template <typename T>
constexpr bool IsPowerOf2(T value) {
  return value > 0 && (value & (value - 1)) == 0;
}

// The number of bits needed to write a value, minus one; -1 for 0.
template <typename T>
constexpr int Log2Floor(T value) {
  static_assert(std::is_unsigned_v<T>);
  return absl::bit_width(value) - 1;
}
// The smallest n with 2^n >= value; -1 for 0.
template <typename T>
constexpr int Log2Ceiling(T value) {
  static_assert(std::is_unsigned_v<T>);
  return value == 0 ? -1 : absl::bit_width(static_cast<T>(value - 1));
}

// A value whose lowest `width` bits are ones.
template <typename T>
constexpr T LsbMask(int width) {
  static_assert(std::is_unsigned_v<T>);
  return width == 0 ? T{0} : static_cast<T>(-1) >> (std::numeric_limits<T>::digits - width);
}
template <typename T>
constexpr T KeepLowerBits(T value, int width) {
  return value & LsbMask<T>(width);
}

// How many bits below the sign bit equal it.
template <typename T>
constexpr int CountLeadingSignBits(T value) {
  static_assert(std::is_signed_v<T>);
  using Unsigned = std::make_unsigned_t<T>;
  return absl::countl_zero(static_cast<Unsigned>(value < 0 ? ~value : value)) - 1;
}

inline bool IsInt32(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

// The product of all elements; 1 when there are none. The caller rules out overflow.
template <typename T>
T Product(absl::Span<const T> values) {
  T product{1};
  for (const T& value : values) product *= value;
  return product;
}
inline int64_t Product(absl::Span<const int64_t> values) { return Product<int64_t>(values); }

// Products of elements at the same position; both spans have one length.
DimensionVector ElemwiseProduct(absl::Span<const int64_t> a, absl::Span<const int64_t> b);

// Whether a sorted list without repeats counts up in steps of one.
bool DistinctNumbersAreConsecutiveIfSorted(absl::Span<const int64_t> values);

// The digits of n in the number system with the given bounds, the most significant one first.
std::vector<int64_t> ToMixedRadix(int64_t n, absl::Span<const int64_t> bounds);

// Positions (i, j), from (0, 0) to (a.size(), b.size()), at which the products of a[0..i) and
// b[0..j) are equal: the finest division of a reshape from `a` to `b` into independent ones. A
// dimension of size 1 that the other side lacks is a group of its own. Behind the first dimensions,
// which may agree, everything is one group if there is a 0.
absl::InlinedVector<std::pair<int64_t, int64_t>, 8> CommonFactors(absl::Span<const int64_t> a,
                                                                  absl::Span<const int64_t> b);

// ---- Floating point ---------------------------------------------------------------------------

namespace internal {
template <size_t kBytes>
struct UnsignedOfSize;
template <>
struct UnsignedOfSize<1> {
  using type = uint8_t;
};
template <>
struct UnsignedOfSize<2> {
  using type = uint16_t;
};
template <>
struct UnsignedOfSize<4> {
  using type = uint32_t;
};
template <>
struct UnsignedOfSize<8> {
  using type = uint64_t;
};
}  // namespace internal

// An unsigned integer as large as T.
template <typename T>
using UnsignedIntegerTypeForSizeType = typename internal::UnsignedOfSize<sizeof(T)>::type;

// The sign bit and the magnitude of a floating point number: its other bits. A type without sign
// has sign 0. In formats without minus zero (fnuz) magnitudes of negative numbers count from 0, and
// the NaN, which has the code of minus zero, has the largest one.
template <typename T>
auto SignAndMagnitude(T value) {
  using Bits = UnsignedIntegerTypeForSizeType<T>;
  Bits bits;
  std::memcpy(&bits, &value, sizeof(T));
  if constexpr (!std::numeric_limits<T>::is_signed) {
    return std::make_pair(Bits{0}, bits);
  } else {
    const T minus_zero = -T{};
    Bits sign_bit;
    std::memcpy(&sign_bit, &minus_zero, sizeof(T));
    const bool has_minus_zero = sign_bit != 0;
    if (!has_minus_zero) sign_bit = Bits{1} << (std::numeric_limits<Bits>::digits - 1);
    const Bits sign = bits & sign_bit;
    const Bits magnitude = sign != 0 && !has_minus_zero ? bits - 1 : bits;
    return std::make_pair(sign, static_cast<Bits>(magnitude & ~sign_bit));
  }
}

// Numbers that order as the floating point numbers do: negative NaNs below everything, -0 just
// below +0, positive NaNs on top. The one NaN of fnuz formats counts as negative.
template <typename Bits>
std::make_signed_t<Bits> SignAndMagnitudeToTwosComplement(Bits sign, Bits magnitude) {
  using Signed = std::make_signed_t<Bits>;
  return static_cast<Signed>(magnitude) ^ (sign != 0 ? Signed{-1} : Signed{0});
}
template <typename T>
auto ToSignMagnitude(T value) {
  const auto [sign, magnitude] = SignAndMagnitude(value);
  if constexpr (!std::numeric_limits<T>::is_signed) {
    return magnitude;
  } else {
    return SignAndMagnitudeToTwosComplement(sign, magnitude);
  }
}

// Bits of a NaN that carry its payload, the quiet bit among them.
template <typename T>
constexpr int NanPayloadBits() {
  return std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::digits - 1 : 0;
}
template <typename T>
constexpr uint64_t QuietNanWithoutPayload() {
  return NanPayloadBits<T>() > 0 ? uint64_t{1} << (NanPayloadBits<T>() - 1) : 0;
}
template <typename T>
constexpr uint64_t NanPayloadBitMask() {
  return LsbMask<uint64_t>(NanPayloadBits<T>());
}
template <typename T>
T NanWithSignAndPayload(bool sign, uint64_t payload) {
  using Bits = UnsignedIntegerTypeForSizeType<T>;
  const T infinity = std::numeric_limits<T>::infinity();
  Bits bits;
  std::memcpy(&bits, &infinity, sizeof(T));
  bits |= static_cast<Bits>(payload & NanPayloadBitMask<T>());
  if (sign) bits |= Bits{1} << (std::numeric_limits<Bits>::digits - 1);
  T result;
  std::memcpy(static_cast<void*>(&result), &bits, sizeof(T));
  return result;
}

namespace internal {
// Only formats with infinities have NaNs with a payload.
template <typename T>
std::string NanToString(T value) {
  const auto [sign, magnitude] = SignAndMagnitude(value);
  std::string text = sign != 0 ? "-nan" : "nan";
  const uint64_t payload = magnitude & NanPayloadBitMask<T>();
  if (std::numeric_limits<T>::has_infinity && payload != QuietNanWithoutPayload<T>()) {
    absl::StrAppend(&text, "(0x", absl::Hex(payload), ")");
  }
  return text;
}
}  // namespace internal

template <typename T, std::enable_if_t<std::numeric_limits<T>::is_specialized &&
                                           !std::numeric_limits<T>::is_integer && (sizeof(T) < 4),
                                       int>>
std::string RoundTripFpToString(T value) {
  if (value != value) return internal::NanToString(value);
  const int digits = std::numeric_limits<T>::max_digits10;  // Eigen does not define it.
  return absl::StrFormat("%.*g", digits, static_cast<double>(value));
}

// ---- Packed elements --------------------------------------------------------------------------

// Elements of 1, 2 or 4 bits, one per byte (low bits), to several per byte, the first in the lowest
// bits. `output` has CeilOfRatio(input.size(), 8 / bits_per_element) bytes.
void PackIntN(int bits_per_element, absl::Span<const char> input, absl::Span<char> output);
// The inverse; high bits of the result are zero.
void UnpackIntN(int bits_per_element, absl::Span<const char> input, absl::Span<char> output);

template <size_t kBitsPerElement>
void PackIntN(absl::Span<const char> input, absl::Span<char> output) {
  static_assert(kBitsPerElement == 1 || kBitsPerElement == 2 || kBitsPerElement == 4);
  PackIntN(static_cast<int>(kBitsPerElement), input, output);
}
template <size_t kBitsPerElement>
void UnpackIntN(absl::Span<const char> input, absl::Span<char> output) {
  static_assert(kBitsPerElement == 1 || kBitsPerElement == 2 || kBitsPerElement == 4);
  UnpackIntN(static_cast<int>(kBitsPerElement), input, output);
}

// ---- Padding and dimension numbers ------------------------------------------------------------

// No padding for `rank` dimensions.
PaddingConfig MakeNoPaddingConfig(int64_t rank);
// Edge padding (low, high) per dimension.
PaddingConfig MakeEdgePaddingConfig(absl::Span<const std::pair<int64_t, int64_t>> padding);
bool HasInteriorPadding(const PaddingConfig& config);

// The dimensions of an array of the given rank that a dot neither contracts nor batches.
DimensionVector GetNonContractingDims(int64_t rank, absl::Span<const int64_t> contracting_dims,
                                      absl::Span<const int64_t> batch_dims);

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_UTIL_H_

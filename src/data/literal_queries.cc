// Questions about the elements of literals.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "absl/types/span.h"
#include "base/check.h"
#include "data/float_text.h"
#include "data/literal_piece.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

using literal_internal::Piece;

namespace {

// Calls f(C++ type's default value, element's address type) for the type of an array.
template <typename F>
auto WithNativeType(PrimitiveType type, F&& f) {
  return primitive_util::ArrayTypeSwitch(
      [&](auto constant) { return f(primitive_util::NativeTypeOf<constant>()); }, type);
}

template <typename NativeT>
constexpr bool kIsInteger = is_specialized_integral_v<NativeT>;

template <typename NativeT>
double ToDouble(NativeT value) {
  return static_cast<double>(value);
}

template <typename NativeT>
complex128 ToComplex(NativeT value) {
  if constexpr (is_complex_v<NativeT>) {
    return complex128(value);
  } else {
    return complex128(ToDouble(value));
  }
}

// Equality as numbers of an element and an integer; no rounding on either side.
template <typename NativeT, typename Integer>
bool EqualsInteger(NativeT element, Integer value) {
  if constexpr (kIsInteger<NativeT>) {
    if constexpr (std::is_same_v<NativeT, uint64_t>) {
      return value >= 0 && element == static_cast<uint64_t>(value);
    } else {
      const int64_t signed_element = static_cast<int64_t>(element);
      return std::is_signed_v<Integer>
                 ? signed_element == static_cast<int64_t>(value)
                 : signed_element >= 0 &&
                       static_cast<uint64_t>(signed_element) == static_cast<uint64_t>(value);
    }
  } else {
    const double rounded = static_cast<double>(value);
    constexpr double kLimit = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
    return ToComplex(element) == complex128(rounded) && rounded < kLimit &&
           static_cast<Integer>(rounded) == value;
  }
}

template <typename NativeT>
bool EqualsComplex(NativeT element, complex128 value) {
  if constexpr (std::is_same_v<NativeT, int64_t> || std::is_same_v<NativeT, uint64_t>) {
    constexpr double kLimit = std::is_signed_v<NativeT> ? 0x1p63 : 0x1p64;
    const double real = value.real();
    return value.imag() == 0 && real < kLimit &&
           real >= (std::is_signed_v<NativeT> ? -kLimit : 0) && std::trunc(real) == real &&
           static_cast<NativeT>(real) == element;
  } else {
    return ToComplex(element) == value;
  }
}

// Equality of elements; here a NaN is a NaN.
template <typename NativeT>
bool IsSame(NativeT a, NativeT b) {
  if constexpr (is_complex_v<NativeT>) {
    return IsSame(a.real(), b.real()) && IsSame(a.imag(), b.imag());
  } else {
    return a == b || (a != a && b != b);
  }
}

// Whether an element is the value rounded to its type. An integer is one without rounding.
template <typename NativeT>
bool IsRounded(NativeT element, complex128 value) {
  if constexpr (is_complex_v<NativeT>) {
    return IsSame(element, NativeT(value));
  } else if constexpr (is_specialized_floating_point_v<NativeT>) {
    return value.imag() == 0 && IsSame(element, static_cast<NativeT>(value.real()));
  } else {
    return EqualsComplex(element, value);
  }
}

}  // namespace

// ---- One element.

std::optional<int64_t> LiteralBase::GetFirstInteger() const {
  if (!shape().IsArray() || element_count() == 0) return std::nullopt;
  const DimensionVector first(shape().dimensions_size(), 0);
  return GetIntegralAsS64(first);
}

std::string LiteralBase::GetR1U8AsString() const {
  CHECK_EQ(shape().dimensions_size(), 1);
  const absl::Span<const uint8_t> characters = data<uint8_t>();
  return std::string(characters.begin(), characters.begin() + GetDynamicSize(0));
}

std::string LiteralBase::GetAsString(absl::Span<const int64_t> multi_index,
                                     const ShapeIndex& shape_index) const {
  return WithNativeType(piece(shape_index).shape().element_type(), [&](auto type) -> std::string {
    using NativeT = decltype(type);
    const NativeT element = Get<NativeT>(multi_index, shape_index);
    if constexpr (std::is_same_v<NativeT, bool>) {
      return element ? "true" : "false";
    } else {
      return FormatElement(element);
    }
  });
}

std::optional<int64_t> LiteralBase::GetIntegralAsS64(absl::Span<const int64_t> multi_index) const {
  return WithNativeType(shape().element_type(), [&](auto type) -> std::optional<int64_t> {
    using NativeT = decltype(type);
    if constexpr (kIsInteger<NativeT>) {
      const NativeT element = Get<NativeT>(multi_index);
      if constexpr (std::is_same_v<NativeT, uint64_t>) {
        if (element > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
          return std::nullopt;
      }
      return static_cast<int64_t>(element);
    } else {
      return std::nullopt;
    }
  });
}

std::optional<double> LiteralBase::GetAsDouble(absl::Span<const int64_t> multi_index) const {
  return WithNativeType(shape().element_type(), [&](auto type) -> std::optional<double> {
    using NativeT = decltype(type);
    if constexpr (is_complex_v<NativeT>) {
      return std::nullopt;
    } else {
      return ToDouble(Get<NativeT>(multi_index));
    }
  });
}

std::optional<complex128> LiteralBase::GetAsComplex128(
    absl::Span<const int64_t> multi_index) const {
  return WithNativeType(shape().element_type(), [&](auto type) -> std::optional<complex128> {
    if constexpr (kIsInteger<decltype(type)>) {
      return std::nullopt;
    } else {
      return ToComplex(Get<decltype(type)>(multi_index));
    }
  });
}

std::optional<double> LiteralBase::GetSumAsDouble(absl::Span<const int64_t> linear_indices) const {
  return WithNativeType(shape().element_type(), [&](auto type) -> std::optional<double> {
    using NativeT = decltype(type);
    if constexpr (is_complex_v<NativeT>) {
      return std::nullopt;
    } else {
      const absl::Span<const NativeT> values = data<NativeT>();
      double sum = 0;
      for (const int64_t i : linear_indices) sum += ToDouble(values.at(i));
      return sum;
    }
  });
}

bool LiteralBase::IsEqualAt(absl::Span<const int64_t> multi_index, complex128 value) const {
  return WithNativeType(shape().element_type(), [&](auto type) {
    return EqualsComplex(Get<decltype(type)>(multi_index), value);
  });
}

bool LiteralBase::IsSignedEqualAt(absl::Span<const int64_t> multi_index, int64_t value) const {
  return WithNativeType(shape().element_type(), [&](auto type) {
    return EqualsInteger(Get<decltype(type)>(multi_index), value);
  });
}

bool LiteralBase::IsUnsignedEqualAt(absl::Span<const int64_t> multi_index, uint64_t value) const {
  return WithNativeType(shape().element_type(), [&](auto type) {
    return EqualsInteger(Get<decltype(type)>(multi_index), value);
  });
}

bool LiteralBase::IsZero(absl::Span<const int64_t> indices) const {
  return IsSignedEqualAt(indices, 0);
}

void LiteralBase::EachCellAsString(
    absl::FunctionRef<void(absl::Span<const int64_t> indices, const std::string& value)> per_cell)
    const {
  ForEachDynamicIndex([&](absl::Span<const int64_t> indices, int64_t) {
    per_cell(indices, GetAsString(indices));
    return true;
  });
}

// ---- All elements.

namespace {

template <typename Predicate>
bool AllElements(const LiteralBase& literal, Predicate predicate) {
  if (!literal.shape().IsArray() || !literal.IsKnown()) return false;
  return WithNativeType(literal.shape().element_type(), [&](auto type) {
    using NativeT = decltype(type);
    for (const NativeT& element : literal.data<NativeT>()) {
      if (!predicate(element)) return false;
    }
    return true;
  });
}

template <typename Predicate>
int64_t CountElements(const LiteralBase& literal, Predicate predicate) {
  if (!literal.shape().IsArray() || !literal.IsKnown()) return 0;
  return WithNativeType(literal.shape().element_type(), [&](auto type) -> int64_t {
    const absl::Span<const decltype(type)> elements = literal.data<decltype(type)>();
    return std::count_if(elements.begin(), elements.end(), predicate);
  });
}

}  // namespace

bool LiteralBase::IsAll(const Literal& scalar) const {
  CHECK(ShapeUtil::IsScalar(scalar.shape())) << ShapeUtil::HumanString(scalar.shape());
  if (!shape().IsArray() || shape().element_type() != scalar.shape().element_type()) return false;
  return WithNativeType(shape().element_type(), [&](auto type) {
    using NativeT = decltype(type);
    const NativeT value = scalar.GetFirstElement<NativeT>();
    return IsKnown() &&
           absl::c_all_of(data<NativeT>(), [&](NativeT element) { return IsSame(element, value); });
  });
}

bool LiteralBase::IsAll(int8_t value) const {
  return AllElements(*this, [&](auto element) { return EqualsInteger(element, int64_t{value}); });
}

bool LiteralBase::IsAllFloat(float value) const {
  return primitive_util::IsFloatingPointType(shape().element_type()) &&
         AllElements(*this, [&](auto element) { return IsRounded(element, complex128(value)); });
}

bool LiteralBase::IsAllComplex(complex64 value) const {
  return primitive_util::IsComplexType(shape().element_type()) &&
         AllElements(*this, [&](auto element) { return IsRounded(element, complex128(value)); });
}

bool LiteralBase::IsAllFirst() const {
  if (!shape().IsArray() || !IsKnown() || element_count() == 0) return false;
  // Each element is the one before it.
  const int64_t bytes = piece_->element_bytes();
  return std::memcmp(piece_->buffer(), piece_->buffer() + bytes, size_bytes() - bytes) == 0;
}

bool LiteralBase::IsR1Iota() const {
  if (!shape().IsArray() || shape().dimensions_size() != 1) return false;
  int64_t next = 0;
  return AllElements(*this, [&](auto element) { return EqualsInteger(element, next++); });
}

std::optional<int64_t> LiteralBase::IsR1StridedIota() const {
  if (!shape().IsArray() || shape().dimensions_size() != 1 || element_count() < 2 ||
      !primitive_util::IsIntegralType(shape().element_type()) || !IsKnown()) {
    return std::nullopt;
  }
  const std::optional<int64_t> stride = GetIntegralAsS64({1});
  if (!stride.has_value()) return std::nullopt;
  int64_t next = 0;
  bool overflow = false;
  const bool is_iota = AllElements(*this, [&](auto element) {
    const bool equal = !overflow && EqualsInteger(element, next);
    overflow = overflow || __builtin_add_overflow(next, *stride, &next);
    return equal;
  });
  return is_iota ? stride : std::nullopt;
}

int64_t LiteralBase::CountEqualSigned(int64_t value) const {
  return CountElements(*this, [&](auto element) { return EqualsInteger(element, value); });
}

int64_t LiteralBase::CountEqualUnsigned(uint64_t value) const {
  return CountElements(*this, [&](auto element) { return EqualsInteger(element, value); });
}

int64_t LiteralBase::CountEqualComplex(complex128 value) const {
  return CountElements(*this, [&](auto element) { return IsRounded(element, value); });
}

}  // namespace xla

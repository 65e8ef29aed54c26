#include "data/literal_convert.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "data/float_text.h"
#include "data/literal_piece.h"
#include "data/strided_copy.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

using literal_internal::Piece;

namespace {

// Elements go through the widest type of their kind, a block at a time: 4 wide types instead of a
// loop for each pair.
constexpr int64_t kBlock = 512;

template <typename NativeT>
using WideType = std::conditional_t<
    is_complex_v<NativeT>, complex128,
    std::conditional_t<is_specialized_floating_point_v<NativeT>, double,
                       std::conditional_t<std::is_same_v<NativeT, uint64_t>, uint64_t, int64_t>>>;

// An integer as a double whose last bit is odd where the integer has more digits, so that rounding
// to a shorter type sees no false tie.
template <typename Integer>
double ToOddDouble(Integer value) {
  const bool negative = value < 0;
  uint64_t magnitude = static_cast<uint64_t>(value);
  if (negative) magnitude = 0 - magnitude;
  if ((magnitude >> 53) != 0) {
    constexpr uint64_t kDropped = 0xfff;
    magnitude = (magnitude & ~kDropped) | ((magnitude & kDropped) != 0 ? 0x800 : 0);
  }
  const double result = static_cast<double>(magnitude);
  return negative ? -result : result;
}

template <typename Integer>
Integer Saturate(double value) {
  using Limits = std::numeric_limits<Integer>;
  if (std::isnan(value)) return Integer(0);
  // 2^digits is exact, unlike the largest 64-bit value.
  if (value >= std::ldexp(1.0, Limits::digits)) return Limits::max();
  if (value <= static_cast<double>(Limits::lowest())) return Limits::lowest();
  using Wide = std::conditional_t<std::is_same_v<Integer, uint64_t>, uint64_t, int64_t>;
  return static_cast<Integer>(static_cast<Wide>(value));
}

template <typename To, typename Wide>
To Narrow(Wide value) {
  if constexpr (std::is_same_v<Wide, complex128>) {
    if constexpr (is_complex_v<To>) {
      return To(value);
    } else {
      LOG(FATAL) << "Conversion of complex to real.";
    }
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (is_complex_v<To>) {
    return To(static_cast<typename To::value_type>(value));
  } else if constexpr (is_specialized_integral_v<To>) {
    if constexpr (std::is_floating_point_v<Wide>) {
      return Saturate<To>(value);
    } else {
      return static_cast<To>(value);
    }
  } else if constexpr (std::is_same_v<To, half> || std::is_same_v<To, bfloat16>) {
    double rounded;
    if constexpr (std::is_integral_v<Wide>) {
      rounded = ToOddDouble(value);
    } else {
      rounded = value;
    }
    if constexpr (std::is_same_v<To, half>) {
      return RoundToHalf(rounded);
    } else {
      return RoundToBfloat16(rounded);
    }
  } else {
    return static_cast<To>(value);
  }
}

template <typename Wide>
void StoreBlock(PrimitiveType to, const Wide* block, void* destination, int64_t first,
                int64_t count) {
  primitive_util::ArrayTypeSwitch(
      [&](auto constant) {
        using To = primitive_util::NativeTypeOf<constant>;
        To* out = static_cast<To*>(destination) + first;
        for (int64_t i = 0; i < count; ++i) out[i] = Narrow<To>(block[i]);
      },
      to);
}

template <typename From>
void ConvertFrom(const From* source, PrimitiveType to, void* destination, int64_t count) {
  using Wide = WideType<From>;
  Wide block[kBlock];
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t size = std::min(kBlock, count - first);
    for (int64_t i = 0; i < size; ++i) block[i] = static_cast<Wide>(source[first + i]);
    StoreBlock(to, block, destination, first, size);
  }
}

}  // namespace

std::string PackBits(const char* elements, int64_t count, int64_t bits) {
  std::string stream((count * bits + 7) / 8, '\0');
  for (int64_t i = 0; i < count * bits; ++i) {
    const int bit = (elements[i / bits] >> (i % bits)) & 1;
    stream[i / 8] = static_cast<char>(stream[i / 8] | (bit << (i % 8)));
  }
  return stream;
}

void UnpackBits(absl::string_view stream, int64_t count, int64_t bits, char* elements) {
  std::memset(elements, 0, count);
  for (int64_t i = 0; i < count * bits; ++i) {
    const int bit = (stream[i / 8] >> (i % 8)) & 1;
    elements[i / bits] = static_cast<char>(elements[i / bits] | (bit << (i % bits)));
  }
}

void ConvertElements(PrimitiveType from, const void* source, PrimitiveType to, void* destination,
                     int64_t count) {
  if (from == to) {
    if (count > 0) std::memcpy(destination, source, count * primitive_util::ByteWidth(from));
    return;
  }
  primitive_util::ArrayTypeSwitch(
      [&](auto constant) {
        using From = primitive_util::NativeTypeOf<constant>;
        ConvertFrom(static_cast<const From*>(source), to, destination, count);
      },
      from);
}

absl::Status MutableLiteralBase::SetIntegralAsS64(absl::Span<const int64_t> multi_index,
                                                  int64_t value) {
  const PrimitiveType type = shape().element_type();
  if (type != PRED && !primitive_util::IsIntegralType(type)) {
    return InvalidArgument("An integer cannot be stored in a literal of shape %s",
                           ShapeUtil::HumanString(shape()));
  }
  ConvertElements(S64, &value, type,
                  Buffer(type, {}) + piece_->LinearIndex(multi_index) * piece_->element_bytes(), 1);
  return absl::OkStatus();
}

absl::Status MutableLiteralBase::SetFromDouble(absl::Span<const int64_t> multi_index,
                                               double value) {
  const PrimitiveType type = shape().element_type();
  if (!shape().IsArray() || primitive_util::IsComplexType(type)) {
    return InvalidArgument("A double cannot be stored in a literal of shape %s",
                           ShapeUtil::HumanString(shape()));
  }
  ConvertElements(F64, &value, type,
                  Buffer(type, {}) + piece_->LinearIndex(multi_index) * piece_->element_bytes(), 1);
  return absl::OkStatus();
}

absl::StatusOr<Literal> LiteralBase::Convert(PrimitiveType primitive_dest_type) const {
  const PrimitiveType from = shape().element_type();
  if (!shape().IsArray() || !primitive_util::IsArrayType(primitive_dest_type) ||
      (primitive_util::IsComplexType(from) &&
       !primitive_util::IsComplexType(primitive_dest_type))) {
    return Unimplemented("A literal of shape %s cannot be converted to %s",
                         ShapeUtil::HumanString(shape()),
                         primitive_util::LowercasePrimitiveTypeName(primitive_dest_type));
  }
  if (from == primitive_dest_type) return Clone();
  Shape result_shape = ShapeUtil::ChangeElementType(shape(), primitive_dest_type);
  HILO_ASSIGN_OR_RETURN(Literal result, Literal::Make(result_shape));
  result.piece_->set_state(piece_->state());
  result.piece_->CopyDynamicSizes(*piece_);
  if (piece_->buffer() != nullptr) {
    ConvertElements(from, piece_->buffer(), primitive_dest_type, result.piece_->buffer(),
                    element_count());
  }
  return result;
}

absl::StatusOr<Literal> LiteralBase::ConvertToShape(const Shape& dest_shape) const {
  if (!dest_shape.IsTuple()) {
    if (!shape().IsArray() || !dest_shape.IsArray() ||
        !ShapeUtil::SameDimensions(shape(), dest_shape)) {
      return InvalidArgument("A literal of shape %s cannot be converted to %s",
                             ShapeUtil::HumanString(shape()), ShapeUtil::HumanString(dest_shape));
    }
    HILO_ASSIGN_OR_RETURN(Literal converted, Convert(dest_shape.element_type()));
    if (!dest_shape.has_layout()) return converted;
    return converted.Relayout(dest_shape.layout());
  }
  if (!shape().IsTuple() || shape().tuple_shapes_size() != dest_shape.tuple_shapes_size()) {
    return InvalidArgument("A literal of shape %s cannot be converted to %s",
                           ShapeUtil::HumanString(shape()), ShapeUtil::HumanString(dest_shape));
  }
  std::vector<Literal> elements;
  for (int i = 0; i < shape().tuple_shapes_size(); ++i) {
    HILO_ASSIGN_OR_RETURN(elements.emplace_back(),
                          LiteralSlice(*this, {i}).ConvertToShape(dest_shape.tuple_shapes(i)));
  }
  return Literal::MoveIntoTuple(absl::MakeSpan(elements));
}

absl::StatusOr<Literal> LiteralBase::BitcastConvert(const Shape& dest_shape) const {
  const auto refuse = [&](absl::string_view why) {
    return InvalidArgument("A literal of shape %s cannot be bitcast to %s: %s",
                           ShapeUtil::HumanString(shape()), ShapeUtil::HumanString(dest_shape),
                           why);
  };
  if (!shape().IsArray() || !dest_shape.IsArray() || shape().is_dynamic() ||
      dest_shape.is_dynamic() || piece_->buffer() == nullptr) {
    return refuse("only static arrays with values can");
  }
  HILO_ASSIGN_OR_RETURN(Literal result, Literal::Make(dest_shape));
  const int64_t from_bits = primitive_util::StorageBitWidth(shape().element_type());
  const int64_t to_bits = primitive_util::StorageBitWidth(dest_shape.element_type());
  if (element_count() * from_bits != result.element_count() * to_bits)
    return refuse("the numbers of bits differ");

  // Both sides in row-major order.
  std::string source(size_bytes(), '\0');
  CopyStrided(piece_->element_bytes(), shape().dimensions(), piece_->buffer(), piece_->Strides(),
              source.data(), RowMajorStrides(shape().dimensions()));
  if (from_bits != to_bits) {
    if (from_bits < 8) source = PackBits(source.data(), element_count(), from_bits);
    if (to_bits < 8) {
      std::string unpacked(result.element_count(), '\0');
      UnpackBits(source, result.element_count(), to_bits, unpacked.data());
      source = std::move(unpacked);
    }
  }
  if (dest_shape.element_type() == PRED) {
    for (char& byte : source) byte = byte != 0 ? 1 : 0;
  }
  CopyStrided(result.piece_->element_bytes(), dest_shape.dimensions(), source.data(),
              RowMajorStrides(dest_shape.dimensions()), result.piece_->buffer(),
              result.piece_->Strides());
  return result;
}

}  // namespace xla

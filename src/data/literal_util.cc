#include "xla/literal_util.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/tsl/lib/core/bitmap.h"
#include "xla/util.h"

namespace xla {
namespace {

// A scalar with the value that make(default value of the C++ type) returns.
template <typename F>
Literal MakeScalar(PrimitiveType type, F&& make) {
  return primitive_util::ArrayTypeSwitch(
      [&](auto constant) {
        using NativeT = primitive_util::NativeTypeOf<constant>;
        return LiteralUtil::CreateR0<NativeT>(make(NativeT()));
      },
      type);
}

template <typename NativeT>
NativeT NoOrder() {
  LOG(FATAL) << "Complex numbers have no smallest or largest value.";
}

}  // namespace

Literal LiteralUtil::CreateR1(const tsl::core::Bitmap& values) {
  Literal literal(ShapeUtil::MakeShape(PRED, {static_cast<int64_t>(values.bits())}));
  literal.PopulateR1(values);
  return literal;
}

Literal LiteralUtil::CreateR1U8(absl::string_view value) {
  Literal literal(ShapeUtil::MakeShape(U8, {static_cast<int64_t>(value.size())}));
  std::copy(value.begin(), value.end(), literal.data<uint8_t>().begin());
  return literal;
}

// ---- Values that each type has.

Literal LiteralUtil::Zero(PrimitiveType primitive_type) {
  return MakeScalar(primitive_type, [](auto zero) { return static_cast<decltype(zero)>(0); });
}

Literal LiteralUtil::One(PrimitiveType primitive_type) {
  return MakeScalar(primitive_type, [](auto zero) { return static_cast<decltype(zero)>(1); });
}

Literal LiteralUtil::MinValue(PrimitiveType primitive_type) {
  return MakeScalar(primitive_type, [](auto zero) {
    using NativeT = decltype(zero);
    using Limits = std::numeric_limits<NativeT>;
    if constexpr (is_complex_v<NativeT>) {
      return NoOrder<NativeT>();
    } else if constexpr (Limits::has_infinity) {
      return static_cast<NativeT>(-Limits::infinity());
    } else {
      return Limits::lowest();
    }
  });
}

Literal LiteralUtil::MaxValue(PrimitiveType primitive_type) {
  return MakeScalar(primitive_type, [](auto zero) {
    using NativeT = decltype(zero);
    using Limits = std::numeric_limits<NativeT>;
    if constexpr (is_complex_v<NativeT>) {
      return NoOrder<NativeT>();
    } else if constexpr (Limits::has_infinity) {
      return Limits::infinity();
    } else {
      return Limits::max();
    }
  });
}

Literal LiteralUtil::MaxFiniteValue(PrimitiveType primitive_type) {
  return MakeScalar(primitive_type, [](auto zero) {
    using NativeT = decltype(zero);
    if constexpr (is_complex_v<NativeT>) {
      return NoOrder<NativeT>();
    } else {
      return std::numeric_limits<NativeT>::max();
    }
  });
}

absl::StatusOr<Literal> LiteralUtil::NanValue(PrimitiveType primitive_type) {
  if (!primitive_util::IsArrayType(primitive_type) || !primitive_util::HasNaN(primitive_type)) {
    return InvalidArgument("Type %s has no NaN",
                           primitive_util::LowercasePrimitiveTypeName(primitive_type));
  }
  return MakeScalar(primitive_type, [](auto zero) {
    using NativeT = decltype(zero);
    if constexpr (is_complex_v<NativeT>) {
      constexpr auto kNan = std::numeric_limits<typename NativeT::value_type>::quiet_NaN();
      return NativeT(kNan, kNan);
    } else {
      return std::numeric_limits<NativeT>::quiet_NaN();
    }
  });
}

// ---- Patterns.

Literal LiteralUtil::CreateFromDimensions(PrimitiveType primitive_type,
                                          absl::Span<const int64_t> dimensions) {
  return Literal(ShapeUtil::MakeShape(primitive_type, dimensions));
}

Literal LiteralUtil::CreateR2F32Linspace(float from, float to, int64_t rows, int64_t cols) {
  return CreateR2FromArray2D(*MakeLinspaceArray2D<float>(from, to, rows, cols));
}

// ---- Tuples and tokens.

Literal LiteralUtil::MakeTuple(absl::Span<const Literal* const> elements) {
  std::vector<Literal> copies;
  copies.reserve(elements.size());
  for (const Literal* element : elements) copies.push_back(element->Clone());
  return Literal::MoveIntoTuple(absl::MakeSpan(copies));
}

Literal LiteralUtil::MakeTupleFromSlices(absl::Span<const LiteralSlice> elements) {
  std::vector<Literal> copies;
  copies.reserve(elements.size());
  for (const LiteralSlice& element : elements) copies.push_back(element.Clone());
  return Literal::MoveIntoTuple(absl::MakeSpan(copies));
}

Literal LiteralUtil::MakeTupleOwned(std::vector<Literal> elements) {
  return Literal::MoveIntoTuple(absl::MakeSpan(elements));
}

Literal LiteralUtil::CreateToken() { return Literal(ShapeUtil::MakeTokenShape()); }

// ---- Elements of literals.

Literal LiteralUtil::GetFirstScalarLiteral(const LiteralSlice& literal) {
  CHECK_GT(literal.element_count(), 0);
  return GetScalarLiteral(literal, DimensionVector(literal.shape().dimensions_size(), 0));
}

Literal LiteralUtil::GetScalarLiteral(const LiteralBase& literal,
                                      absl::Span<const int64_t> multi_index) {
  Literal scalar(ShapeUtil::MakeScalarShape(literal.shape().element_type()));
  scalar.CopyElementFrom(literal, multi_index, {});
  return scalar;
}

void LiteralUtil::SetScalarLiteral(MutableLiteralBase& literal,
                                   absl::Span<const int64_t> multi_index,
                                   const LiteralBase& scalar) {
  literal.CopyElementFrom(scalar, {}, multi_index);
}

Literal LiteralUtil::MaxElement(const LiteralSlice& literal) {
  CHECK_GT(literal.element_count(), 0);
  return primitive_util::ArrayTypeSwitch(
      [&](auto constant) -> Literal {
        using NativeT = primitive_util::NativeTypeOf<constant>;
        if constexpr (is_complex_v<NativeT>) {
          return CreateR0<NativeT>(NoOrder<NativeT>());
        } else {
          NativeT largest = literal.data<NativeT>()[0];
          for (const NativeT& element : literal.data<NativeT>()) {
            if (element > largest || largest != largest) largest = element;
          }
          return CreateR0<NativeT>(largest);
        }
      },
      literal.shape().element_type());
}

std::optional<int64_t> LiteralUtil::LiteralAsScalarInt64(const Literal& l) {
  if (!ShapeUtil::IsEffectiveScalar(l.shape()) ||
      !primitive_util::IsIntegralType(l.shape().element_type())) {
    return std::nullopt;
  }
  return l.GetFirstInteger();
}

Literal LiteralUtil::ReshapeSlice(absl::Span<const int64_t> new_dimensions,
                                  absl::Span<const int64_t> minor_to_major,
                                  const LiteralSlice& literal) {
  const Shape laid_out = ShapeUtil::MakeShapeWithDenseLayout(literal.shape().element_type(),
                                                             new_dimensions, minor_to_major);
  CHECK_EQ(ShapeUtil::ElementsIn(laid_out), literal.element_count());
  const BorrowingLiteral elements(static_cast<const char*>(literal.untyped_data()), laid_out);
  return elements.Relayout(LayoutUtil::GetDefaultLayoutForShape(laid_out));
}

absl::StatusOr<Literal> MaterializeSparseOperand(
    const LiteralSlice& values, const LiteralSlice& indices,
    const SparsityConfig::TensorSparsityConfig& config) {
  const int64_t dimension = config.dimension(), block = config.block_size();
  const int64_t stride = config.stride();
  const Shape& shape = values.shape();
  if (config.num_non_zero() != 1) {
    return Unimplemented("A sparse operand with %d of %d elements in each block",
                         config.num_non_zero(), block);
  }
  if (!shape.IsArray() || !ShapeUtil::SameDimensions(shape, indices.shape()) ||
      !ShapeUtil::ElementIsIntegral(indices.shape()) || dimension < 0 ||
      dimension >= shape.dimensions_size() || block < 1 || stride < 1 ||
      shape.dimensions(dimension) % stride != 0) {
    return InvalidArgument("No sparse operand: values %s, indices %s, %s",
                           ShapeUtil::HumanString(shape), ShapeUtil::HumanString(indices.shape()),
                           config.ShortDebugString());
  }
  DimensionVector sizes(shape.dimensions().begin(), shape.dimensions().end());
  if (__builtin_mul_overflow(sizes[dimension], block, &sizes[dimension])) {
    return InvalidArgument("The dense form of %s is too large", ShapeUtil::HumanString(shape));
  }
  HILO_ASSIGN_OR_RETURN(const Shape dense,
                        ShapeUtil::MakeValidatedShape(shape.element_type(), sizes));
  HILO_ASSIGN_OR_RETURN(Literal result, Literal::Make(dense));
  HILO_RETURN_IF_ERROR(ShapeUtil::ForEachIndexWithStatus(
      shape, [&](absl::Span<const int64_t> index) -> absl::StatusOr<bool> {
        const std::optional<int64_t> place = indices.GetIntegralAsS64(index);
        if (!place.has_value() || *place < 0 || *place >= block) {
          return InvalidArgument("Index %s lies outside of a block of %d elements",
                                 indices.GetAsString(index), block);
        }
        DimensionVector target(index.begin(), index.end());
        const int64_t first =
            index[dimension] / stride * stride * block + index[dimension] % stride;
        target[dimension] = first + *place * stride;
        result.CopyElementFrom(values, index, target);
        return true;
      }));
  return result;
}

// ---- Conversions.

namespace {

Literal ConvertType(const LiteralSlice& literal, PrimitiveType from, PrimitiveType to) {
  if (literal.shape().IsTuple()) {
    std::vector<Literal> elements;
    for (int64_t i = 0; i < literal.shape().tuple_shapes_size(); ++i) {
      elements.push_back(ConvertType(LiteralSlice(literal, {i}), from, to));
    }
    return Literal::MoveIntoTuple(absl::MakeSpan(elements));
  }
  if (!literal.shape().IsArray() || literal.shape().element_type() != from) return literal.Clone();
  return literal.Convert(to).value();
}

}  // namespace

#define HILO_DEFINE_CONVERSION(from, to)                                    \
  Literal LiteralUtil::Convert##from##To##to(const LiteralSlice& literal) { \
    return ConvertType(literal, from, to);                                  \
  }
HILO_DEFINE_CONVERSION(F8E4M3FN, F32)
HILO_DEFINE_CONVERSION(F8E5M2, F32)
HILO_DEFINE_CONVERSION(S8, F32)
HILO_DEFINE_CONVERSION(BF16, F32)
HILO_DEFINE_CONVERSION(BF16, F64)
HILO_DEFINE_CONVERSION(F32, F8E4M3FNUZ)
HILO_DEFINE_CONVERSION(F32, F8E5M2FNUZ)
HILO_DEFINE_CONVERSION(F32, F8E5M2)
HILO_DEFINE_CONVERSION(F32, F8E4M3FN)
HILO_DEFINE_CONVERSION(F32, BF16)
HILO_DEFINE_CONVERSION(F32, S8)
HILO_DEFINE_CONVERSION(F32, F64)
HILO_DEFINE_CONVERSION(F64, BF16)
HILO_DEFINE_CONVERSION(F64, F32)
HILO_DEFINE_CONVERSION(S32, F32)
HILO_DEFINE_CONVERSION(S32, S1)
#undef HILO_DEFINE_CONVERSION

// ---- Helpers.

std::string LiteralUtil::MultiIndexAsString(absl::Span<const int64_t> multi_index) {
  return absl::StrCat("{", absl::StrJoin(multi_index, ","), "}");
}

std::vector<const Literal*> LiteralUtil::MakePointers(absl::Span<const Literal> literals) {
  std::vector<const Literal*> pointers;
  for (const Literal& literal : literals) pointers.push_back(&literal);
  return pointers;
}

}  // namespace xla

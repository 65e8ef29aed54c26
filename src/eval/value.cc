#include "eval/value.h"

#include <cstring>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

bool IsRowMajor(const Shape& shape) {
  return !shape.has_layout() || LayoutUtil::IsMonotonicWithDim0Major(shape.layout());
}

Literal InRowMajorOrder(const LiteralBase& array) {
  return array.Relayout(LayoutUtil::GetDefaultLayoutForRank(array.shape().dimensions_size()));
}

// The same values with the declared layout and dynamic dimensions. Where a dimension is declared
// static, padding becomes zeros.
absl::StatusOr<Literal> WithDeclaredShape(Literal array, const Shape& shape) {
  bool same_dynamic_dimensions = true;
  for (int d = 0; d < shape.dimensions_size(); ++d)
    same_dynamic_dimensions &=
        shape.is_dynamic_dimension(d) == array.shape().is_dynamic_dimension(d);
  if (!same_dynamic_dimensions) {
    Shape declared = array.shape();
    for (int d = 0; d < shape.dimensions_size(); ++d)
      declared.set_dynamic_dimension(d, shape.is_dynamic_dimension(d));
    array = array.ToBoundedDynamic(declared);
  }
  if (!shape.has_layout() || LayoutUtil::Equal(shape.layout(), array.shape().layout()))
    return array;
  return array.Relayout(shape.layout());
}

}  // namespace

Value Value::FromLiteral(Literal literal) {
  if (literal.shape().IsTuple()) {
    std::vector<Value> elements;
    for (Literal& element : literal.DecomposeTuple())
      elements.push_back(FromLiteral(std::move(element)));
    return Value(std::move(elements));
  }
  if (!literal.shape().IsArray()) return Value();
  return Value(IsRowMajor(literal.shape()) ? std::move(literal) : InRowMajorOrder(literal));
}

Value Value::Borrow(const Literal& literal) {
  if (!literal.shape().IsArray() || !IsRowMajor(literal.shape()))
    return FromLiteral(literal.Clone());
  Value value;
  // Shares no ownership, so that its use count is 0 and nobody takes it for the only copy.
  value.array_ = std::shared_ptr<const Literal>(std::shared_ptr<void>(), &literal);
  return value;
}

Literal Value::TakeArray() && {
  const std::shared_ptr<const Literal> array = std::move(array_);
  if (array.use_count() == 1) return std::move(const_cast<Literal&>(*array));
  return array->Clone();
}

Value Value::TakeElement(int64_t index) & {
  if (elements_.use_count() == 1) return std::move((*elements_)[index]);
  return (*elements_)[index];
}

bool Value::SameAs(const Value& other) const {
  if (IsTuple() && other.IsTuple()) {
    if (elements_ == other.elements_) return true;
    return absl::c_equal(*elements_, *other.elements_,
                         [](const Value& a, const Value& b) { return a.SameAs(b); });
  }
  if (IsArray() && other.IsArray())
    return array_ == other.array_ || array_->Equal(*other.array_, /*layout_sensitive=*/false);
  return IsTuple() == other.IsTuple() && IsArray() == other.IsArray();
}

absl::StatusOr<Literal> Value::ToLiteral(const Shape& shape) && {
  if (shape.IsTuple()) {
    std::vector<Literal> elements;
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      HILO_ASSIGN_OR_RETURN(elements.emplace_back(),
                            TakeElement(i).ToLiteral(shape.tuple_shapes(i)));
    }
    return Literal::MoveIntoTuple(absl::MakeSpan(elements));
  }
  if (!IsArray()) return Literal::Make(shape);
  return WithDeclaredShape(std::move(*this).TakeArray(), shape);
}

absl::StatusOr<Literal> MakeArray(const Shape& shape) {
  if (!shape.IsArray())
    return Internal("An array was expected, not %s", ShapeUtil::HumanString(shape));
  return MakeArray(shape.element_type(), shape.dimensions());
}

absl::StatusOr<Literal> MakeArray(PrimitiveType type, absl::Span<const int64_t> dimensions) {
  HILO_ASSIGN_OR_RETURN(Shape shape, ShapeUtil::MakeValidatedShape(type, dimensions));
  return Literal::Make(shape);
}

absl::StatusOr<Value> ZeroValue(const Shape& shape) {
  if (shape.IsArray()) {
    HILO_ASSIGN_OR_RETURN(Literal zero, MakeArray(shape));
    return Value(std::move(zero));
  }
  if (!shape.IsTuple()) return Value();
  std::vector<Value> elements;
  for (const Shape& element : shape.tuple_shapes()) {
    HILO_ASSIGN_OR_RETURN(elements.emplace_back(), ZeroValue(element));
  }
  return Value(std::move(elements));
}

absl::StatusOr<Value> FillTuple(std::vector<Value> elements, const Shape& shape) {
  for (int i = static_cast<int>(elements.size()); i < shape.tuple_shapes_size(); ++i) {
    HILO_ASSIGN_OR_RETURN(elements.emplace_back(), ZeroValue(shape.tuple_shapes(i)));
  }
  return Value(std::move(elements));
}

}  // namespace xla::eval

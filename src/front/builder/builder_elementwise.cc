// Element-wise operations.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/primitive_util.h"
#include "xla/service/shape_inference.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

XlaOp Unary(HloOpcode opcode, XlaOp operand) { return AddOp({opcode}, {operand}); }

XlaOp Unary(HloOpcode opcode, XlaOp operand, const std::optional<ResultAccuracy>& accuracy) {
  XlaOp result = Unary(opcode, operand);
  if (accuracy.has_value() && result.valid())
    *MessageOf(result)->mutable_result_accuracy() = *accuracy;
  return result;
}

XlaOp Binary(HloOpcode opcode, XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> dimensions,
             std::unique_ptr<Attributes> attributes = nullptr) {
  return WithBuilder(BuilderOf({lhs, rhs}), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const auto operands, MakeShapesEqual(opcode, lhs, rhs, dimensions));
    return AddOp({opcode, std::move(attributes)}, {operands.first, operands.second});
  });
}

XlaOp Ternary(HloOpcode opcode, XlaOp first, XlaOp second, XlaOp third) {
  XlaBuilder* builder = BuilderOf({first, second, third});
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    XlaOp operands[] = {first, second, third};
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(operands));
    RepeatScalars(shapes, absl::MakeSpan(operands));
    return AddOp({opcode}, operands);
  });
}

XlaOp CompareBy(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> dimensions,
                ComparisonDirection direction, std::optional<Comparison::Type> type) {
  auto attributes = std::make_unique<CompareAttributes>();
  attributes->direction = static_cast<int>(direction);
  if (type.has_value()) attributes->type = static_cast<int>(*type);
  return Binary(HloOpcode::kCompare, lhs, rhs, dimensions, std::move(attributes));
}

// Total order for floating point types; integers have it anyway.
XlaOp CompareTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> dimensions,
                        ComparisonDirection direction) {
  return WithBuilder(BuilderOf({lhs, rhs}), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, BuilderOf({lhs, rhs})->GetShape(lhs));
    std::optional<Comparison::Type> type;
    if (primitive_util::IsFloatingPointType(shape.element_type())) {
      type = Comparison::Type::kFloatTotalOrder;
    }
    return CompareBy(lhs, rhs, dimensions, direction, type);
  });
}

bool IsSigned(XlaOp op) {
  const absl::StatusOr<Shape> shape = ShapeOf(op);
  return shape.ok() && primitive_util::IsSignedIntegralType(shape->element_type());
}

constexpr bool HasLine(HloOpcode opcode) {
  switch (opcode) {
#define XLA_UNARY(name, opcode) case HloOpcode::k##opcode:
#define XLA_APPROXIMATED(name, opcode) case HloOpcode::k##opcode:
#define XLA_EXPANDED(name, opcode) case HloOpcode::k##opcode:
#define XLA_BINARY(name, opcode) case HloOpcode::k##opcode:
#include "xla/hlo/builder/xla_builder_functions.def"
    return true;
    default:
      return false;
  }
}

}  // namespace

#define XLA_UNARY(name, opcode) \
  XlaOp name(XlaOp operand) { return Unary(HloOpcode::k##opcode, operand); }
#define XLA_APPROXIMATED(name, opcode)                                              \
  XlaOp name(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) { \
    return Unary(HloOpcode::k##opcode, operand, result_accuracy);                   \
  }
#define XLA_BINARY(name, opcode)                                                     \
  XlaOp name(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) { \
    return Binary(HloOpcode::k##opcode, lhs, rhs, broadcast_dimensions);             \
  }
#include "xla/hlo/builder/xla_builder_functions.def"

// Every function of numbers has its line there.
#define HLO_OP(...)
#define HLO_FUNCTION(name, ...) \
  static_assert(HasLine(HloOpcode::k##name), "xla_builder_functions.def has no line for " #name);
#include "xla/hlo/ir/hlo_ops.def"
#undef HLO_OP

XlaOp And(XlaOp op1, XlaOp op2, XlaOp op3) { return And(op1, And(op2, op3)); }
XlaOp Or(XlaOp op1, XlaOp op2, XlaOp op3) { return Or(op1, Or(op2, op3)); }

XlaOp Eq(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return CompareBy(lhs, rhs, broadcast_dimensions, ComparisonDirection::kEq, std::nullopt);
}
XlaOp EqTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return CompareTotalOrder(lhs, rhs, broadcast_dimensions, ComparisonDirection::kEq);
}
XlaOp Ne(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return CompareBy(lhs, rhs, broadcast_dimensions, ComparisonDirection::kNe, std::nullopt);
}
XlaOp NeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return CompareTotalOrder(lhs, rhs, broadcast_dimensions, ComparisonDirection::kNe);
}
XlaOp Ge(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return CompareBy(lhs, rhs, broadcast_dimensions, ComparisonDirection::kGe, std::nullopt);
}
XlaOp GeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return CompareTotalOrder(lhs, rhs, broadcast_dimensions, ComparisonDirection::kGe);
}
XlaOp Gt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return CompareBy(lhs, rhs, broadcast_dimensions, ComparisonDirection::kGt, std::nullopt);
}
XlaOp GtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return CompareTotalOrder(lhs, rhs, broadcast_dimensions, ComparisonDirection::kGt);
}
XlaOp Lt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return CompareBy(lhs, rhs, broadcast_dimensions, ComparisonDirection::kLt, std::nullopt);
}
XlaOp LtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return CompareTotalOrder(lhs, rhs, broadcast_dimensions, ComparisonDirection::kLt);
}
XlaOp Le(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return CompareBy(lhs, rhs, broadcast_dimensions, ComparisonDirection::kLe, std::nullopt);
}
XlaOp LeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return CompareTotalOrder(lhs, rhs, broadcast_dimensions, ComparisonDirection::kLe);
}
XlaOp Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
              ComparisonDirection direction, Comparison::Type compare_type) {
  return CompareBy(lhs, rhs, broadcast_dimensions, direction, compare_type);
}
XlaOp Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
              ComparisonDirection direction) {
  return CompareBy(lhs, rhs, broadcast_dimensions, direction, std::nullopt);
}
XlaOp Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction) {
  return CompareBy(lhs, rhs, {}, direction, std::nullopt);
}

XlaOp operator-(XlaOp x) { return Neg(x); }
XlaOp operator~(XlaOp x) { return Not(x); }
XlaOp operator+(XlaOp x, XlaOp y) { return Add(x, y); }
XlaOp operator-(XlaOp x, XlaOp y) { return Sub(x, y); }
XlaOp operator*(XlaOp x, XlaOp y) { return Mul(x, y); }
XlaOp operator/(XlaOp x, XlaOp y) { return Div(x, y); }
XlaOp operator%(XlaOp x, XlaOp y) { return Rem(x, y); }
XlaOp operator&(XlaOp x, XlaOp y) { return And(x, y); }
XlaOp operator|(XlaOp x, XlaOp y) { return Or(x, y); }
XlaOp operator^(XlaOp x, XlaOp y) { return Xor(x, y); }
XlaOp operator<<(XlaOp x, XlaOp y) { return ShiftLeft(x, y); }
XlaOp operator>>(XlaOp x, XlaOp y) {
  return IsSigned(x) ? ShiftRightArithmetic(x, y) : ShiftRightLogical(x, y);
}

XlaOp Copy(XlaOp operand) { return Unary(HloOpcode::kCopy, operand); }
XlaOp OptimizationBarrier(XlaOp operand) { return Unary(HloOpcode::kOptimizationBarrier, operand); }
XlaOp Conj(XlaOp operand) { return Complex(Real(operand), Neg(Imag(operand))); }

XlaOp ConvertElementType(XlaOp operand, PrimitiveType new_element_type) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape from, ShapeOf(operand));
    HILO_ASSIGN_OR_RETURN(Shape shape, ShapeInference::InferConvertShape(from, new_element_type));
    return AddOp({HloOpcode::kConvert, nullptr, {}, std::move(shape)}, {operand});
  });
}

XlaOp StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType new_element_type) {
  XlaBuilder* builder = BuilderOf({operand, random});
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes,
                          builder->GetOperandShapes({operand, random}));
    HILO_ASSIGN_OR_RETURN(Shape shape, ShapeInference::InferStochasticConvertShape(
                                           shapes[0], shapes[1], new_element_type));
    return AddOp({HloOpcode::kStochasticConvert, nullptr, {}, std::move(shape)}, {operand, random});
  });
}

XlaOp BitcastConvertType(XlaOp operand, PrimitiveType new_element_type) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape from, ShapeOf(operand));
    HILO_ASSIGN_OR_RETURN(Shape shape,
                          ShapeInference::InferBitcastConvertShape(from, new_element_type));
    return AddOp({HloOpcode::kBitcastConvert, nullptr, {}, std::move(shape)}, {operand});
  });
}

XlaOp ReducePrecision(XlaOp operand, int exponent_bits, int mantissa_bits) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(Shape shape, ShapeOf(operand));
    auto attributes = std::make_unique<ReducePrecisionAttributes>();
    attributes->exponent_bits = exponent_bits;
    attributes->mantissa_bits = mantissa_bits;
    return AddOp({HloOpcode::kReducePrecision, std::move(attributes), {}, std::move(shape)},
                 {operand});
  });
}

XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false) {
  XlaBuilder* builder = BuilderOf({pred, on_true, on_false});
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes,
                          builder->GetOperandShapes({pred, on_true, on_false}));
    if (!shapes[1].IsTuple()) return Ternary(HloOpcode::kSelect, pred, on_true, on_false);
    // Of tuples: a conditional whose branches hand on what they get.
    if (!ShapeUtil::Compatible(shapes[1], shapes[2])) {
      return InvalidArgument("select: on_true %s and on_false %s must have the same shape",
                             shapes[1].ToString(), shapes[2].ToString());
    }
    const auto identity = builder->CreateSubBuilder("identity");
    Parameter(identity.get(), 0, shapes[1], "value");
    HILO_ASSIGN_OR_RETURN(const XlaComputationId branch, identity->BuildSubComputation());
    return Conditional(pred, on_true, branch, on_false, branch);
  });
}

XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max) {
  return Ternary(HloOpcode::kClamp, min, operand, max);
}

}  // namespace xla

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

}  // namespace

XlaOp Add(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kAdd, lhs, rhs, broadcast_dimensions);
}
XlaOp Sub(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kSubtract, lhs, rhs, broadcast_dimensions);
}
XlaOp Mul(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kMultiply, lhs, rhs, broadcast_dimensions);
}
XlaOp Mulhi(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kMulhi, lhs, rhs, broadcast_dimensions);
}
XlaOp Div(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kDivide, lhs, rhs, broadcast_dimensions);
}
XlaOp Rem(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kRemainder, lhs, rhs, broadcast_dimensions);
}
XlaOp Max(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kMaximum, lhs, rhs, broadcast_dimensions);
}
XlaOp Min(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kMinimum, lhs, rhs, broadcast_dimensions);
}
XlaOp Pow(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kPower, lhs, rhs, broadcast_dimensions);
}
XlaOp And(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kAnd, lhs, rhs, broadcast_dimensions);
}
XlaOp Or(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kOr, lhs, rhs, broadcast_dimensions);
}
XlaOp Xor(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kXor, lhs, rhs, broadcast_dimensions);
}
XlaOp ShiftLeft(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kShiftLeft, lhs, rhs, broadcast_dimensions);
}
XlaOp ShiftRightArithmetic(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kShiftRightArithmetic, lhs, rhs, broadcast_dimensions);
}
XlaOp ShiftRightLogical(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kShiftRightLogical, lhs, rhs, broadcast_dimensions);
}
XlaOp Atan2(XlaOp y, XlaOp x, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kAtan2, y, x, broadcast_dimensions);
}
XlaOp Complex(XlaOp real, XlaOp imag, absl::Span<const int64_t> broadcast_dimensions) {
  return Binary(HloOpcode::kComplex, real, imag, broadcast_dimensions);
}
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

XlaOp Abs(XlaOp operand) { return Unary(HloOpcode::kAbs, operand); }
XlaOp Neg(XlaOp operand) { return Unary(HloOpcode::kNegate, operand); }
XlaOp Sign(XlaOp operand) { return Unary(HloOpcode::kSign, operand); }
XlaOp Floor(XlaOp operand) { return Unary(HloOpcode::kFloor, operand); }
XlaOp Ceil(XlaOp operand) { return Unary(HloOpcode::kCeil, operand); }
XlaOp Round(XlaOp operand) { return Unary(HloOpcode::kRoundNearestAfz, operand); }
XlaOp RoundNearestEven(XlaOp operand) { return Unary(HloOpcode::kRoundNearestEven, operand); }
XlaOp Not(XlaOp operand) { return Unary(HloOpcode::kNot, operand); }
XlaOp Clz(XlaOp operand) { return Unary(HloOpcode::kClz, operand); }
XlaOp PopulationCount(XlaOp operand) { return Unary(HloOpcode::kPopulationCount, operand); }
XlaOp IsFinite(XlaOp operand) { return Unary(HloOpcode::kIsFinite, operand); }
XlaOp Real(XlaOp operand) { return Unary(HloOpcode::kReal, operand); }
XlaOp Imag(XlaOp operand) { return Unary(HloOpcode::kImag, operand); }
XlaOp Copy(XlaOp operand) { return Unary(HloOpcode::kCopy, operand); }
XlaOp OptimizationBarrier(XlaOp operand) { return Unary(HloOpcode::kOptimizationBarrier, operand); }
XlaOp Conj(XlaOp operand) { return Complex(Real(operand), Neg(Imag(operand))); }

XlaOp Exp(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) {
  return Unary(HloOpcode::kExp, operand, result_accuracy);
}
XlaOp Expm1(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) {
  return Unary(HloOpcode::kExpm1, operand, result_accuracy);
}
XlaOp Log(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) {
  return Unary(HloOpcode::kLog, operand, result_accuracy);
}
XlaOp Log1p(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) {
  return Unary(HloOpcode::kLog1p, operand, result_accuracy);
}
XlaOp Logistic(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) {
  return Unary(HloOpcode::kLogistic, operand, result_accuracy);
}
XlaOp Sin(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) {
  return Unary(HloOpcode::kSin, operand, result_accuracy);
}
XlaOp Cos(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) {
  return Unary(HloOpcode::kCos, operand, result_accuracy);
}
XlaOp Tan(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) {
  return Unary(HloOpcode::kTan, operand, result_accuracy);
}
XlaOp Tanh(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) {
  return Unary(HloOpcode::kTanh, operand, result_accuracy);
}
XlaOp Sqrt(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) {
  return Unary(HloOpcode::kSqrt, operand, result_accuracy);
}
XlaOp Cbrt(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) {
  return Unary(HloOpcode::kCbrt, operand, result_accuracy);
}
XlaOp Rsqrt(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) {
  return Unary(HloOpcode::kRsqrt, operand, result_accuracy);
}
XlaOp Erf(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) {
  return Unary(HloOpcode::kErf, operand, result_accuracy);
}

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

// The client operations, CHLO: those that are no operation of HLO are made of others by the
// builder's library.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "front/stablehlo/lower/attributes.h"
#include "front/stablehlo/lower/shapes.h"
#include "front/stablehlo/lower/table.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {
namespace {

using LibraryFunction = XlaOp (*)(absl::Span<const XlaOp> x);

// Infinite parts of complex numbers count, too.
XlaOp SquareOf(absl::Span<const XlaOp> x) { return Square(x[0]); }
XlaOp ConjugateOf(absl::Span<const XlaOp> x) { return MaybeConjugate(x[0], true); }

constexpr std::pair<absl::string_view, LibraryFunction> kFunctions[] = {
    {"chlo.atan", [](absl::Span<const XlaOp> x) { return Atan(x[0]); }},
    {"chlo.bessel_i1e", [](absl::Span<const XlaOp> x) { return BesselI1e(x[0]); }},
    {"chlo.conj", ConjugateOf},
    {"chlo.digamma", [](absl::Span<const XlaOp> x) { return Digamma(x[0]); }},
    {"chlo.erf_inv", [](absl::Span<const XlaOp> x) { return ErfInv(x[0]); }},
    {"chlo.erfc", [](absl::Span<const XlaOp> x) { return Erfc(x[0]); }},
    {"chlo.is_inf", [](absl::Span<const XlaOp> x) { return IsInf(x[0]); }},
    {"chlo.is_neg_inf", [](absl::Span<const XlaOp> x) { return IsNegInf(x[0]); }},
    {"chlo.is_pos_inf", [](absl::Span<const XlaOp> x) { return IsPosInf(x[0]); }},
    {"chlo.lgamma", [](absl::Span<const XlaOp> x) { return Lgamma(x[0]); }},
    {"chlo.next_after", [](absl::Span<const XlaOp> x) { return NextAfter(x[0], x[1]); }},
    {"chlo.polygamma", [](absl::Span<const XlaOp> x) { return Polygamma(x[0], x[1]); }},
    {"chlo.square", SquareOf},
    {"chlo.zeta", [](absl::Span<const XlaOp> x) { return Zeta(x[0], x[1]); }},
};

}  // namespace

absl::Status LowerLibraryFunction(Body& body, const Operation& op, HloOpcode) {
  for (const auto& [name, function] : kFunctions) {
    if (name != op.name) continue;
    HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
    HILO_ASSIGN_OR_RETURN(HloInstruction * result, AddLibraryCall(body, name, operands, function));
    return body.Define(op, result);
  }
  return Unimplemented("there is no such function");
}

absl::Status LowerTopK(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<TopKAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->k, GetInteger(op, "k"));
  if (op.attribute("largest") != nullptr) {
    HILO_ASSIGN_OR_RETURN(attributes->largest, GetBool(op, "largest"));
  }
  HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Operand(op, 0));
  return body.Emit(op, opcode, {operand}, std::move(attributes));
}

absl::Status LowerRaggedDot(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<RaggedDotAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->lhs_batch, GetIntegersOrNone(op, "lhs_batching_dimensions"));
  HILO_ASSIGN_OR_RETURN(attributes->rhs_batch, GetIntegersOrNone(op, "rhs_batching_dimensions"));
  HILO_ASSIGN_OR_RETURN(attributes->lhs_contracting, GetIntegers(op, "lhs_contracting_dimensions"));
  HILO_ASSIGN_OR_RETURN(attributes->rhs_contracting, GetIntegers(op, "rhs_contracting_dimensions"));
  HILO_ASSIGN_OR_RETURN(attributes->lhs_ragged, GetIntegers(op, "lhs_ragged_dimensions"));
  HILO_ASSIGN_OR_RETURN(attributes->rhs_group, GetIntegersOrNone(op, "rhs_group_dimensions"));
  HILO_ASSIGN_OR_RETURN(attributes->precision, ToPrecision(op));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  return body.Emit(op, opcode, operands, std::move(attributes));
}

absl::Status LowerConstantLike(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, body.ResultShape(op));
  if (!shape.IsArrayExcludingBuffer()) return InvalidArgument("the result must be an array");
  const Attribute* value = op.attribute("value");
  HloInstruction* scalar = nullptr;
  if (const auto* integer = As<IntegerAttribute>(value)) {
    HILO_ASSIGN_OR_RETURN(scalar, AddNumber(body, shape.element_type(), integer->value));
  } else if (const auto* number = As<FloatAttribute>(value)) {
    HILO_ASSIGN_OR_RETURN(
        Literal literal,
        LiteralUtil::CreateR0<double>(number->value).Convert(shape.element_type()));
    HILO_ASSIGN_OR_RETURN(scalar, body.AddConstant(std::move(literal)));
  } else {
    return InvalidArgument("the attribute value must be a number");
  }
  HILO_ASSIGN_OR_RETURN(HloInstruction * result, AddSplat(body, scalar, shape));
  return body.Define(op, result);
}

// Operands of lower rank go with the last dimensions, or with those that broadcast_dimensions
// names.
absl::Status LowerChloBroadcast(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(const std::optional<Integers> dimensions,
                        FindIntegers(op, "broadcast_dimensions"));
  HILO_ASSIGN_OR_RETURN(const Shape shape, body.ResultShape(op));
  if (!shape.IsArrayExcludingBuffer() || !shape.is_static()) {
    return Unimplemented("the sizes of %s are known only at run time", shape.ToString());
  }
  std::unique_ptr<Attributes> attributes;
  if (opcode == HloOpcode::kCompare) {
    HILO_ASSIGN_OR_RETURN(attributes, ToCompareAttributes(op, operands[0]->shape()));
  }
  for (HloInstruction*& operand : operands) {
    const Shape& from = operand->shape();
    if (!from.IsArrayExcludingBuffer()) return InvalidArgument("the operands must be arrays");
    if (ShapeUtil::SameDimensions(from, shape)) continue;
    const int64_t missing = shape.dimensions_size() - from.dimensions_size();
    Integers places;
    for (int64_t i = 0; i < from.dimensions_size(); ++i) places.push_back(missing + i);
    if (dimensions.has_value() && missing > 0) places = *dimensions;
    const Shape full = WithElementType(shape, from.element_type());
    HILO_ASSIGN_OR_RETURN(operand, AddBroadcastInDim(body, operand, full, places));
  }
  return body.Emit(op, opcode, operands, std::move(attributes));
}

}  // namespace xla::stablehlo::lowering

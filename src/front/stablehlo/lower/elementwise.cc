// Operations on each element by itself.
#include <memory>
#include <vector>

#include "base/status_macros.h"
#include "front/stablehlo/lower/attributes.h"
#include "front/stablehlo/lower/shapes.h"
#include "front/stablehlo/lower/table.h"
#include "xla/comparison_util.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {

absl::Status LowerElementwise(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  return body.Emit(op, opcode, operands);
}

// Of complex numbers, the real part is converted to other types.
absl::Status LowerConvert(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Operand(op, 0));
  HILO_ASSIGN_OR_RETURN(const Shape shape, body.ResultShape(op));
  const Shape& from = operand->shape();
  if (from.IsArrayExcludingBuffer() && primitive_util::IsComplexType(from.element_type()) &&
      shape.IsArrayExcludingBuffer() && !primitive_util::IsComplexType(shape.element_type())) {
    const Shape real =
        WithElementType(from, primitive_util::ComplexComponentType(from.element_type()));
    HILO_ASSIGN_OR_RETURN(operand, body.Add(HloOpcode::kReal, real, {operand}));
  }
  return body.Emit(op, opcode, {operand});
}

namespace {

absl::StatusOr<std::optional<ResultAccuracy>> GetResultAccuracy(const Operation& op) {
  const Attribute* attribute = op.attribute("result_accuracy");
  if (attribute == nullptr) return std::nullopt;
  const auto* said = As<ResultAccuracyAttribute>(attribute);
  if (said == nullptr) return InvalidArgument("the attribute result_accuracy says no accuracy");
  ResultAccuracy accuracy;
  if (said->mode == "HIGHEST") {
    accuracy.set_mode(ResultAccuracy::HIGHEST);
  } else if (said->mode == "TOLERANCE") {
    accuracy.mutable_tolerance()->set_atol(said->absolute_tolerance);
    accuracy.mutable_tolerance()->set_rtol(said->relative_tolerance);
    accuracy.mutable_tolerance()->set_ulps(said->units);
  } else if (said->mode == "DEFAULT" || said->mode.empty()) {
    return std::nullopt;
  } else {
    return InvalidArgument("there is no mode %s of result_accuracy", said->mode);
  }
  return accuracy;
}

}  // namespace

absl::Status LowerApproximated(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(const std::optional<ResultAccuracy> accuracy, GetResultAccuracy(op));
  HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Operand(op, 0));
  HILO_ASSIGN_OR_RETURN(const Shape shape, body.ResultShape(op));
  HILO_ASSIGN_OR_RETURN(HloInstruction * result, body.Add(opcode, shape, {operand}));
  if (accuracy.has_value()) result->set_result_accuracy(*accuracy);
  return body.Define(op, result);
}

absl::Status LowerCompare(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<CompareAttributes> attributes,
                        ToCompareAttributes(op, operands[0]->shape()));
  return body.Emit(op, opcode, operands, std::move(attributes));
}

absl::StatusOr<std::unique_ptr<CompareAttributes>> ToCompareAttributes(const Operation& op,
                                                                       const Shape& operand) {
  HILO_ASSIGN_OR_RETURN(const absl::string_view direction, GetKeyword(op, "comparison_direction"));
  HILO_ASSIGN_OR_RETURN(const Comparison::Direction parsed, StringToComparisonDirection(direction));
  HILO_ASSIGN_OR_RETURN(const std::optional<absl::string_view> type,
                        FindKeyword(op, "compare_type"));
  auto attributes = std::make_unique<CompareAttributes>();
  attributes->direction = static_cast<int>(parsed);
  if (!type.has_value() || *type == "NOTYPE") return attributes;
  HILO_ASSIGN_OR_RETURN(const Comparison::Type parsed_type, StringToComparisonType(*type));
  if (!operand.IsArray() ||
      parsed_type != Comparison::DefaultComparisonType(operand.element_type())) {
    attributes->type = static_cast<int>(parsed_type);
  }
  return attributes;
}

absl::Status LowerReducePrecision(Body& body, const Operation& op, HloOpcode opcode) {
  auto attributes = std::make_unique<ReducePrecisionAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->exponent_bits, GetInteger(op, "exponent_bits"));
  HILO_ASSIGN_OR_RETURN(attributes->mantissa_bits, GetInteger(op, "mantissa_bits"));
  HILO_ASSIGN_OR_RETURN(HloInstruction * operand, body.Operand(op, 0));
  return body.Emit(op, opcode, {operand}, std::move(attributes));
}

absl::Status LowerWithScalars(Body& body, const Operation& op, HloOpcode opcode) {
  HILO_ASSIGN_OR_RETURN(std::vector<HloInstruction*> operands, body.Operands(op));
  // Of select the other two are arrays, of clamp the one in the middle.
  const Shape& full = operands[1]->shape();
  for (HloInstruction*& operand : operands) {
    if (!full.IsArray() || !operand->shape().IsArray() || IsScalar(full)) break;
    if (IsScalar(operand->shape())) {
      HILO_ASSIGN_OR_RETURN(operand, AddSplat(body, operand, full));
    }
  }
  return body.Emit(op, opcode, operands);
}

}  // namespace xla::stablehlo::lowering

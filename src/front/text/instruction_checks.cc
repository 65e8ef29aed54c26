#include "front/text/instruction_checks.h"

#include "ir/async.h"
#include "ir/records.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::Status CheckCustomCall(const HloInstruction& call) {
  const auto& attributes = call.attributes_as<CustomCallAttributes>();
  if (!attributes.operand_layouts.has_value()) return absl::OkStatus();
  const std::vector<Shape>& constraints = *attributes.operand_layouts;
  if (static_cast<int64_t>(constraints.size()) != call.operand_count()) {
    return InvalidArgument("expected %d operand layout constraints, got %d", call.operand_count(),
                           constraints.size());
  }
  for (int64_t i = 0; i < call.operand_count(); ++i) {
    if (!ShapeUtil::Compatible(constraints[i], call.operand(i)->shape())) {
      return InvalidArgument(
          "operand layout constraint %s is not compatible with operand %d of shape %s",
          constraints[i].ToString(), i, call.operand(i)->shape().ToString());
    }
  }
  return absl::OkStatus();
}

absl::Status CheckDynamicReshape(const HloInstruction& reshape) {
  const Shape& shape = reshape.shape();
  const Shape& operand = reshape.operand(0)->shape();
  if (!shape.IsArray() || !operand.IsArray()) {
    return InvalidArgument("dynamic-reshape takes an array to an array, got %s and %s",
                           operand.ToString(), shape.ToString());
  }
  if (reshape.operand_count() != 1 + shape.dimensions_size()) {
    return InvalidArgument("dynamic-reshape to %s takes an array and %d sizes, got %d operands",
                           shape.ToString(), shape.dimensions_size(), reshape.operand_count());
  }
  if (ShapeUtil::StaticExtentProduct(shape) != ShapeUtil::StaticExtentProduct(operand)) {
    return InvalidArgument("dynamic-reshape of %s to %s changes the number of elements",
                           operand.ToString(), shape.ToString());
  }
  return absl::OkStatus();
}

absl::Status CheckReshape(const HloInstruction& reshape) {
  const Shape& shape = reshape.shape();
  const Shape& operand = reshape.operand(0)->shape();
  if (!shape.IsArray() || !operand.IsArray() || shape.is_unbounded_dynamic() ||
      operand.is_unbounded_dynamic() ||
      ShapeUtil::StaticExtentProduct(shape) == ShapeUtil::StaticExtentProduct(operand)) {
    return absl::OkStatus();
  }
  return InvalidArgument("reshape of %s to %s changes the number of elements", operand.ToString(),
                         shape.ToString());
}

absl::Status CheckParameter(const HloInstruction& parameter) {
  const size_t entries =
      parameter.attributes_as<ParameterAttributes>().parameter_replication.size();
  const int64_t leaves = ShapeUtil::GetLeafCount(parameter.shape());
  if (entries == 0 || static_cast<int64_t>(entries) == leaves) return absl::OkStatus();
  return InvalidArgument("parameter_replication has %d entries for the %d leaves of %s", entries,
                         leaves, parameter.shape().ToString());
}

template <typename Record>
absl::Status CheckGlobalDeviceIds(const HloInstruction& collective) {
  const auto& attributes = collective.attributes_as<Record>();
  if (!attributes.use_global_device_ids || attributes.channel_id.has_value()) {
    return absl::OkStatus();
  }
  return InvalidArgument("use_global_device_ids=true needs a channel_id=");
}

absl::Status CheckTuple(const HloInstruction& instruction, int min_elements,
                        absl::string_view form) {
  const Shape& shape = instruction.shape();
  if (shape.IsTuple() && shape.tuple_shapes_size() >= min_elements) return absl::OkStatus();
  return InvalidArgument("the shape of %s must be a tuple %s, got %s",
                         HloOpcodeString(instruction.opcode()), form, shape.ToString());
}

absl::Status CheckAsyncContext(const HloInstruction& instruction) {
  if (IsAsyncContext(instruction.shape())) return absl::OkStatus();
  return InvalidArgument(
      "the shape of %s must be a tuple ((shapes of the operands), shape of the result, ...), got %s",
      HloOpcodeString(instruction.opcode()), instruction.shape().ToString());
}

absl::Status CheckParity(const HloInstruction& instruction, int64_t parity,
                         absl::string_view what) {
  if (instruction.operand_count() % 2 == parity) return absl::OkStatus();
  return InvalidArgument("%s takes %s, got %d operands", HloOpcodeString(instruction.opcode()),
                         what, instruction.operand_count());
}

}  // namespace

absl::Status CheckSound(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart:
      return CheckGlobalDeviceIds<AllReduceAttributes>(instruction);
    case HloOpcode::kReduceScatter:
      return CheckGlobalDeviceIds<ReduceScatterAttributes>(instruction);
    case HloOpcode::kAsyncStart:
    case HloOpcode::kAsyncUpdate:
      return CheckAsyncContext(instruction);
    case HloOpcode::kCustomCall:
      return CheckCustomCall(instruction);
    case HloOpcode::kDynamicReshape:
      return CheckDynamicReshape(instruction);
    case HloOpcode::kInfeed:
      return CheckTuple(instruction, 2, "(shape of the data, token[])");
    case HloOpcode::kParameter:
      return CheckParameter(instruction);
    case HloOpcode::kReshape:
      return CheckReshape(instruction);
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
      return CheckParity(instruction, 0, "arrays and as many initial values");
    case HloOpcode::kScatter:
      return CheckParity(instruction, 1, "arrays, indices and as many updates as arrays");
    default:
      return absl::OkStatus();
  }
}

}  // namespace xla

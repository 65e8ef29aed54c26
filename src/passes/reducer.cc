#include "passes/reducer.h"

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"

namespace xla::passes {

std::optional<HloOpcode> OperationOf(const HloComputation& function) {
  const HloInstruction& root = *function.root_instruction();
  if (function.num_parameters() != 2 || root.operand_count() != 2 ||
      root.operand(0)->opcode() != HloOpcode::kParameter ||
      root.operand(1)->opcode() != HloOpcode::kParameter || root.operand(0) == root.operand(1)) {
    return std::nullopt;
  }
  return root.opcode();
}

std::optional<HloOpcode> ReducingOperationOf(const HloComputation& function) {
  const HloInstruction& root = *function.root_instruction();
  const std::optional<HloOpcode> operation = OperationOf(function);
  if (!operation.has_value() || !root.shape().IsArray()) return std::nullopt;
  const PrimitiveType type = root.shape().element_type();
  for (const HloInstruction* operand : root.operands()) {
    if (!operand->shape().IsArray() || operand->shape().element_type() != type) return std::nullopt;
  }
  return operation;
}

bool IsAssociative(HloOpcode operation) {
  switch (operation) {
    case HloOpcode::kAdd:
    case HloOpcode::kAnd:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kMultiply:
    case HloOpcode::kOr:
    case HloOpcode::kXor:
      return true;
    default:
      return false;
  }
}

bool IsAssociative(const HloComputation& function) {
  const std::optional<HloOpcode> operation = OperationOf(function);
  return operation.has_value() && IsAssociative(*operation);
}

std::optional<Literal> NeutralElement(HloOpcode operation, PrimitiveType type) {
  const bool is_ordered = !primitive_util::IsComplexType(type);
  switch (operation) {
    case HloOpcode::kAdd:
      if (!primitive_util::IsFloatingPointType(type)) return LiteralUtil::Zero(type);
      return LiteralUtil::CreateR0<double>(type, -0.0);
    case HloOpcode::kMultiply:
      return LiteralUtil::One(type);
    case HloOpcode::kMaximum:
      if (is_ordered) return LiteralUtil::MinValue(type);
      return std::nullopt;
    case HloOpcode::kMinimum:
      if (is_ordered) return LiteralUtil::MaxValue(type);
      return std::nullopt;
    case HloOpcode::kAnd:
      if (primitive_util::IsSignedIntegralType(type))
        return LiteralUtil::CreateR0<int64_t>(type, -1);
      return LiteralUtil::MaxValue(type);
    case HloOpcode::kOr:
    case HloOpcode::kXor:
      return LiteralUtil::Zero(type);
    default:
      return std::nullopt;
  }
}

std::optional<Literal> NeutralElement(const HloComputation& function, PrimitiveType type) {
  const std::optional<HloOpcode> operation = ReducingOperationOf(function);
  if (!operation.has_value() || function.root_instruction()->shape().element_type() != type)
    return std::nullopt;
  return NeutralElement(*operation, type);
}

bool IsOneOperation(const HloComputation& combiner, PrimitiveType type) {
  const HloInstruction& root = *combiner.root_instruction();
  if (root.opcode() == HloOpcode::kParameter) return true;
  const std::optional<HloOpcode> operation = ReducingOperationOf(combiner);
  return operation.has_value() && IsAssociative(*operation) && root.shape().element_type() == type;
}

HloInstruction* Updated(GraphBuilder& builder, const HloComputation& combiner,
                        HloInstruction* array, HloInstruction* update) {
  if (!IsOneOperation(combiner, array->shape().element_type())) return nullptr;
  const HloInstruction& root = *combiner.root_instruction();
  if (root.opcode() == HloOpcode::kParameter) return root.parameter_number() == 1 ? update : array;
  const auto argument = [&](int64_t i) {
    return root.operand(i)->parameter_number() == 0 ? array : update;
  };
  return builder.Binary(root.opcode(), argument(0), argument(1));
}

}  // namespace xla::passes

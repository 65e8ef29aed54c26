#include "passes/mixed_precision.h"

#include <vector>

#include "base/status_macros.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/hlo/transforms/despecializer.h"
#include "xla/hlo/transforms/simplifiers/float_normalization.h"

namespace xla {
namespace passes {
namespace {

// Operations that move values of several types, change the type, or are somebody else's.
bool KeepsTypesApart(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kConvert:
    case HloOpcode::kCustomCall:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kTuple:
      return true;
    default:
      return !instruction.called_computations().empty() || !instruction.shape().IsArray();
  }
}

absl::StatusOr<HloInstruction*> WidenOperation(HloInstruction& instruction) {
  if (KeepsTypesApart(instruction)) return nullptr;
  bool has_bf16 = instruction.shape().element_type() == BF16;
  bool has_f32 = instruction.shape().element_type() == F32;
  for (const HloInstruction* operand : instruction.operands()) {
    if (!operand->shape().IsArray()) return nullptr;
    has_bf16 |= operand->shape().element_type() == BF16;
    has_f32 |= operand->shape().element_type() == F32;
  }
  if (!has_bf16 || !has_f32) return nullptr;
  GraphBuilder builder(instruction);
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : instruction.operands()) {
    const bool is_narrow = operand->shape().element_type() == BF16;
    operands.push_back(is_narrow ? builder.Convert(operand, F32) : operand);
  }
  Shape shape = instruction.shape();
  const PrimitiveType type = shape.element_type();
  if (type == BF16) shape.set_element_type(F32);
  return builder.Convert(builder.Add(instruction.CloneWithNewOperands(shape, operands)), type);
}

}  // namespace

absl::StatusOr<bool> WidenMixedPrecision(HloModule& module) {
  return ReplaceEach(module, WidenOperation);
}

}  // namespace passes

absl::StatusOr<bool> BFloat16MixedPrecisionRemoval::Run(HloModule* module) {
  return passes::WidenMixedPrecision(*module);
}

absl::StatusOr<bool> Despecializer::Run(HloModule* module) {
  HILO_ASSIGN_OR_RETURN(const bool inlined, passes::InlineCalls(*module));
  HILO_ASSIGN_OR_RETURN(const bool widened, passes::WidenMixedPrecision(*module));
  return inlined || widened;
}

}  // namespace xla

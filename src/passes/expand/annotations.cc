#include "base/status_macros.h"
#include "ir/records.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Targets that say where a value lies or how it is divided.
bool IsPlacement(const HloInstruction& instruction) {
  static constexpr absl::string_view kTargets[] = {
      "Sharding",     "SPMDFullToShardShape",      "SPMDShardToFullShape", "MoveToHost",
      "MoveToDevice", "annotate_device_placement", "LayoutConstraint"};
  return instruction.operand_count() == 1 && instruction.IsCustomCall(kTargets);
}

// Sizes that are there already.
bool SetsFullSize(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kSetDimensionSize ||
      instruction.operand(1)->opcode() != HloOpcode::kConstant) {
    return false;
  }
  const int64_t dimension = instruction.attributes_as<OneDimensionAttributes>().dimension;
  const Shape& shape = instruction.operand(0)->shape();
  return !shape.is_dynamic() && !instruction.shape().is_dynamic() &&
         instruction.operand(1)->literal().GetFirstInteger() == shape.dimensions(dimension);
}

// Elements take whole bytes, whatever the layouts say.
bool StripElementSizes(HloModule& module) {
  bool changed = false;
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      ShapeUtil::ForEachMutableSubshape(instruction->mutable_shape(), [&](Shape* part,
                                                                          const ShapeIndex&) {
        if (!part->IsArray() || !part->has_layout() || part->layout().element_size_in_bits() == 0) {
          return;
        }
        part->mutable_layout()->set_element_size_in_bits(0);
        changed = true;
      });
    }
  }
  return changed;
}

absl::StatusOr<HloInstruction*> Strip(HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kDomain && !IsPlacement(instruction) &&
      !SetsFullSize(instruction)) {
    return nullptr;
  }
  HloInstruction* operand = instruction.mutable_operand(0);
  return ShapeUtil::Compatible(operand->shape(), instruction.shape()) ? operand : nullptr;
}

}  // namespace

absl::StatusOr<bool> StripAnnotations(HloModule& module) {
  bool changed = StripElementSizes(module);
  HILO_ASSIGN_OR_RETURN(const bool replaced, ReplaceEverywhere(module, Strip));
  return changed || replaced;
}

}  // namespace xla::passes

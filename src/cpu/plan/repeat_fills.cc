#include "cpu/plan/repeat_fills.h"

#include <cstdint>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "codegen/program/plan.h"
#include "ir/control_flow.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// Smaller arrays are copied as fast.
constexpr int64_t kLeastBytes = 4096;

bool IsFill(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kBroadcast && instruction.user_count() > 1 &&
         ShapeUtil::IsScalar(instruction.operand(0)->shape()) &&
         !instruction.HasControlDependencies() &&
         ShapeUtil::ByteSizeOf(instruction.shape()) >= kLeastBytes;
}

bool IsWrittenOver(const HloInstruction& user, int64_t operand) {
  if (user.opcode() != HloOpcode::kTuple) return program::IsUpdatedInPlace(user, operand);
  return absl::c_any_of(
      user.users(), [](const HloInstruction* each) { return each->opcode() == HloOpcode::kWhile; });
}

absl::StatusOr<bool> RepeatIn(HloComputation& computation) {
  bool changed = false;
  for (HloInstruction* user : computation.MakeInstructionPostOrder()) {
    for (int64_t i = 0; i < user->operand_count(); ++i) {
      HloInstruction* fill = user->mutable_operand(i);
      if (!IsFill(*fill) || !IsWrittenOver(*user, i)) continue;
      HloInstruction* own = computation.AddInstruction(fill->Clone());
      HILO_RETURN_IF_ERROR(user->ReplaceOperandWith(i, own));
      changed = true;
    }
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> RepeatFills(HloModule& module) {
  bool changed = false;
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    HILO_ASSIGN_OR_RETURN(const bool repeated, RepeatIn(*computation));
    changed |= repeated;
  }
  return changed;
}

}  // namespace xla::cpu

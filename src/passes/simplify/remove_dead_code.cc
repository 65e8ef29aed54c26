#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "ir/graph.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {
namespace {

using InstructionSet = absl::flat_hash_set<const HloInstruction*>;

// What has begun is finished, whether or not somebody needs its result.
bool IsFinishedByUsers(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAllGatherStart:
    case HloOpcode::kAllReduceStart:
    case HloOpcode::kAsyncStart:
    case HloOpcode::kAsyncUpdate:
    case HloOpcode::kCollectivePermuteStart:
      return true;
    default:
      return false;
  }
}

InstructionSet FindLive(const HloComputation& computation, SideEffects& side_effects) {
  std::vector<const HloInstruction*> waiting = {computation.root_instruction()};
  for (const HloInstruction* instruction : computation.instructions()) {
    if (!instruction->IsMarkedAsDead() &&
        (instruction->opcode() == HloOpcode::kParameter || side_effects.Has(*instruction))) {
      waiting.push_back(instruction);
    }
  }
  InstructionSet live;
  live.reserve(computation.instruction_count());
  while (!waiting.empty()) {
    const HloInstruction* instruction = waiting.back();
    waiting.pop_back();
    if (!live.insert(instruction).second) continue;
    const auto& operands = instruction->operands();
    waiting.insert(waiting.end(), operands.begin(), operands.end());
    const auto& before = instruction->control_predecessors();
    waiting.insert(waiting.end(), before.begin(), before.end());
    if (IsFinishedByUsers(instruction->opcode()))
      waiting.insert(waiting.end(), instruction->users().begin(), instruction->users().end());
  }
  return live;
}

bool RemoveDead(HloComputation& computation, SideEffects& side_effects) {
  const InstructionSet live = FindLive(computation, side_effects);
  if (static_cast<int64_t>(live.size()) == computation.instruction_count()) return false;
  computation.RemoveInstructionsIf(
      [&](const HloInstruction* instruction) { return !live.contains(instruction); });
  return true;
}

}  // namespace

absl::StatusOr<bool> RemoveDeadCode(HloComputation& computation) {
  SideEffects side_effects;
  return RemoveDead(computation, side_effects);
}

absl::StatusOr<bool> RemoveDeadCode(HloModule& module) {
  bool changed = false;
  SideEffects side_effects;
  for (HloComputation* computation : module.MakeComputationPostOrder()) {
    changed = RemoveDead(*computation, side_effects) || changed;
  }
  if (changed) HILO_RETURN_IF_ERROR(module.RemoveUnusedComputations());
  return changed;
}

}  // namespace xla::passes

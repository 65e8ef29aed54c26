#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "ir/graph.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {
namespace {

// Above this, a computation is made anew without its dead instructions: to take out one is linear
// in all of them.
constexpr size_t kFew = 32;

using InstructionSet = absl::flat_hash_set<const HloInstruction*>;
using ComputationMap = absl::flat_hash_map<HloComputation*, HloComputation*>;

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
  }
  return live;
}

// Users of dead instructions are dead, so each can be cut off by itself.
absl::Status RemoveFew(HloComputation& computation, const std::vector<HloInstruction*>& dead) {
  for (HloInstruction* instruction : dead) instruction->DetachFromOperandsAndUsers();
  for (HloInstruction* instruction : dead)
    HILO_RETURN_IF_ERROR(computation.RemoveInstruction(instruction));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<HloComputation>> MakeAnew(HloComputation& computation,
                                                         const InstructionSet& live) {
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> clones;
  absl::flat_hash_map<const HloInstruction*, std::unique_ptr<HloInstruction>> owned;
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    if (!live.contains(instruction)) continue;
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : instruction->operands())
      operands.push_back(clones.at(operand));
    std::unique_ptr<HloInstruction> clone =
        instruction->CloneWithNewOperands(instruction->shape(), operands);
    clones[instruction] = clone.get();
    owned[instruction] = std::move(clone);
  }
  // In the old order, which that of side effects depends on.
  std::vector<std::unique_ptr<HloInstruction>> instructions;
  for (const HloInstruction* instruction : computation.instructions()) {
    if (live.contains(instruction)) instructions.push_back(std::move(owned.at(instruction)));
  }
  HloInstruction* root = clones.at(computation.root_instruction());
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloComputation> made,
                        HloComputation::Create(computation.name(), std::move(instructions), root));
  for (const auto& [instruction, clone] : clones) {
    for (const HloInstruction* before : instruction->control_predecessors())
      HILO_RETURN_IF_ERROR(clones.at(before)->AddControlDependencyTo(clone));
  }
  made->SetExecutionThread(computation.execution_thread());
  made->set_is_fusion(computation.IsFusionComputation());
  return made;
}

absl::Status ReplaceComputations(HloModule& module, const ComputationMap& replacements) {
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      instruction->ReplaceCalledComputations([&](HloComputation* callee) {
        const auto found = replacements.find(callee);
        return found == replacements.end() ? callee : found->second;
      });
    }
  }
  const auto entry = replacements.find(module.entry_computation());
  if (entry != replacements.end()) {
    HloModuleConfig config = module.config();
    HloInputOutputAliasConfig aliases = module.input_output_alias_config();
    module.ReplaceEntryComputation(entry->second);
    module.set_config(std::move(config));
    module.set_input_output_alias_config(std::move(aliases));
  }
  return module.RemoveUnusedComputations();
}

}  // namespace

absl::StatusOr<bool> RemoveDeadCode(HloModule& module) {
  bool changed = false;
  SideEffects side_effects;
  ComputationMap replacements;
  const std::vector<HloComputation*> computations = module.MakeComputationPostOrder();
  std::vector<HloComputation*> crowded;
  std::vector<InstructionSet> survivors;
  for (HloComputation* computation : computations) {
    InstructionSet live = FindLive(*computation, side_effects);
    std::vector<HloInstruction*> dead;
    for (HloInstruction* instruction : computation->instructions()) {
      if (!live.contains(instruction)) dead.push_back(instruction);
    }
    if (dead.empty()) continue;
    changed = true;
    if (dead.size() <= kFew) {
      HILO_RETURN_IF_ERROR(RemoveFew(*computation, dead));
    } else {
      crowded.push_back(computation);
      survivors.push_back(std::move(live));
    }
  }
  for (size_t i = 0; i < crowded.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloComputation> made,
                          MakeAnew(*crowded[i], survivors[i]));
    replacements[crowded[i]] = module.AddEmbeddedComputation(std::move(made));
  }
  if (changed) HILO_RETURN_IF_ERROR(ReplaceComputations(module, replacements));
  return changed;
}

}  // namespace xla::passes

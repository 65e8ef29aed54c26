#include <iterator>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "ir/copy_instructions.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "passes/simplify/inline.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

namespace {

bool IsInlined(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kCall || instruction.opcode() == HloOpcode::kFusion;
}

// Clones of all instructions of the callee, which may be the caller itself.
absl::StatusOr<CopiedInstructions> CloneAllInto(HloComputation& caller,
                                                const HloComputation& callee,
                                                absl::Span<HloInstruction* const> arguments) {
  const auto instructions = callee.MakeInstructionPostOrder();
  CopiedInstructions clones = CopyInstructions(
      callee, arguments,
      [&](const HloInstruction& instruction, absl::Span<HloInstruction* const> operands) {
        // What is taken out of a tuple is known where the tuple is.
        if (instruction.opcode() == HloOpcode::kGetTupleElement &&
            operands[0]->opcode() == HloOpcode::kTuple && !instruction.HasControlDependencies() &&
            !instruction.operand(0)->HasControlDependencies()) {
          return operands[0]->mutable_operand(instruction.tuple_index());
        }
        return caller.AddInstruction(
            instruction.CloneWithNewOperands(instruction.shape(), operands));
      });
  for (const HloInstruction* instruction : instructions) {
    if (instruction->opcode() == HloOpcode::kParameter || instruction->IsMarkedAsDead()) continue;
    for (const HloInstruction* predecessor : instruction->control_predecessors()) {
      HILO_RETURN_IF_ERROR(clones.at(predecessor)->AddControlDependencyTo(clones.at(instruction)));
    }
  }
  return clones;
}

// Side effects of the callee take over the place of the call.
absl::Status HandOnPlace(const CopiedInstructions& clones, HloInstruction& call,
                         const HloComputation& callee) {
  if (!call.HasControlDependencies()) return absl::OkStatus();
  std::vector<HloInstruction*> effects;
  for (const HloInstruction* instruction : callee.MakeInstructionPostOrder()) {
    if (!instruction->IsMarkedAsDead() && instruction->HasSideEffect())
      effects.push_back(clones.at(instruction));
  }
  return TakeOverOrder(effects, call);
}

// Those that nothing but calls that are inlined needs.
absl::flat_hash_set<const HloComputation*> FindInlined(const HloModule& module) {
  absl::flat_hash_set<const HloComputation*> inlined, others = {module.entry_computation()};
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      const auto& called = instruction->called_computations();
      (IsInlined(*instruction) ? inlined : others).insert(called.begin(), called.end());
    }
  }
  absl::erase_if(inlined, [&](const HloComputation* each) { return others.contains(each); });
  return inlined;
}

// Each call only where it is needed in the end, since chains of calls would be copied at each link.
absl::StatusOr<bool> InlineCallsOf(HloComputation& computation) {
  std::vector<HloInstruction*> calls;
  const auto instructions = computation.MakeInstructionPostOrder();
  absl::c_copy_if(instructions, std::back_inserter(calls),
                  [](const HloInstruction* each) { return IsInlined(*each); });
  absl::c_reverse(calls);
  const bool changes = !calls.empty();
  while (!calls.empty()) {
    HloInstruction* call = calls.back();
    calls.pop_back();
    const HloComputation& callee = *call->called_computations()[0];
    HILO_ASSIGN_OR_RETURN(const CopiedInstructions clones,
                          CloneAllInto(computation, callee, call->operands()));
    HILO_RETURN_IF_ERROR(HandOnPlace(clones, *call, callee));
    HILO_RETURN_IF_ERROR(TakeOver(*clones.at(callee.root_instruction()), *call));
    call->CutOff();
    call->MarkAsDead();
    for (const HloInstruction* each : callee.MakeInstructionPostOrder()) {
      if (IsInlined(*each) && !each->IsMarkedAsDead()) calls.push_back(clones.at(each));
    }
  }
  return changes;
}

}  // namespace

absl::StatusOr<HloInstruction*> CloneInto(HloComputation& caller, const HloComputation& callee,
                                          absl::Span<HloInstruction* const> arguments) {
  HILO_ASSIGN_OR_RETURN(const CopiedInstructions clones, CloneAllInto(caller, callee, arguments));
  return clones.at(callee.root_instruction());
}

absl::StatusOr<bool> InlineCalls(HloModule& module) {
  bool changed = false;
  const auto only_inlined = FindInlined(module);
  // The outermost first: what is inlined still has its calls.
  const std::vector<HloComputation*> computations = module.MakeComputationPostOrder();
  for (size_t i = computations.size(); i-- > 0;) {
    if (only_inlined.contains(computations[i])) continue;
    HILO_ASSIGN_OR_RETURN(const bool inlined, InlineCallsOf(*computations[i]));
    changed |= inlined;
  }
  if (changed) HILO_RETURN_IF_ERROR(RemoveDeadCode(module).status());
  return changed;
}

}  // namespace xla::passes

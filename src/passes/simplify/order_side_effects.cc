#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "ir/graph.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {
namespace {

bool IsDraw(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kRng ||
         instruction.opcode() == HloOpcode::kRngGetAndUpdateState;
}

bool HasDraws(const HloModule& module) {
  return absl::c_any_of(module.computations(), [](const HloComputation* computation) {
    return absl::c_any_of(computation->instructions(),
                          [](const HloInstruction* each) { return IsDraw(*each); });
  });
}

// Those for which it holds keep the order that they have.
absl::StatusOr<bool> Tie(absl::Span<HloInstruction* const> order,
                         absl::FunctionRef<bool(const HloInstruction&)> holds) {
  bool changed = false;
  HloInstruction* last = nullptr;
  for (HloInstruction* instruction : order) {
    if (!holds(*instruction)) continue;
    if (last != nullptr && !absl::c_linear_search(last->control_successors(), instruction)) {
      HILO_RETURN_IF_ERROR(last->AddControlDependencyTo(instruction));
      changed = true;
    }
    last = instruction;
  }
  return changed;
}

absl::StatusOr<bool> OrderSideEffects(HloComputation& computation, bool has_draws,
                                      SideEffects& effects) {
  const auto has_effect = [&](const HloInstruction& each) { return effects.Has(each); };
  const bool has_others =
      absl::c_any_of(computation.instructions(), [&](const HloInstruction* each) {
        return each->HasControlDependencies() && !has_effect(*each);
      });
  if (!has_others && !has_draws) return false;
  const std::vector<HloInstruction*> order = computation.MakeInstructionPostOrder();
  if (!has_others) {
    return Tie(order, [&](const HloInstruction& each) { return MovesCounter(each, effects); });
  }
  HILO_RETURN_IF_ERROR(Tie(order, has_effect).status());
  for (HloInstruction* instruction : order) {
    if (!has_effect(*instruction)) HILO_RETURN_IF_ERROR(instruction->DropAllControlDeps());
  }
  return true;
}

}  // namespace

bool MovesCounter(const HloInstruction& instruction, SideEffects& effects) {
  return IsDraw(instruction) ||
         absl::c_any_of(instruction.called_computations(),
                        [&](const HloComputation* callee) { return effects.Has(*callee); });
}

absl::StatusOr<bool> OrderSideEffects(HloModule& module) {
  const bool has_draws = HasDraws(module);
  SideEffects effects;
  bool changed = false;
  for (HloComputation* computation : module.computations()) {
    HILO_ASSIGN_OR_RETURN(const bool ordered, OrderSideEffects(*computation, has_draws, effects));
    changed |= ordered;
  }
  return changed;
}

}  // namespace xla::passes

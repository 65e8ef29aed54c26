#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/control_flow.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

absl::StatusOr<bool> FlattenControlFlow(HloModule& module) {
  bool changed = false;
  absl::flat_hash_set<const HloComputation*> taken;
  std::vector<HloComputation*> waiting = {module.entry_computation()};
  // What others call as well stays theirs.
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* caller : computation->instructions()) {
      if (IsLoopOrConditional(*caller)) continue;
      for (HloComputation* callee : caller->called_computations()) {
        if (taken.insert(callee).second) waiting.push_back(callee);
      }
    }
  }
  while (!waiting.empty()) {
    HloComputation* computation = waiting.back();
    waiting.pop_back();
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (!IsLoopOrConditional(*instruction)) continue;
      for (size_t i = 0; i < instruction->called_computations().size(); ++i) {
        HloComputation* callee = instruction->called_computations()[i];
        if (!taken.insert(callee).second) {
          callee = module.AddEmbeddedComputation(callee->Clone());
          taken.insert(callee);
          instruction->set_called_computation(static_cast<int64_t>(i), callee);
          changed = true;
        }
        waiting.push_back(callee);
      }
    }
  }
  return changed;
}

}  // namespace xla::passes

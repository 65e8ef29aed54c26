#include "passes/simplify/rewriter.h"

#include <deque>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "ir/graph.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::passes {
namespace {

// So many replacements per instruction there are at most: rules that undo each other must not run
// forever.
constexpr int64_t kMostReplacements = 32;

class Rewriter {
 public:
  Rewriter(HloComputation& computation, SideEffects& side_effects,
           absl::FunctionRef<HloInstruction*(HloInstruction&)> rule)
      : computation_(computation),
        side_effects_(side_effects),
        rule_(rule),
        end_(computation.instructions().end()),
        fuel_(kMostReplacements * (computation.instruction_count() + 16)) {}

  absl::StatusOr<bool> Run() {
    for (HloInstruction* instruction : computation_.MakeInstructionPostOrder())
      Enqueue(instruction);
    while (!waiting_.empty() && fuel_ > 0) {
      HloInstruction* instruction = waiting_.front();
      waiting_.pop_front();
      enqueued_.erase(instruction);
      if (instruction->IsMarkedAsDead() || RemoveIfUnused(*instruction) || !IsOpen(*instruction))
        continue;
      HloInstruction* replacement = rule_(*instruction);
      EnqueueNew();
      if (replacement == nullptr || replacement == instruction) continue;
      --fuel_;
      changed_ = true;
      for (HloInstruction* user : instruction->users()) Enqueue(user);
      Enqueue(replacement);
      HILO_RETURN_IF_ERROR(instruction->ReplaceAllUsesWith(replacement));
      RemoveIfUnused(*instruction);
    }
    return changed_;
  }

 private:
  void Enqueue(HloInstruction* instruction) {
    if (!instruction->IsMarkedAsDead() && enqueued_.insert(instruction).second)
      waiting_.push_back(instruction);
  }

  void EnqueueNew() {
    for (; end_ != computation_.instructions().end(); ++end_) Enqueue(*end_);
  }

  static bool IsOpen(const HloInstruction& instruction) {
    return !instruction.HasControlDependencies() && !instruction.HasSideEffectNoRecurse() &&
           !instruction.shape().is_dynamic() &&
           absl::c_none_of(instruction.operands(), [](const HloInstruction* operand) {
             return operand->shape().is_dynamic();
           });
  }

  // Cuts off what nobody uses, so that rules which ask for single users see the right number.
  bool RemoveIfUnused(HloInstruction& first) {
    std::vector<HloInstruction*> unused = {&first};
    while (!unused.empty()) {
      HloInstruction* instruction = unused.back();
      unused.pop_back();
      if (!instruction->IsDead() || instruction->IsMarkedAsDead() ||
          instruction->HasControlDependencies() || instruction->opcode() == HloOpcode::kParameter ||
          side_effects_.Has(*instruction)) {
        continue;
      }
      const HloInstruction::InstructionVector operands = instruction->operands();
      instruction->CutOff();
      instruction->MarkAsDead();
      changed_ = true;
      unused.insert(unused.end(), operands.begin(), operands.end());
      // Rules that want a single user may apply to what is left.
      for (HloInstruction* operand : operands) {
        if (operand->user_count() == 1) Enqueue(operand->users()[0]);
      }
    }
    return first.IsMarkedAsDead();
  }

  HloComputation& computation_;
  SideEffects& side_effects_;
  const absl::FunctionRef<HloInstruction*(HloInstruction&)> rule_;
  HloComputation::InstructionRange::Iterator end_;
  int64_t fuel_;
  bool changed_ = false;
  std::deque<HloInstruction*> waiting_;
  absl::flat_hash_set<const HloInstruction*> enqueued_;
};

}  // namespace

absl::StatusOr<bool> Rewrite(HloModule& module,
                             absl::FunctionRef<HloInstruction*(HloInstruction&)> rule) {
  bool changed = false;
  SideEffects side_effects;
  for (HloComputation* computation : module.MakeNonfusionComputations()) {
    HILO_ASSIGN_OR_RETURN(const bool rewritten, Rewriter(*computation, side_effects, rule).Run());
    changed |= rewritten;
  }
  if (changed) HILO_RETURN_IF_ERROR(RemoveDeadCode(module).status());
  return changed;
}

}  // namespace xla::passes

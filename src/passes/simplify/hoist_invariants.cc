#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "passes/passes.h"
#include "passes/simplify/loop.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// So many bytes may be kept for a loop without asking what they take the place of.
constexpr int64_t kSmallBytes = 65536;

// What costs nothing to have in every step.
bool IsFree(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kConstant:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kIota:
    case HloOpcode::kReshape:
    case HloOpcode::kTuple:
    case HloOpcode::kSlice:
      return true;
    default:
      return false;
  }
}

bool CanMove(const HloInstruction& instruction) {
  return instruction.shape().IsArray() && !instruction.shape().is_dynamic() &&
         instruction.called_computations().empty() && !instruction.HasControlDependencies() &&
         !instruction.HasSideEffectNoRecurse() && instruction.opcode() != HloOpcode::kParameter;
}

// Not much more memory than its operands take.
bool IsWorthKeeping(const HloInstruction& instruction) {
  if (IsFree(instruction)) return false;
  int64_t operands = 0;
  for (const HloInstruction* operand : instruction.operands())
    operands += ShapeUtil::ByteSizeOf(operand->shape());
  return ShapeUtil::ByteSizeOf(instruction.shape()) <= std::max(operands, kSmallBytes);
}

class Hoister {
 public:
  explicit Hoister(Loop& loop) : loop_(loop), outside_(*loop.instruction().parent()) {}

  absl::StatusOr<bool> Run() {
    for (int64_t i = 0; i < loop_.size(); ++i) is_invariant_.push_back(loop_.IsInvariant(i));
    const std::vector<HloInstruction*> order = loop_.body().MakeInstructionPostOrder();
    for (const HloInstruction* instruction : order) {
      if (IsInvariant(*instruction)) invariants_.insert(instruction);
    }
    std::vector<HloInstruction*> added, replaced;
    for (HloInstruction* instruction : order) {
      if (!invariants_.contains(instruction) || !IsWorthKeeping(*instruction) ||
          !IsUsedInside(*instruction)) {
        continue;
      }
      added.push_back(CloneOutside(instruction));
      replaced.push_back(instruction);
    }
    if (added.empty()) return false;
    std::vector<int64_t> all(loop_.size());
    std::iota(all.begin(), all.end(), 0);
    HILO_RETURN_IF_ERROR(loop_.ChangeState(all, added, replaced));
    return true;
  }

 private:
  bool IsInvariant(const HloInstruction& instruction) const {
    if (instruction.IsMarkedAsDead() || !CanMove(instruction)) return false;
    if (const int64_t number = loop_.ElementNumber(instruction); number >= 0)
      return is_invariant_[number];
    return absl::c_all_of(instruction.operands(), [&](const HloInstruction* operand) {
      return invariants_.contains(operand);
    });
  }

  // Free ones that use it stay where they are.
  bool IsUsedInside(const HloInstruction& instruction) const {
    return absl::c_any_of(instruction.users(), [&](const HloInstruction* user) {
      return !user->IsDead() && (!invariants_.contains(user) || IsFree(*user));
    });
  }

  // Operands first, without recursion.
  HloInstruction* CloneOutside(const HloInstruction* wanted) {
    std::vector<const HloInstruction*> stack = {wanted};
    while (!stack.empty()) {
      const HloInstruction* instruction = stack.back();
      if (clones_.contains(instruction)) {
        stack.pop_back();
        continue;
      }
      if (const int64_t number = loop_.ElementNumber(*instruction); number >= 0) {
        clones_[instruction] = loop_.initial(number);
        continue;
      }
      std::vector<HloInstruction*> operands;
      for (const HloInstruction* operand : instruction->operands()) {
        if (const auto found = clones_.find(operand); found != clones_.end()) {
          operands.push_back(found->second);
        } else {
          stack.push_back(operand);
        }
      }
      if (stack.back() != instruction) continue;
      clones_[instruction] = outside_.AddInstruction(
          instruction->CloneWithNewOperands(instruction->shape(), operands));
    }
    return clones_.at(wanted);
  }

  Loop& loop_;
  HloComputation& outside_;
  std::vector<bool> is_invariant_;
  absl::flat_hash_set<const HloInstruction*> invariants_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> clones_;
};

}  // namespace

absl::StatusOr<bool> HoistInvariants(HloModule& module) {
  bool changed = false;
  for (HloInstruction* instruction : FindLoops(module)) {
    HILO_ASSIGN_OR_RETURN(std::optional<Loop> loop, Loop::Make(*instruction));
    if (!loop.has_value()) continue;
    HILO_ASSIGN_OR_RETURN(const bool hoisted, Hoister(*loop).Run());
    changed |= hoisted;
  }
  HILO_ASSIGN_OR_RETURN(const bool removed, RemoveDeadCode(module));
  return changed || removed;
}

}  // namespace xla::passes

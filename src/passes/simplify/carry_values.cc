#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "ir/graph.h"
#include "passes/cost.h"
#include "passes/passes.h"
#include "passes/simplify/loop.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// An element that is handed on is written once and read once: what takes so much longer to compute
// is worth it, unless it is little in all. In f32 that are read.
constexpr double kWorthCarrying = 2, kLeastCost = 1024;
// What has more users is not looked for among them.
constexpr int64_t kMostUsers = 64;

// What a step computes of its state at first, and of the next step's state at last.
class Carrier {
 public:
  Carrier(Loop& loop, SideEffects& side_effects) : loop_(loop), side_effects_(side_effects) {}

  absl::StatusOr<bool> Run() {
    const std::vector<HloInstruction*> order = loop_.body().MakeInstructionPostOrder();
    for (HloInstruction* instruction : order) {
      if (HloInstruction* const later = FindLater(*instruction)) later_[instruction] = later;
    }
    for (HloInstruction* instruction : order) {
      if (IsWorthCarrying(*instruction)) carried_.push_back(instruction);
    }
    if (carried_.empty()) return false;
    HILO_RETURN_IF_ERROR(Carry());
    return true;
  }

 private:
  // What computes of the next step's state what this does of the step's own; null where nothing
  // does. What the state has nothing to do with is its own.
  HloInstruction* FindLater(HloInstruction& instruction) {
    if (const int64_t number = loop_.ElementNumber(instruction); number >= 0)
      return loop_.next(number);
    if (!CanMove(instruction, side_effects_)) return nullptr;
    HloInstruction* changed = nullptr;  // an operand of what is looked for
    for (const HloInstruction* operand : instruction.operands()) {
      const auto later = later_.find(operand);
      if (later == later_.end()) return nullptr;
      if (later->second != operand) changed = later->second;
    }
    if (changed == nullptr) return &instruction;
    if (changed->user_count() > kMostUsers) return nullptr;
    const auto is_later = [&](const HloInstruction* user) {
      return user->opcode() == instruction.opcode() &&
             instruction.Identical(*user,
                                   [&](const HloInstruction* own, const HloInstruction* its) {
                                     return later_.at(own) == its;
                                   });
    };
    const auto found = absl::c_find_if(changed->users(), is_later);
    return found == changed->users().end() ? nullptr : *found;
  }

  bool IsWorthCarrying(const HloInstruction& instruction) const {
    const auto later = later_.find(&instruction);
    if (later == later_.end() || later->second == &instruction ||
        loop_.ElementNumber(instruction) >= 0 || !instruction.shape().IsArray())
      return false;
    const bool is_needed = absl::c_any_of(instruction.users(), [&](const HloInstruction* user) {
      return !user->IsDead() && !later_.contains(user);
    });
    const double cost =
        is_needed ? CostToCompute(instruction,
                                  [&](const HloInstruction& needed) { return IsThere(needed); })
                  : 0;
    const auto elements = static_cast<double>(ShapeUtil::ElementsIn(instruction.shape()));
    return cost >= std::max(kLeastCost, kWorthCarrying * elements);
  }

  // What the state has nothing to do with, or has already, is there.
  bool IsThere(const HloInstruction& needed) const {
    return later_.at(&needed) == &needed || loop_.ElementNumber(needed) >= 0 ||
           absl::c_linear_search(carried_, &needed);
  }

  absl::Status Carry() {
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> clones;
    for (const auto& [instruction, later] : later_) {
      if (const int64_t number = loop_.ElementNumber(*instruction); number >= 0)
        clones[instruction] = loop_.initial(number);
    }
    std::vector<HloInstruction*> initial, next;
    for (const HloInstruction* instruction : carried_) {
      initial.push_back(CloneInto(*loop_.instruction().parent(), instruction, clones));
      next.push_back(later_.at(instruction));
    }
    const int64_t old_size = loop_.size();
    HILO_RETURN_IF_ERROR(loop_.AddToState(initial, carried_));
    // What is handed on may be what a carried instruction has become.
    std::vector<HloInstruction*> elements;
    for (size_t i = 0; i < carried_.size(); ++i)
      elements.push_back(loop_.next(old_size + static_cast<int64_t>(i)));
    for (size_t i = 0; i < carried_.size(); ++i) {
      const auto carried = absl::c_find(carried_, next[i]);
      HloInstruction* const value =
          carried == carried_.end() ? next[i] : elements[carried - carried_.begin()];
      HILO_RETURN_IF_ERROR(loop_.body().root_instruction()->ReplaceOperandWith(
          old_size + static_cast<int64_t>(i), value));
    }
    return absl::OkStatus();
  }

  Loop& loop_;
  SideEffects& side_effects_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> later_;
  std::vector<HloInstruction*> carried_;
};

}  // namespace

absl::StatusOr<bool> CarryValues(HloModule& module) {
  SideEffects side_effects;
  return RewriteLoops(module, [&](Loop& loop) { return Carrier(loop, side_effects).Run(); });
}

}  // namespace xla::passes

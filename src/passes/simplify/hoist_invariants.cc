#include <algorithm>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "ir/graph.h"
#include "passes/cost.h"
#include "passes/passes.h"
#include "passes/simplify/loop.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// So many bytes may be kept for a loop without asking what they take the place of.
constexpr int64_t kSmallBytes = 65536;
// As much may be kept in all, besides what the loop has in memory anyway, of what takes so much
// longer to compute than to read.
constexpr int64_t kMostBytes = int64_t{256} << 20;
constexpr double kWorthReading = 4;
// What is computed once that a branch may never need, in f32 that are read: neither what is not
// worth an array nor what takes longer than a few tenths of a millisecond.
constexpr double kLeastOfBranch = 1024, kMostOfBranch = 4 << 20;
// A larger search takes longer than it is worth; so much is not computed in a moment.
constexpr size_t kManyInstructions = 64;

// What costs nothing to have in every step.
bool IsFree(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kConstant:
    case HloOpcode::kIota:
    case HloOpcode::kReshape:
    case HloOpcode::kTuple:
    case HloOpcode::kSlice:
      return true;
    case HloOpcode::kGetTupleElement:
      return instruction.operand(0)->opcode() == HloOpcode::kParameter;
    default:
      return false;
  }
}

// Whether it computes elements one at a time from few others, together with whatever needs them.
bool IsOfElements(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kGather:
    case HloOpcode::kPad:
    case HloOpcode::kReverse:
    case HloOpcode::kTranspose:
      return true;
    default:
      return instruction.IsElementwise() || IsFree(instruction);
  }
}

// Whether it is written, since it or one of its users is no part of a larger expression.
bool IsInMemory(const HloInstruction& instruction) {
  return !IsOfElements(instruction) ||
         absl::c_any_of(instruction.users(), [](const HloInstruction* user) {
           return !IsOfElements(*user) && user->opcode() != HloOpcode::kReduce &&
                  user->opcode() != HloOpcode::kReduceWindow;
         });
}

// In memory: what is stretched or counted up takes none.
int64_t BytesOfOperands(const HloInstruction& instruction) {
  int64_t bytes = 0;
  for (const HloInstruction* operand : instruction.operands()) {
    if (operand->opcode() == HloOpcode::kIota) continue;
    if (operand->opcode() == HloOpcode::kBroadcast) operand = operand->operand(0);
    bytes += ShapeUtil::ByteSizeOf(operand->shape());
  }
  return bytes;
}

// Moves what is the same in each step out of a branch of a conditional in a loop's body, to before
// the conditional, from where it is hoisted. That it may be computed although the branch never runs
// is why it must not take long.
class BranchSearch {
 public:
  BranchSearch(const Loop& loop, HloInstruction& conditional, int branch, SideEffects& side_effects)
      : loop_(loop),
        conditional_(conditional),
        operand_(branch + 1),
        computation_(*conditional.branch_computation(branch)),
        side_effects_(side_effects) {}

  absl::StatusOr<bool> Run() {
    HloInstruction& operand = *conditional_.mutable_operand(operand_);
    if (operand.opcode() != HloOpcode::kTuple || conditional_.HasControlDependencies())
      return false;
    const std::vector<HloInstruction*> order = computation_.MakeInstructionPostOrder();
    for (const HloInstruction* instruction : order) {
      if (IsInvariant(*instruction)) invariants_.insert(instruction);
    }
    std::vector<HloInstruction*> moved;
    for (HloInstruction* instruction : order) {
      if (IsWorthMoving(*instruction)) moved.push_back(instruction);
    }
    if (moved.empty()) return false;
    HILO_RETURN_IF_ERROR(Move(moved, operand));
    return true;
  }

 private:
  // The element of the operand that an instruction is, or null.
  HloInstruction* Element(const HloInstruction& instruction) const {
    if (instruction.opcode() != HloOpcode::kGetTupleElement ||
        instruction.operand(0) != computation_.parameter_instruction(0))
      return nullptr;
    return conditional_.mutable_operand(operand_)->mutable_operand(instruction.tuple_index());
  }

  bool IsInvariant(const HloInstruction& instruction) {
    if (const HloInstruction* element = Element(instruction)) {
      const int64_t number = loop_.ElementNumber(*element);
      return number >= 0 && loop_.IsInvariant(number) && element->shape().IsArray();
    }
    return CanMove(instruction, side_effects_) && IsOfElements(instruction) &&
           absl::c_all_of(instruction.operands(), [&](const HloInstruction* operand) {
             return invariants_.contains(operand);
           });
  }

  bool IsWorthMoving(const HloInstruction& instruction) const {
    if (!invariants_.contains(&instruction) || IsFree(instruction) ||
        ShapeUtil::ByteSizeOf(instruction.shape()) >
            std::max(BytesOfOperands(instruction), kSmallBytes))
      return false;
    const bool is_needed = instruction.IsRoot() ||
                           absl::c_any_of(instruction.users(), [&](const HloInstruction* user) {
                             return !invariants_.contains(user);
                           });
    const double cost = is_needed ? CostOfAll(instruction) : 0;
    return cost >= kLeastOfBranch && cost <= kMostOfBranch;
  }

  // With all that it needs.
  double CostOfAll(const HloInstruction& instruction) const {
    double cost = 0;
    std::vector<const HloInstruction*> waiting = {&instruction};
    absl::flat_hash_set<const HloInstruction*> seen;
    while (!waiting.empty() && cost <= kMostOfBranch) {
      const HloInstruction& needed = *waiting.back();
      waiting.pop_back();
      if (!seen.insert(&needed).second || Element(needed) != nullptr) continue;
      cost += CostOf(needed);
      waiting.insert(waiting.end(), needed.operands().begin(), needed.operands().end());
    }
    return cost;
  }

  absl::Status Move(absl::Span<HloInstruction* const> moved, HloInstruction& operand) {
    HloComputation& outside = *conditional_.parent();
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> clones;
    for (const HloInstruction* invariant : invariants_) {
      if (HloInstruction* element = Element(*invariant)) clones[invariant] = element;
    }
    std::vector<HloInstruction*> elements(operand.operands().begin(), operand.operands().end());
    const auto first = static_cast<int64_t>(elements.size());
    for (const HloInstruction* instruction : moved)
      elements.push_back(CloneInto(outside, instruction, clones));
    HloInstruction* const tuple = outside.AddInstruction(HloInstruction::CreateTuple(elements));
    HILO_RETURN_IF_ERROR(conditional_.ReplaceOperandWithDifferentShape(operand_, tuple));
    HloInstruction* const parameter = computation_.parameter_instruction(0);
    *parameter->mutable_shape() = tuple->shape();
    for (size_t i = 0; i < moved.size(); ++i) {
      HloInstruction* const element =
          computation_.AddInstruction(HloInstruction::CreateGetTupleElement(
              moved[i]->shape(), parameter, first + static_cast<int64_t>(i)));
      HILO_RETURN_IF_ERROR(computation_.ReplaceInstruction(moved[i], element));
    }
    return absl::OkStatus();
  }

  const Loop& loop_;
  HloInstruction& conditional_;
  const int64_t operand_;
  HloComputation& computation_;
  SideEffects& side_effects_;
  absl::flat_hash_set<const HloInstruction*> invariants_;
};

absl::StatusOr<bool> MoveOutOfBranches(const Loop& loop, SideEffects& side_effects) {
  bool changed = false;
  for (HloInstruction* instruction : loop.body().MakeInstructionPostOrder()) {
    if (instruction->opcode() != HloOpcode::kConditional) continue;
    for (int branch = 0; branch < instruction->branch_count(); ++branch) {
      HILO_ASSIGN_OR_RETURN(const bool moved,
                            BranchSearch(loop, *instruction, branch, side_effects).Run());
      changed |= moved;
    }
  }
  return changed;
}

class Hoister {
 public:
  Hoister(Loop& loop, SideEffects& side_effects)
      : loop_(loop), outside_(*loop.instruction().parent()), side_effects_(side_effects) {}

  absl::StatusOr<bool> Run() {
    for (int64_t i = 0; i < loop_.size(); ++i) {
      is_invariant_.push_back(loop_.IsInvariant(i));
      const Shape& shape = loop_.initial(i)->shape();
      if (shape.IsArray()) room_ += ShapeUtil::ByteSizeOf(shape);
    }
    FindIn(loop_.condition());
    FindIn(loop_.body());
    if (replaced_.empty()) return false;
    absl::c_reverse(replaced_);
    std::vector<HloInstruction*> added;
    for (const HloInstruction* invariant : invariants_) {
      if (const int64_t number = loop_.ElementNumber(*invariant); number >= 0)
        clones_[invariant] = loop_.initial(number);
    }
    for (const HloInstruction* instruction : replaced_)
      added.push_back(CloneInto(outside_, instruction, clones_));
    HILO_RETURN_IF_ERROR(loop_.AddToState(added, replaced_));
    return true;
  }

 private:
  void FindIn(const HloComputation& computation) {
    const std::vector<HloInstruction*> order = computation.MakeInstructionPostOrder();
    for (const HloInstruction* instruction : order) {
      if (IsInvariant(*instruction)) invariants_.insert(instruction);
    }
    room_ += MostInEachStep(order);
    // From users to operands: what stays inside needs its operands there.
    for (size_t i = order.size(); i-- > 0;) {
      const HloInstruction& instruction = *order[i];
      if (!invariants_.contains(&instruction) || !IsUsedInside(instruction)) continue;
      if (IsWorthKeeping(instruction)) {
        replaced_.push_back(order[i]);
      } else {
        stays_.insert(&instruction);
      }
    }
  }

  // In bytes, of the largest invariant that is written to memory in each step.
  int64_t MostInEachStep(absl::Span<HloInstruction* const> instructions) const {
    int64_t most = 0;
    for (const HloInstruction* each : instructions) {
      if (invariants_.contains(each) && !IsFree(*each) && IsInMemory(*each))
        most = std::max(most, ShapeUtil::ByteSizeOf(each->shape()));
    }
    return most;
  }

  bool IsInvariant(const HloInstruction& instruction) {
    if (instruction.IsMarkedAsDead() || !CanMove(instruction, side_effects_)) return false;
    if (const int64_t number = loop_.ElementNumber(instruction); number >= 0)
      return is_invariant_[number];
    return absl::c_all_of(instruction.operands(), [&](const HloInstruction* operand) {
      return invariants_.contains(operand);
    });
  }

  bool IsUsedInside(const HloInstruction& instruction) const {
    return absl::c_any_of(instruction.users(), [&](const HloInstruction* user) {
      return !user->IsDead() && (!invariants_.contains(user) || stays_.contains(user));
    });
  }

  // Not much more memory than its operands take, or time that is worth the memory.
  bool IsWorthKeeping(const HloInstruction& instruction) {
    if (IsFree(instruction) || !instruction.shape().IsArray()) return false;
    const int64_t bytes = ShapeUtil::ByteSizeOf(instruction.shape());
    if (bytes <= std::max(BytesOfOperands(instruction), kSmallBytes)) return true;
    if (bytes > room_ || !TakesLong(instruction)) return false;
    room_ -= bytes;
    return true;
  }

  // Whether it takes much longer to compute in every step than to read. What is no part of a larger
  // expression is written in every step anyway.
  bool TakesLong(const HloInstruction& instruction) const {
    if (absl::c_any_of(instruction.users(),
                       [](const HloInstruction* user) { return !IsOfElements(*user); })) {
      return true;
    }
    double cost = 0;
    std::vector<const HloInstruction*> waiting = {&instruction};
    absl::flat_hash_set<const HloInstruction*> seen;
    while (!waiting.empty()) {
      const HloInstruction& needed = *waiting.back();
      waiting.pop_back();
      if (!invariants_.contains(&needed) || !seen.insert(&needed).second) continue;
      if (!IsOfElements(needed) || seen.size() > kManyInstructions) return true;
      cost += CostOf(needed);
      waiting.insert(waiting.end(), needed.operands().begin(), needed.operands().end());
    }
    return cost >= kWorthReading * static_cast<double>(ShapeUtil::ElementsIn(instruction.shape()));
  }

  Loop& loop_;
  HloComputation& outside_;
  SideEffects& side_effects_;
  int64_t room_ = kMostBytes;  // for what is not small
  std::vector<bool> is_invariant_;
  absl::flat_hash_set<const HloInstruction*> invariants_;
  absl::flat_hash_set<const HloInstruction*> stays_;  // of these, what is computed in every step
  std::vector<HloInstruction*> replaced_;             // by new elements of the state
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> clones_;
};

}  // namespace

absl::StatusOr<bool> HoistInvariants(HloModule& module) {
  SideEffects side_effects;
  return RewriteLoops(module, [&](Loop& loop) -> absl::StatusOr<bool> {
    HILO_ASSIGN_OR_RETURN(const bool moved, MoveOutOfBranches(loop, side_effects));
    HILO_ASSIGN_OR_RETURN(const bool hoisted, Hoister(loop, side_effects).Run());
    return moved || hoisted;
  });
}

}  // namespace xla::passes

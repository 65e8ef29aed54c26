#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "ir/graph.h"
#include "passes/cost.h"
#include "passes/passes.h"
#include "passes/simplify/loop.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// What costs as much to compute as to read, for each element, is computed again.
constexpr double kWorthSharing = 2;
// What has more users is not looked for among them.
constexpr int64_t kMostUsers = 64;

bool IsConstantArray(const HloInstruction& x) {
  return x.opcode() == HloOpcode::kConstant ||
         (x.opcode() == HloOpcode::kBroadcast && x.operand(0)->opcode() == HloOpcode::kConstant);
}

// Whether constants, or broadcasts of these, are equal.
bool AreEqualConstants(const HloInstruction& x, const HloInstruction& y) {
  return IsConstantArray(x) && x.opcode() == y.opcode() &&
         x.Identical(y, [](const HloInstruction* a, const HloInstruction* b) {
           return a->opcode() == HloOpcode::kConstant && a->Identical(*b);
         });
}

// Finds what the condition and the body of a loop both compute of the state.
class Sharer {
 public:
  Sharer(Loop& loop, SideEffects& side_effects) : loop_(loop), side_effects_(side_effects) {}

  absl::StatusOr<bool> Run() {
    for (HloInstruction* element : loop_.body().parameter_instruction(0)->users()) {
      if (const int64_t number = loop_.ElementNumber(*element); number >= 0)
        elements_[number] = element;
    }
    const std::vector<HloInstruction*> order = loop_.condition().MakeInstructionPostOrder();
    for (HloInstruction* instruction : order) {
      if (HloInstruction* const same = FindInBody(*instruction)) in_body_[instruction] = same;
    }
    std::vector<HloInstruction*> shared;
    for (HloInstruction* instruction : order) {
      if (IsWorthSharing(*instruction)) shared.push_back(instruction);
    }
    if (shared.empty()) return false;
    HILO_RETURN_IF_ERROR(Share(shared));
    return true;
  }

 private:
  // Null where the body computes nothing of the kind.
  HloInstruction* FindInBody(const HloInstruction& instruction) {
    if (const int64_t number = loop_.ElementNumber(instruction); number >= 0) {
      const auto element = elements_.find(number);
      return element == elements_.end() ? nullptr : element->second;
    }
    if (!CanMove(instruction, side_effects_)) return nullptr;
    const HloInstruction* read = nullptr;  // an operand of what is looked for
    for (const HloInstruction* operand : instruction.operands()) {
      if (IsConstantArray(*operand)) continue;
      const auto found = in_body_.find(operand);
      if (found == in_body_.end()) return nullptr;
      read = found->second;
      if (rounded_.contains(operand)) rounded_.insert(&instruction);
    }
    if (read == nullptr || read->user_count() > kMostUsers) return nullptr;
    const PrimitiveType type = instruction.shape().element_type();
    if (primitive_util::IsFloatingPointType(type) || primitive_util::IsComplexType(type))
      rounded_.insert(&instruction);
    const auto is_same = [&](const HloInstruction* user) {
      return user->opcode() == instruction.opcode() &&
             instruction.Identical(*user,
                                   [&](const HloInstruction* own, const HloInstruction* its) {
                                     const auto found = in_body_.find(own);
                                     return found == in_body_.end() ? AreEqualConstants(*own, *its)
                                                                    : found->second == its;
                                   });
    };
    const auto found = absl::c_find_if(read->users(), is_same);
    return found == read->users().end() ? nullptr : *found;
  }

  // Whether it is the last of what both compute, and a number that is rounded or depends on one.
  bool IsWorthSharing(const HloInstruction& instruction) const {
    if (!in_body_.contains(&instruction) || !rounded_.contains(&instruction) ||
        !instruction.shape().IsArray())
      return false;
    const bool is_last = &instruction == loop_.condition().root_instruction() ||
                         absl::c_any_of(instruction.users(), [&](const HloInstruction* user) {
                           return !user->IsDead() && !in_body_.contains(user);
                         });
    const auto is_there = [&](const HloInstruction& needed) {
      return loop_.ElementNumber(needed) >= 0 || IsConstantArray(needed);
    };
    const auto elements = static_cast<double>(ShapeUtil::ElementsIn(instruction.shape()));
    return is_last && CostToCompute(instruction, is_there) >= kWorthSharing * elements;
  }

  // Each of `shared`, which are the condition's, becomes an element of the state, which the body
  // computes of the next step's state.
  absl::Status Share(const std::vector<HloInstruction*>& shared) {
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> first, later;
    for (const HloInstruction* element : loop_.condition().parameter_instruction(0)->users()) {
      const int64_t number = loop_.ElementNumber(*element);
      first[element] = loop_.initial(number);
      later[element] = loop_.next(number);
    }
    std::vector<HloInstruction*> initial, next, in_body;
    for (const HloInstruction* instruction : shared) {
      initial.push_back(CloneInto(*loop_.instruction().parent(), instruction, first));
      next.push_back(CloneInto(loop_.body(), instruction, later));
      in_body.push_back(in_body_.at(instruction));
    }
    const int64_t old_size = loop_.size();
    HILO_RETURN_IF_ERROR(loop_.AddToState(initial, in_body));
    for (size_t i = 0; i < shared.size(); ++i) {
      const int64_t number = old_size + static_cast<int64_t>(i);
      HILO_RETURN_IF_ERROR(loop_.body().root_instruction()->ReplaceOperandWith(number, next[i]));
      HloInstruction* const element =
          loop_.condition().AddInstruction(HloInstruction::CreateGetTupleElement(
              shared[i]->shape(), loop_.condition().parameter_instruction(0), number));
      HILO_RETURN_IF_ERROR(shared[i]->ReplaceAllUsesWith(element));
    }
    return absl::OkStatus();
  }

  Loop& loop_;
  SideEffects& side_effects_;
  absl::flat_hash_map<int64_t, HloInstruction*> elements_;  // of the state, in the body
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> in_body_;
  absl::flat_hash_set<const HloInstruction*> rounded_;
};

}  // namespace

absl::StatusOr<bool> ShareConditions(HloModule& module) {
  SideEffects side_effects;
  return RewriteLoops(module, [&](Loop& loop) { return Sharer(loop, side_effects).Run(); });
}

}  // namespace xla::passes

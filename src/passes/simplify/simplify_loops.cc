#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "ir/graph.h"
#include "passes/passes.h"
#include "passes/simplify/algebra.h"
#include "passes/simplify/loop.h"
#include "passes/simplify/ranges.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Constants that never change are constants of the body. Whatever else never changes is known
// afterwards.
absl::StatusOr<bool> UseInvariants(Loop& loop) {
  bool changed = false;
  for (int64_t i = 0; i < loop.size(); ++i) {
    if (!loop.IsInvariant(i)) continue;
    HloInstruction* value = loop.initial(i);
    if (value->opcode() == HloOpcode::kConstant) {
      HILO_RETURN_IF_ERROR(loop.ReplaceElement(i, *value));
    } else {
      HILO_RETURN_IF_ERROR(loop.ReplaceResult(i, value));
    }
    changed = true;
  }
  return changed;
}

// What makes an element that never changes, or is counted up, what it is: one that begins alike and
// has the same step is the same in all steps.
struct Course {
  const HloInstruction* initial;
  const HloInstruction* step;  // what is added in each step; null where the element never changes

  bool Is(const Course& other) const {
    if (initial != other.initial || (step == nullptr) != (other.step == nullptr)) return false;
    return step == nullptr || step->Identical(*other.step);
  }
};
std::optional<Course> CourseOf(const Loop& loop, int64_t i) {
  if (loop.IsInvariant(i)) return Course{loop.initial(i), nullptr};
  const HloInstruction& next = *loop.next(i);
  if (next.opcode() != HloOpcode::kAdd || loop.ElementNumber(*next.operand(0)) != i ||
      next.operand(1)->opcode() != HloOpcode::kConstant) {
    return std::nullopt;
  }
  return Course{loop.initial(i), next.operand(1)};
}

// Elements that are the same in all steps are one: where they stayed two, what a step computes of
// one would not be known to be what the condition computes of the other.
absl::StatusOr<bool> MergeEqualElements(Loop& loop) {
  bool changed = false;
  absl::flat_hash_map<const HloInstruction*, std::vector<std::pair<int64_t, Course>>> courses;
  for (int64_t i = 0; i < loop.size(); ++i) {
    const std::optional<Course> course = CourseOf(loop, i);
    if (!course.has_value()) continue;
    auto& others = courses[course->initial];
    const auto same =
        absl::c_find_if(others, [&](const auto& other) { return other.second.Is(*course); });
    if (same == others.end()) {
      others.push_back({i, *course});
      continue;
    }
    HILO_RETURN_IF_ERROR(loop.MergeElements(same->first, i));
    changed = true;
  }
  return changed;
}

// Comparisons that the counter decides, alike in all steps, are known: of indices with zero, and
// with the bounds of arrays.
absl::StatusOr<bool> DecideComparisons(Loop& loop) {
  const std::optional<Counter> counter = FindCounter(loop);
  if (!counter.has_value()) return false;
  IntegerRanges ranges(loop, *counter);
  bool changed = false;
  for (HloInstruction* instruction : loop.body().MakeInstructionPostOrder()) {
    if (instruction->IsMarkedAsDead()) continue;
    const std::optional<IntegerRange> range = ranges.Add(*instruction);
    if (instruction->opcode() != HloOpcode::kCompare || !range.has_value() ||
        range->least != range->most) {
      continue;
    }
    HILO_RETURN_IF_ERROR(instruction->ReplaceAllUsesWith(Truth(*instruction, range->least != 0)));
    changed = true;
  }
  return changed;
}

// The elements on which a result, the condition or a side effect depends, directly or in a later
// step.
std::vector<bool> FindLive(const Loop& loop, SideEffects& side_effects) {
  std::vector<bool> live(loop.size(), false);
  std::vector<const HloInstruction*> waiting;
  const auto need = [&](int64_t i) {
    if (!live[i]) waiting.push_back(loop.next(i));
    live[i] = true;
  };
  for (const HloInstruction* user : loop.instruction().users()) {
    if (!user->IsDead()) need(user->tuple_index());
  }
  for (const HloInstruction* user : loop.condition().parameter_instruction(0)->users())
    need(user->tuple_index());
  for (const HloInstruction* instruction : loop.body().instructions()) {
    if (!instruction->IsMarkedAsDead() && side_effects.Has(*instruction))
      waiting.push_back(instruction);
  }
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!waiting.empty()) {
    const HloInstruction* instruction = waiting.back();
    waiting.pop_back();
    if (!seen.insert(instruction).second) continue;
    if (const int64_t number = loop.ElementNumber(*instruction); number >= 0) need(number);
    waiting.insert(waiting.end(), instruction->operands().begin(), instruction->operands().end());
  }
  return live;
}

absl::StatusOr<bool> RemoveDeadState(Loop& loop, SideEffects& side_effects) {
  const std::vector<bool> live = FindLive(loop, side_effects);
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < loop.size(); ++i) {
    if (live[i]) kept.push_back(i);
  }
  if (kept.empty() || static_cast<int64_t>(kept.size()) == loop.size()) return false;
  HILO_RETURN_IF_ERROR(loop.ChangeState(kept, {}, {}));
  return true;
}

// An array without elements is known, also where its loop would never end.
bool IsKnownToBeEmpty(const HloInstruction& loop, SideEffects& side_effects) {
  return ShapeUtil::IsZeroElementArray(loop.shape()) && loop.shape().is_static() &&
         !loop.HasControlDependencies() && !side_effects.Has(loop);
}

}  // namespace

absl::StatusOr<bool> SimplifyLoops(HloModule& module) {
  bool changed = false;
  SideEffects side_effects;
  for (HloInstruction* instruction : FindLoops(module)) {
    if (IsKnownToBeEmpty(*instruction, side_effects)) {
      HILO_RETURN_IF_ERROR(instruction->ReplaceAllUsesWith(instruction->mutable_operand(0)));
      changed = true;
      continue;
    }
    HILO_ASSIGN_OR_RETURN(std::optional<Loop> loop, Loop::Make(*instruction, changed));
    if (!loop.has_value()) continue;
    HILO_ASSIGN_OR_RETURN(const bool used, UseInvariants(*loop));
    HILO_ASSIGN_OR_RETURN(const bool merged, MergeEqualElements(*loop));
    HILO_ASSIGN_OR_RETURN(const bool decided, DecideComparisons(*loop));
    HILO_ASSIGN_OR_RETURN(const bool removed, RemoveDeadState(*loop, side_effects));
    changed |= used || merged || decided || removed;
  }
  HILO_ASSIGN_OR_RETURN(const bool removed, RemoveDeadCode(module));
  return changed || removed;
}

}  // namespace xla::passes

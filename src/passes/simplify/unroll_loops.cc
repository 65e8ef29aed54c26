#include <limits>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "ir/op_info.h"
#include "passes/cost.h"
#include "passes/passes.h"
#include "passes/simplify/inline.h"
#include "passes/simplify/loop.h"
#include "passes/simplify/match.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

using Direction = Comparison::Direction;

// Loops of more steps, or that become more instructions, stay loops.
constexpr int64_t kMostSteps = 16;
constexpr int64_t kMostInstructions = 256;

// A loop that runs while a counter is `direction` of `limit`.
struct Range {
  int64_t element, first, step, limit;
  Direction direction;
};

std::optional<Range> FindRange(const Loop& loop) {
  const HloInstruction& test = *loop.condition().root_instruction();
  if (test.opcode() != HloOpcode::kCompare || !HasIntegers(*test.operand(0))) return std::nullopt;
  Direction direction = test.comparison_direction();
  const HloInstruction* counter = test.operand(0);
  std::optional<int64_t> limit = KnownInteger(*test.operand(1));
  if (!limit.has_value()) {
    counter = test.operand(1);
    limit = KnownInteger(*test.operand(0));
    direction = Comparison(direction, Comparison::Type::kSigned).Converse().GetDirection();
  }
  const int64_t number = loop.ElementNumber(*counter);
  if (number < 0 || !limit.has_value()) return std::nullopt;
  const HloInstruction& next = *loop.next(number);
  const std::optional<int64_t> first = KnownInteger(*loop.initial(number));
  if (!first.has_value() || next.opcode() != HloOpcode::kAdd) return std::nullopt;
  for (int side : {0, 1}) {
    const std::optional<int64_t> step = KnownInteger(*next.operand(side));
    if (step.has_value() && loop.ElementNumber(*next.operand(1 - side)) == number)
      return Range{number, *first, *step, *limit, direction};
  }
  return std::nullopt;
}

bool Holds(Direction direction, int64_t x, int64_t y) {
  switch (direction) {
    case Direction::kEq:
      return x == y;
    case Direction::kNe:
      return x != y;
    case Direction::kLt:
      return x < y;
    case Direction::kLe:
      return x <= y;
    case Direction::kGt:
      return x > y;
    case Direction::kGe:
      return x >= y;
  }
  return false;
}

// The number of steps, where it is at most `most` and no counter wraps on the way.
std::optional<int64_t> CountSteps(const Loop& loop, int64_t most) {
  const std::optional<Range> range = FindRange(loop);
  if (!range.has_value()) return std::nullopt;
  // Far from the ends of every type that counts.
  constexpr int64_t kSafe = 100;
  const auto is_safe = [](int64_t x) { return x >= -kSafe && x <= kSafe; };
  int64_t count = 0;
  for (int64_t x = range->first; Holds(range->direction, x, range->limit); x += range->step) {
    if (++count > most || !is_safe(range->step) || !is_safe(range->limit) || !is_safe(x))
      return std::nullopt;
  }
  return count;
}

bool ComputesNothing(HloOpcode opcode) {
  return opcode == HloOpcode::kGetTupleElement || opcode == HloOpcode::kParameter ||
         opcode == HloOpcode::kConstant;
}

int64_t CountInstructions(const HloComputation& body) {
  return absl::c_count_if(body.instructions(), [](const HloInstruction* instruction) {
    return !ComputesNothing(instruction->opcode());
  });
}

bool Moves(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kPad:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      return true;
    default:
      return false;
  }
}

bool OnlyMovesAndComputes(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kConstant:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kIota:
    case HloOpcode::kParameter:
    case HloOpcode::kReshape:
    case HloOpcode::kTuple:
      return true;
    default:
      return Moves(instruction) || instruction.IsElementwise();
  }
}

// Whether a step takes little more than to read and write its arrays.
bool OnlyMovesAndComputes(const HloComputation& body) {
  return absl::c_all_of(body.instructions(), [](const HloInstruction* instruction) {
    return OnlyMovesAndComputes(*instruction);
  });
}

// Where a step reads and writes arrays in memory and nothing but computes their elements, all steps
// are one kernel, which what only spreads numbers makes no longer.
int64_t CountUnrolled(const Loop& loop) {
  bool has_arrays = false;
  for (int64_t i = 0; i < loop.size(); ++i) {
    const Shape& shape = loop.next(i)->shape();
    has_arrays |= !loop.IsInvariant(i) && shape.IsArray() &&
                  ShapeUtil::ElementsIn(shape) > kMaxRegisterElements;
  }
  if (!has_arrays || !OnlyMovesAndComputes(loop.body())) return CountInstructions(loop.body());
  return absl::c_count_if(loop.body().instructions(), [](const HloInstruction* instruction) {
    return !ComputesNothing(instruction->opcode()) &&
           instruction->opcode() != HloOpcode::kBroadcast &&
           instruction->opcode() != HloOpcode::kReshape;
  });
}

// Whether the steps are better left to the loop, or cannot be told apart from it.
bool HasControlFlow(const HloComputation& body) {
  return absl::c_any_of(body.instructions(), [](const HloInstruction* instruction) {
    return HasTrait(instruction->opcode(), kControlFlow) || instruction->HasSideEffectNoRecurse() ||
           HasState(*instruction);
  });
}

// ---- Two steps at once

// To copy so many bytes takes a good part of a step that does more than to read and write arrays.
constexpr int64_t kLargeArray = 16 << 10;

// Whether an element cannot be computed where it is, since others of its elements are still needed.
bool NeedsTwoArrays(const Loop& loop, int64_t i) {
  const HloInstruction& next = *loop.next(i);
  if (!next.shape().IsArray() || ShapeUtil::ElementsIn(next.shape()) <= kMaxRegisterElements ||
      loop.IsInvariant(i)) {
    return false;
  }
  return absl::c_any_of(loop.body().instructions(), [&](const HloInstruction* reader) {
    return Moves(*reader) && loop.ElementNumber(*reader->operand(0)) == i;
  });
}

// Whether a step takes a few times as long as to read and write its arrays. Nothing else may be
// read of one that is updated in place: one update in each turn needs no copy of it, but two do.
bool ReadsAndComputes(const Loop& loop) {
  return absl::c_all_of(loop.body().instructions(), [&](const HloInstruction* instruction) {
    switch (instruction->opcode()) {
      case HloOpcode::kGather:
      case HloOpcode::kReduce:
      case HloOpcode::kReduceWindow:
        return true;
      case HloOpcode::kDynamicUpdateSlice:
      case HloOpcode::kScatter: {
        const int64_t updated = loop.ElementNumber(*instruction->operand(0));
        return updated < 0 || !NeedsTwoArrays(loop, updated);
      }
      default:
        return OnlyMovesAndComputes(*instruction);
    }
  });
}

// An array that needs another one for its next value is copied back after each step; two steps go
// there and back. An odd step comes before the loop.
absl::StatusOr<bool> TakeTwoSteps(const Loop& loop) {
  const std::optional<int64_t> steps = CountStepsUp(loop);
  if (!steps.has_value() || *steps < 4 || 2 * CountInstructions(loop.body()) > kMostInstructions) {
    return false;
  }
  bool needs_two = false, needs_two_large = false;
  for (int64_t i = 0; i < loop.size(); ++i) {
    if (!NeedsTwoArrays(loop, i)) continue;
    needs_two = true;
    needs_two_large |= ShapeUtil::ByteSizeOf(loop.next(i)->shape()) >= kLargeArray;
  }
  const bool pays = (needs_two && OnlyMovesAndComputes(loop.body())) ||
                    (needs_two_large && ReadsAndComputes(loop));
  if (!pays) return false;
  HloInstruction& instruction = loop.instruction();
  HloComputation& body = loop.body();
  if (*steps % 2 == 1) {
    HILO_ASSIGN_OR_RETURN(HloInstruction * first,
                          CloneInto(*instruction.parent(), body, {instruction.mutable_operand(0)}));
    HILO_RETURN_IF_ERROR(instruction.ReplaceOperandWith(0, first));
  }
  HILO_ASSIGN_OR_RETURN(HloInstruction * twice, CloneInto(body, body, {body.root_instruction()}));
  body.set_root_instruction(twice);
  return true;
}

absl::StatusOr<bool> Unroll(HloInstruction& instruction) {
  bool changed = false;
  HILO_ASSIGN_OR_RETURN(const std::optional<Loop> loop, Loop::Make(instruction, changed));
  if (!loop.has_value() || loop->condition().HasSideEffect()) return changed;
  const std::optional<int64_t> steps = CountSteps(*loop, kMostSteps);
  const bool is_short =
      steps.has_value() && (*steps <= 1 || (!HasControlFlow(loop->body()) &&
                                            *steps * CountUnrolled(*loop) <= kMostInstructions));
  if (!is_short) {
    HILO_ASSIGN_OR_RETURN(const bool doubled, TakeTwoSteps(*loop));
    return changed || doubled;
  }
  HloInstruction* state = instruction.mutable_operand(0);
  for (int64_t step = 0; step < *steps; ++step) {
    HILO_ASSIGN_OR_RETURN(state, CloneInto(*instruction.parent(), loop->body(), {state}));
  }
  HILO_RETURN_IF_ERROR(instruction.ReplaceAllUsesWith(state));
  instruction.CutOff();
  instruction.MarkAsDead();
  return true;
}

}  // namespace

std::optional<Counter> FindCounter(const Loop& loop) {
  const std::optional<Range> range = FindRange(loop);
  if (!range.has_value() || range->direction != Direction::kLt) return std::nullopt;
  const PrimitiveType type =
      loop.condition().root_instruction()->operand(0)->shape().element_type();
  constexpr int64_t kSafe = int64_t{1} << 30;
  if (primitive_util::BitWidth(type) < 32 || range->step < 1 || range->step > kSafe ||
      range->limit > kSafe || range->first < -kSafe || range->first >= range->limit) {
    return std::nullopt;
  }
  return Counter{range->element, range->first, range->step,
                 (range->limit - range->first + range->step - 1) / range->step};
}

std::optional<int64_t> CountStepsUp(const Loop& loop) {
  const std::optional<Counter> counter = FindCounter(loop);
  return counter.has_value() ? std::optional<int64_t>(counter->steps) : std::nullopt;
}

absl::StatusOr<bool> UnrollLoops(HloModule& module) {
  bool changed = false;
  for (HloInstruction* instruction : FindLoops(module)) {
    HILO_ASSIGN_OR_RETURN(const bool unrolled, Unroll(*instruction));
    changed |= unrolled;
  }
  HILO_ASSIGN_OR_RETURN(const bool removed, RemoveDeadCode(module));
  return changed || removed;
}

}  // namespace xla::passes

// Loops that count.
#include <optional>
#include <vector>

#include "absl/numeric/int128.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

bool IsIntegerScalar(const HloInstruction& instruction) {
  return ShapeUtil::IsEffectiveScalar(instruction.shape()) &&
         primitive_util::IsIntegralType(instruction.shape().element_type());
}

// What has the same value: behind copies, bitcasts and tuples that are put together just before.
const HloInstruction* Origin(const HloInstruction* value) {
  while (true) {
    switch (value->opcode()) {
      case HloOpcode::kBitcast:
      case HloOpcode::kCopy:
      case HloOpcode::kOptimizationBarrier:
      case HloOpcode::kReshape:
        value = value->operand(0);
        continue;
      case HloOpcode::kGetTupleElement: {
        const HloInstruction* tuple = Origin(value->operand(0));
        if (tuple->opcode() != HloOpcode::kTuple) return value;
        value = tuple->operand(value->tuple_index());
        continue;
      }
      default:
        return value;
    }
  }
}

// Which element of the state of a computation a value is, or -1.
int64_t StateElement(const HloInstruction* value, const HloComputation& computation) {
  value = Origin(value);
  const bool is_element = value->opcode() == HloOpcode::kGetTupleElement &&
                          Origin(value->operand(0)) == computation.parameter_instruction(0);
  return is_element ? value->tuple_index() : -1;
}

// Element i of a tuple, if the instructions say which it is.
const HloInstruction* ElementOf(const HloInstruction* tuple, int64_t i) {
  tuple = Origin(tuple);
  return tuple->opcode() == HloOpcode::kTuple ? Origin(tuple->operand(i)) : nullptr;
}

// Whether no step changes an element of the state.
bool IsInvariant(const HloInstruction& loop, int64_t i) {
  const HloInstruction* next = ElementOf(loop.while_body()->root_instruction(), i);
  return next != nullptr && StateElement(next, *loop.while_body()) == i;
}

// What such an element is before the first step, if the instructions say it.
const HloInstruction* InvariantElement(const HloInstruction& loop, int64_t i) {
  return IsInvariant(loop, i) ? ElementOf(loop.operand(0), i) : nullptr;
}

// The value behind elements that loops around it do not change.
const HloInstruction* OriginOutsideOfLoops(const HloInstruction* value) {
  while (value != nullptr) {
    value = Origin(value);
    const HloComputation& computation = *value->parent();
    const int64_t i = computation.num_parameters() == 1 ? StateElement(value, computation) : -1;
    const std::optional<HloInstruction*> loop =
        i < 0 ? std::nullopt : computation.GetUniqueCaller(HloOpcode::kWhile);
    if (!loop.has_value()) return value;
    const HloInstruction* outside = InvariantElement(**loop, i);
    if (outside == nullptr) return value;
    value = outside;
  }
  return value;
}

// An integer that does not depend on anything known at run time only.
std::optional<int64_t> KnownInteger(const HloInstruction* value) {
  value = OriginOutsideOfLoops(value);
  Literal literal;
  if (!HloEvaluator().TryEvaluate(value, &literal,
                                  /*recursively_evaluate_nonconstant_operands=*/true)) {
    return std::nullopt;
  }
  return literal.GetFirstInteger();
}

struct Comparing {
  int64_t element;              // of the state
  const HloInstruction* bound;  // in the condition
  Comparison::Direction direction;
};

// One for each side that is an element of the state.
std::vector<Comparing> ParseCondition(const HloComputation& condition) {
  const HloInstruction* root = Origin(condition.root_instruction());
  if (root->opcode() != HloOpcode::kCompare || !IsIntegerScalar(*root->operand(0)) ||
      root->comparison_direction() == Comparison::Direction::kEq) {
    return {};
  }
  const Comparison::Direction direction = root->comparison_direction();
  const int64_t left = StateElement(root->operand(0), condition);
  const int64_t right = StateElement(root->operand(1), condition);
  std::vector<Comparing> sides;
  if (left >= 0) sides.push_back({left, root->operand(1), direction});
  if (right >= 0) {
    sides.push_back(
        {right, root->operand(0), Comparison(direction, S64).Converse().GetDirection()});
  }
  return sides;
}

// What the body adds to an element: the instruction that is added, and whether it is subtracted.
struct Step {
  const HloInstruction* added;
  bool is_subtracted;
};

std::optional<Step> ParseStep(const HloComputation& body, int64_t element) {
  const HloInstruction* next = ElementOf(body.root_instruction(), element);
  if (next == nullptr || !HloPredicateIsOp<HloOpcode::kAdd, HloOpcode::kSubtract>(next)) {
    return std::nullopt;
  }
  const bool is_subtracted = next->opcode() == HloOpcode::kSubtract;
  if (StateElement(next->operand(0), body) == element) return Step{next->operand(1), is_subtracted};
  if (!is_subtracted && StateElement(next->operand(1), body) == element)
    return Step{next->operand(0), false};
  return std::nullopt;
}

// How often `first`, `first + step`, ... compares true with `bound`; absent where that does not
// end.
std::optional<absl::int128> CountSteps(absl::int128 first, absl::int128 step, absl::int128 bound,
                                       Comparison::Direction direction) {
  using Direction = Comparison::Direction;
  switch (direction) {
    case Direction::kGt:
      return CountSteps(-first, -step, -bound, Direction::kLt);
    case Direction::kGe:
      return CountSteps(-first, -step, -bound, Direction::kLe);
    case Direction::kLe:
      return CountSteps(first, step, bound + 1, Direction::kLt);
    case Direction::kLt:
      if (first >= bound) return 0;
      if (step <= 0) return std::nullopt;
      return (bound - first + step - 1) / step;
    default:
      if (first == bound) return 0;
      if (step == 0 || (bound - first) % step != 0 || (bound - first) / step < 0)
        return std::nullopt;
      return (bound - first) / step;
  }
}

bool FitsInto(absl::int128 value, PrimitiveType type) {
  const int bits = primitive_util::BitWidth(type);
  const bool is_signed = primitive_util::IsSignedIntegralType(type);
  const absl::int128 limit = absl::int128(1) << (is_signed ? bits - 1 : bits);
  return value < limit && value >= (is_signed ? -limit : absl::int128(0));
}

// Whether a value of body or condition is, as far as is known, not the same in all steps.
bool MayChange(const HloInstruction* value, const HloInstruction& loop) {
  value = OriginOutsideOfLoops(value);
  return value->opcode() != HloOpcode::kConstant &&
         (value->parent() == loop.while_body() || value->parent() == loop.while_condition());
}

}  // namespace

std::optional<ParsedWhileLoop> PatternMatchParseWhileLoop(const HloInstruction* while_op,
                                                          HloEvaluator::PrecomputedAnalyses) {
  if (while_op->opcode() != HloOpcode::kWhile) return std::nullopt;
  std::optional<Comparing> comparing;
  std::optional<Step> step;
  for (const Comparing& side : ParseCondition(*while_op->while_condition())) {
    if (step.has_value()) break;
    comparing = side;
    step = ParseStep(*while_op->while_body(), side.element);
  }
  if (!step.has_value()) return std::nullopt;

  const HloInstruction* bound = comparing->bound;
  const int64_t bound_element = StateElement(bound, *while_op->while_condition());
  const bool bound_may_change =
      bound_element >= 0 ? !IsInvariant(*while_op, bound_element) : MayChange(bound, *while_op);
  if (bound_element >= 0) bound = InvariantElement(*while_op, bound_element);
  const HloInstruction* first = ElementOf(while_op->operand(0), comparing->element);
  const std::optional<int64_t> bound_value = bound == nullptr ? std::nullopt : KnownInteger(bound);
  const std::optional<int64_t> added = KnownInteger(step->added);
  const std::optional<int64_t> first_value = first == nullptr ? std::nullopt : KnownInteger(first);
  if ((!bound_value.has_value() && bound_may_change) ||
      (!added.has_value() && MayChange(step->added, *while_op))) {
    return std::nullopt;
  }
  if (!bound_value.has_value() || !added.has_value() || !first_value.has_value())
    return kParsedDynamicWhileLoop;

  const absl::int128 step_size = step->is_subtracted ? -absl::int128(*added) : *added;
  const std::optional<absl::int128> count =
      CountSteps(*first_value, step_size, *bound_value, comparing->direction);
  const PrimitiveType type = comparing->bound->shape().element_type();
  if (!count.has_value() || !FitsInto(*count, S64) || !FitsInto(step_size, S64) ||
      !FitsInto(*first_value + *count * step_size, type)) {
    return std::nullopt;
  }
  return ParsedWhileLoop{ParsedStaticWhileLoop{static_cast<int64_t>(*count), comparing->element,
                                               *first_value, static_cast<int64_t>(step_size),
                                               *bound_value}};
}

}  // namespace xla

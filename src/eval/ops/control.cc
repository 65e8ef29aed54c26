// Calls, branches and loops.
#include <algorithm>
#include <vector>

#include "base/status_macros.h"
#include "eval/frame.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

std::vector<Value> TakeOperands(Frame& frame) {
  return {std::make_move_iterator(frame.operands().begin()),
          std::make_move_iterator(frame.operands().end())};
}

bool IsTrue(const Value& scalar) { return *Data(scalar.array()) != 0; }

}  // namespace

absl::StatusOr<Value> Call(Frame& frame, const HloInstruction& instruction) {
  return frame.Call(*instruction.to_apply(), TakeOperands(frame));
}

absl::StatusOr<Value> Fusion(Frame& frame, const HloInstruction& instruction) {
  return frame.Call(*instruction.fused_instructions_computation(), TakeOperands(frame));
}

// A predicate chooses the first branch when true; an index that is out of range the last one.
absl::StatusOr<Value> Conditional(Frame& frame, const HloInstruction& instruction) {
  int64_t branch;
  if (frame.array(0).shape().element_type() == PRED) {
    branch = IsTrue(frame.operand(0)) ? 0 : 1;
  } else {
    branch = frame.Integer(0);
    if (branch < 0 || branch >= instruction.branch_count()) branch = instruction.branch_count() - 1;
  }
  std::vector<Value> arguments;
  arguments.push_back(frame.Take(branch + 1));
  return frame.Call(*instruction.branch_computation(static_cast<int32_t>(branch)),
                    std::move(arguments));
}

// A state that one iteration leaves as it is would never change again. Such a loop is taken to end
// with that state, which is what XLA makes of it; the states are compared ever more rarely, so that
// it costs nothing.
absl::StatusOr<Value> While(Frame& frame, const HloInstruction& instruction) {
  const HloComputation& condition = *instruction.while_condition();
  const HloComputation& body = *instruction.while_body();
  SideEffects& side_effects = frame.evaluator().side_effects();
  // The same state may become another one where other devices have a part in it.
  const bool repeats = frame.evaluator().options().device.rendezvous == nullptr &&
                       !side_effects.Has(condition) && !side_effects.Has(body);
  const int64_t limit = frame.evaluator().options().max_loop_iterations;
  Value state = frame.Take(0);
  int64_t next_comparison = 1;
  for (int64_t iteration = 0;; ++iteration) {
    HILO_ASSIGN_OR_RETURN(const Value goes_on, frame.Call(condition, {state}));
    if (!IsTrue(goes_on)) return state;
    if (limit >= 0 && iteration >= limit) {
      return ResourceExhausted("while %s takes more than %d iterations", instruction.name(), limit);
    }
    const bool compares = repeats && iteration == next_comparison;
    const Value before = compares ? state : Value();
    std::vector<Value> arguments;
    arguments.push_back(std::move(state));
    HILO_ASSIGN_OR_RETURN(state, frame.Call(body, std::move(arguments)));
    if (!compares) continue;
    if (state.SameAs(before)) return state;
    next_comparison *= 2;
  }
}

}  // namespace xla::eval

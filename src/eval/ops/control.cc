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
  const HloComputation& fused = *instruction.fused_instructions_computation();
  std::vector<Value> operands = TakeOperands(frame);
  operands.resize(fused.num_parameters());  // it need not use them all
  return frame.Call(fused, std::move(operands));
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

namespace {

// The value without its large arrays, which would be copied if they were held while they change.
Value SmallPart(const Value& value) {
  constexpr int64_t kSmallBytes = 4096;
  if (value.IsTuple()) {
    std::vector<Value> elements;
    for (const Value& element : value.elements()) elements.push_back(SmallPart(element));
    return Value(std::move(elements));
  }
  if (value.IsArray() && value.array().size_bytes() <= kSmallBytes) return value;
  return Value();
}

// Tells whether an iteration has left the state as it was. It looks ever more rarely, so that it
// costs nothing; at the whole state only when the small arrays, like a counter, are what they were.
class FixedPointSearch {
 public:
  void BeforeIteration(const Value& state) {
    looks_ = looks_at_all_ || iteration_ == next_look_;
    ++iteration_;
    if (looks_) before_ = looks_at_all_ ? state : SmallPart(state);
  }
  bool IsFixedPoint(const Value& state) {
    if (!looks_) return false;
    next_look_ = 2 * iteration_;
    const bool same = looks_at_all_ ? state.SameAs(before_) : SmallPart(state).SameAs(before_);
    const bool is_fixed_point = same && looks_at_all_;
    looks_at_all_ = same && !looks_at_all_;
    before_ = Value();
    return is_fixed_point;
  }

 private:
  int64_t iteration_ = 0;
  int64_t next_look_ = 1;
  bool looks_ = false;
  bool looks_at_all_ = false;
  Value before_;
};

}  // namespace

// A state that one iteration leaves as it is would never change again. Such a loop is taken to end
// with that state, which is what XLA makes of it.
absl::StatusOr<Value> While(Frame& frame, const HloInstruction& instruction) {
  const HloComputation& condition = *instruction.while_condition();
  const HloComputation& body = *instruction.while_body();
  SideEffects& side_effects = frame.evaluator().side_effects();
  // The same state may become another one where other devices have a part in it.
  const bool repeats = frame.evaluator().options().device.rendezvous == nullptr &&
                       !side_effects.Has(condition) && !side_effects.Has(body);
  const int64_t limit = frame.evaluator().options().max_loop_iterations;
  Value state = frame.Take(0);
  FixedPointSearch search;
  for (int64_t iteration = 0;; ++iteration) {
    HILO_ASSIGN_OR_RETURN(const Value goes_on, frame.Call(condition, {state}));
    if (!IsTrue(goes_on)) return state;
    if (limit >= 0 && iteration >= limit) {
      return ResourceExhausted("while %s takes more than %d iterations", instruction.name(), limit);
    }
    if (repeats) search.BeforeIteration(state);
    std::vector<Value> arguments;
    arguments.push_back(std::move(state));
    HILO_ASSIGN_OR_RETURN(state, frame.Call(body, std::move(arguments)));
    if (repeats && search.IsFixedPoint(state)) return state;
  }
}

}  // namespace xla::eval

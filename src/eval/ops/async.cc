// Asynchronous forms. Everything is done as soon as all operands are known, as a rule when the
// start is evaluated: its value already has the result in it.
#include <vector>

#include "base/status_macros.h"
#include "eval/frame.h"
#include "ir/async.h"
#include "xla/shape_util.h"

namespace xla::eval {

namespace {

// ((operands...), result, contexts...), without the result while that is not known.
absl::StatusOr<Value> Context(Frame& frame, const HloInstruction& step,
                              const std::vector<Value>& operands) {
  const HloComputation& wrapped = *AsyncWrappedComputation(step);
  std::vector<Value> elements = {Value(operands)};
  if (HoldsAsyncResult(step.shape(), wrapped)) {
    HILO_ASSIGN_OR_RETURN(elements.emplace_back(), frame.Call(wrapped, operands));
  }
  return FillTuple(std::move(elements), step.shape());
}

}  // namespace

absl::StatusOr<Value> AsyncStart(Frame& frame, const HloInstruction& instruction) {
  return Context(frame, instruction, {frame.operands().begin(), frame.operands().end()});
}

absl::StatusOr<Value> AsyncUpdate(Frame& frame, const HloInstruction& instruction) {
  const HloComputation& wrapped = *AsyncWrappedComputation(instruction);
  Value context = frame.Take(0);
  if (HoldsAsyncResult(instruction.operand(0)->shape(), wrapped) ||
      ShapeUtil::Compatible(instruction.operand(0)->shape(), instruction.shape())) {
    return context;
  }
  const Value bound = context.TakeElement(0);
  std::vector<Value> operands(bound.elements().begin(), bound.elements().end());
  for (int64_t i = 1; i < frame.operand_count(); ++i) operands.push_back(frame.operand(i));
  return Context(frame, instruction, operands);
}

absl::StatusOr<Value> AsyncDone(Frame& frame, const HloInstruction& instruction) {
  const HloComputation& wrapped = *AsyncWrappedComputation(instruction);
  Value context = frame.Take(0);
  if (HoldsAsyncResult(instruction.operand(0)->shape(), wrapped)) return context.TakeElement(1);
  const Value bound = context.TakeElement(0);
  return frame.Call(wrapped, {bound.elements().begin(), bound.elements().end()});
}

// (copy, operand, context)
absl::StatusOr<Value> CopyStart(Frame& frame, const HloInstruction& instruction) {
  return FillTuple({frame.operand(0), frame.operand(0)}, instruction.shape());
}

absl::StatusOr<Value> CopyDone(Frame& frame, const HloInstruction&) {
  Value start = frame.Take(0);
  return start.TakeElement(0);
}

}  // namespace xla::eval

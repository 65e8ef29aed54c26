// Asynchronous forms. Everything is done when the start is evaluated; its value already has the
// result in it.
#include <vector>

#include "base/status_macros.h"
#include "eval/frame.h"

namespace xla::eval {

// ((operands...), result, contexts...)
absl::StatusOr<Value> AsyncStart(Frame& frame, const HloInstruction& instruction) {
  const std::vector<Value> operands(frame.operands().begin(), frame.operands().end());
  HILO_ASSIGN_OR_RETURN(Value result, frame.Call(*instruction.called_computations()[0], operands));
  return FillTuple({Value(operands), std::move(result)}, instruction.shape());
}

absl::StatusOr<Value> AsyncUpdate(Frame& frame, const HloInstruction&) { return frame.Take(0); }

absl::StatusOr<Value> AsyncDone(Frame& frame, const HloInstruction&) {
  Value start = frame.Take(0);
  return start.TakeElement(1);
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

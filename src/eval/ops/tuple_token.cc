// Tuples, tokens, and operations that order others.
#include <vector>

#include "base/status_macros.h"
#include "eval/frame.h"

namespace xla::eval {

absl::StatusOr<Value> AddDependency(Frame& frame, const HloInstruction&) { return frame.Take(0); }

absl::StatusOr<Value> AfterAll(Frame&, const HloInstruction&) { return Value(); }

absl::StatusOr<Value> Domain(Frame& frame, const HloInstruction&) { return frame.Take(0); }

absl::StatusOr<Value> GetTupleElement(Frame& frame, const HloInstruction& instruction) {
  Value tuple = frame.Take(0);
  return tuple.TakeElement(instruction.tuple_index());
}

absl::StatusOr<Value> OptimizationBarrier(Frame& frame, const HloInstruction&) {
  return frame.Take(0);
}

absl::StatusOr<Value> Tuple(Frame& frame, const HloInstruction&) {
  return Value(std::vector<Value>(std::make_move_iterator(frame.operands().begin()),
                                  std::make_move_iterator(frame.operands().end())));
}

}  // namespace xla::eval

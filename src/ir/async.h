// What goes from one step of an asynchronous operation to the next: a tuple of the operands that
// are known so far, as a tuple, of the result or an empty tuple in its place, and of whatever the
// implementation adds. Later steps may bring further operands.
#ifndef HILO_IR_ASYNC_H_
#define HILO_IR_ASYNC_H_

#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape.h"

namespace xla {

bool IsAsyncContext(const Shape& shape);

// The computation that a step belongs to. Later steps may leave it to the first.
HloComputation* AsyncWrappedComputation(const HloInstruction& step);

// Whether a context of this shape has every operand of the computation and a place for its result,
// so that the step that gives it computes the result unless an earlier one has.
bool HoldsAsyncResult(const Shape& context, const HloComputation& wrapped);

}  // namespace xla

#endif  // HILO_IR_ASYNC_H_

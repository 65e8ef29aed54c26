#include "ir/async.h"

#include "xla/shape_util.h"

namespace xla {

bool IsAsyncContext(const Shape& shape) {
  return shape.IsTuple() && shape.tuple_shapes_size() >= 2 && shape.tuple_shapes(0).IsTuple();
}

HloComputation* AsyncWrappedComputation(const HloInstruction& step) {
  const HloInstruction* teller = &step;
  while (teller->called_computations().empty()) teller = teller->operand(0);
  return teller->called_computations()[0];
}

bool HoldsAsyncResult(const Shape& context, const HloComputation& wrapped) {
  return IsAsyncContext(context) &&
         context.tuple_shapes(0).tuple_shapes_size() == wrapped.num_parameters() &&
         ShapeUtil::Compatible(context.tuple_shapes(1), wrapped.root_instruction()->shape());
}

}  // namespace xla

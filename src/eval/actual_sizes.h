// Operations on arrays with padding.
#ifndef HILO_EVAL_ACTUAL_SIZES_H_
#define HILO_EVAL_ACTUAL_SIZES_H_

#include "absl/status/statusor.h"
#include "eval/frame.h"
#include "eval/value.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::eval {

// The result of an instruction some of whose operands have padding: what the operation gives for
// arrays of the actual sizes, in the bounds that the instruction declares. Where dimensions of
// several operands have to be equally long, a static one is cut to the size of the dynamic ones;
// dynamic ones that differ are an error, but for sizes of 1 in element-wise operations, which
// are broadcast.
//
// A slice of a part of a dimension has a static size and may contain padding. Places are counted in
// the bounds where the shape of the result does not depend on the actual sizes: in dynamic-slice,
// dynamic-update-slice, gather and the operands of scatter.
absl::StatusOr<Value> EvaluateWithoutPadding(Frame& frame, const HloInstruction& instruction);

}  // namespace xla::eval

#endif  // HILO_EVAL_ACTUAL_SIZES_H_

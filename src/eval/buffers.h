// Runs of a module, also on memory that belongs to its caller or is donated by it.
#ifndef HILO_EVAL_BUFFERS_H_
#define HILO_EVAL_BUFFERS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "eval/array_buffer.h"
#include "eval/evaluator.h"
#include "eval/value.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_tree.h"

namespace xla::eval {

// The array in this memory as the only copy of it, so that it is changed in place. A copy where it
// is not in the evaluator's order. The memory must outlive the value.
Value Lend(Literal& array);

// The result of the entry computation, in its declared layout.
absl::StatusOr<Literal> EvaluateModule(Options options, const HloModule& module,
                                       absl::Span<const Literal* const> arguments);

// The same, with what is donated used as input_output_alias says: see ExecutionInput in
// xla/service/executable.h. InvalidArgument when the arguments are not those of the module, or one
// that must alias is not donated.
absl::StatusOr<ShapeTree<ArrayBuffer>> EvaluateOnBuffers(
    Options options, const HloModule& module, std::vector<ShapeTree<BufferArgument>> arguments);

}  // namespace xla::eval

#endif  // HILO_EVAL_BUFFERS_H_

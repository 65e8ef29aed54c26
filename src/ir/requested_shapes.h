// Shapes that follow from what a caller asks for as well as from the operands: sizes to broadcast
// to, shards to gather. The public functions of this kind are in ShapeInference.
#ifndef HILO_IR_REQUESTED_SHAPES_H_
#define HILO_IR_REQUESTED_SHAPES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/shape.h"

namespace xla {

// One shape as it is, several as a tuple.
Shape ShapesTogether(absl::Span<const Shape* const> shapes);

// The shapes, with one dimension multiplied by `factor` and divided by `divisor`, together. A size
// that is not known stays so. InvalidArgument, naming the operation, where there is no such
// dimension, a count is not positive, or the size is no multiple of the divisor or overflows.
absl::StatusOr<Shape> ShardedShapes(HloOpcode opcode, absl::Span<const Shape* const> shapes,
                                    int64_t dimension, int64_t factor, int64_t divisor);

}  // namespace xla

#endif  // HILO_IR_REQUESTED_SHAPES_H_

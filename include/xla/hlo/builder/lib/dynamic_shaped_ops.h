// Operations whose results have dynamic sizes.
#ifndef XLA_HLO_BUILDER_LIB_DYNAMIC_SHAPED_OPS_H_
#define XLA_HLO_BUILDER_LIB_DYNAMIC_SHAPED_OPS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/value_inference.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"

namespace xla {

// Conditional, for branches whose results are arrays (or tuples of arrays) of the same ranks and
// types but different sizes: each result is padded to the largest size and has its own as a dynamic
// one. With results of equal shapes it is Conditional. InvalidArgument where ranks, types or
// structure differ.
XlaOp DynamicConditional(XlaBuilder* builder, XlaOp predicate, XlaOp true_operand,
                         const XlaComputation& true_computation, XlaOp false_operand,
                         const XlaComputation& false_computation);
XlaOp DynamicConditional(XlaBuilder* builder, XlaOp branch_index,
                         absl::Span<const XlaComputation* const> branch_computations,
                         absl::Span<const XlaOp> branch_operands);

// SetDimensionSize(operand, dimension_size, dimension) on an operand cut to the upper bound of
// `dimension_size`, an S32 scalar, where one can be inferred. Where the size is known altogether
// the dimension is static.
absl::StatusOr<XlaOp> SetDimensionSizeWithRebound(ValueInference* value_inference, XlaOp operand,
                                                  XlaOp dimension_size, int64_t dimension);

// SetDimensionSize for each dimension of `operand` whose entry in size_vector, S32 [rank], is not
// known. InvalidArgument when the vector is another.
absl::StatusOr<XlaOp> SetAllDimensionSizes(ValueInference* value_inference, XlaOp operand,
                                           XlaOp size_vector);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_DYNAMIC_SHAPED_OPS_H_

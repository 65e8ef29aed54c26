// Approximate search for the best elements.
#ifndef XLA_HLO_BUILDER_LIB_APPROX_TOPK_H_
#define XLA_HLO_BUILDER_LIB_APPROX_TOPK_H_

#include <cstdint>

#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"

namespace xla {

// The tuple of `operands`, arrays of equal dimensions (the keys and what goes with them), with
// fewer elements along `reduction_dim`: top_k, best first, with `aggregate_to_topk`; else as many
// as ApproxTopKReductionOutputSize says, in no particular order, which hold each of the best ones
// with a probability of `recall_target`.
//
// `comparator` takes scalars x_0, y_0, x_1, y_1, ... of the operands' types and says whether x
// comes before y. `init_values` are scalars of the same types that come after all others.
//
// Groups of elements are narrowed to their best one by the custom call "PartialReduce" where there
// is more than a tile of them; what is left is sorted. InvalidArgument where operands, initial
// values, dimension and recall target do not fit.
XlaOp ApproxTopK(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                 absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                 const XlaComputation& comparator, float recall_target = 0.9,
                 bool aggregate_to_topk = true, int64_t reduction_input_size_override = -1);
XlaOp ApproxTopK(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                 absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                 XlaComputationId comparator, float recall_target = 0.9,
                 bool aggregate_to_topk = true, int64_t reduction_input_size_override = -1);

// The same shapes by sorting: exact, and for back ends that do not know the custom call.
XlaOp ApproxTopKFallback(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                         absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                         const XlaComputation& comparator, float recall_target = 0.9,
                         bool aggregate_to_topk = true, int64_t reduction_input_size_override = -1);
XlaOp ApproxTopKFallback(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                         absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                         XlaComputationId comparator, float recall_target = 0.9,
                         bool aggregate_to_topk = true, int64_t reduction_input_size_override = -1);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_APPROX_TOPK_H_

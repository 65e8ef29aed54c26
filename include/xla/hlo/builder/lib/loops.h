// While loops over several values.
#ifndef XLA_HLO_BUILDER_LIB_LOOPS_H_
#define XLA_HLO_BUILDER_LIB_LOOPS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Given the values: a PRED scalar, whether to go on. Operations are to be added to the builder
// passed in.
using WhileLoopHelperConditionFunction =
    std::function<absl::StatusOr<XlaOp>(absl::Span<const XlaOp>, XlaBuilder*)>;

// Given the values: the values after one more step, of the same shapes.
using WhileLoopHelperBodyFunction =
    std::function<absl::StatusOr<std::vector<XlaOp>>(absl::Span<const XlaOp>, XlaBuilder*)>;

// The values after a while loop.
absl::StatusOr<std::vector<XlaOp>> WhileLoopHelper(
    const WhileLoopHelperConditionFunction& condition_function,
    const WhileLoopHelperBodyFunction& body_function, absl::Span<const XlaOp> initial_values,
    absl::string_view name, XlaBuilder* builder);

// Given the number of the step, 0, 1, ..., and the values: the values after it.
using ForEachIndexBodyFunction =
    std::function<absl::StatusOr<std::vector<XlaOp>>(XlaOp, absl::Span<const XlaOp>, XlaBuilder*)>;

// The values after num_iterations steps, counted in `num_iterations_type`.
absl::StatusOr<std::vector<XlaOp>> ForEachIndex(int64_t num_iterations,
                                                PrimitiveType num_iterations_type,
                                                const ForEachIndexBodyFunction& body_function,
                                                absl::Span<const XlaOp> initial_values,
                                                absl::string_view name, XlaBuilder* builder);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_LOOPS_H_

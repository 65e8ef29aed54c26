#include "xla/hlo/builder/lib/approx_topk.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "xla/hlo/builder/lib/approx_topk_shape.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

struct Options {
  int64_t top_k, reduction_dim;
  float recall_target;
  bool aggregate_to_topk;
  int64_t input_size_override;
};

// The shapes of the operands, which fit together and with the initial values.
absl::StatusOr<std::vector<Shape>> CheckOperands(XlaBuilder* builder,
                                                 absl::Span<const XlaOp> operands,
                                                 absl::Span<const XlaOp> init_values,
                                                 const Options& options) {
  if (operands.empty() || operands.size() != init_values.size()) {
    return InvalidArgument("approximate top-k: %d operands and %d initial values", operands.size(),
                           init_values.size());
  }
  HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(operands));
  HILO_ASSIGN_OR_RETURN(const std::vector<Shape> init_shapes,
                        builder->GetOperandShapes(init_values));
  for (size_t k = 0; k < shapes.size(); ++k) {
    if (!shapes[k].IsArray() || !ShapeUtil::SameDimensions(shapes[k], shapes[0])) {
      return InvalidArgument("approximate top-k: operands %s and %s have different dimensions",
                             shapes[0].ToString(), shapes[k].ToString());
    }
    if (!ShapeUtil::IsScalarWithElementType(init_shapes[k], shapes[k].element_type())) {
      return InvalidArgument("approximate top-k: initial value %s is no element of operand %s",
                             init_shapes[k].ToString(), shapes[k].ToString());
    }
  }
  const int64_t rank = shapes[0].dimensions_size();
  if (options.reduction_dim < 0 || options.reduction_dim >= rank) {
    return InvalidArgument("approximate top-k: reduction_dim %d must be in [0, %d)",
                           options.reduction_dim, rank);
  }
  return shapes;
}

// The first `count` after sorting.
absl::StatusOr<XlaOp> SortAndSlice(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                                   int64_t count, int64_t dimension, XlaComputationId comparator) {
  const XlaOp sorted = Sort(operands, comparator, dimension);
  std::vector<XlaOp> first;
  for (size_t k = 0; k < operands.size(); ++k) {
    const XlaOp element =
        operands.size() == 1 ? sorted : GetTupleElement(sorted, static_cast<int64_t>(k));
    first.push_back(SliceInDim(element, 0, count, 1, dimension));
  }
  return Tuple(builder, first);
}

absl::StatusOr<XlaOp> MakeApproxTopK(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                                     absl::Span<const XlaOp> init_values,
                                     XlaComputationId comparator, const Options& options) {
  HILO_ASSIGN_OR_RETURN(std::vector<Shape> shapes,
                        CheckOperands(builder, operands, init_values, options));
  const int64_t dimension = options.reduction_dim;
  HILO_ASSIGN_OR_RETURN(const auto narrowed,
                        ApproxTopKReductionOutputSize(
                            shapes[0].dimensions(static_cast<int>(dimension)),
                            shapes[0].dimensions_size(), options.top_k, options.recall_target,
                            /*aggregate_to_topk=*/false, options.input_size_override));
  const auto [size, log2_reduction] = narrowed;
  std::vector<XlaOp> candidates(operands.begin(), operands.end());
  if (log2_reduction > 0) {
    std::vector<XlaOp> arguments = candidates;
    arguments.insert(arguments.end(), init_values.begin(), init_values.end());
    for (Shape& shape : shapes) shape.set_dimensions(static_cast<int>(dimension), size);
    const std::string config = absl::StrFormat(
        R"({"log2_reduction": %d, "reduction_dim": %d, "to_apply_type": "comparator", "top_k": %d, )"
        R"("recall_target": %f})",
        log2_reduction, dimension, options.top_k, options.recall_target);
    const XlaOp partial = CustomCallWithComputation(builder, "PartialReduce", arguments, comparator,
                                                    ShapeUtil::MakeTupleShape(shapes), config);
    if (!options.aggregate_to_topk) return partial;
    for (size_t k = 0; k < candidates.size(); ++k) {
      candidates[k] = GetTupleElement(partial, static_cast<int64_t>(k));
    }
  }
  if (!options.aggregate_to_topk) return Tuple(builder, candidates);
  return SortAndSlice(builder, candidates, options.top_k, dimension, comparator);
}

absl::StatusOr<XlaOp> MakeFallback(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                                   absl::Span<const XlaOp> init_values, XlaComputationId comparator,
                                   const Options& options) {
  HILO_ASSIGN_OR_RETURN(const std::vector<Shape> shapes,
                        CheckOperands(builder, operands, init_values, options));
  HILO_ASSIGN_OR_RETURN(const auto narrowed,
                        ApproxTopKReductionOutputSize(
                            shapes[0].dimensions(static_cast<int>(options.reduction_dim)),
                            shapes[0].dimensions_size(), options.top_k, options.recall_target,
                            options.aggregate_to_topk, options.input_size_override));
  // The size to narrow to may be more than there are, where it is a whole number of tiles.
  const int64_t size =
      options.aggregate_to_topk
          ? narrowed.first
          : std::min(narrowed.first, shapes[0].dimensions(static_cast<int>(options.reduction_dim)));
  return SortAndSlice(builder, operands, size, options.reduction_dim, comparator);
}

}  // namespace

XlaOp ApproxTopK(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                 absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                 XlaComputationId comparator, float recall_target, bool aggregate_to_topk,
                 int64_t reduction_input_size_override) {
  return builder->ReportErrorOrReturn(MakeApproxTopK(
      builder, operands, init_values, comparator,
      {top_k, reduction_dim, recall_target, aggregate_to_topk, reduction_input_size_override}));
}

XlaOp ApproxTopK(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                 absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                 const XlaComputation& comparator, float recall_target, bool aggregate_to_topk,
                 int64_t reduction_input_size_override) {
  return ApproxTopK(builder, operands, init_values, top_k, reduction_dim,
                    builder->AddSubComputation(comparator), recall_target, aggregate_to_topk,
                    reduction_input_size_override);
}

XlaOp ApproxTopKFallback(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                         absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                         XlaComputationId comparator, float recall_target, bool aggregate_to_topk,
                         int64_t reduction_input_size_override) {
  return builder->ReportErrorOrReturn(MakeFallback(
      builder, operands, init_values, comparator,
      {top_k, reduction_dim, recall_target, aggregate_to_topk, reduction_input_size_override}));
}

XlaOp ApproxTopKFallback(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                         absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                         const XlaComputation& comparator, float recall_target,
                         bool aggregate_to_topk, int64_t reduction_input_size_override) {
  return ApproxTopKFallback(builder, operands, init_values, top_k, reduction_dim,
                            builder->AddSubComputation(comparator), recall_target,
                            aggregate_to_topk, reduction_input_size_override);
}

}  // namespace xla

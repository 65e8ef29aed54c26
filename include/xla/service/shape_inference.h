// The shapes that operations give, from the shapes of their operands and their attributes.
#ifndef XLA_SERVICE_SHAPE_INFERENCE_H_
#define XLA_SERVICE_SHAPE_INFERENCE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Each function gives the shape of a result, or InvalidArgument that names the operation, the
// shapes and the rule that is broken. These are the rules of the verifier and of XlaBuilder, with
// which an operation whose shape comes from here agrees. Arrays in the result have layouts: that of
// the operand they are like, or the default.
class ShapeInference {
 public:
  using ShapePointers = absl::Span<const Shape* const>;

  // Operations with one, two, three or any number of operands that have no attributes which decide
  // about the shape. Two operands are broadcast to each other: scalars to the other shape,
  // dimensions of size 1 to those of the other, and an operand of lower rank as
  // broadcast_dimensions say, which name the other's dimension for each of its own. Of a size that
  // is known and one that is not (`?`), the result has the one that is known.
  static absl::StatusOr<Shape> InferUnaryOpShape(HloOpcode opcode, const Shape& shape);
  static absl::StatusOr<Shape> InferUnaryOpShape(HloOpcode opcode, const HloInstruction* operand);
  static absl::StatusOr<Shape> InferBinaryOpShape(HloOpcode opcode, const Shape& lhs,
                                                  const Shape& rhs,
                                                  absl::Span<const int64_t> broadcast_dimensions);
  static absl::StatusOr<Shape> InferBinaryOpShape(HloOpcode opcode, const HloInstruction* lhs,
                                                  const HloInstruction* rhs);
  static absl::StatusOr<Shape> InferTernaryOpShape(HloOpcode opcode, const Shape& lhs,
                                                   const Shape& rhs, const Shape& ehs);
  static absl::StatusOr<Shape> InferTernaryOpShape(HloOpcode opcode, const HloInstruction* lhs,
                                                   const HloInstruction* rhs,
                                                   const HloInstruction* ehs);
  // For kSort the operands are sorted along dimension 0.
  static absl::StatusOr<Shape> InferVariadicOpShape(HloOpcode opcode, ShapePointers operand_shapes);
  static absl::StatusOr<Shape> InferVariadicOpShape(
      HloOpcode opcode, absl::Span<const HloInstruction* const> operands);

  // Conversions of the element type.
  static absl::StatusOr<Shape> InferConvertShape(const Shape& operand_shape,
                                                 PrimitiveType new_element_type);
  static absl::StatusOr<Shape> InferBitcastConvertShape(const Shape& operand_shape,
                                                        PrimitiveType new_element_type);
  static absl::StatusOr<Shape> InferStochasticConvertShape(const Shape& operand_shape,
                                                           const Shape& random_shape,
                                                           PrimitiveType new_element_type);
  static absl::StatusOr<Shape> InferReducePrecisionShape(const Shape& operand_shape,
                                                         int exponent_bits, int mantissa_bits);

  // Movement of elements. The first form of a broadcast puts dimensions of these sizes before
  // those of the operand; the second says where in `output_shape` the operand's dimensions are.
  static absl::StatusOr<Shape> InferBroadcastShape(const Shape& operand,
                                                   absl::Span<const int64_t> broadcast_sizes);
  static absl::StatusOr<Shape> InferBroadcastShape(const Shape& operand_shape,
                                                   const Shape& output_shape,
                                                   absl::Span<const int64_t> broadcast_dimensions);
  // Of the dimensions into which dynamic ones are reshaped one is dynamic: `inferred_dimension` if
  // it is among them (-1: none), else the first that is not of size 1.
  static absl::StatusOr<Shape> InferReshapeShape(const Shape& operand,
                                                 absl::Span<const int64_t> dimensions,
                                                 int64_t inferred_dimension);
  static absl::StatusOr<Shape> InferDynamicReshapeShape(const Shape& operand,
                                                        ShapePointers dim_size_shapes,
                                                        absl::Span<const int64_t> new_size_bounds,
                                                        const std::vector<bool>& dims_are_dynamic);
  static absl::StatusOr<Shape> InferTransposeShape(const Shape& operand,
                                                   absl::Span<const int64_t> dimensions);
  static absl::StatusOr<Shape> InferReverseShape(const Shape& operand_shape,
                                                 absl::Span<const int64_t> dimensions);
  static absl::StatusOr<Shape> InferConcatOpShape(ShapePointers arg_shapes, int64_t dimension);
  static absl::StatusOr<Shape> InferPadShape(const Shape& operand_shape,
                                             const Shape& padding_value_shape,
                                             const PaddingConfig& padding_config);
  static absl::StatusOr<Shape> InferSliceShape(const Shape& arg, absl::Span<const int64_t> starts,
                                               absl::Span<const int64_t> limits,
                                               absl::Span<const int64_t> strides);
  // Starts are one scalar for each dimension or, unless allow_scalar_indices, one vector.
  static absl::StatusOr<Shape> InferDynamicSliceShape(const Shape& operand_shape,
                                                      absl::Span<const Shape> start_index_shapes,
                                                      absl::Span<const int64_t> slice_sizes,
                                                      bool allow_scalar_indices = true);
  static absl::StatusOr<Shape> InferDynamicUpdateSliceShape(
      const Shape& operand_shape, const Shape& update_shape,
      absl::Span<const Shape> start_index_shapes, bool allow_scalar_indices = true);
  static absl::StatusOr<Shape> InferGatherShape(const Shape& input_shape,
                                                const Shape& start_indices_shape,
                                                const GatherDimensionNumbers& gather_dim_numbers,
                                                absl::Span<const int64_t> slice_sizes);
  // The operands, the indices and the updates.
  static absl::StatusOr<Shape> InferScatterShape(
      ShapePointers arg_shapes, const ProgramShape& to_apply_shape,
      const ScatterDimensionNumbers& scatter_dim_numbers);
  static absl::StatusOr<Shape> InferGetDimensionSizeShape(const Shape& shape, int64_t dimension);
  static absl::StatusOr<Shape> InferSetDimensionSizeShape(const Shape& operand_shape,
                                                          const Shape& val_shape,
                                                          int64_t dimension);

  // Reductions and windows. `arg_shapes` are the arrays, then their initial values.
  static absl::StatusOr<Shape> InferMapShape(ShapePointers arg_shapes, const ProgramShape& to_apply,
                                             absl::Span<const int64_t> dimensions);
  static absl::StatusOr<Shape> InferReduceShape(ShapePointers arg_shapes,
                                                absl::Span<const int64_t> dimensions_to_reduce,
                                                const ProgramShape& to_apply);
  // Without a computation it is one that combines scalars of the operand's element type.
  static absl::StatusOr<Shape> InferReduceWindowShape(const Shape& operand_shape,
                                                      const Shape& init_value,
                                                      const Window& window);
  static absl::StatusOr<Shape> InferReduceWindowShape(const Shape& operand_shape,
                                                      const Shape& init_value_shape,
                                                      const Window& window,
                                                      const ProgramShape& to_apply_shape);
  static absl::StatusOr<Shape> InferReduceWindowShape(ShapePointers operands,
                                                      ShapePointers init_values,
                                                      const Window& window,
                                                      const ProgramShape& to_apply_shape);
  static absl::StatusOr<Shape> InferSelectAndScatterShape(
      const Shape& operand_shape, const ProgramShape& select_shape, const Window& window,
      const Shape& source_shape, const Shape& init_value_shape, const ProgramShape& scatter_shape);
  static absl::StatusOr<Shape> InferTopKShape(const Shape& operand_shape, int64_t k);
  // A window from one list for each of its properties. A list may be empty: strides and dilations
  // of 1, no padding, nothing reversed.
  static absl::StatusOr<Window> InferWindowFromDimensions(
      absl::Span<const int64_t> window_dimensions, absl::Span<const int64_t> window_strides,
      absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
      absl::Span<const int64_t> rhs_dilation,
      const std::optional<std::vector<bool>>& window_reversal = std::nullopt);

  // Products, transforms, normalisation. The preferred element type, if any, is that of the result.
  static absl::StatusOr<Shape> InferDotOpShape(const Shape& lhs, const Shape& rhs,
                                               const DotDimensionNumbers& dimension_numbers,
                                               std::optional<PrimitiveType> preferred_element_type);
  static absl::StatusOr<Shape> InferRaggedDotOpShape(
      const Shape& lhs, const Shape& rhs, const Shape& group_sizes,
      const RaggedDotDimensionNumbers& ragged_dot_dim_nums,
      std::optional<PrimitiveType> preferred_element_type);
  static absl::StatusOr<Shape> InferConvolveShape(
      const Shape& lhs, const Shape& rhs, int64_t feature_group_count, int64_t batch_group_count,
      const Window& window, const ConvolutionDimensionNumbers& dimension_numbers,
      const SparsityConfig& sparsity_config, std::optional<PrimitiveType> preferred_element_type,
      ConvolutionKind convolution_kind = CONVOLUTION_KIND_UNSET);
  static absl::StatusOr<Shape> InferFftShape(const Shape& in, FftType fft_type,
                                             absl::Span<const int64_t> fft_length);
  static absl::StatusOr<Shape> InferCholeskyShape(const Shape& a);
  static absl::StatusOr<Shape> InferTriangularSolveShape(const Shape& a, const Shape& b,
                                                         const TriangularSolveOptions& options);
  static absl::StatusOr<Shape> InferBatchNormTrainingShape(const Shape& operand_shape,
                                                           const Shape& scale_shape,
                                                           const Shape& offset_shape,
                                                           int64_t feature_index);
  static absl::StatusOr<Shape> InferBatchNormInferenceShape(
      const Shape& operand_shape, const Shape& scale_shape, const Shape& offset_shape,
      const Shape& mean_shape, const Shape& variance_shape, int64_t feature_index);
  static absl::StatusOr<Shape> InferBatchNormGradShape(
      const Shape& operand_shape, const Shape& scale_shape, const Shape& mean_shape,
      const Shape& var_shape, const Shape& output_grad_shape, int64_t feature_index);

  // Tuples, control flow, calls.
  static absl::StatusOr<Shape> InferGetTupleElementShape(const Shape& arg, int64_t index);
  static absl::StatusOr<Shape> InferWhileShape(const ProgramShape& condition,
                                               const ProgramShape& body, const Shape& init);
  static absl::StatusOr<Shape> InferConditionalShape(
      const Shape& branch_index, absl::Span<const ProgramShape> branch_computations,
      absl::Span<const Shape> branch_operands);
  static absl::StatusOr<Shape> InferCallShape(ShapePointers arg_shapes,
                                              const ProgramShape& to_apply);

  // Collectives. One operand gives an array, several a tuple; the start of an asynchronous
  // operation gives a tuple of what is sent, what is received and, for a permutation, contexts.
  static absl::StatusOr<Shape> InferAllGatherShape(ShapePointers operand_shapes,
                                                   int64_t all_gather_dimension,
                                                   int64_t shard_count);
  static absl::StatusOr<Shape> InferAllGatherStartShape(ShapePointers operand_shapes,
                                                        int64_t all_gather_dimension,
                                                        int64_t shard_count);
  static absl::StatusOr<Shape> InferAllGatherDoneShape(const Shape& all_gather_start_shape);
  static absl::StatusOr<Shape> InferAllReduceShape(ShapePointers operand_shapes);
  static absl::StatusOr<Shape> InferAllReduceStartShape(ShapePointers operand_shapes);
  static absl::StatusOr<Shape> InferAllReduceDoneShape(const Shape& operand_shape);
  static absl::StatusOr<Shape> InferReduceScatterShape(ShapePointers operand_shapes,
                                                       int64_t scatter_dimension,
                                                       int64_t shard_count);
  static absl::StatusOr<Shape> InferAllToAllShape(const Shape& shape, int64_t split_dimension,
                                                  int64_t concat_dimension, int64_t split_count);
  static absl::StatusOr<Shape> InferAllToAllTupleShape(ShapePointers operand_shapes);
  static absl::StatusOr<Shape> InferRaggedAllToAllShape(ShapePointers operand_shapes);
  static absl::StatusOr<Shape> InferCollectiveBroadcastShape(ShapePointers operand_shapes,
                                                             bool has_dynamic_root = false);
  // In place: input, output, and where in each the data lies.
  static absl::StatusOr<Shape> InferCollectivePermuteShape(ShapePointers operand_shapes,
                                                           bool inplace);
  static absl::StatusOr<Shape> InferCollectivePermuteStartShape(
      ShapePointers operand_shapes, absl::Span<const Shape> context_shapes, bool inplace);
  static absl::StatusOr<Shape> InferCollectivePermuteDoneShape(const Shape& operand_shape);
};

}  // namespace xla

#endif  // XLA_SERVICE_SHAPE_INFERENCE_H_

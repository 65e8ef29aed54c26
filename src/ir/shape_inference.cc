// ShapeInference: the rules of ir/ops, asked by name.
#include "xla/service/shape_inference.h"

#include "base/status_macros.h"
#include "ir/dimension_numbers.h"
#include "ir/op_info.h"
#include "ir/ops/rule.h"
#include "ir/records.h"
#include "ir/requested_shapes.h"
#include "ir/shape_rules.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using ShapePointers = ShapeInference::ShapePointers;
using shape_rules::MaybeTuple;

// The operation before it is one. Without a record the attributes are the defaults.
struct Question {
  HloOpcode opcode;
  ShapePointers operands;
  const Attributes* attributes = nullptr;
  absl::Span<const ProgramShape* const> callees = {};
  const Shape* declared = nullptr;
};

absl::StatusOr<Shape> Infer(const Question& question) {
  for (const Shape* operand : question.operands) {
    HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(*operand));
  }
  std::unique_ptr<Attributes> defaults;
  if (question.attributes == nullptr) defaults = GetOpInfo(question.opcode).make_attributes();
  return InferShape({question.opcode, question.operands,
                     defaults != nullptr ? defaults.get() : question.attributes, question.callees,
                     question.declared});
}

std::vector<const Shape*> ShapesOf(absl::Span<const HloInstruction* const> instructions) {
  std::vector<const Shape*> shapes;
  for (const HloInstruction* instruction : instructions) shapes.push_back(&instruction->shape());
  return shapes;
}

std::vector<const Shape*> Joined(ShapePointers first, absl::Span<const Shape> second) {
  std::vector<const Shape*> all(first.begin(), first.end());
  for (const Shape& shape : second) all.push_back(&shape);
  return all;
}

Shape ScalarOf(const Shape& shape) {
  return Shape(shape.IsArray() ? shape.element_type() : PRIMITIVE_TYPE_INVALID);
}

// (T_0.., T_0..) -> T_0, or a tuple of them: what combines elements of these arrays.
ProgramShape CombinerOf(ShapePointers arrays) {
  ProgramShape combiner;
  std::vector<Shape> scalars;
  for (const Shape* array : arrays) scalars.push_back(ScalarOf(*array));
  for (int side = 0; side < 2; ++side) {
    for (const Shape& scalar : scalars) combiner.AddParameter(scalar, "");
  }
  *combiner.mutable_result() = MaybeTuple(std::move(scalars));
  return combiner;
}

// The rule's result in another element type, where one is asked for.
absl::StatusOr<Shape> InferOfType(Question question, std::optional<PrimitiveType> type) {
  HILO_ASSIGN_OR_RETURN(Shape shape, Infer(question));
  if (!type.has_value()) return shape;
  if (!primitive_util::IsArrayType(*type)) {
    return InvalidArgument("%s: the preferred element type %s is not one of arrays",
                           HloOpcodeString(question.opcode),
                           primitive_util::LowercasePrimitiveTypeName(*type));
  }
  shape.set_element_type(*type);
  question.declared = &shape;
  return Infer(question);
}

// The dimensions of the operand with another element type, as the declared shape of a conversion.
absl::StatusOr<Shape> Converted(HloOpcode opcode, ShapePointers operands, PrimitiveType type) {
  if (!primitive_util::IsArrayType(type)) {
    return InvalidArgument("%s: %s cannot be converted to %s", HloOpcodeString(opcode),
                           ShapeUtil::HumanString(*operands[0]),
                           primitive_util::LowercasePrimitiveTypeName(type));
  }
  Shape declared(type);
  if (operands[0]->IsArrayExcludingBuffer()) {
    declared = shape_rules::WithElementType(*operands[0], type);
  }
  return Infer({opcode, operands, nullptr, {}, &declared});
}

}  // namespace

// Element-wise.

absl::StatusOr<Shape> ShapeInference::InferUnaryOpShape(HloOpcode opcode, const Shape& shape) {
  return Infer({opcode, {&shape}});
}

absl::StatusOr<Shape> ShapeInference::InferUnaryOpShape(HloOpcode opcode,
                                                        const HloInstruction* operand) {
  return InferUnaryOpShape(opcode, operand->shape());
}

absl::StatusOr<Shape> ShapeInference::InferBinaryOpShape(
    HloOpcode opcode, const Shape& lhs, const Shape& rhs,
    absl::Span<const int64_t> broadcast_dimensions) {
  if (!lhs.IsArrayExcludingBuffer() || !rhs.IsArrayExcludingBuffer()) {
    return Infer({opcode, {&lhs, &rhs}});
  }
  HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(lhs));
  HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(rhs));
  HILO_ASSIGN_OR_RETURN(const Shape common,
                        BroadcastShapes(opcode, lhs, rhs, broadcast_dimensions));
  const Shape left = shape_rules::WithElementType(common, lhs.element_type());
  const Shape right = shape_rules::WithElementType(common, rhs.element_type());
  return Infer({opcode, {&left, &right}});
}

absl::StatusOr<Shape> ShapeInference::InferBinaryOpShape(HloOpcode opcode,
                                                         const HloInstruction* lhs,
                                                         const HloInstruction* rhs) {
  return InferBinaryOpShape(opcode, lhs->shape(), rhs->shape(), {});
}

absl::StatusOr<Shape> ShapeInference::InferTernaryOpShape(HloOpcode opcode, const Shape& lhs,
                                                          const Shape& rhs, const Shape& ehs) {
  return Infer({opcode, {&lhs, &rhs, &ehs}});
}

absl::StatusOr<Shape> ShapeInference::InferTernaryOpShape(HloOpcode opcode,
                                                          const HloInstruction* lhs,
                                                          const HloInstruction* rhs,
                                                          const HloInstruction* ehs) {
  return InferTernaryOpShape(opcode, lhs->shape(), rhs->shape(), ehs->shape());
}

absl::StatusOr<Shape> ShapeInference::InferVariadicOpShape(HloOpcode opcode,
                                                           ShapePointers operand_shapes) {
  if (opcode != HloOpcode::kSort) return Infer({opcode, operand_shapes});
  ProgramShape comparator;
  for (const Shape* shape : operand_shapes) {
    for (int side = 0; side < 2; ++side) comparator.AddParameter(ScalarOf(*shape), "");
  }
  *comparator.mutable_result() = Shape(PRED);
  return Infer({opcode, operand_shapes, nullptr, {&comparator}});
}

absl::StatusOr<Shape> ShapeInference::InferVariadicOpShape(
    HloOpcode opcode, absl::Span<const HloInstruction* const> operands) {
  return InferVariadicOpShape(opcode, ShapesOf(operands));
}

absl::StatusOr<Shape> ShapeInference::InferConvertShape(const Shape& operand_shape,
                                                        PrimitiveType new_element_type) {
  return Converted(HloOpcode::kConvert, {&operand_shape}, new_element_type);
}

absl::StatusOr<Shape> ShapeInference::InferBitcastConvertShape(const Shape& operand_shape,
                                                               PrimitiveType new_element_type) {
  return Converted(HloOpcode::kBitcastConvert, {&operand_shape}, new_element_type);
}

absl::StatusOr<Shape> ShapeInference::InferStochasticConvertShape(const Shape& operand_shape,
                                                                  const Shape& random_shape,
                                                                  PrimitiveType new_element_type) {
  return Converted(HloOpcode::kStochasticConvert, {&operand_shape, &random_shape},
                   new_element_type);
}

absl::StatusOr<Shape> ShapeInference::InferReducePrecisionShape(const Shape& operand_shape,
                                                                int exponent_bits,
                                                                int mantissa_bits) {
  ReducePrecisionAttributes attributes;
  attributes.exponent_bits = exponent_bits;
  attributes.mantissa_bits = mantissa_bits;
  return Infer({HloOpcode::kReducePrecision, {&operand_shape}, &attributes});
}

// Movement of elements.

absl::StatusOr<Shape> ShapeInference::InferTransposeShape(const Shape& operand,
                                                          absl::Span<const int64_t> dimensions) {
  DimensionsAttributes attributes;
  attributes.dimensions = ToInt64List(dimensions);
  return Infer({HloOpcode::kTranspose, {&operand}, &attributes});
}

absl::StatusOr<Shape> ShapeInference::InferReverseShape(const Shape& operand_shape,
                                                        absl::Span<const int64_t> dimensions) {
  DimensionsAttributes attributes;
  attributes.dimensions = ToInt64List(dimensions);
  return Infer({HloOpcode::kReverse, {&operand_shape}, &attributes});
}

absl::StatusOr<Shape> ShapeInference::InferConcatOpShape(ShapePointers arg_shapes,
                                                         int64_t dimension) {
  OneDimensionAttributes attributes;
  attributes.dimension = dimension;
  return Infer({HloOpcode::kConcatenate, arg_shapes, &attributes});
}

absl::StatusOr<Shape> ShapeInference::InferPadShape(const Shape& operand_shape,
                                                    const Shape& padding_value_shape,
                                                    const PaddingConfig& padding_config) {
  PadAttributes attributes;
  attributes.padding = padding_config;
  return Infer({HloOpcode::kPad, {&operand_shape, &padding_value_shape}, &attributes});
}

absl::StatusOr<Shape> ShapeInference::InferSliceShape(const Shape& arg,
                                                      absl::Span<const int64_t> starts,
                                                      absl::Span<const int64_t> limits,
                                                      absl::Span<const int64_t> strides) {
  if (starts.size() != limits.size() || starts.size() != strides.size()) {
    return InvalidArgument("slice: %d starts, %d limits and %d strides must be equally many",
                           starts.size(), limits.size(), strides.size());
  }
  SliceAttributes attributes;
  for (size_t i = 0; i < starts.size(); ++i) {
    attributes.ranges.push_back({starts[i], limits[i], strides[i]});
  }
  return Infer({HloOpcode::kSlice, {&arg}, &attributes});
}

namespace {

absl::Status ExpectScalarIndices(absl::Span<const Shape> start_index_shapes, bool allow_scalars) {
  if (allow_scalars) return absl::OkStatus();
  if (start_index_shapes.size() == 1 && start_index_shapes[0].dimensions_size() == 1) {
    return absl::OkStatus();
  }
  return InvalidArgument("dynamic slice: the start indices must be one vector");
}

}  // namespace

absl::StatusOr<Shape> ShapeInference::InferDynamicSliceShape(
    const Shape& operand_shape, absl::Span<const Shape> start_index_shapes,
    absl::Span<const int64_t> slice_sizes, bool allow_scalar_indices) {
  HILO_RETURN_IF_ERROR(ExpectScalarIndices(start_index_shapes, allow_scalar_indices));
  DynamicSliceAttributes attributes;
  attributes.slice_sizes = ToInt64List(slice_sizes);
  return Infer(
      {HloOpcode::kDynamicSlice, Joined({&operand_shape}, start_index_shapes), &attributes});
}

absl::StatusOr<Shape> ShapeInference::InferDynamicUpdateSliceShape(
    const Shape& operand_shape, const Shape& update_shape,
    absl::Span<const Shape> start_index_shapes, bool allow_scalar_indices) {
  HILO_RETURN_IF_ERROR(ExpectScalarIndices(start_index_shapes, allow_scalar_indices));
  return Infer({HloOpcode::kDynamicUpdateSlice,
                Joined({&operand_shape, &update_shape}, start_index_shapes)});
}

absl::StatusOr<Shape> ShapeInference::InferGatherShape(
    const Shape& input_shape, const Shape& start_indices_shape,
    const GatherDimensionNumbers& gather_dim_numbers, absl::Span<const int64_t> slice_sizes) {
  GatherAttributes attributes;
  SetDimensions(gather_dim_numbers, slice_sizes, attributes);
  return Infer({HloOpcode::kGather, {&input_shape, &start_indices_shape}, &attributes});
}

absl::StatusOr<Shape> ShapeInference::InferScatterShape(
    ShapePointers arg_shapes, const ProgramShape& to_apply_shape,
    const ScatterDimensionNumbers& scatter_dim_numbers) {
  ScatterAttributes attributes;
  SetDimensions(scatter_dim_numbers, attributes);
  return Infer({HloOpcode::kScatter, arg_shapes, &attributes, {&to_apply_shape}});
}

absl::StatusOr<Shape> ShapeInference::InferGetDimensionSizeShape(const Shape& shape,
                                                                 int64_t dimension) {
  OneDimensionAttributes attributes;
  attributes.dimension = dimension;
  return Infer({HloOpcode::kGetDimensionSize, {&shape}, &attributes});
}

absl::StatusOr<Shape> ShapeInference::InferSetDimensionSizeShape(const Shape& operand_shape,
                                                                 const Shape& val_shape,
                                                                 int64_t dimension) {
  OneDimensionAttributes attributes;
  attributes.dimension = dimension;
  return Infer({HloOpcode::kSetDimensionSize, {&operand_shape, &val_shape}, &attributes});
}

// Reductions and windows.

absl::StatusOr<Shape> ShapeInference::InferMapShape(ShapePointers arg_shapes,
                                                    const ProgramShape& to_apply,
                                                    absl::Span<const int64_t> dimensions) {
  MapAttributes attributes;
  attributes.dimensions = ToInt64List(dimensions);
  return Infer({HloOpcode::kMap, arg_shapes, &attributes, {&to_apply}});
}

absl::StatusOr<Shape> ShapeInference::InferReduceShape(
    ShapePointers arg_shapes, absl::Span<const int64_t> dimensions_to_reduce,
    const ProgramShape& to_apply) {
  DimensionsAttributes attributes;
  attributes.dimensions = ToInt64List(dimensions_to_reduce);
  return Infer({HloOpcode::kReduce, arg_shapes, &attributes, {&to_apply}});
}

absl::StatusOr<Shape> ShapeInference::InferReduceWindowShape(const Shape& operand_shape,
                                                             const Shape& init_value,
                                                             const Window& window) {
  return InferReduceWindowShape(operand_shape, init_value, window, CombinerOf({&operand_shape}));
}

absl::StatusOr<Shape> ShapeInference::InferReduceWindowShape(const Shape& operand_shape,
                                                             const Shape& init_value_shape,
                                                             const Window& window,
                                                             const ProgramShape& to_apply_shape) {
  return InferReduceWindowShape(ShapePointers({&operand_shape}), ShapePointers({&init_value_shape}),
                                window, to_apply_shape);
}

absl::StatusOr<Shape> ShapeInference::InferReduceWindowShape(ShapePointers operands,
                                                             ShapePointers init_values,
                                                             const Window& window,
                                                             const ProgramShape& to_apply_shape) {
  WindowAttributes attributes;
  attributes.window = window;
  std::vector<const Shape*> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  return Infer({HloOpcode::kReduceWindow, all, &attributes, {&to_apply_shape}});
}

absl::StatusOr<Shape> ShapeInference::InferSelectAndScatterShape(
    const Shape& operand_shape, const ProgramShape& select_shape, const Window& window,
    const Shape& source_shape, const Shape& init_value_shape, const ProgramShape& scatter_shape) {
  WindowAttributes attributes;
  attributes.window = window;
  return Infer({HloOpcode::kSelectAndScatter,
                {&operand_shape, &source_shape, &init_value_shape},
                &attributes,
                {&select_shape, &scatter_shape}});
}

absl::StatusOr<Shape> ShapeInference::InferTopKShape(const Shape& operand_shape, int64_t k) {
  TopKAttributes attributes;
  attributes.k = k;
  return Infer({HloOpcode::kTopK, {&operand_shape}, &attributes});
}

// Products, transforms, normalisation.

absl::StatusOr<Shape> ShapeInference::InferDotOpShape(
    const Shape& lhs, const Shape& rhs, const DotDimensionNumbers& dimension_numbers,
    std::optional<PrimitiveType> preferred_element_type) {
  DotAttributes attributes;
  SetDimensions(dimension_numbers, attributes);
  return InferOfType({HloOpcode::kDot, {&lhs, &rhs}, &attributes}, preferred_element_type);
}

absl::StatusOr<Shape> ShapeInference::InferRaggedDotOpShape(
    const Shape& lhs, const Shape& rhs, const Shape& group_sizes,
    const RaggedDotDimensionNumbers& ragged_dot_dim_nums,
    std::optional<PrimitiveType> preferred_element_type) {
  RaggedDotAttributes attributes;
  SetDimensions(ragged_dot_dim_nums, attributes);
  return InferOfType({HloOpcode::kRaggedDot, {&lhs, &rhs, &group_sizes}, &attributes},
                     preferred_element_type);
}

absl::StatusOr<Shape> ShapeInference::InferConvolveShape(
    const Shape& lhs, const Shape& rhs, int64_t feature_group_count, int64_t batch_group_count,
    const Window& window, const ConvolutionDimensionNumbers& dimension_numbers,
    const SparsityConfig& sparsity_config, std::optional<PrimitiveType> preferred_element_type,
    ConvolutionKind convolution_kind) {
  ConvolutionAttributes attributes;
  attributes.window = window;
  attributes.dimension_numbers = dimension_numbers;
  attributes.feature_group_count = feature_group_count;
  attributes.batch_group_count = batch_group_count;
  attributes.kind = convolution_kind;
  attributes.sparsity = sparsity_config;
  return InferOfType({HloOpcode::kConvolution, {&lhs, &rhs}, &attributes}, preferred_element_type);
}

absl::StatusOr<Shape> ShapeInference::InferFftShape(const Shape& in, FftType fft_type,
                                                    absl::Span<const int64_t> fft_length) {
  FftAttributes attributes;
  attributes.fft_type = fft_type;
  attributes.fft_length = ToInt64List(fft_length);
  return Infer({HloOpcode::kFft, {&in}, &attributes});
}

absl::StatusOr<Shape> ShapeInference::InferCholeskyShape(const Shape& a) {
  return Infer({HloOpcode::kCholesky, {&a}});
}

absl::StatusOr<Shape> ShapeInference::InferTriangularSolveShape(
    const Shape& a, const Shape& b, const TriangularSolveOptions& options) {
  TriangularSolveAttributes attributes;
  attributes.left_side = options.left_side();
  attributes.lower = options.lower();
  attributes.unit_diagonal = options.unit_diagonal();
  attributes.transpose_a = options.transpose_a();
  return Infer({HloOpcode::kTriangularSolve, {&a, &b}, &attributes});
}

absl::StatusOr<Shape> ShapeInference::InferBatchNormTrainingShape(const Shape& operand_shape,
                                                                  const Shape& scale_shape,
                                                                  const Shape& offset_shape,
                                                                  int64_t feature_index) {
  BatchNormAttributes attributes;
  attributes.feature_index = feature_index;
  return Infer(
      {HloOpcode::kBatchNormTraining, {&operand_shape, &scale_shape, &offset_shape}, &attributes});
}

absl::StatusOr<Shape> ShapeInference::InferBatchNormInferenceShape(
    const Shape& operand_shape, const Shape& scale_shape, const Shape& offset_shape,
    const Shape& mean_shape, const Shape& variance_shape, int64_t feature_index) {
  BatchNormAttributes attributes;
  attributes.feature_index = feature_index;
  return Infer({HloOpcode::kBatchNormInference,
                {&operand_shape, &scale_shape, &offset_shape, &mean_shape, &variance_shape},
                &attributes});
}

absl::StatusOr<Shape> ShapeInference::InferBatchNormGradShape(
    const Shape& operand_shape, const Shape& scale_shape, const Shape& mean_shape,
    const Shape& var_shape, const Shape& output_grad_shape, int64_t feature_index) {
  BatchNormAttributes attributes;
  attributes.feature_index = feature_index;
  return Infer({HloOpcode::kBatchNormGrad,
                {&operand_shape, &scale_shape, &mean_shape, &var_shape, &output_grad_shape},
                &attributes});
}

// Tuples, control flow, calls.

absl::StatusOr<Shape> ShapeInference::InferGetTupleElementShape(const Shape& arg, int64_t index) {
  GetTupleElementAttributes attributes;
  attributes.index = index;
  return Infer({HloOpcode::kGetTupleElement, {&arg}, &attributes});
}

absl::StatusOr<Shape> ShapeInference::InferWhileShape(const ProgramShape& condition,
                                                      const ProgramShape& body, const Shape& init) {
  return Infer({HloOpcode::kWhile, {&init}, nullptr, {&body, &condition}});
}

absl::StatusOr<Shape> ShapeInference::InferConditionalShape(
    const Shape& branch_index, absl::Span<const ProgramShape> branch_computations,
    absl::Span<const Shape> branch_operands) {
  std::vector<const ProgramShape*> branches;
  for (const ProgramShape& branch : branch_computations) branches.push_back(&branch);
  return Infer(
      {HloOpcode::kConditional, Joined({&branch_index}, branch_operands), nullptr, branches});
}

absl::StatusOr<Shape> ShapeInference::InferCallShape(ShapePointers arg_shapes,
                                                     const ProgramShape& to_apply) {
  return Infer({HloOpcode::kCall, arg_shapes, nullptr, {&to_apply}});
}

// Collectives.

absl::StatusOr<Shape> ShapeInference::InferAllGatherShape(ShapePointers operand_shapes,
                                                          int64_t all_gather_dimension,
                                                          int64_t shard_count) {
  HILO_ASSIGN_OR_RETURN(const Shape gathered,
                        ShardedShapes(HloOpcode::kAllGather, operand_shapes, all_gather_dimension,
                                      /*factor=*/shard_count, /*divisor=*/1));
  AllGatherAttributes attributes;
  attributes.dimension = all_gather_dimension;
  return Infer({HloOpcode::kAllGather, operand_shapes, &attributes, {}, &gathered});
}

absl::StatusOr<Shape> ShapeInference::InferAllGatherStartShape(ShapePointers operand_shapes,
                                                               int64_t all_gather_dimension,
                                                               int64_t shard_count) {
  HILO_ASSIGN_OR_RETURN(Shape gathered,
                        InferAllGatherShape(operand_shapes, all_gather_dimension, shard_count));
  return ShapeUtil::MakeTupleShape({ShapesTogether(operand_shapes), std::move(gathered)});
}

absl::StatusOr<Shape> ShapeInference::InferAllGatherDoneShape(const Shape& all_gather_start_shape) {
  return Infer({HloOpcode::kAllGatherDone, {&all_gather_start_shape}});
}

absl::StatusOr<Shape> ShapeInference::InferAllReduceShape(ShapePointers operand_shapes) {
  const ProgramShape combiner = CombinerOf(operand_shapes);
  return Infer({HloOpcode::kAllReduce, operand_shapes, nullptr, {&combiner}});
}

absl::StatusOr<Shape> ShapeInference::InferAllReduceStartShape(ShapePointers operand_shapes) {
  return InferAllReduceShape(operand_shapes);
}

absl::StatusOr<Shape> ShapeInference::InferAllReduceDoneShape(const Shape& operand_shape) {
  return Infer({HloOpcode::kAllReduceDone, {&operand_shape}});
}

absl::StatusOr<Shape> ShapeInference::InferReduceScatterShape(ShapePointers operand_shapes,
                                                              int64_t scatter_dimension,
                                                              int64_t shard_count) {
  HILO_ASSIGN_OR_RETURN(const Shape shards,
                        ShardedShapes(HloOpcode::kReduceScatter, operand_shapes, scatter_dimension,
                                      /*factor=*/1, /*divisor=*/shard_count));
  ReduceScatterAttributes attributes;
  attributes.dimension = scatter_dimension;
  const ProgramShape combiner = CombinerOf(operand_shapes);
  return Infer({HloOpcode::kReduceScatter, operand_shapes, &attributes, {&combiner}, &shards});
}

absl::StatusOr<Shape> ShapeInference::InferAllToAllShape(const Shape& shape,
                                                         int64_t split_dimension,
                                                         int64_t concat_dimension,
                                                         int64_t split_count) {
  HILO_ASSIGN_OR_RETURN(const Shape part,
                        ShardedShapes(HloOpcode::kAllToAll, {&shape}, split_dimension,
                                      /*factor=*/1, /*divisor=*/split_count));
  return ShardedShapes(HloOpcode::kAllToAll, {&part}, concat_dimension, /*factor=*/split_count,
                       /*divisor=*/1);
}

absl::StatusOr<Shape> ShapeInference::InferAllToAllTupleShape(ShapePointers operand_shapes) {
  for (const Shape* shape : operand_shapes) {
    if (shape->is_dynamic()) {
      return InvalidArgument("all-to-all: parts with dynamic sizes cannot be exchanged: %s",
                             ShapeUtil::HumanString(*shape));
    }
  }
  return Infer({HloOpcode::kAllToAll, operand_shapes});
}

absl::StatusOr<Shape> ShapeInference::InferRaggedAllToAllShape(ShapePointers operand_shapes) {
  return Infer({HloOpcode::kRaggedAllToAll, operand_shapes});
}

absl::StatusOr<Shape> ShapeInference::InferCollectiveBroadcastShape(ShapePointers operand_shapes,
                                                                    bool has_dynamic_root) {
  CollectiveBroadcastAttributes attributes;
  attributes.has_dynamic_root = has_dynamic_root;
  return Infer({HloOpcode::kCollectiveBroadcast, operand_shapes, &attributes});
}

namespace {

CollectivePermuteAttributes PermuteAttributes(bool inplace) {
  CollectivePermuteAttributes attributes;
  if (inplace) attributes.slice_sizes.emplace_back();
  return attributes;
}

}  // namespace

absl::StatusOr<Shape> ShapeInference::InferCollectivePermuteShape(ShapePointers operand_shapes,
                                                                  bool inplace) {
  const CollectivePermuteAttributes attributes = PermuteAttributes(inplace);
  return Infer({HloOpcode::kCollectivePermute, operand_shapes, &attributes});
}

absl::StatusOr<Shape> ShapeInference::InferCollectivePermuteStartShape(
    ShapePointers operand_shapes, absl::Span<const Shape> context_shapes, bool inplace) {
  HILO_ASSIGN_OR_RETURN(Shape permuted, InferCollectivePermuteShape(operand_shapes, inplace));
  std::vector<Shape> parts = {inplace ? Shape(*operand_shapes[0]) : ShapesTogether(operand_shapes),
                              std::move(permuted)};
  parts.insert(parts.end(), context_shapes.begin(), context_shapes.end());
  return ShapeUtil::MakeTupleShape(parts);
}

absl::StatusOr<Shape> ShapeInference::InferCollectivePermuteDoneShape(const Shape& operand_shape) {
  return Infer({HloOpcode::kCollectivePermuteDone, {&operand_shape}});
}

}  // namespace xla

// The named factories of HloInstruction, each a line over Create; hlo_instruction_factories_calls.cc has those of calls,
// transfers and collectives.
#include <utility>

#include "absl/log/check.h"
#include "ir/graph.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {
namespace {

using Instructions = absl::Span<HloInstruction* const>;

Int64List ToList(absl::Span<const int64_t> values) { return {values.begin(), values.end()}; }

template <typename Numbers>
Int64List ToList(const Numbers& values) {
  return {values.begin(), values.end()};
}

std::vector<HloInstruction*> Concatenated(Instructions first, Instructions second) {
  std::vector<HloInstruction*> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

std::unique_ptr<DimensionsAttributes> Dimensions(absl::Span<const int64_t> dimensions) {
  auto attributes = std::make_unique<DimensionsAttributes>();
  attributes->dimensions = ToList(dimensions);
  return attributes;
}

}  // namespace

std::unique_ptr<HloInstruction> HloInstruction::CreateParameter(int64_t parameter_number,
                                                                const Shape& shape,
                                                                absl::string_view name) {
  auto attributes = std::make_unique<ParameterAttributes>();
  attributes->parameter_number = parameter_number;
  auto parameter = Create(HloOpcode::kParameter, shape, {}, std::move(attributes));
  parameter->SetAndSanitizeName(name);
  return parameter;
}

std::unique_ptr<HloInstruction> HloInstruction::CreateConstant(Literal literal) {
  auto attributes = std::make_unique<ConstantAttributes>();
  attributes->literal = std::make_shared<const Literal>(std::move(literal));
  Shape shape = attributes->literal->shape();
  return Create(HloOpcode::kConstant, std::move(shape), {}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateIota(const Shape& shape,
                                                           int64_t iota_dimension) {
  auto attributes = std::make_unique<IotaAttributes>();
  attributes->iota_dimension = iota_dimension;
  return Create(HloOpcode::kIota, shape, {}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateGetTupleElement(const Shape& shape,
                                                                      HloInstruction* operand,
                                                                      int64_t index) {
  auto attributes = std::make_unique<GetTupleElementAttributes>();
  attributes->index = index;
  return Create(HloOpcode::kGetTupleElement, shape, {operand}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateGetTupleElement(HloInstruction* operand,
                                                                      int64_t index) {
  return CreateGetTupleElement(operand->shape().tuple_shapes(static_cast<int>(index)), operand,
                               index);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateUnary(
    const Shape& shape, HloOpcode opcode, HloInstruction* operand,
    std::optional<ResultAccuracy> result_accuracy) {
  auto instruction = Create(opcode, shape, {operand});
  if (result_accuracy.has_value()) {
    CHECK_OK(CheckResultAccuracy(*result_accuracy)) << "Invalid result accuracy";
    instruction->set_result_accuracy(*std::move(result_accuracy));
  }
  return instruction;
}

std::unique_ptr<HloInstruction> HloInstruction::CreateBinary(const Shape& shape, HloOpcode opcode,
                                                             HloInstruction* lhs,
                                                             HloInstruction* rhs) {
  return Create(opcode, shape, {lhs, rhs});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateTernary(const Shape& shape, HloOpcode opcode,
                                                              HloInstruction* lhs,
                                                              HloInstruction* rhs,
                                                              HloInstruction* ehs) {
  return Create(opcode, shape, {lhs, rhs, ehs});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateVariadic(const Shape& shape, HloOpcode opcode,
                                                               Instructions operands) {
  return Create(opcode, shape, operands);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCompare(
    const Shape& shape, HloInstruction* lhs, HloInstruction* rhs, Comparison::Direction direction,
    std::optional<Comparison::Type> type) {
  auto attributes = std::make_unique<CompareAttributes>();
  attributes->direction = static_cast<int>(direction);
  if (type.has_value() &&
      *type != Comparison::DefaultComparisonType(lhs->shape().element_type())) {
    attributes->type = static_cast<int>(*type);
  }
  return Create(HloOpcode::kCompare, shape, {lhs, rhs}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateStochasticConvert(const Shape& shape,
                                                                        HloInstruction* operand,
                                                                        HloInstruction* random) {
  return Create(HloOpcode::kStochasticConvert, shape, {operand, random});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateBitcast(const Shape& shape,
                                                              HloInstruction* operand) {
  return Create(HloOpcode::kBitcast, shape, {operand});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateReducePrecision(const Shape& shape,
                                                                      HloInstruction* operand,
                                                                      int exponent_bits,
                                                                      int mantissa_bits) {
  auto attributes = std::make_unique<ReducePrecisionAttributes>();
  attributes->exponent_bits = exponent_bits;
  attributes->mantissa_bits = mantissa_bits;
  return Create(HloOpcode::kReducePrecision, shape, {operand}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateConvert(const Shape& shape,
                                                              HloInstruction* operand) {
  return Create(HloOpcode::kConvert, shape, {operand});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateBitcastConvert(const Shape& shape,
                                                                     HloInstruction* operand) {
  return Create(HloOpcode::kBitcastConvert, shape, {operand});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateSlice(
    const Shape& shape, HloInstruction* operand, absl::Span<const int64_t> start_indices,
    absl::Span<const int64_t> limit_indices, absl::Span<const int64_t> strides) {
  auto attributes = std::make_unique<SliceAttributes>();
  for (size_t i = 0; i < start_indices.size(); ++i) {
    attributes->ranges.push_back({start_indices[i], limit_indices[i], strides[i]});
  }
  return Create(HloOpcode::kSlice, shape, {operand}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateDynamicSlice(
    const Shape& shape, HloInstruction* operand, Instructions start_indices,
    absl::Span<const int64_t> slice_sizes) {
  auto attributes = std::make_unique<DynamicSliceAttributes>();
  attributes->slice_sizes = ToList(slice_sizes);
  return Create(HloOpcode::kDynamicSlice, shape, Concatenated({operand}, start_indices),
                std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateDynamicUpdateSlice(
    const Shape& shape, HloInstruction* operand, HloInstruction* update,
    Instructions start_indices) {
  return Create(HloOpcode::kDynamicUpdateSlice, shape,
                Concatenated({operand, update}, start_indices));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateConcatenate(const Shape& shape,
                                                                  Instructions operands,
                                                                  int64_t dimension) {
  auto attributes = std::make_unique<OneDimensionAttributes>();
  attributes->dimension = dimension;
  return Create(HloOpcode::kConcatenate, shape, operands, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateReduce(
    const Shape& shape, HloInstruction* operand, HloInstruction* init_value,
    absl::Span<const int64_t> dimensions_to_reduce, HloComputation* reduce_computation) {
  return CreateReduce(shape, Instructions({operand}), Instructions({init_value}),
                      dimensions_to_reduce, reduce_computation);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateReduce(
    const Shape& shape, Instructions operands, Instructions init_values,
    absl::Span<const int64_t> dimensions_to_reduce, HloComputation* reduce_computation) {
  return Create(HloOpcode::kReduce, shape, Concatenated(operands, init_values),
                Dimensions(dimensions_to_reduce), {reduce_computation});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateReduce(
    const Shape& shape, HloInstruction* tuple_of_instructions, Instructions init_values,
    absl::Span<const int64_t> dimensions_to_reduce, HloComputation* reduce_computation) {
  if (!tuple_of_instructions->shape().IsTuple()) {
    return CreateReduce(shape, Instructions({tuple_of_instructions}), init_values,
                        dimensions_to_reduce, reduce_computation);
  }
  std::vector<HloInstruction*> arrays;
  for (int64_t i = 0; i < tuple_of_instructions->shape().tuple_shapes_size(); ++i) {
    arrays.push_back(
        tuple_of_instructions->AddInstruction(CreateGetTupleElement(tuple_of_instructions, i)));
  }
  return CreateReduce(shape, arrays, init_values, dimensions_to_reduce, reduce_computation);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateScan(const Shape& shape, Instructions inputs,
                                                           Instructions inits,
                                                           HloComputation* to_apply,
                                                           int64_t scan_dimension, bool is_reverse,
                                                           TriState is_associative) {
  auto attributes = std::make_unique<ScanAttributes>();
  attributes->dimension = scan_dimension;
  attributes->num_carries = static_cast<int64_t>(inits.size());
  attributes->is_reverse = is_reverse;
  attributes->is_associative = is_associative;
  return Create(HloOpcode::kScan, shape, Concatenated(inputs, inits), std::move(attributes),
                {to_apply});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateSelectAndScatter(
    const Shape& shape, HloInstruction* operand, HloComputation* select, const Window& window,
    HloInstruction* source, HloInstruction* init_value, HloComputation* scatter) {
  auto attributes = std::make_unique<WindowAttributes>();
  attributes->window = window;
  return Create(HloOpcode::kSelectAndScatter, shape, {operand, source, init_value},
                std::move(attributes), {select, scatter});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateReduceWindow(
    const Shape& shape, HloInstruction* operand, HloInstruction* init_value, const Window& window,
    HloComputation* reduce_computation) {
  return CreateReduceWindow(shape, Instructions({operand}), Instructions({init_value}), window,
                            reduce_computation);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateReduceWindow(
    const Shape& shape, Instructions operands, Instructions init_values, const Window& window,
    HloComputation* reduce_computation) {
  auto attributes = std::make_unique<WindowAttributes>();
  attributes->window = window;
  return Create(HloOpcode::kReduceWindow, shape, Concatenated(operands, init_values),
                std::move(attributes), {reduce_computation});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateBroadcast(
    const Shape& shape, HloInstruction* operand, absl::Span<const int64_t> broadcast_dimensions) {
  auto attributes = std::make_unique<BroadcastAttributes>();
  attributes->dimensions = ToList(broadcast_dimensions);
  return Create(HloOpcode::kBroadcast, shape, {operand}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateBroadcastSequence(
    const Shape& output_shape, HloInstruction* operand,
    absl::FunctionRef<HloInstruction*(std::unique_ptr<HloInstruction>)> adder) {
  const Shape& from = operand->shape();
  const auto same_type = [&](absl::Span<const int64_t> sizes) {
    return ShapeUtil::MakeShape(from.element_type(), sizes);
  };
  if (ShapeUtil::IsScalar(from)) return CreateBroadcast(same_type(output_shape.dimensions()), operand, {});
  CHECK_EQ(from.dimensions().size(), output_shape.dimensions().size()) << operand->name();
  std::vector<int64_t> kept_sizes;
  std::vector<int64_t> kept_dimensions;
  for (int64_t d = 0; d < static_cast<int64_t>(from.dimensions().size()); ++d) {
    if (from.dimensions(d) != output_shape.dimensions(d)) {
      CHECK_EQ(from.dimensions(d), 1) << operand->name();
      continue;
    }
    kept_sizes.push_back(from.dimensions(d));
    kept_dimensions.push_back(d);
  }
  HloInstruction* reshaped = adder(CreateReshape(same_type(kept_sizes), operand));
  return CreateBroadcast(same_type(output_shape.dimensions()), reshaped, kept_dimensions);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateDynamicReshape(const Shape& shape,
                                                                     HloInstruction* data_operand,
                                                                     Instructions dim_sizes) {
  return Create(HloOpcode::kDynamicReshape, shape, Concatenated({data_operand}, dim_sizes));
}

namespace {
std::unique_ptr<OneDimensionAttributes> OneDimension(int64_t dimension) {
  auto attributes = std::make_unique<OneDimensionAttributes>();
  attributes->dimension = dimension;
  return attributes;
}
}  // namespace

std::unique_ptr<HloInstruction> HloInstruction::CreateGetDimensionSize(const Shape& shape,
                                                                       HloInstruction* operand,
                                                                       int64_t dimension) {
  return Create(HloOpcode::kGetDimensionSize, shape, {operand}, OneDimension(dimension));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateSetDimensionSize(const Shape& shape,
                                                                       HloInstruction* operand,
                                                                       HloInstruction* val,
                                                                       int64_t dimension) {
  return Create(HloOpcode::kSetDimensionSize, shape, {operand, val}, OneDimension(dimension));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateGather(
    const Shape& shape, HloInstruction* operand, HloInstruction* start_indices,
    const GatherDimensionNumbers& gather_dim_numbers, absl::Span<const int64_t> slice_sizes,
    bool indices_are_sorted) {
  auto attributes = std::make_unique<GatherAttributes>();
  attributes->offset_dims = ToList(gather_dim_numbers.offset_dims());
  attributes->collapsed_slice_dims = ToList(gather_dim_numbers.collapsed_slice_dims());
  attributes->start_index_map = ToList(gather_dim_numbers.start_index_map());
  attributes->operand_batching_dims = ToList(gather_dim_numbers.operand_batching_dims());
  attributes->start_indices_batching_dims =
      ToList(gather_dim_numbers.start_indices_batching_dims());
  attributes->index_vector_dim = gather_dim_numbers.index_vector_dim();
  attributes->slice_sizes = ToList(slice_sizes);
  attributes->indices_are_sorted = indices_are_sorted;
  return Create(HloOpcode::kGather, shape, {operand, start_indices}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateScatter(
    const Shape& shape, HloInstruction* operand, HloInstruction* scatter_indices,
    HloInstruction* updates, HloComputation* update_computation,
    const ScatterDimensionNumbers& scatter_dim_numbers, bool indices_are_sorted,
    bool unique_indices) {
  return CreateScatter(shape, Instructions({operand}), scatter_indices, Instructions({updates}),
                       update_computation, scatter_dim_numbers, indices_are_sorted, unique_indices);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateScatter(
    const Shape& shape, Instructions operands, HloInstruction* scatter_indices,
    Instructions updates, HloComputation* update_computation,
    const ScatterDimensionNumbers& scatter_dim_numbers, bool indices_are_sorted,
    bool unique_indices) {
  auto attributes = std::make_unique<ScatterAttributes>();
  attributes->update_window_dims = ToList(scatter_dim_numbers.update_window_dims());
  attributes->inserted_window_dims = ToList(scatter_dim_numbers.inserted_window_dims());
  attributes->scatter_dims_to_operand_dims =
      ToList(scatter_dim_numbers.scatter_dims_to_operand_dims());
  attributes->input_batching_dims = ToList(scatter_dim_numbers.input_batching_dims());
  attributes->scatter_indices_batching_dims =
      ToList(scatter_dim_numbers.scatter_indices_batching_dims());
  attributes->index_vector_dim = scatter_dim_numbers.index_vector_dim();
  attributes->indices_are_sorted = indices_are_sorted;
  attributes->unique_indices = unique_indices;
  return Create(HloOpcode::kScatter, shape,
                Concatenated(Concatenated(operands, {scatter_indices}), updates),
                std::move(attributes), {update_computation});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateReshape(const Shape& shape,
                                                              HloInstruction* operand,
                                                              int64_t inferred_dimension) {
  auto attributes = std::make_unique<ReshapeAttributes>();
  attributes->inferred_dimension = inferred_dimension;
  return Create(HloOpcode::kReshape, shape, {operand}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateTranspose(
    const Shape& shape, HloInstruction* operand, absl::Span<const int64_t> dimensions) {
  return Create(HloOpcode::kTranspose, shape, {operand}, Dimensions(dimensions));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateReverse(
    const Shape& shape, HloInstruction* operand, absl::Span<const int64_t> dimensions) {
  return Create(HloOpcode::kReverse, shape, {operand}, Dimensions(dimensions));
}

std::unique_ptr<HloInstruction> HloInstruction::CreatePad(const Shape& shape,
                                                          HloInstruction* operand,
                                                          HloInstruction* padding_value,
                                                          const PaddingConfig& padding_config) {
  auto attributes = std::make_unique<PadAttributes>();
  attributes->padding = padding_config;
  return Create(HloOpcode::kPad, shape, {operand, padding_value}, std::move(attributes));
}

namespace {

template <typename Record>
std::unique_ptr<Record> Product(const DotDimensionNumbers& numbers,
                                const PrecisionConfig& precision_config) {
  auto attributes = std::make_unique<Record>();
  attributes->lhs_batch = ToList(numbers.lhs_batch_dimensions());
  attributes->lhs_contracting = ToList(numbers.lhs_contracting_dimensions());
  attributes->rhs_batch = ToList(numbers.rhs_batch_dimensions());
  attributes->rhs_contracting = ToList(numbers.rhs_contracting_dimensions());
  attributes->precision = precision_config;
  return attributes;
}

}  // namespace

std::unique_ptr<HloInstruction> HloInstruction::CreateDot(
    const Shape& shape, HloInstruction* lhs, HloInstruction* rhs,
    const DotDimensionNumbers& dimension_numbers, const PrecisionConfig& precision_config) {
  return Create(HloOpcode::kDot, shape, {lhs, rhs},
                Product<DotAttributes>(dimension_numbers, precision_config));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateScaledDot(
    const Shape& shape, HloInstruction* lhs, HloInstruction* rhs, HloInstruction* lhs_scale,
    HloInstruction* rhs_scale, const DotDimensionNumbers& dimension_numbers,
    const PrecisionConfig& precision_config) {
  return Create(HloOpcode::kScaledDot, shape, {lhs, rhs, lhs_scale, rhs_scale},
                Product<DotAttributes>(dimension_numbers, precision_config));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateRaggedDot(
    const Shape& shape, HloInstruction* lhs, HloInstruction* rhs, HloInstruction* group_sizes,
    const RaggedDotDimensionNumbers& dimension_numbers, const PrecisionConfig& precision_config) {
  auto attributes = Product<RaggedDotAttributes>(dimension_numbers.dot_dimension_numbers(),
                                                 precision_config);
  attributes->lhs_ragged = ToList(dimension_numbers.lhs_ragged_dimensions());
  attributes->rhs_group = ToList(dimension_numbers.rhs_group_dimensions());
  return Create(HloOpcode::kRaggedDot, shape, {lhs, rhs, group_sizes}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateConvolve(
    const Shape& shape, HloInstruction* lhs, HloInstruction* rhs, int64_t feature_group_count,
    int64_t batch_group_count, const Window& window,
    const ConvolutionDimensionNumbers& dimension_numbers, const PrecisionConfig& precision_config,
    const SparsityConfig& sparsity_config) {
  auto attributes = std::make_unique<ConvolutionAttributes>();
  attributes->window = window;
  attributes->dimension_numbers = dimension_numbers;
  attributes->feature_group_count = feature_group_count;
  attributes->batch_group_count = batch_group_count;
  attributes->precision = precision_config;
  attributes->sparsity = sparsity_config;
  return Create(HloOpcode::kConvolution, shape, {lhs, rhs}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateFft(const Shape& shape,
                                                          HloInstruction* operand, FftType fft_type,
                                                          absl::Span<const int64_t> fft_length) {
  auto attributes = std::make_unique<FftAttributes>();
  attributes->fft_type = fft_type;
  attributes->fft_length = ToList(fft_length);
  return Create(HloOpcode::kFft, shape, {operand}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateTriangularSolve(
    const Shape& shape, HloInstruction* a, HloInstruction* b,
    const TriangularSolveOptions& options) {
  auto attributes = std::make_unique<TriangularSolveAttributes>();
  attributes->left_side = options.left_side();
  attributes->lower = options.lower();
  attributes->unit_diagonal = options.unit_diagonal();
  attributes->transpose_a = options.transpose_a();
  return Create(HloOpcode::kTriangularSolve, shape, {a, b}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCholesky(const Shape& shape,
                                                               HloInstruction* a,
                                                               const CholeskyOptions& options) {
  auto attributes = std::make_unique<CholeskyAttributes>();
  attributes->lower = options.lower();
  return Create(HloOpcode::kCholesky, shape, {a}, std::move(attributes));
}

namespace {
std::unique_ptr<BatchNormAttributes> BatchNorm(float epsilon, int64_t feature_index) {
  auto attributes = std::make_unique<BatchNormAttributes>();
  attributes->epsilon = epsilon;
  attributes->feature_index = feature_index;
  return attributes;
}
}  // namespace

std::unique_ptr<HloInstruction> HloInstruction::CreateBatchNormTraining(
    const Shape& shape, HloInstruction* operand, HloInstruction* scale, HloInstruction* offset,
    float epsilon, int64_t feature_index) {
  return Create(HloOpcode::kBatchNormTraining, shape, {operand, scale, offset},
                BatchNorm(epsilon, feature_index));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateBatchNormInference(
    const Shape& shape, HloInstruction* operand, HloInstruction* scale, HloInstruction* offset,
    HloInstruction* mean, HloInstruction* variance, float epsilon, int64_t feature_index) {
  return Create(HloOpcode::kBatchNormInference, shape, {operand, scale, offset, mean, variance},
                BatchNorm(epsilon, feature_index));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateBatchNormGrad(
    const Shape& shape, HloInstruction* operand, HloInstruction* scale, HloInstruction* mean,
    HloInstruction* variance, HloInstruction* grad_output, float epsilon, int64_t feature_index) {
  return Create(HloOpcode::kBatchNormGrad, shape, {operand, scale, mean, variance, grad_output},
                BatchNorm(epsilon, feature_index));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateRng(const Shape& shape,
                                                          RandomDistribution distribution,
                                                          Instructions parameters) {
  auto attributes = std::make_unique<RngAttributes>();
  attributes->distribution = distribution;
  return Create(HloOpcode::kRng, shape, parameters, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateRngGetAndUpdateState(const Shape& shape,
                                                                           int64_t delta) {
  auto attributes = std::make_unique<RngGetAndUpdateStateAttributes>();
  attributes->delta = delta;
  return Create(HloOpcode::kRngGetAndUpdateState, shape, {}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateRngBitGenerator(const Shape& shape,
                                                                      HloInstruction* state,
                                                                      RandomAlgorithm algorithm) {
  auto attributes = std::make_unique<RngBitGeneratorAttributes>();
  attributes->algorithm = algorithm;
  return Create(HloOpcode::kRngBitGenerator, shape, {state}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateTopK(const Shape& shape,
                                                           HloInstruction* input, int64_t k,
                                                           bool largest, bool is_stable) {
  auto attributes = std::make_unique<TopKAttributes>();
  attributes->k = k;
  attributes->largest = largest;
  attributes->is_stable = is_stable;
  return Create(HloOpcode::kTopK, shape, {input}, std::move(attributes));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateSort(const Shape& shape, int64_t dimension,
                                                           Instructions operands,
                                                           HloComputation* compare,
                                                           bool is_stable) {
  auto attributes = std::make_unique<SortAttributes>();
  attributes->dimension = dimension;
  attributes->is_stable = is_stable;
  return Create(HloOpcode::kSort, shape, operands, std::move(attributes), {compare});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateMap(const Shape& shape, Instructions operands,
                                                          HloComputation* map_computation) {
  auto attributes = std::make_unique<MapAttributes>();
  for (int64_t i = 0; i < static_cast<int64_t>(shape.dimensions().size()); ++i) {
    attributes->dimensions.push_back(i);
  }
  return Create(HloOpcode::kMap, shape, operands, std::move(attributes), {map_computation});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateWhile(const Shape& shape,
                                                            HloComputation* condition,
                                                            HloComputation* body,
                                                            HloInstruction* init) {
  return Create(HloOpcode::kWhile, shape, {init}, nullptr, {body, condition});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateConditional(
    const Shape& shape, HloInstruction* branch_index,
    absl::Span<HloComputation* const> branch_computations, Instructions branch_computation_args) {
  return Create(HloOpcode::kConditional, shape,
                Concatenated({branch_index}, branch_computation_args), nullptr,
                branch_computations);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateTuple(Instructions elements) {
  std::vector<Shape> shapes;
  for (const HloInstruction* element : elements) shapes.push_back(element->shape());
  return Create(HloOpcode::kTuple, ShapeUtil::MakeTupleShape(shapes), elements);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateAfterAll(Instructions operands) {
  return Create(HloOpcode::kAfterAll, ShapeUtil::MakeTokenShape(), operands);
}

std::unique_ptr<HloInstruction> HloInstruction::CreateToken() { return CreateAfterAll({}); }

}  // namespace xla

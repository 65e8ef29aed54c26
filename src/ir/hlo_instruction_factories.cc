// The named factories of HloInstruction, each a line over Create.
#include <utility>

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
  if (result_accuracy.has_value()) instruction->set_result_accuracy(*std::move(result_accuracy));
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

std::unique_ptr<HloInstruction> HloInstruction::CreateDot(
    const Shape& shape, HloInstruction* lhs, HloInstruction* rhs,
    const DotDimensionNumbers& dimension_numbers, const PrecisionConfig& precision_config) {
  auto attributes = std::make_unique<DotAttributes>();
  attributes->lhs_batch = ToList(dimension_numbers.lhs_batch_dimensions());
  attributes->lhs_contracting = ToList(dimension_numbers.lhs_contracting_dimensions());
  attributes->rhs_batch = ToList(dimension_numbers.rhs_batch_dimensions());
  attributes->rhs_contracting = ToList(dimension_numbers.rhs_contracting_dimensions());
  attributes->operand_precision.assign(precision_config.operand_precision().begin(),
                                       precision_config.operand_precision().end());
  attributes->algorithm = precision_config.algorithm();
  return Create(HloOpcode::kDot, shape, {lhs, rhs}, std::move(attributes));
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

std::unique_ptr<HloInstruction> HloInstruction::CreateCall(const Shape& shape,
                                                           Instructions operands,
                                                           HloComputation* computation) {
  return Create(HloOpcode::kCall, shape, operands, nullptr, {computation});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateFusion(const Shape& shape,
                                                             FusionKind fusion_kind,
                                                             Instructions operands,
                                                             HloComputation* fusion_computation) {
  auto attributes = std::make_unique<FusionAttributes>();
  attributes->kind = static_cast<int>(fusion_kind);
  fusion_computation->set_is_fusion(true);
  return Create(HloOpcode::kFusion, shape, operands, std::move(attributes), {fusion_computation});
}

std::unique_ptr<HloInstruction> HloInstruction::CreateCustomCall(
    const Shape& shape, Instructions operands, absl::string_view custom_call_target,
    std::string opaque, CustomCallApiVersion api_version) {
  auto attributes = std::make_unique<CustomCallAttributes>();
  attributes->target = std::string(custom_call_target);
  attributes->api_version = api_version;
  auto call = Create(HloOpcode::kCustomCall, shape, operands, std::move(attributes));
  if (!opaque.empty()) call->set_raw_backend_config_string(std::move(opaque));
  return call;
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

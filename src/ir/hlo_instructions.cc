// The classes of single operations: which operation has which, and what only they offer.
#include "xla/hlo/ir/hlo_instructions.h"

#include <cxxabi.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/log/check.h"
#include "absl/log/log.h"
#include "base/status_macros.h"
#include "ir/attribute_printer.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_casting_utils.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/layout_util.h"
#include "xla/util.h"

namespace xla {
namespace {

template <typename Record>
const Record& Of(const HloInstruction& instruction) {
  return instruction.attributes_as<Record>();
}

template <typename Record>
Record& Of(HloInstruction& instruction) {
  return instruction.mutable_attributes_as<Record>();
}

std::string Demangled(const std::type_info& type) {
  int status = 0;
  char* name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string text = status == 0 ? name : type.name();
  std::free(name);
  return text;
}

}  // namespace

void internal::CastFailed(const HloInstruction& instruction, const std::type_info& target) {
  LOG(FATAL) << "ClassOf: '" << instruction.name() << "' is an " << Demangled(typeid(instruction))
             << ", not an " << Demangled(target);
  std::abort();
}

std::unique_ptr<HloInstruction> HloInstruction::MakeOfClass(HloOpcode opcode, Shape shape) {
  switch (opcode) {
#define HILO_CLASS(Class, name) \
  case HloOpcode::k##name:      \
    return std::make_unique<Class>(Key(), opcode, std::move(shape));
    HILO_CLASS(HloAllGatherInstruction, AllGather)
    HILO_CLASS(HloAllGatherInstruction, AllGatherStart)
    HILO_CLASS(HloAllReduceInstruction, AllReduce)
    HILO_CLASS(HloAllReduceInstruction, AllReduceStart)
    HILO_CLASS(HloAllToAllInstruction, AllToAll)
    HILO_CLASS(HloAsyncDoneInstruction, AsyncDone)
    HILO_CLASS(HloAsyncStartInstruction, AsyncStart)
    HILO_CLASS(HloAsyncUpdateInstruction, AsyncUpdate)
    HILO_CLASS(HloBatchNormGradInstruction, BatchNormGrad)
    HILO_CLASS(HloBatchNormInferenceInstruction, BatchNormInference)
    HILO_CLASS(HloBatchNormTrainingInstruction, BatchNormTraining)
    HILO_CLASS(HloBroadcastInstruction, Broadcast)
    HILO_CLASS(HloCallInstruction, Call)
    HILO_CLASS(HloCholeskyInstruction, Cholesky)
    HILO_CLASS(HloCollectiveBroadcastInstruction, CollectiveBroadcast)
    HILO_CLASS(HloCollectivePermuteInstruction, CollectivePermute)
    HILO_CLASS(HloCollectivePermuteInstruction, CollectivePermuteStart)
    HILO_CLASS(HloCompareInstruction, Compare)
    HILO_CLASS(HloConcatenateInstruction, Concatenate)
    HILO_CLASS(HloConstantInstruction, Constant)
    HILO_CLASS(HloConvolutionInstruction, Convolution)
    HILO_CLASS(HloCopyStartInstruction, CopyStart)
    HILO_CLASS(HloCustomCallInstruction, CustomCall)
    HILO_CLASS(HloDomainInstruction, Domain)
    HILO_CLASS(HloDotInstruction, Dot)
    HILO_CLASS(HloDynamicReshapeInstruction, DynamicReshape)
    HILO_CLASS(HloDynamicSliceInstruction, DynamicSlice)
    HILO_CLASS(HloDynamicUpdateSliceInstruction, DynamicUpdateSlice)
    HILO_CLASS(HloFftInstruction, Fft)
    HILO_CLASS(HloFusionInstruction, Fusion)
    HILO_CLASS(HloGatherInstruction, Gather)
    HILO_CLASS(HloGetDimensionSizeInstruction, GetDimensionSize)
    HILO_CLASS(HloGetTupleElementInstruction, GetTupleElement)
    HILO_CLASS(HloInfeedInstruction, Infeed)
    HILO_CLASS(HloIotaInstruction, Iota)
    HILO_CLASS(HloMapInstruction, Map)
    HILO_CLASS(HloOutfeedInstruction, Outfeed)
    HILO_CLASS(HloPadInstruction, Pad)
    HILO_CLASS(HloParameterInstruction, Parameter)
    HILO_CLASS(HloRaggedAllToAllInstruction, RaggedAllToAll)
    HILO_CLASS(HloRaggedDotInstruction, RaggedDot)
    HILO_CLASS(HloRecvDoneInstruction, RecvDone)
    HILO_CLASS(HloRecvInstruction, Recv)
    HILO_CLASS(HloReduceInstruction, Reduce)
    HILO_CLASS(HloReducePrecisionInstruction, ReducePrecision)
    HILO_CLASS(HloReduceScatterInstruction, ReduceScatter)
    HILO_CLASS(HloReduceWindowInstruction, ReduceWindow)
    HILO_CLASS(HloReshapeInstruction, Reshape)
    HILO_CLASS(HloReverseInstruction, Reverse)
    HILO_CLASS(HloRngBitGeneratorInstruction, RngBitGenerator)
    HILO_CLASS(HloRngGetAndUpdateStateInstruction, RngGetAndUpdateState)
    HILO_CLASS(HloRngInstruction, Rng)
    HILO_CLASS(HloScaledDotInstruction, ScaledDot)
    HILO_CLASS(HloScanInstruction, Scan)
    HILO_CLASS(HloScatterInstruction, Scatter)
    HILO_CLASS(HloSelectAndScatterInstruction, SelectAndScatter)
    HILO_CLASS(HloSendDoneInstruction, SendDone)
    HILO_CLASS(HloSendInstruction, Send)
    HILO_CLASS(HloSetDimensionSizeInstruction, SetDimensionSize)
    HILO_CLASS(HloSliceInstruction, Slice)
    HILO_CLASS(HloSortInstruction, Sort)
    HILO_CLASS(HloTopKInstruction, TopK)
    HILO_CLASS(HloTransposeInstruction, Transpose)
    HILO_CLASS(HloTriangularSolveInstruction, TriangularSolve)
#undef HILO_CLASS
    default:  // Nothing is special about it.
      return std::make_unique<HloInstruction>(Key(), opcode, std::move(shape));
  }
}

// ---- Dimensions ----

void HloSortInstruction::set_sort_dimension(int64_t dimension) {
  Of<SortAttributes>(*this).dimension = dimension;
}

namespace {
void SetRanges(HloInstruction& slice, absl::Span<const int64_t> values,
               int64_t SliceRange::* member) {
  std::vector<SliceRange>& ranges = Of<SliceAttributes>(slice).ranges;
  ranges.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) ranges[i].*member = values[i];
}
}  // namespace

void HloSliceInstruction::set_slice_starts(absl::Span<const int64_t> starts) {
  SetRanges(*this, starts, &SliceRange::start);
}
void HloSliceInstruction::set_slice_limits(absl::Span<const int64_t> limits) {
  SetRanges(*this, limits, &SliceRange::limit);
}
void HloSliceInstruction::set_slice_strides(absl::Span<const int64_t> strides) {
  SetRanges(*this, strides, &SliceRange::stride);
}

// ---- Indexing ----

std::vector<Shape> HloDynamicIndexInstruction::index_shapes() const {
  std::vector<Shape> shapes;
  for (const HloInstruction* index : index_operands()) shapes.push_back(index->shape());
  return shapes;
}

bool HloGatherInstruction::indices_are_sorted() const {
  return Of<GatherAttributes>(*this).indices_are_sorted;
}
void HloGatherInstruction::set_indices_are_sorted(bool indices_are_sorted) {
  Of<GatherAttributes>(*this).indices_are_sorted = indices_are_sorted;
}

namespace {

template <typename Field>
void Assign(absl::Span<const int64_t> values, Field* field) {
  field->Add(values.begin(), values.end());
}

template <typename Field>
std::string Braces(const Field& values) {
  return absl::StrCat("{", absl::StrJoin(values, ","), "}");
}

}  // namespace

GatherDimensionNumbers HloGatherInstruction::MakeGatherDimNumbers(
    absl::Span<const int64_t> offset_dims, absl::Span<const int64_t> collapsed_slice_dims,
    absl::Span<const int64_t> start_index_map, int64_t index_vector_dim,
    absl::Span<const int64_t> operand_batching_dims,
    absl::Span<const int64_t> start_indices_batching_dims) {
  GatherDimensionNumbers numbers;
  Assign(offset_dims, numbers.mutable_offset_dims());
  Assign(collapsed_slice_dims, numbers.mutable_collapsed_slice_dims());
  Assign(start_index_map, numbers.mutable_start_index_map());
  Assign(operand_batching_dims, numbers.mutable_operand_batching_dims());
  Assign(start_indices_batching_dims, numbers.mutable_start_indices_batching_dims());
  numbers.set_index_vector_dim(index_vector_dim);
  return numbers;
}

std::string HloGatherInstruction::GatherDimensionNumbersToString(
    const GatherDimensionNumbers& numbers) {
  std::string text =
      absl::StrCat("offset_dims=", Braces(numbers.offset_dims()),
                   ", collapsed_slice_dims=", Braces(numbers.collapsed_slice_dims()),
                   ", start_index_map=", Braces(numbers.start_index_map()));
  if (numbers.operand_batching_dims_size() > 0) {
    absl::StrAppend(&text, ", operand_batching_dims=", Braces(numbers.operand_batching_dims()),
                    ", start_indices_batching_dims=", Braces(numbers.start_indices_batching_dims()));
  }
  return absl::StrCat(text, ", index_vector_dim=", numbers.index_vector_dim());
}

bool HloScatterInstruction::indices_are_sorted() const {
  return Of<ScatterAttributes>(*this).indices_are_sorted;
}
void HloScatterInstruction::set_indices_are_sorted(bool indices_are_sorted) {
  Of<ScatterAttributes>(*this).indices_are_sorted = indices_are_sorted;
}
bool HloScatterInstruction::unique_indices() const {
  return Of<ScatterAttributes>(*this).unique_indices;
}
void HloScatterInstruction::set_unique_indices(bool unique_indices) {
  Of<ScatterAttributes>(*this).unique_indices = unique_indices;
}

ScatterDimensionNumbers HloScatterInstruction::MakeScatterDimNumbers(
    absl::Span<const int64_t> update_window_dims, absl::Span<const int64_t> inserted_window_dims,
    absl::Span<const int64_t> scatter_dims_to_operand_dims, int64_t index_vector_dim,
    absl::Span<const int64_t> input_batching_dims,
    absl::Span<const int64_t> scatter_indices_batching_dims) {
  ScatterDimensionNumbers numbers;
  Assign(update_window_dims, numbers.mutable_update_window_dims());
  Assign(inserted_window_dims, numbers.mutable_inserted_window_dims());
  Assign(scatter_dims_to_operand_dims, numbers.mutable_scatter_dims_to_operand_dims());
  Assign(input_batching_dims, numbers.mutable_input_batching_dims());
  Assign(scatter_indices_batching_dims, numbers.mutable_scatter_indices_batching_dims());
  numbers.set_index_vector_dim(index_vector_dim);
  return numbers;
}

std::string HloScatterInstruction::ScatterDimensionNumbersToString(
    const ScatterDimensionNumbers& numbers) {
  std::string text = absl::StrCat(
      "update_window_dims=", Braces(numbers.update_window_dims()),
      ", inserted_window_dims=", Braces(numbers.inserted_window_dims()),
      ", scatter_dims_to_operand_dims=", Braces(numbers.scatter_dims_to_operand_dims()));
  if (numbers.input_batching_dims_size() > 0) {
    absl::StrAppend(
        &text, ", input_batching_dims=", Braces(numbers.input_batching_dims()),
        ", scatter_indices_batching_dims=", Braces(numbers.scatter_indices_batching_dims()));
  }
  return absl::StrCat(text, ", index_vector_dim=", numbers.index_vector_dim());
}

// ---- Elements, constants, parameters ----

ComparisonOrder HloCompareInstruction::order() const {
  return type() == Comparison::Type::kFloat ? ComparisonOrder::kPartial : ComparisonOrder::kTotal;
}

HloConstantInstruction::HloConstantInstruction(Literal literal)
    : HloInstruction(HloOpcode::kConstant, literal.shape()) {
  Of<ConstantAttributes>(*this).literal = std::make_shared<const Literal>(std::move(literal));
}

HloConstantInstruction::HloConstantInstruction(const Shape& shape)
    : HloInstruction(HloOpcode::kConstant, shape) {}

Literal* HloConstantInstruction::mutable_literal() {
  SharedLiteral& literal = Of<ConstantAttributes>(*this).literal;
  CHECK(literal != nullptr) << name() << " has no value";
  // A literal of its own is nobody else's to see.
  if (literal.use_count() > 1) literal = std::make_shared<const Literal>(literal->Clone());
  return const_cast<Literal*>(literal.get());
}

std::shared_ptr<const Literal> HloConstantInstruction::literal_ptr() const {
  return Of<ConstantAttributes>(*this).literal;
}

void HloConstantInstruction::RelayoutConstant(const Layout& new_layout,
                                              const ShapeIndex& shape_index) {
  Shape* subshape = ShapeUtil::GetMutableSubshape(mutable_shape(), shape_index);
  CHECK(subshape->IsArray()) << name();
  if (subshape->has_layout() && subshape->layout() == new_layout) return;
  *subshape->mutable_layout() = new_layout;
  SharedLiteral& literal = Of<ConstantAttributes>(*this).literal;
  if (literal != nullptr) literal = std::make_shared<const Literal>(literal->Relayout(shape()));
}

void HloGetTupleElementInstruction::set_tuple_index(int64_t index) {
  Of<GetTupleElementAttributes>(*this).index = index;
}

int64_t HloRngGetAndUpdateStateInstruction::delta() const {
  return Of<RngGetAndUpdateStateAttributes>(*this).delta;
}
void HloRngGetAndUpdateStateInstruction::set_delta(int64_t delta) {
  Of<RngGetAndUpdateStateAttributes>(*this).delta = delta;
}

RandomAlgorithm HloRngBitGeneratorInstruction::algorithm() const {
  return static_cast<RandomAlgorithm>(Of<RngBitGeneratorAttributes>(*this).algorithm);
}

// ---- Reductions, windows, sorting ----

namespace {
std::vector<const Shape*> ShapesOf(absl::Span<HloInstruction* const> instructions) {
  std::vector<const Shape*> shapes;
  for (const HloInstruction* instruction : instructions) shapes.push_back(&instruction->shape());
  return shapes;
}
}  // namespace

std::vector<const Shape*> HloReduceWindowInstruction::input_shapes() const {
  return ShapesOf(inputs());
}

std::vector<const Shape*> HloReduceWindowInstruction::init_value_shapes() const {
  return ShapesOf(init_values());
}

std::vector<const Shape*> HloReduceWindowInstruction::output_shapes() const {
  if (!shape().IsTuple()) return {&shape()};
  std::vector<const Shape*> shapes;
  for (const Shape& each : shape().tuple_shapes()) shapes.push_back(&each);
  return shapes;
}

int64_t HloTopKInstruction::k() const { return Of<TopKAttributes>(*this).k; }
bool HloTopKInstruction::largest() const { return Of<TopKAttributes>(*this).largest; }

int64_t HloScanInstruction::scan_dimension() const { return Of<ScanAttributes>(*this).dimension; }
int64_t HloScanInstruction::num_carries() const { return Of<ScanAttributes>(*this).num_carries; }
bool HloScanInstruction::is_reverse() const { return Of<ScanAttributes>(*this).is_reverse; }
TriState HloScanInstruction::is_associative() const {
  return static_cast<TriState>(Of<ScanAttributes>(*this).is_associative);
}

// ---- Products, normalisation ----

bool HloConvolutionInstruction::has_sparsity_config() const {
  return sparsity_config().ByteSizeLong() > 0;
}
ConvolutionKind HloConvolutionInstruction::convolution_kind() const {
  return static_cast<ConvolutionKind>(Of<ConvolutionAttributes>(*this).kind);
}
void HloConvolutionInstruction::set_convolution_kind(ConvolutionKind kind) {
  Of<ConvolutionAttributes>(*this).kind = kind;
}

void HloBatchNormInstruction::set_epsilon(float epsilon) {
  Of<BatchNormAttributes>(*this).epsilon = epsilon;
}

// ---- Calls ----

HloComputation* HloCallableInstruction::called_computation() const {
  CHECK_EQ(called_computations().size(), 1) << name();
  return called_computations()[0];
}

HloInstruction* HloCallableInstruction::called_computation_root() const {
  return called_computation()->root_instruction();
}

HloCustomCallInstruction::HloCustomCallInstruction(const Shape& shape,
                                                   absl::Span<HloInstruction* const> operands,
                                                   absl::string_view custom_call_target,
                                                   std::string opaque,
                                                   CustomCallApiVersion api_version)
    : HloCallableInstruction(HloOpcode::kCustomCall, shape) {
  AppendOperands(operands);
  set_custom_call_target(custom_call_target);
  if (!opaque.empty()) set_opaque(std::move(opaque));
  set_api_version(api_version);
}

bool HloCustomCallInstruction::custom_call_has_side_effect() const {
  return Of<CustomCallAttributes>(*this).has_side_effect;
}
void HloCustomCallInstruction::set_custom_call_has_side_effect(bool has_side_effect) {
  Of<CustomCallAttributes>(*this).has_side_effect = has_side_effect;
}
CustomCallSchedule HloCustomCallInstruction::custom_call_schedule() const {
  return static_cast<CustomCallSchedule>(Of<CustomCallAttributes>(*this).schedule);
}
void HloCustomCallInstruction::set_custom_call_schedule(CustomCallSchedule schedule) {
  Of<CustomCallAttributes>(*this).schedule = schedule;
}
CustomCallApiVersion HloCustomCallInstruction::api_version() const {
  return static_cast<CustomCallApiVersion>(Of<CustomCallAttributes>(*this).api_version);
}
void HloCustomCallInstruction::set_api_version(CustomCallApiVersion version) {
  Of<CustomCallAttributes>(*this).api_version = version;
}
void HloCustomCallInstruction::set_padding_type(PaddingType type) {
  Of<CustomCallAttributes>(*this).padding_type = type;
}
void HloCustomCallInstruction::set_literal(Literal literal) {
  Of<CustomCallAttributes>(*this).literal = std::make_shared<const Literal>(std::move(literal));
}
bool HloCustomCallInstruction::layout_constrained() const {
  return Of<CustomCallAttributes>(*this).operand_layouts.has_value();
}
const std::vector<Shape>& HloCustomCallInstruction::operand_shapes_with_layout() const {
  CHECK(layout_constrained()) << name();
  return *Of<CustomCallAttributes>(*this).operand_layouts;
}
void HloCustomCallInstruction::set_operand_shapes_with_layout(std::vector<Shape> shapes) {
  Of<CustomCallAttributes>(*this).operand_layouts = std::move(shapes);
}

const HloSharding& HloDomainInstruction::operand_side_sharding() const {
  return Of<DomainAttributes>(*this).domain.entry;
}
const HloSharding& HloDomainInstruction::user_side_sharding() const {
  return Of<DomainAttributes>(*this).domain.exit;
}

// ---- Asynchronous forms, transfers, collectives ----

void HloCopyStartInstruction::set_cross_program_prefetch_index(std::optional<int> index) {
  Of<CopyStartAttributes>(*this).cross_program_prefetch_index = index;
}

bool HloChannelInstruction::ClassOf(const HloInstruction* instruction) {
  return HloCollectiveInstruction::ClassOf(instruction) ||
         HloCollectivePermuteInstruction::ClassOf(instruction) ||
         HloSendRecvInstruction::ClassOf(instruction);
}

void HloAllGatherInstruction::set_all_gather_dimension(int64_t dimension) {
  Of<AllGatherAttributes>(*this).dimension = dimension;
}
void HloAllGatherInstruction::set_use_global_device_ids(bool value) {
  Of<AllGatherAttributes>(*this).use_global_device_ids = value;
}

void HloAllReduceInstructionBase::set_use_global_device_ids(bool value) {
  if (opcode() == HloOpcode::kReduceScatter) {
    Of<ReduceScatterAttributes>(*this).use_global_device_ids = value;
  } else {
    Of<AllReduceAttributes>(*this).use_global_device_ids = value;
  }
}

bool HloAllReduceInstruction::IsNoop() const {
  return !replica_groups().empty() && absl::c_all_of(replica_groups(), [](const auto& group) {
           return group.replica_ids_size() == 1;
         });
}

std::optional<int64_t> HloAllToAllInstruction::split_dimension() const {
  return Of<AllToAllAttributes>(*this).dimension;
}
void HloAllToAllInstruction::set_split_dimension(int64_t dimension) {
  Of<AllToAllAttributes>(*this).dimension = dimension;
}

bool HloCollectiveBroadcastInstruction::has_dynamic_root() const {
  return Of<CollectiveBroadcastAttributes>(*this).has_dynamic_root;
}

const std::vector<std::vector<int64_t>>& HloCollectivePermuteInstruction::dynamic_slice_sizes_list()
    const {
  return Of<CollectivePermuteAttributes>(*this).slice_sizes;
}
bool HloCollectivePermuteInstruction::inplace() const {
  return !dynamic_slice_sizes_list().empty();
}

}  // namespace xla

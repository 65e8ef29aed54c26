// Accessors to the attributes of single operations: each finds a field of the record by its name in
// text.
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "absl/log/log.h"
#include "ir/instruction_view.h"
#include "ir/messages.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/util.h"

namespace xla {
namespace {

const Field* FindField(const HloInstruction& instruction, absl::string_view name) {
  for (const Field& field : GetOpInfo(instruction.opcode()).fields()) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

FieldReference Reference(const HloInstruction& instruction, absl::string_view name) {
  const Field* field = FindField(instruction, name);
  CHECK(field != nullptr) << HloOpcodeString(instruction.opcode()) << " has no attribute " << name;
  return ReadField(*field, instruction.attributes());
}

template <typename T>
const T& Get(const HloInstruction& instruction, absl::string_view name) {
  return *std::get<T*>(Reference(instruction, name));
}

template <typename T>
T& GetMutable(HloInstruction& instruction, absl::string_view name) {
  return *std::get<T*>(Reference(instruction, name));
}

int GetEnum(const HloInstruction& instruction, absl::string_view name) {
  return std::get<EnumReference>(Reference(instruction, name)).value();
}

void AppendTo(google::protobuf::RepeatedField<int64_t>* field, const HloInstruction& instruction,
              absl::string_view name) {
  const Int64List& values = Get<Int64List>(instruction, name);
  field->Add(values.begin(), values.end());
}

template <typename T>
bool SameValue(const T& a, const T& b) {
  if constexpr (std::is_base_of_v<google::protobuf::Message, T>) {
    return AreEqual(a, b);
  } else {
    return a == b;
  }
}

}  // namespace

template <typename T>
const T& HloInstruction::ViewAs(T value) const {
  static std::mutex mutex;  // of all that read one program at the same time
  const std::lock_guard<std::mutex> lock(mutex);
  if (view_ == nullptr) view_ = std::make_unique<View>();
  const T* seen = std::get_if<T>(&view_->value);
  if (seen != nullptr && SameValue(*seen, value)) return *seen;
  return view_->value.emplace<T>(std::move(value));
}

int64_t HloInstruction::parameter_number() const {
  CHECK(opcode_ == HloOpcode::kParameter) << name_;
  return attributes_as<ParameterAttributes>().parameter_number;
}

const Literal& HloInstruction::literal() const {
  CHECK(HasLiteral()) << name_;
  return opcode_ == HloOpcode::kConstant ? *attributes_as<ConstantAttributes>().literal
                                         : *attributes_as<CustomCallAttributes>().literal;
}

bool HloInstruction::HasLiteral() const {
  if (opcode_ == HloOpcode::kConstant)
    return attributes_as<ConstantAttributes>().literal != nullptr;
  return opcode_ == HloOpcode::kCustomCall &&
         attributes_as<CustomCallAttributes>().literal != nullptr;
}

int64_t HloInstruction::tuple_index() const { return Get<int64_t>(*this, "index"); }

absl::Span<const int64_t> HloInstruction::dimensions() const {
  const FieldReference reference =
      Reference(*this, opcode_ == HloOpcode::kIota ? "iota_dimension" : "dimensions");
  if (auto* const* one = std::get_if<int64_t*>(&reference)) return {*one, 1};
  if (auto* const* maybe = std::get_if<std::optional<int64_t>*>(&reference)) {
    if (!(*maybe)->has_value()) return {};
    return {&***maybe, 1};
  }
  return *std::get<Int64List*>(reference);
}

std::vector<int64_t>* HloInstruction::mutable_dimensions() {
  return &GetMutable<Int64List>(*this, "dimensions");
}

int64_t HloInstruction::concatenate_dimension() const { return dimensions(0); }

int64_t HloInstruction::inferred_dimension() const {
  return Get<int64_t>(*this, "inferred_dimension");
}

namespace {

SliceBounds BoundsOf(const HloInstruction& slice) {
  SliceBounds bounds;
  for (const SliceRange& range : slice.attributes_as<SliceAttributes>().ranges) {
    bounds.starts.push_back(range.start);
    bounds.limits.push_back(range.limit);
    bounds.strides.push_back(range.stride);
  }
  return bounds;
}

const SliceRange& RangeOf(const HloInstruction& slice, int64_t dimension) {
  return slice.attributes_as<SliceAttributes>().ranges[dimension];
}

}  // namespace

const std::vector<int64_t>& HloInstruction::slice_starts() const {
  return ViewAs(BoundsOf(*this)).starts;
}
const std::vector<int64_t>& HloInstruction::slice_limits() const {
  return ViewAs(BoundsOf(*this)).limits;
}
const std::vector<int64_t>& HloInstruction::slice_strides() const {
  return ViewAs(BoundsOf(*this)).strides;
}
int64_t HloInstruction::slice_starts(int64_t dimension) const {
  return RangeOf(*this, dimension).start;
}
int64_t HloInstruction::slice_limits(int64_t dimension) const {
  return RangeOf(*this, dimension).limit;
}
int64_t HloInstruction::slice_strides(int64_t dimension) const {
  return RangeOf(*this, dimension).stride;
}

const std::vector<int64_t>& HloInstruction::dynamic_slice_sizes() const {
  return Get<Int64List>(*this, "dynamic_slice_sizes");
}

const Window& HloInstruction::window() const {
  if (opcode_ == HloOpcode::kCustomCall) {
    static const Window* const kNone = new Window;
    const auto& window = attributes_as<CustomCallAttributes>().window;
    return window.has_value() ? *window : *kNone;
  }
  return Get<Window>(*this, "window");
}

void HloInstruction::set_window(const Window& window) {
  if (opcode_ == HloOpcode::kCustomCall) {
    mutable_attributes_as<CustomCallAttributes>().window = window;
  } else {
    GetMutable<Window>(*this, "window") = window;
  }
}

const PaddingConfig& HloInstruction::padding_config() const {
  return Get<PaddingConfig>(*this, "padding");
}

PaddingConfig* HloInstruction::mutable_padding_config() {
  return &GetMutable<PaddingConfig>(*this, "padding");
}

PaddingType HloInstruction::padding_type() const {
  return static_cast<PaddingType>(GetEnum(*this, "padding_type"));
}

const std::vector<int64_t>& HloInstruction::gather_slice_sizes() const {
  CHECK(opcode_ == HloOpcode::kGather) << name_;
  return attributes_as<GatherAttributes>().slice_sizes;
}

int32_t HloInstruction::exponent_bits() const {
  return static_cast<int32_t>(Get<int64_t>(*this, "exponent_bits"));
}

int32_t HloInstruction::mantissa_bits() const {
  return static_cast<int32_t>(Get<int64_t>(*this, "mantissa_bits"));
}

namespace {

DotDimensionNumbers DotNumbersOf(const HloInstruction& dot) {
  DotDimensionNumbers numbers;
  AppendTo(numbers.mutable_lhs_batch_dimensions(), dot, "lhs_batch_dims");
  AppendTo(numbers.mutable_lhs_contracting_dimensions(), dot, "lhs_contracting_dims");
  AppendTo(numbers.mutable_rhs_batch_dimensions(), dot, "rhs_batch_dims");
  AppendTo(numbers.mutable_rhs_contracting_dimensions(), dot, "rhs_contracting_dims");
  return numbers;
}

}  // namespace

const DotDimensionNumbers& HloInstruction::dot_dimension_numbers() const {
  if (opcode_ == HloOpcode::kRaggedDot) {
    return ragged_dot_dimension_numbers().dot_dimension_numbers();
  }
  return ViewAs(DotNumbersOf(*this));
}

const RaggedDotDimensionNumbers& HloInstruction::ragged_dot_dimension_numbers() const {
  RaggedDotDimensionNumbers numbers;
  *numbers.mutable_dot_dimension_numbers() = DotNumbersOf(*this);
  AppendTo(numbers.mutable_lhs_ragged_dimensions(), *this, "lhs_ragged_dims");
  AppendTo(numbers.mutable_rhs_group_dimensions(), *this, "rhs_group_dims");
  return ViewAs(std::move(numbers));
}

const GatherDimensionNumbers& HloInstruction::gather_dimension_numbers() const {
  GatherDimensionNumbers numbers;
  AppendTo(numbers.mutable_offset_dims(), *this, "offset_dims");
  AppendTo(numbers.mutable_collapsed_slice_dims(), *this, "collapsed_slice_dims");
  AppendTo(numbers.mutable_start_index_map(), *this, "start_index_map");
  AppendTo(numbers.mutable_operand_batching_dims(), *this, "operand_batching_dims");
  AppendTo(numbers.mutable_start_indices_batching_dims(), *this, "start_indices_batching_dims");
  numbers.set_index_vector_dim(Get<int64_t>(*this, "index_vector_dim"));
  return ViewAs(std::move(numbers));
}

const ScatterDimensionNumbers& HloInstruction::scatter_dimension_numbers() const {
  ScatterDimensionNumbers numbers;
  AppendTo(numbers.mutable_update_window_dims(), *this, "update_window_dims");
  AppendTo(numbers.mutable_inserted_window_dims(), *this, "inserted_window_dims");
  AppendTo(numbers.mutable_scatter_dims_to_operand_dims(), *this, "scatter_dims_to_operand_dims");
  AppendTo(numbers.mutable_input_batching_dims(), *this, "input_batching_dims");
  AppendTo(numbers.mutable_scatter_indices_batching_dims(), *this, "scatter_indices_batching_dims");
  numbers.set_index_vector_dim(Get<int64_t>(*this, "index_vector_dim"));
  return ViewAs(std::move(numbers));
}

const ConvolutionDimensionNumbers& HloInstruction::convolution_dimension_numbers() const {
  return Get<ConvolutionDimensionNumbers>(*this, "dim_labels");
}

void HloInstruction::set_convolution_dimension_numbers(
    const ConvolutionDimensionNumbers& dimension_numbers) {
  GetMutable<ConvolutionDimensionNumbers>(*this, "dim_labels") = dimension_numbers;
}

const SparsityConfig& HloInstruction::sparsity_config() const {
  return Get<SparsityConfig>(*this, "sparsity_config");
}

bool HloInstruction::SupportsPrecisionConfig() const {
  return HloPredicateIsOp<HloOpcode::kConvolution, HloOpcode::kCustomCall, HloOpcode::kDot,
                          HloOpcode::kRaggedDot, HloOpcode::kScaledDot>(this);
}

PrecisionConfig* HloInstruction::mutable_precision_config() {
  switch (opcode_) {
    case HloOpcode::kConvolution:
      return &mutable_attributes_as<ConvolutionAttributes>().precision;
    case HloOpcode::kCustomCall:
      return &mutable_attributes_as<CustomCallAttributes>().precision;
    case HloOpcode::kDot:
    case HloOpcode::kScaledDot:
      return &mutable_attributes_as<DotAttributes>().precision;
    case HloOpcode::kRaggedDot:
      return &mutable_attributes_as<RaggedDotAttributes>().precision;
    default:
      LOG(FATAL) << name_ << ": " << HloOpcodeString(opcode_) << " has no precision";
      return nullptr;
  }
}

const PrecisionConfig& HloInstruction::precision_config() const {
  return *const_cast<HloInstruction*>(this)->mutable_precision_config();
}

void HloInstruction::set_feature_group_count(int64_t feature_group_count) {
  GetMutable<int64_t>(*this, "feature_group_count") = feature_group_count;
}

void HloInstruction::set_batch_group_count(int64_t batch_group_count) {
  GetMutable<int64_t>(*this, "batch_group_count") = batch_group_count;
}

FftType HloInstruction::fft_type() const {
  return static_cast<FftType>(GetEnum(*this, "fft_type"));
}

const std::vector<int64_t>& HloInstruction::fft_length() const {
  return Get<Int64List>(*this, "fft_length");
}

const TriangularSolveOptions& HloInstruction::triangular_solve_options() const {
  CHECK(opcode_ == HloOpcode::kTriangularSolve) << name_;
  const auto& attributes = attributes_as<TriangularSolveAttributes>();
  TriangularSolveOptions options;
  options.set_left_side(attributes.left_side);
  options.set_lower(attributes.lower);
  options.set_unit_diagonal(attributes.unit_diagonal);
  options.set_transpose_a(static_cast<TriangularSolveOptions::Transpose>(attributes.transpose_a));
  return ViewAs(std::move(options));
}

const CholeskyOptions& HloInstruction::cholesky_options() const {
  CHECK(opcode_ == HloOpcode::kCholesky) << name_;
  CholeskyOptions options;
  options.set_lower(attributes_as<CholeskyAttributes>().lower);
  return ViewAs(std::move(options));
}

float HloInstruction::epsilon() const { return Get<float>(*this, "epsilon"); }

int64_t HloInstruction::feature_index() const { return Get<int64_t>(*this, "feature_index"); }

std::string HloInstruction::infeed_config() const {
  CHECK(opcode_ == HloOpcode::kInfeed) << name_;
  return attributes_as<InfeedAttributes>().config;
}

void HloInstruction::set_infeed_config(const std::string& config) {
  CHECK(opcode_ == HloOpcode::kInfeed) << name_;
  mutable_attributes_as<InfeedAttributes>().config = config;
}

const std::string& HloInstruction::outfeed_config() const {
  CHECK(opcode_ == HloOpcode::kOutfeed) << name_;
  return attributes_as<OutfeedAttributes>().config;
}

void HloInstruction::set_outfeed_config(const std::string& config) {
  CHECK(opcode_ == HloOpcode::kOutfeed) << name_;
  mutable_attributes_as<OutfeedAttributes>().config = config;
}

const Shape& HloInstruction::outfeed_shape() const {
  CHECK(opcode_ == HloOpcode::kOutfeed) << name_;
  const std::optional<Shape>& shape = attributes_as<OutfeedAttributes>().shape;
  return shape.has_value() ? *shape : operand(0)->shape();
}

Shape* HloInstruction::mutable_outfeed_shape() {
  CHECK(opcode_ == HloOpcode::kOutfeed) << name_;
  std::optional<Shape>& shape = mutable_attributes_as<OutfeedAttributes>().shape;
  if (!shape.has_value()) shape = operand(0)->shape();
  return &*shape;
}

bool HloInstruction::is_host_transfer() const { return Get<bool>(*this, "is_host_transfer"); }

bool HloInstruction::is_stable() const { return Get<bool>(*this, "is_stable"); }

bool HloInstruction::is_composite() const {
  return opcode_ == HloOpcode::kCall && attributes_as<CallAttributes>().is_composite;
}

void HloInstruction::set_is_composite(bool is_composite) {
  GetMutable<bool>(*this, "is_composite") = is_composite;
}

const std::optional<std::vector<bool>>& HloInstruction::parameter_replicated_at_leaf_buffers()
    const {
  CHECK(opcode_ == HloOpcode::kParameter) << name_;
  const std::vector<bool>& replicated = attributes_as<ParameterAttributes>().parameter_replication;
  return ViewAs(replicated.empty() ? std::nullopt : std::make_optional(replicated));
}

void HloInstruction::set_parameter_replicated_at_leaf_buffers(absl::Span<const bool> replicated) {
  set_parameter_replicated_at_leaf_buffers(std::vector<bool>(replicated.begin(), replicated.end()));
}

void HloInstruction::set_parameter_replicated_at_leaf_buffers(const std::vector<bool>& replicated) {
  CHECK(opcode_ == HloOpcode::kParameter) << name_;
  mutable_attributes_as<ParameterAttributes>().parameter_replication = replicated;
}

int64_t HloInstruction::feature_group_count() const {
  return Get<int64_t>(*this, "feature_group_count");
}

int64_t HloInstruction::batch_group_count() const {
  return Get<int64_t>(*this, "batch_group_count");
}

Comparison::Direction HloInstruction::comparison_direction() const {
  return static_cast<Comparison::Direction>(GetEnum(*this, "direction"));
}

Comparison::Type HloInstruction::comparison_type() const {
  const auto& compare = attributes_as<CompareAttributes>();
  if (compare.type.has_value()) return static_cast<Comparison::Type>(*compare.type);
  return Comparison::DefaultComparisonType(operand(0)->shape().element_type());
}

RandomDistribution HloInstruction::random_distribution() const {
  return static_cast<RandomDistribution>(GetEnum(*this, "distribution"));
}

const std::string& HloInstruction::custom_call_target() const {
  return Get<std::string>(*this, "custom_call_target");
}

void HloInstruction::set_custom_call_target(absl::string_view target) {
  GetMutable<std::string>(*this, "custom_call_target") = std::string(target);
}

std::optional<int64_t> HloInstruction::channel_id() const {
  const Field* field = FindField(*this, "channel_id");
  if (field == nullptr) return std::nullopt;
  return *std::get<std::optional<int64_t>*>(ReadField(*field, *attributes_));
}

void HloInstruction::set_channel_id(const std::optional<int64_t>& channel_id) {
  GetMutable<std::optional<int64_t>>(*this, "channel_id") = channel_id;
}

const std::vector<ReplicaGroup>& HloInstruction::replica_groups() const {
  return device_list().replica_groups();
}

const CollectiveDeviceList& HloInstruction::device_list() const {
  return Get<CollectiveDeviceList>(*this, "replica_groups");
}

void HloInstruction::set_device_list(const CollectiveDeviceListBase& device_list) {
  GetMutable<CollectiveDeviceList>(*this, "replica_groups") = CollectiveDeviceList(device_list);
}

const std::vector<std::pair<int64_t, int64_t>>& HloInstruction::source_target_pairs() const {
  return Get<std::vector<std::pair<int64_t, int64_t>>>(*this, "source_target_pairs");
}

bool HloInstruction::constrain_layout() const {
  const Field* field = FindField(*this, "constrain_layout");
  return field != nullptr && *std::get<bool*>(ReadField(*field, *attributes_));
}

bool HloInstruction::use_global_device_ids() const {
  return Get<bool>(*this, "use_global_device_ids");
}

std::optional<int> HloInstruction::cross_program_prefetch_index() const {
  return Get<std::optional<int64_t>>(*this, "cross_program_prefetch_index");
}

const std::vector<std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>&
HloInstruction::output_to_operand_aliasing() const {
  return Get<std::vector<OutputOperandAlias>>(*this, "output_to_operand_aliasing");
}

void HloInstruction::set_output_to_operand_aliasing(
    std::vector<std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>> aliasing) {
  GetMutable<std::vector<OutputOperandAlias>>(*this, "output_to_operand_aliasing") =
      std::move(aliasing);
}

absl::string_view HloInstruction::async_execution_thread() const {
  return Get<std::string>(*this, "async_execution_thread");
}

void HloInstruction::set_async_execution_thread(absl::string_view thread) {
  GetMutable<std::string>(*this, "async_execution_thread") = std::string(thread);
}

HloComputation* HloInstruction::async_wrapped_computation() const {
  CHECK(HloOpcodeIsAsync(opcode_)) << name_;
  return called_computations_.at(0);
}

HloInstruction* HloInstruction::async_wrapped_instruction() const {
  return async_wrapped_computation()->root_instruction();
}

HloOpcode HloInstruction::async_wrapped_opcode() const {
  return async_wrapped_instruction()->opcode();
}

// Called computations.

bool HloInstruction::has_to_apply() const {
  const CalleeSpec& callees = GetOpInfo(opcode_).callees;
  return callees.count == 1 && callees.names[0].text == "to_apply";
}

HloComputation* HloInstruction::to_apply() const {
  CHECK(called_computations_.size() == 1) << name_;
  return called_computations_[0];
}

void HloInstruction::set_to_apply(HloComputation* computation) {
  CHECK(has_to_apply()) << name_;
  called_computations_.at(0) = computation;
}

void HloInstruction::set_while_body(HloComputation* computation) {
  CHECK(opcode_ == HloOpcode::kWhile) << name_;
  called_computations_.at(0) = computation;
}

void HloInstruction::set_while_condition(HloComputation* computation) {
  CHECK(opcode_ == HloOpcode::kWhile) << name_;
  called_computations_.at(1) = computation;
}

void HloInstruction::set_select(HloComputation* computation) {
  CHECK(opcode_ == HloOpcode::kSelectAndScatter) << name_;
  called_computations_.at(0) = computation;
}

void HloInstruction::set_scatter(HloComputation* computation) {
  CHECK(opcode_ == HloOpcode::kSelectAndScatter) << name_;
  called_computations_.at(1) = computation;
}

void HloInstruction::set_branch_computation(int b, HloComputation* computation) {
  CHECK(opcode_ == HloOpcode::kConditional) << name_;
  called_computations_.at(b) = computation;
}

HloComputation* HloInstruction::while_body() const {
  CHECK(opcode_ == HloOpcode::kWhile) << name_;
  return called_computations_.at(0);
}

HloComputation* HloInstruction::while_condition() const {
  CHECK(opcode_ == HloOpcode::kWhile) << name_;
  return called_computations_.at(1);
}

HloComputation* HloInstruction::select() const {
  CHECK(opcode_ == HloOpcode::kSelectAndScatter) << name_;
  return called_computations_.at(0);
}

HloComputation* HloInstruction::scatter() const {
  CHECK(opcode_ == HloOpcode::kSelectAndScatter) << name_;
  return called_computations_.at(1);
}

HloComputation* HloInstruction::true_computation() const { return branch_computation(0); }

HloComputation* HloInstruction::false_computation() const { return branch_computation(1); }

HloComputation* HloInstruction::branch_computation(int32_t b) const {
  CHECK(opcode_ == HloOpcode::kConditional) << name_;
  return called_computations_.at(b);
}

HloComputation* HloInstruction::fused_instructions_computation() const {
  CHECK(opcode_ == HloOpcode::kFusion) << name_;
  return called_computations_.at(0);
}

HloInstruction* HloInstruction::fused_expression_root() const {
  return fused_instructions_computation()->root_instruction();
}

int64_t HloInstruction::fused_instruction_count() const {
  return fused_instructions_computation()->instruction_count();
}

HloInstruction* HloInstruction::fused_parameter(int64_t parameter_number) const {
  return fused_instructions_computation()->parameter_instruction(parameter_number);
}

const std::vector<HloInstruction*>& HloInstruction::fused_parameters() const {
  return fused_instructions_computation()->parameter_instructions();
}

std::vector<HloInstruction*> HloInstruction::fused_instructions() const {
  std::vector<HloInstruction*> fused;
  for (HloInstruction* each : fused_instructions_computation()->instructions()) {
    fused.push_back(each);
  }
  return fused;
}

HloInstruction::FusionKind HloInstruction::fusion_kind() const {
  CHECK(opcode_ == HloOpcode::kFusion) << name_;
  return static_cast<FusionKind>(GetEnum(*this, "kind"));
}

void HloInstruction::set_fusion_kind(FusionKind kind) {
  CHECK(opcode_ == HloOpcode::kFusion) << name_;
  mutable_attributes_as<FusionAttributes>().kind = static_cast<int>(kind);
}

bool HloInstruction::IsLoopFusion() const {
  return opcode_ == HloOpcode::kFusion && fusion_kind() == FusionKind::kLoop;
}

bool HloInstruction::IsInputFusion() const {
  return opcode_ == HloOpcode::kFusion && fusion_kind() == FusionKind::kInput;
}

bool HloInstruction::IsOutputFusion() const {
  return opcode_ == HloOpcode::kFusion && fusion_kind() == FusionKind::kOutput;
}

bool HloInstruction::IsCustomFusion() const {
  return opcode_ == HloOpcode::kFusion && fusion_kind() == FusionKind::kCustom;
}

bool HloInstruction::IsMultiOutputFusion() const {
  return opcode_ == HloOpcode::kFusion && fused_expression_root()->opcode() == HloOpcode::kTuple;
}

// Names of enumerations.

absl::string_view ToString(HloInstruction::FusionKind kind) {
  for (const EnumName& name : FusionKindNames()) {
    if (name.value == static_cast<int>(kind)) return name.text;
  }
  return "unknown";
}

absl::StatusOr<HloInstruction::FusionKind> StringToFusionKind(absl::string_view kind) {
  for (const EnumName& name : FusionKindNames()) {
    if (name.text == kind) return static_cast<HloInstruction::FusionKind>(name.value);
  }
  return InvalidArgument("Unknown fusion kind: %s", kind);
}

std::ostream& operator<<(std::ostream& out, HloInstruction::FusionKind kind) {
  const absl::string_view text = ToString(kind);
  return out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace xla

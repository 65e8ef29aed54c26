// Accessors to the attributes of single operations: each finds a field of the record by its name in text.
#include <utility>

#include "absl/log/check.h"
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
  return *std::get<EnumReference>(Reference(instruction, name)).value;
}

void AppendTo(google::protobuf::RepeatedField<int64_t>* field, const HloInstruction& instruction,
              absl::string_view name) {
  const Int64List& values = Get<Int64List>(instruction, name);
  field->Add(values.begin(), values.end());
}

}  // namespace

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
  if (opcode_ == HloOpcode::kConstant) return attributes_as<ConstantAttributes>().literal != nullptr;
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

namespace {
std::vector<int64_t> SliceMember(const HloInstruction& slice, int64_t SliceRange::*member) {
  std::vector<int64_t> result;
  for (const SliceRange& range : slice.attributes_as<SliceAttributes>().ranges) {
    result.push_back(range.*member);
  }
  return result;
}
}  // namespace

std::vector<int64_t> HloInstruction::slice_starts() const {
  return SliceMember(*this, &SliceRange::start);
}
std::vector<int64_t> HloInstruction::slice_limits() const {
  return SliceMember(*this, &SliceRange::limit);
}
std::vector<int64_t> HloInstruction::slice_strides() const {
  return SliceMember(*this, &SliceRange::stride);
}

const std::vector<int64_t>& HloInstruction::dynamic_slice_sizes() const {
  return Get<Int64List>(*this, "dynamic_slice_sizes");
}

const Window& HloInstruction::window() const { return Get<Window>(*this, "window"); }

const PaddingConfig& HloInstruction::padding_config() const {
  return Get<PaddingConfig>(*this, "padding");
}

DotDimensionNumbers HloInstruction::dot_dimension_numbers() const {
  DotDimensionNumbers numbers;
  AppendTo(numbers.mutable_lhs_batch_dimensions(), *this, "lhs_batch_dims");
  AppendTo(numbers.mutable_lhs_contracting_dimensions(), *this, "lhs_contracting_dims");
  AppendTo(numbers.mutable_rhs_batch_dimensions(), *this, "rhs_batch_dims");
  AppendTo(numbers.mutable_rhs_contracting_dimensions(), *this, "rhs_contracting_dims");
  return numbers;
}

GatherDimensionNumbers HloInstruction::gather_dimension_numbers() const {
  GatherDimensionNumbers numbers;
  AppendTo(numbers.mutable_offset_dims(), *this, "offset_dims");
  AppendTo(numbers.mutable_collapsed_slice_dims(), *this, "collapsed_slice_dims");
  AppendTo(numbers.mutable_start_index_map(), *this, "start_index_map");
  AppendTo(numbers.mutable_operand_batching_dims(), *this, "operand_batching_dims");
  AppendTo(numbers.mutable_start_indices_batching_dims(), *this, "start_indices_batching_dims");
  numbers.set_index_vector_dim(Get<int64_t>(*this, "index_vector_dim"));
  return numbers;
}

ScatterDimensionNumbers HloInstruction::scatter_dimension_numbers() const {
  ScatterDimensionNumbers numbers;
  AppendTo(numbers.mutable_update_window_dims(), *this, "update_window_dims");
  AppendTo(numbers.mutable_inserted_window_dims(), *this, "inserted_window_dims");
  AppendTo(numbers.mutable_scatter_dims_to_operand_dims(), *this, "scatter_dims_to_operand_dims");
  AppendTo(numbers.mutable_input_batching_dims(), *this, "input_batching_dims");
  AppendTo(numbers.mutable_scatter_indices_batching_dims(), *this, "scatter_indices_batching_dims");
  numbers.set_index_vector_dim(Get<int64_t>(*this, "index_vector_dim"));
  return numbers;
}

const ConvolutionDimensionNumbers& HloInstruction::convolution_dimension_numbers() const {
  return Get<ConvolutionDimensionNumbers>(*this, "dim_labels");
}

PrecisionConfig HloInstruction::precision_config() const {
  PrecisionConfig config;
  for (int precision :
       *std::get<EnumListReference>(Reference(*this, "operand_precision")).values) {
    config.add_operand_precision(static_cast<PrecisionConfig::Precision>(precision));
  }
  config.set_algorithm(static_cast<PrecisionConfig::Algorithm>(GetEnum(*this, "algorithm")));
  return config;
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

HloInstruction* HloInstruction::async_wrapped_instruction() const {
  CHECK(HloOpcodeIsAsync(opcode_)) << name_;
  return called_computations_.at(0)->root_instruction();
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

HloInstruction::FusionKind HloInstruction::fusion_kind() const {
  return static_cast<FusionKind>(GetEnum(*this, "kind"));
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

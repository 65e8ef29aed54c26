#include "xla/service/hlo_module_config.h"

#include "absl/log/check.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "xla/util.h"

namespace xla {

// ---- SharedDebugOptions -----------------------------------------------------------------------

SharedDebugOptions& SharedDebugOptions::operator=(const SharedDebugOptions& other) {
  initial_ = other.initial_;
  own_ = other.own_ == nullptr ? nullptr : std::make_unique<DebugOptions>(*other.own_);
  return *this;
}

DebugOptions& SharedDebugOptions::mutable_get() {
  if (own_ == nullptr) own_ = std::make_unique<DebugOptions>(*initial_);
  return *own_;
}

// ---- HloModuleConfig --------------------------------------------------------------------------

HloModuleConfig::HloModuleConfig() : debug_options_(DefaultDebugOptions()) {}

HloModuleConfig::HloModuleConfig(const ProgramShape& program_shape, bool ignore_layouts)
    : HloModuleConfig(ComputationLayout(program_shape, ignore_layouts)) {}

HloModuleConfig::HloModuleConfig(ComputationLayout entry_computation_layout)
    : entry_computation_layout_(std::move(entry_computation_layout)),
      debug_options_(DebugOptions::default_instance()) {}

const ComputationLayout& HloModuleConfig::entry_computation_layout() const {
  CHECK(entry_computation_layout_.has_value()) << "the configuration has no entry layout";
  return *entry_computation_layout_;
}

ComputationLayout* HloModuleConfig::mutable_entry_computation_layout() {
  CHECK(entry_computation_layout_.has_value()) << "the configuration has no entry layout";
  return &*entry_computation_layout_;
}

void HloModuleConfig::SetDefaultComputationLayout(const ProgramShape& program_shape) {
  entry_computation_layout_ = ComputationLayout(program_shape, /*ignore_layouts=*/true);
}

void HloModuleConfig::SetComputationLayoutIfExists(const ProgramShape& program_shape) {
  entry_computation_layout_ = ComputationLayout(program_shape, /*ignore_layouts=*/false);
}

const DeviceAssignment& HloModuleConfig::static_device_assignment() const {
  CHECK(static_device_assignment_.has_value()) << "the configuration has no device assignment";
  return *static_device_assignment_;
}

const DeviceAssignment& HloModuleConfig::pre_simulation_device_assignment() const {
  CHECK(pre_simulation_device_assignment_.has_value())
      << "the configuration has no device assignment for simulation";
  return *pre_simulation_device_assignment_;
}

std::string HloModuleConfig::compilation_cache_key() const {
  const HloModuleConfigProto proto = ToProto();
  // Maps are written in any order unless asked for otherwise.
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    proto.SerializeToCodedStream(&coded);
  }
  return absl::BytesToHexString(bytes);
}

// ---- Protocol buffers -------------------------------------------------------------------------

namespace {

template <typename T, typename Field>
std::vector<T> ToVector(const Field& field) {
  return std::vector<T>(field.begin(), field.end());
}

template <typename Values, typename Field>
void Assign(const Values& values, Field* field) {
  field->Clear();
  for (const auto& value : values) field->Add(value);
}

absl::Status ReadDeviceAssignment(const DeviceAssignmentProto& proto, absl::string_view field,
                                  std::optional<DeviceAssignment>* assignment) {
  absl::StatusOr<std::unique_ptr<DeviceAssignment>> read = DeviceAssignment::Deserialize(proto);
  if (!read.ok()) return AddStatus(read.status(), absl::StrCat("module config, ", field));
  *assignment = **read;
  return absl::OkStatus();
}

absl::Status CheckCount(absl::string_view field, int64_t count) {
  if (count >= 0) return absl::OkStatus();
  return InvalidArgument("module config, %s: %d is negative", field, count);
}

std::vector<ShardableValueUpdatePair> ReadUpdatePairs(const HloModuleConfigProto& proto) {
  std::vector<ShardableValueUpdatePair> pairs;
  for (const ShardableValueUpdatePairProto& pair : proto.shardable_value_update_pairs()) {
    pairs.push_back({pair.input_parameter_number(), ToVector<int64_t>(pair.parameter_shape_index()),
                     ToVector<int64_t>(pair.output_shape_index())});
  }
  return pairs;
}

// What is left when all fields are taken away that HloModuleConfig has members for.
HloModuleConfigProto Uninterpreted(const HloModuleConfigProto& proto) {
  HloModuleConfigProto rest;
  rest.set_fusion_config_collection(proto.fusion_config_collection());
  *rest.mutable_fusion_config() = proto.fusion_config();
  *rest.mutable_dot_config() = proto.dot_config();
  *rest.mutable_layout_config() = proto.layout_config();
  *rest.mutable_memory_space_assignment_config() = proto.memory_space_assignment_config();
  *rest.mutable_phase_ordering_config() = proto.phase_ordering_config();
  rest.set_phase_index(proto.phase_index());
  *rest.mutable_analysis_allowance_map() = proto.analysis_allowance_map();
  if (proto.has_sharding_config()) *rest.mutable_sharding_config() = proto.sharding_config();
  if (proto.has_schedule_config()) *rest.mutable_schedule_config() = proto.schedule_config();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  rest.set_exec_time_optimization_effort(proto.exec_time_optimization_effort());
  rest.set_memory_fitting_effort(proto.memory_fitting_effort());
#pragma GCC diagnostic pop
  return rest;
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloModuleConfig>> HloModuleConfig::CreateFromProto(
    const HloModuleConfigProto& proto) {
  auto config = std::make_unique<HloModuleConfig>();
  if (proto.has_entry_computation_layout()) {
    HILO_ASSIGN_OR_RETURN(const ProgramShape program_shape,
                          ProgramShape::FromProto(proto.entry_computation_layout()));
    config->SetComputationLayoutIfExists(program_shape);
  }
  if (proto.has_debug_options()) config->set_debug_options(proto.debug_options());
  HILO_RETURN_IF_ERROR(CheckCount("replica_count", proto.replica_count()));
  HILO_RETURN_IF_ERROR(CheckCount("num_partitions", proto.num_partitions()));
  if (proto.has_static_device_assignment()) {
    HILO_RETURN_IF_ERROR(ReadDeviceAssignment(proto.static_device_assignment(),
                                              "static_device_assignment",
                                              &config->static_device_assignment_));
  }
  if (proto.has_pre_simulation_device_assignment()) {
    HILO_RETURN_IF_ERROR(ReadDeviceAssignment(proto.pre_simulation_device_assignment(),
                                              "pre_simulation_device_assignment",
                                              &config->pre_simulation_device_assignment_));
  }
  config->seed_ = proto.seed();
  config->launch_id_ = proto.launch_id();
  config->replica_count_ = std::max<int64_t>(1, proto.replica_count());
  config->num_partitions_ = std::max<int64_t>(1, proto.num_partitions());
  config->param_requires_broadcast_via_collectives_ =
      ToVector<bool>(proto.param_requires_broadcast_via_collectives());
  config->use_spmd_partitioning_ = proto.use_spmd_partitioning();
  config->use_auto_spmd_partitioning_ = proto.use_auto_spmd_partitioning();
  config->auto_spmd_partitioning_mesh_shape_ =
      ToVector<int64_t>(proto.auto_spmd_partitioning_mesh_shape());
  config->auto_spmd_partitioning_mesh_ids_ =
      ToVector<int64_t>(proto.auto_spmd_partitioning_mesh_ids());
  config->optimization_level_ = proto.optimization_level();
  config->memory_fitting_level_ = proto.memory_fitting_level();
  config->deduplicate_hlo_ = proto.deduplicate_hlo();
  config->intra_op_parallelism_threads_ = proto.intra_op_parallelism_threads();
  config->device_type_ = proto.device_type();
  config->allow_separate_sharding_programs_ = proto.allow_separate_sharding_programs();
  config->shardable_value_update_pairs_ = ReadUpdatePairs(proto);
  config->alias_passthrough_params_ = proto.alias_passthrough_params();
  config->content_aware_computation_sorting_ = proto.content_aware_computation_sorting();
  config->set_allow_spmd_sharding_propagation_to_parameters(
      proto.allow_spmd_sharding_propagation_to_parameters());
  config->set_allow_spmd_sharding_propagation_to_output(
      proto.allow_spmd_sharding_propagation_to_output());
  config->matrix_unit_operand_precision_ = proto.matrix_unit_operand_precision();
  config->fdo_profile_ = proto.fdo_profile();
  config->device_memory_size_ = proto.device_memory_size();
  config->use_shardy_partitioner_ = proto.use_shardy_partitioner();
  config->partition_size_ = proto.partition_size();
  config->page_size_kib_ = proto.page_size_kib();
  HloModuleConfigProto rest = Uninterpreted(proto);
  if (rest.ByteSizeLong() > 0) {
    config->uninterpreted_ = std::make_shared<const HloModuleConfigProto>(std::move(rest));
  }
  return config;
}

HloModuleConfigProto HloModuleConfig::ToProto() const {
  HloModuleConfigProto proto;
  if (uninterpreted_ != nullptr) proto = *uninterpreted_;
  if (has_entry_computation_layout()) {
    *proto.mutable_entry_computation_layout() =
        entry_computation_layout_->ComputeProgramShape().ToProto();
  }
  *proto.mutable_debug_options() = debug_options();
  if (static_device_assignment_.has_value()) {
    static_device_assignment_->Serialize(proto.mutable_static_device_assignment());
  }
  if (pre_simulation_device_assignment_.has_value()) {
    pre_simulation_device_assignment_->Serialize(proto.mutable_pre_simulation_device_assignment());
  }
  proto.set_seed(seed_);
  proto.set_launch_id(launch_id_);
  proto.set_replica_count(replica_count_);
  proto.set_num_partitions(num_partitions_);
  Assign(param_requires_broadcast_via_collectives_,
         proto.mutable_param_requires_broadcast_via_collectives());
  proto.set_use_spmd_partitioning(use_spmd_partitioning_);
  proto.set_use_auto_spmd_partitioning(use_auto_spmd_partitioning_);
  Assign(auto_spmd_partitioning_mesh_shape_, proto.mutable_auto_spmd_partitioning_mesh_shape());
  Assign(auto_spmd_partitioning_mesh_ids_, proto.mutable_auto_spmd_partitioning_mesh_ids());
  proto.set_optimization_level(optimization_level_);
  proto.set_memory_fitting_level(memory_fitting_level_);
  proto.set_deduplicate_hlo(deduplicate_hlo_);
  proto.set_intra_op_parallelism_threads(intra_op_parallelism_threads_);
  proto.set_device_type(device_type_);
  proto.set_allow_separate_sharding_programs(allow_separate_sharding_programs_);
  for (const ShardableValueUpdatePair& pair : shardable_value_update_pairs_) {
    ShardableValueUpdatePairProto* out = proto.add_shardable_value_update_pairs();
    out->set_input_parameter_number(pair.input_parameter_number);
    Assign(pair.parameter_shape_index, out->mutable_parameter_shape_index());
    Assign(pair.output_shape_index, out->mutable_output_shape_index());
  }
  proto.set_alias_passthrough_params(alias_passthrough_params_);
  proto.set_content_aware_computation_sorting(content_aware_computation_sorting_);
  Assign(allow_propagation_to_parameters_,
         proto.mutable_allow_spmd_sharding_propagation_to_parameters());
  Assign(allow_propagation_to_output_, proto.mutable_allow_spmd_sharding_propagation_to_output());
  proto.set_matrix_unit_operand_precision(matrix_unit_operand_precision_);
  proto.set_fdo_profile(fdo_profile_);
  proto.set_device_memory_size(device_memory_size_);
  proto.set_use_shardy_partitioner(use_shardy_partitioner_);
  proto.set_partition_size(partition_size_);
  proto.set_page_size_kib(page_size_kib_);
  return proto;
}

}  // namespace xla

#include "xla/client/executable_build_options.h"

#include <memory>

#include "absl/log/check.h"
#include "base/status_macros.h"
#include "xla/debug_options_flags.h"
#include "xla/execution_options_util.h"
#include "xla/util.h"

namespace xla {
namespace {

template <typename Field, typename Values>
void Assign(Field* field, const Values& values) {
  field->Assign(values.begin(), values.end());
}

}  // namespace

DebugOptions* ExecutableBuildOptions::mutable_debug_options() {
  if (!debug_options_) debug_options_ = GetDebugOptionsFromFlags();
  return &*debug_options_;
}

const DeviceAssignment& ExecutableBuildOptions::device_assignment() const {
  CHECK(device_assignment_.has_value()) << "the build options have no device assignment";
  return *device_assignment_;
}

const CompilationEnvironments& ExecutableBuildOptions::comp_envs() const {
  CHECK(comp_envs_.has_value()) << "the build options have no compilation environments";
  return *comp_envs_;
}

CompilationEnvironments* ExecutableBuildOptions::mutable_comp_envs() {
  if (!comp_envs_) comp_envs_.emplace();
  return &*comp_envs_;
}

absl::StatusOr<ExecutableBuildOptionsProto> ExecutableBuildOptions::ToProto() const {
  if (device_allocator() != nullptr) return InvalidArgument("an allocator has no message");
  if (compile_thread_pool() != nullptr) return InvalidArgument("a thread pool has no message");
  if (layout_canonicalization_callback_) return InvalidArgument("a callback has no message");
  ExecutableBuildOptionsProto proto;
  proto.set_device_ordinal(device_ordinal());
  if (result_layout_) *proto.mutable_result_layout() = result_layout_->ToProto();
  if (debug_options_) *proto.mutable_debug_options() = *debug_options_;
  proto.set_num_replicas(num_replicas());
  proto.set_num_partitions(num_partitions());
  proto.set_use_spmd_partitioning(use_spmd_partitioning());
  proto.set_use_auto_spmd_partitioning(use_auto_spmd_partitioning());
  Assign(proto.mutable_auto_spmd_partitioning_mesh_shape(), auto_spmd_partitioning_mesh_shape());
  Assign(proto.mutable_auto_spmd_partitioning_mesh_ids(), auto_spmd_partitioning_mesh_ids());
  proto.set_optimization_level(optimization_level());
  proto.set_memory_fitting_level(memory_fitting_level());
  proto.set_deduplicate_hlo(deduplicate_hlo());
  if (device_assignment_) device_assignment_->Serialize(proto.mutable_device_assignment());
  proto.set_alias_passthrough_params(alias_passthrough_params());
  proto.set_run_backend_only(run_backend_only());
  Assign(proto.mutable_allow_spmd_sharding_propagation_to_parameters(), propagation_to_parameters_);
  Assign(proto.mutable_allow_spmd_sharding_propagation_to_output(), propagation_to_output_);
  proto.set_fdo_profile(fdo_profile_);
  proto.set_device_memory_size(device_memory_size());
  proto.set_use_shardy_partitioner(use_shardy_partitioner());
  if (comp_envs_) *proto.mutable_comp_envs() = comp_envs_->ToProto();
  if (gpu_topology_) *proto.mutable_gpu_topology() = gpu_topology_->ToProto();
  proto.set_process_index(process_index());
  proto.set_process_count(process_count());
  return proto;
}

std::string ExecutableBuildOptions::ToString() const {
  const absl::StatusOr<ExecutableBuildOptionsProto> proto = ToProto();
  return proto.ok() ? proto->ShortDebugString() : std::string(proto.status().message());
}

absl::StatusOr<ExecutableBuildOptions> ExecutableBuildOptionsFromProto(
    const ExecutableBuildOptionsProto& input) {
  ExecutableBuildOptions options;
  options.set_device_ordinal(static_cast<int>(input.device_ordinal()));
  if (input.has_result_layout()) {
    HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::FromProto(input.result_layout()));
    options.set_result_layout(shape);
  }
  if (input.has_debug_options()) *options.mutable_debug_options() = input.debug_options();
  options.set_num_replicas(static_cast<int>(input.num_replicas()));
  options.set_num_partitions(static_cast<int>(input.num_partitions()));
  options.set_use_spmd_partitioning(input.use_spmd_partitioning());
  options.set_use_auto_spmd_partitioning(input.use_auto_spmd_partitioning());
  options.set_auto_spmd_partitioning_mesh_shape({input.auto_spmd_partitioning_mesh_shape().begin(),
                                                 input.auto_spmd_partitioning_mesh_shape().end()});
  options.set_auto_spmd_partitioning_mesh_ids({input.auto_spmd_partitioning_mesh_ids().begin(),
                                               input.auto_spmd_partitioning_mesh_ids().end()});
  options.set_optimization_level(input.optimization_level());
  options.set_memory_fitting_level(input.memory_fitting_level());
  options.set_deduplicate_hlo(input.deduplicate_hlo());
  if (input.has_device_assignment()) {
    HILO_ASSIGN_OR_RETURN(const std::unique_ptr<DeviceAssignment> assignment,
                          DeviceAssignment::Deserialize(input.device_assignment()));
    options.set_device_assignment(*assignment);
  }
  options.set_alias_passthrough_params(input.alias_passthrough_params());
  options.set_run_backend_only(input.run_backend_only());
  options.set_allow_spmd_sharding_propagation_to_parameters(
      absl::MakeConstSpan(input.allow_spmd_sharding_propagation_to_parameters().data(),
                          input.allow_spmd_sharding_propagation_to_parameters_size()));
  options.set_allow_spmd_sharding_propagation_to_output(
      absl::MakeConstSpan(input.allow_spmd_sharding_propagation_to_output().data(),
                          input.allow_spmd_sharding_propagation_to_output_size()));
  options.set_fdo_profile(input.fdo_profile());
  options.set_device_memory_size(input.device_memory_size());
  options.set_use_shardy_partitioner(input.use_shardy_partitioner());
  if (input.has_comp_envs()) {
    HILO_ASSIGN_OR_RETURN(const std::unique_ptr<CompilationEnvironments> environments,
                          CompilationEnvironments::CreateFromProto(input.comp_envs()));
    *options.mutable_comp_envs() = *environments;
  }
  if (input.has_gpu_topology()) {
    HILO_ASSIGN_OR_RETURN(const GpuTopology topology, GpuTopology::FromProto(input.gpu_topology()));
    options.set_gpu_topology(topology);
  }
  options.set_process_index(static_cast<int>(input.process_index()));
  options.set_process_count(static_cast<int>(input.process_count()));
  return options;
}

ExecutionOptions CreateExecutionOptions(const ExecutableBuildOptions& build_options,
                                        const ProgramShape* program_shape) {
  ExecutionOptions options = CreateDefaultExecutionOptions();
  if (build_options.has_debug_options())
    *options.mutable_debug_options() = build_options.debug_options();
  if (build_options.result_layout() != nullptr) {
    *options.mutable_shape_with_output_layout() = build_options.result_layout()->ToProto();
  } else if (program_shape != nullptr) {
    *options.mutable_shape_with_output_layout() = program_shape->result().ToProto();
  }
  options.set_num_replicas(build_options.num_replicas());
  options.set_num_partitions(build_options.num_partitions());
  options.set_use_spmd_partitioning(build_options.use_spmd_partitioning());
  options.set_use_auto_spmd_partitioning(build_options.use_auto_spmd_partitioning());
  Assign(options.mutable_auto_spmd_partitioning_mesh_shape(),
         build_options.auto_spmd_partitioning_mesh_shape());
  Assign(options.mutable_auto_spmd_partitioning_mesh_ids(),
         build_options.auto_spmd_partitioning_mesh_ids());
  options.set_optimization_level(build_options.optimization_level());
  options.set_memory_fitting_level(build_options.memory_fitting_level());
  options.set_deduplicate_hlo(build_options.deduplicate_hlo());
  Assign(options.mutable_allow_spmd_sharding_propagation_to_parameters(),
         build_options.allow_spmd_sharding_propagation_to_parameters());
  Assign(options.mutable_allow_spmd_sharding_propagation_to_output(),
         build_options.allow_spmd_sharding_propagation_to_output());
  if (build_options.has_device_assignment())
    build_options.device_assignment().Serialize(options.mutable_device_assignment());
  options.set_alias_passthrough_params(build_options.alias_passthrough_params());
  options.set_fdo_profile(
      std::string(build_options.fdo_profile().data(), build_options.fdo_profile().size()));
  options.set_device_memory_size(build_options.device_memory_size());
  options.set_use_shardy_partitioner(build_options.use_shardy_partitioner());
  return options;
}

}  // namespace xla

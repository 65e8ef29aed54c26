// The configuration that a module's message and the options of a compilation ask for.
#include <utility>

#include "base/status_macros.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/service/device_assignment.h"
#include "xla/service/hlo_module_config.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::Status SetDevices(const ExecutionOptions& options, HloModuleConfig& config) {
  if (options.num_replicas() > 0) config.set_replica_count(options.num_replicas());
  if (options.num_partitions() > 0) config.set_num_partitions(options.num_partitions());
  if (options.has_device_assignment()) {
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<DeviceAssignment> assignment,
                          DeviceAssignment::Deserialize(options.device_assignment()));
    config.set_static_device_assignment(*assignment);
  }
  return absl::OkStatus();
}

void SetPartitioning(const ExecutionOptions& options, HloModuleConfig& config) {
  config.set_use_spmd_partitioning(options.use_spmd_partitioning());
  config.set_use_auto_spmd_partitioning(options.use_auto_spmd_partitioning());
  config.set_auto_spmd_partitioning_mesh_shape({options.auto_spmd_partitioning_mesh_shape().begin(),
                                                options.auto_spmd_partitioning_mesh_shape().end()});
  config.set_auto_spmd_partitioning_mesh_ids({options.auto_spmd_partitioning_mesh_ids().begin(),
                                              options.auto_spmd_partitioning_mesh_ids().end()});
  config.set_use_shardy_partitioner(options.use_shardy_partitioner());
  config.set_allow_separate_sharding_programs(options.allow_separate_sharding_programs());
  const auto& to_parameters = options.allow_spmd_sharding_propagation_to_parameters();
  if (!to_parameters.empty()) {
    config.set_allow_spmd_sharding_propagation_to_parameters(to_parameters);
  }
  const auto& to_output = options.allow_spmd_sharding_propagation_to_output();
  if (!to_output.empty()) config.set_allow_spmd_sharding_propagation_to_output(to_output);
}

absl::Status SetResultLayout(const ExecutionOptions& options, HloModuleConfig& config) {
  if (!options.has_shape_with_output_layout()) return absl::OkStatus();
  HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::FromProto(options.shape_with_output_layout()));
  ShapeLayout* result = config.mutable_entry_computation_layout()->mutable_result_layout();
  if (!ShapeUtil::Compatible(shape, result->shape())) {
    return InvalidArgument("shape_with_output_layout %s does not fit the result %s",
                           shape.ToString(), result->shape().ToString());
  }
  return result->CopyLayoutFromShape(shape);
}

}  // namespace

absl::StatusOr<HloModuleConfig> HloModule::CreateModuleConfigFromProto(
    const HloModuleProto& module, const DebugOptions& debug_options,
    const ExecutionOptions* execution_options) {
  if (!module.has_host_program_shape()) {
    return InvalidArgument("module %s: no program shape found in the proto", module.name());
  }
  HILO_ASSIGN_OR_RETURN(const ProgramShape shape,
                        ProgramShape::FromProto(module.host_program_shape()));
  HILO_ASSIGN_OR_RETURN(HloModuleConfig config,
                        CreateModuleConfigFromShape(shape, debug_options, execution_options));
  config.set_device_type(module.device_type());
  if (execution_options == nullptr) {
    config.set_use_auto_spmd_partitioning(module.use_auto_spmd_partitioning());
  }
  return config;
}

absl::StatusOr<HloModuleConfig> HloModule::CreateModuleConfigFromShape(
    const ProgramShape& program_shape, const DebugOptions& debug_options,
    const ExecutionOptions* execution_options) {
  HloModuleConfig config(program_shape, /*ignore_layouts=*/false);
  config.set_debug_options(debug_options);
  if (execution_options == nullptr) return config;
  config.set_seed(execution_options->seed());
  config.set_launch_id(execution_options->launch_id());
  config.set_deduplicate_hlo(execution_options->deduplicate_hlo());
  config.set_alias_passthrough_params(execution_options->alias_passthrough_params());
  config.set_optimization_level(execution_options->optimization_level());
  config.set_memory_fitting_level(execution_options->memory_fitting_level());
  config.set_fdo_profile(execution_options->fdo_profile());
  config.set_device_memory_size(execution_options->device_memory_size());
  config.set_param_requires_broadcast_via_collectives(
      {execution_options->param_requires_broadcast_via_collectives().begin(),
       execution_options->param_requires_broadcast_via_collectives().end()});
  SetPartitioning(*execution_options, config);
  HILO_RETURN_IF_ERROR(SetDevices(*execution_options, config));
  HILO_RETURN_IF_ERROR(SetResultLayout(*execution_options, config));
  return config;
}

}  // namespace xla

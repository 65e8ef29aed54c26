// How a module is to be compiled: layouts of its parameters and result, number of devices, options.
#ifndef XLA_SERVICE_HLO_MODULE_CONFIG_H_
#define XLA_SERVICE_HLO_MODULE_CONFIG_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/debug_options_flags.h"
#include "xla/service/computation_layout.h"
#include "xla/service/device_assignment.h"
#include "xla/shape.h"
#include "xla/xla.pb.h"
#include "xla/xla_data.pb.h"

namespace xla {

// A part of a parameter whose updated value is a part of the result.
struct ShardableValueUpdatePair {
  int64_t input_parameter_number = 0;
  std::vector<int64_t> parameter_shape_index;
  std::vector<int64_t> output_shape_index;
};

// DebugOptions that are kept as a reference to an instance for the whole process until they are
// changed: most modules have those, and the message is large.
class SharedDebugOptions {
 public:
  // `initial` must live as long as the process.
  explicit SharedDebugOptions(const DebugOptions& initial) : initial_(&initial) {}
  SharedDebugOptions(const SharedDebugOptions& other) { *this = other; }
  SharedDebugOptions& operator=(const SharedDebugOptions& other);
  SharedDebugOptions(SharedDebugOptions&&) = default;
  SharedDebugOptions& operator=(SharedDebugOptions&&) = default;

  const DebugOptions& get() const { return own_ != nullptr ? *own_ : *initial_; }
  DebugOptions& mutable_get();

 private:
  const DebugOptions* initial_ = nullptr;
  std::unique_ptr<DebugOptions> own_;  // Null until the options are changed.
};

class HloModuleConfig {
 public:
  // No entry layout, DefaultDebugOptions().
  HloModuleConfig();
  // The entry layout of a program shape (see ComputationLayout), and all debug options zero: such a
  // config prints modules in the short form.
  explicit HloModuleConfig(const ProgramShape& program_shape, bool ignore_layouts = true);
  explicit HloModuleConfig(ComputationLayout entry_computation_layout);

  // Fields without accessor here come through unchanged. InvalidArgument for malformed shapes or
  // device assignments and negative counts.
  static absl::StatusOr<std::unique_ptr<HloModuleConfig>> CreateFromProto(
      const HloModuleConfigProto& proto);
  HloModuleConfigProto ToProto() const;

  bool has_entry_computation_layout() const { return entry_computation_layout_.has_value(); }
  // CHECKs that there is one.
  const ComputationLayout& entry_computation_layout() const;
  ComputationLayout* mutable_entry_computation_layout();
  void clear_entry_computation_layout() { entry_computation_layout_.reset(); }
  // The layouts of the program shape: the default ones, or those it has.
  void SetDefaultComputationLayout(const ProgramShape& program_shape);
  void SetComputationLayoutIfExists(const ProgramShape& program_shape);

  const DebugOptions& debug_options() const { return debug_options_.get(); }
  DebugOptions& mutable_debug_options() { return debug_options_.mutable_get(); }
  void set_debug_options(const DebugOptions& debug_options) {
    debug_options_.mutable_get() = debug_options;
  }
  bool hlo_profiling_enabled() const { return debug_options().xla_hlo_profile(); }
  bool cpu_traceme_enabled() const { return debug_options().xla_cpu_enable_xprof_traceme(); }

#define HILO_CONFIG_VALUE(Type, name, default_value)          \
 public:                                                      \
  const Type& name() const { return name##_; }                \
  void set_##name(Type value) { name##_ = std::move(value); } \
                                                              \
 private:                                                     \
  Type name##_ = default_value

  // The seed of stateful random numbers; 0 for one of the run's own choice.
  HILO_CONFIG_VALUE(uint64_t, seed, 0);
  HILO_CONFIG_VALUE(int32_t, launch_id, 0);
  HILO_CONFIG_VALUE(int64_t, replica_count, 1);
  HILO_CONFIG_VALUE(int64_t, num_partitions, 1);
  HILO_CONFIG_VALUE(std::vector<bool>, param_requires_broadcast_via_collectives, {});
  HILO_CONFIG_VALUE(bool, use_spmd_partitioning, false);
  HILO_CONFIG_VALUE(bool, use_auto_spmd_partitioning, false);
  HILO_CONFIG_VALUE(std::vector<int64_t>, auto_spmd_partitioning_mesh_shape, {});
  HILO_CONFIG_VALUE(std::vector<int64_t>, auto_spmd_partitioning_mesh_ids, {});
  HILO_CONFIG_VALUE(ExecutionOptions::EffortLevel, optimization_level,
                    ExecutionOptions::EFFORT_UNKNOWN);
  HILO_CONFIG_VALUE(ExecutionOptions::EffortLevel, memory_fitting_level,
                    ExecutionOptions::EFFORT_UNKNOWN);
  HILO_CONFIG_VALUE(bool, deduplicate_hlo, false);
  // -1 for as many as the machine has.
  HILO_CONFIG_VALUE(int64_t, intra_op_parallelism_threads, -1);
  HILO_CONFIG_VALUE(std::string, device_type, "");
  HILO_CONFIG_VALUE(bool, allow_separate_sharding_programs, false);
  HILO_CONFIG_VALUE(std::vector<ShardableValueUpdatePair>, shardable_value_update_pairs, {});
  HILO_CONFIG_VALUE(bool, alias_passthrough_params, false);
  HILO_CONFIG_VALUE(bool, content_aware_computation_sorting, true);
  HILO_CONFIG_VALUE(PrecisionConfig::Precision, matrix_unit_operand_precision,
                    PrecisionConfig::DEFAULT);
  HILO_CONFIG_VALUE(int64_t, device_memory_size, 0);
  HILO_CONFIG_VALUE(bool, use_shardy_partitioner, false);
  HILO_CONFIG_VALUE(int64_t, partition_size, 0);
  HILO_CONFIG_VALUE(int64_t, page_size_kib, 0);
#undef HILO_CONFIG_VALUE

 public:
  absl::string_view fdo_profile() const { return fdo_profile_; }
  void set_fdo_profile(absl::string_view fdo_profile) { fdo_profile_ = std::string(fdo_profile); }
  void clear_fdo_profile() { fdo_profile_.clear(); }

  // One flag for each parameter (element of the result), or one for all.
  absl::Span<const bool> allow_spmd_sharding_propagation_to_parameters() const {
    return allow_propagation_to_parameters_;
  }
  void set_allow_spmd_sharding_propagation_to_parameters(absl::Span<const bool> data) {
    allow_propagation_to_parameters_.assign(data.begin(), data.end());
  }
  absl::Span<const bool> allow_spmd_sharding_propagation_to_output() const {
    return allow_propagation_to_output_;
  }
  void set_allow_spmd_sharding_propagation_to_output(absl::Span<const bool> data) {
    allow_propagation_to_output_.assign(data.begin(), data.end());
  }

  bool has_static_device_assignment() const { return static_device_assignment_.has_value(); }
  // CHECKs that there is one.
  const DeviceAssignment& static_device_assignment() const;
  void set_static_device_assignment(const DeviceAssignment& device_assignment) {
    static_device_assignment_ = device_assignment;
  }
  void reset_static_device_assignment() { static_device_assignment_.reset(); }
  bool has_pre_simulation_device_assignment() const {
    return pre_simulation_device_assignment_.has_value();
  }
  // CHECKs that there is one.
  const DeviceAssignment& pre_simulation_device_assignment() const;
  void set_pre_simulation_device_assignment(const DeviceAssignment& device_assignment) {
    pre_simulation_device_assignment_ = device_assignment;
  }

  // A text that is different for configs that compile differently.
  std::string compilation_cache_key() const;

 private:
  std::optional<ComputationLayout> entry_computation_layout_;
  SharedDebugOptions debug_options_;
  std::string fdo_profile_;
  absl::InlinedVector<bool, 1> allow_propagation_to_parameters_ = {false};
  absl::InlinedVector<bool, 1> allow_propagation_to_output_ = {false};
  std::optional<DeviceAssignment> static_device_assignment_;
  std::optional<DeviceAssignment> pre_simulation_device_assignment_;
  // Fields of the proto that are kept but not interpreted; null when there are none.
  std::shared_ptr<const HloModuleConfigProto> uninterpreted_;
};

}  // namespace xla

#endif  // XLA_SERVICE_HLO_MODULE_CONFIG_H_

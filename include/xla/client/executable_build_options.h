// How a program is to be compiled.
#ifndef XLA_CLIENT_EXECUTABLE_BUILD_OPTIONS_H_
#define XLA_CLIENT_EXECUTABLE_BUILD_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/pjrt/proto/compile_options.pb.h"
#include "xla/service/compilation_environments.h"
#include "xla/service/device_assignment.h"
#include "xla/service/gpu_topology.h"
#include "xla/shape.h"
#include "xla/xla.pb.h"

namespace stream_executor {
class DeviceAddressAllocator;
}  // namespace stream_executor

namespace tsl::thread {
class ThreadPool;
}  // namespace tsl::thread

namespace xla {

class HloModule;
class KeyValueStoreInterface;

// Setters return *this unless they return nothing. Defaults: no device, one replica, one partition,
// the layouts of the program, the debug options of the process. Pointers are not owned. What
// concerns automatic partitioning, profiles and effort is kept and means nothing here.
class ExecutableBuildOptions {
 public:
#define HILO_BUILD_OPTION(Type, name, default_value) \
 public:                                             \
  Type name() const { return name##_; }              \
  ExecutableBuildOptions& set_##name(Type value) {   \
    name##_ = std::move(value);                      \
    return *this;                                    \
  }                                                  \
                                                     \
 private:                                            \
  Type name##_ = default_value

  // -1 for none in particular.
  HILO_BUILD_OPTION(int, device_ordinal, -1);
  HILO_BUILD_OPTION(stream_executor::DeviceAddressAllocator*, device_allocator, nullptr);
  HILO_BUILD_OPTION(int, num_replicas, 1);
  HILO_BUILD_OPTION(int, num_partitions, 1);
  HILO_BUILD_OPTION(bool, use_spmd_partitioning, false);
  HILO_BUILD_OPTION(bool, use_auto_spmd_partitioning, false);
  HILO_BUILD_OPTION(std::vector<int64_t>, auto_spmd_partitioning_mesh_shape, {});
  HILO_BUILD_OPTION(std::vector<int64_t>, auto_spmd_partitioning_mesh_ids, {});
  HILO_BUILD_OPTION(ExecutionOptions::EffortLevel, optimization_level,
                    ExecutionOptions::EFFORT_UNKNOWN);
  HILO_BUILD_OPTION(ExecutionOptions::EffortLevel, memory_fitting_level,
                    ExecutionOptions::EFFORT_UNKNOWN);
  HILO_BUILD_OPTION(bool, deduplicate_hlo, false);
  HILO_BUILD_OPTION(bool, run_backend_only, false);
  HILO_BUILD_OPTION(tsl::thread::ThreadPool*, compile_thread_pool, nullptr);
  // In bytes; 0 for what the device has.
  HILO_BUILD_OPTION(int64_t, device_memory_size, 0);
  HILO_BUILD_OPTION(bool, use_shardy_partitioner, false);
#undef HILO_BUILD_OPTION

 public:
  // The shape, with layout, in which results are given; it must be compatible with the program's
  // result.
  ExecutableBuildOptions& set_result_layout(const Shape& shape_with_layout) {
    result_layout_ = shape_with_layout;
    return *this;
  }
  const Shape* result_layout() const { return result_layout_ ? &*result_layout_ : nullptr; }

  bool has_debug_options() const { return debug_options_.has_value(); }
  const DebugOptions& debug_options() const {
    return debug_options_ ? *debug_options_ : DebugOptions::default_instance();
  }
  // Begins with the debug options of the process.
  DebugOptions* mutable_debug_options();

  bool has_device_assignment() const { return device_assignment_.has_value(); }
  ExecutableBuildOptions& set_device_assignment(const DeviceAssignment& device_assignment) {
    device_assignment_ = device_assignment;
    return *this;
  }
  // CHECKs that there is one.
  const DeviceAssignment& device_assignment() const;
  void clear_device_assignment() { device_assignment_.reset(); }

  bool alias_passthrough_params() const { return alias_passthrough_params_; }
  void set_alias_passthrough_params(bool value) { alias_passthrough_params_ = value; }

  // One flag for each parameter (element of the result), or one for all.
  absl::Span<const bool> allow_spmd_sharding_propagation_to_parameters() const {
    return propagation_to_parameters_;
  }
  absl::Span<const bool> allow_spmd_sharding_propagation_to_output() const {
    return propagation_to_output_;
  }
  bool any_allow_spmd_sharding_propagation_to_parameters() const {
    return absl::c_linear_search(propagation_to_parameters_, true);
  }
  bool any_allow_spmd_sharding_propagation_to_output() const {
    return absl::c_linear_search(propagation_to_output_, true);
  }
  ExecutableBuildOptions& set_allow_spmd_sharding_propagation_to_parameters(
      absl::Span<const bool> flags) {
    propagation_to_parameters_.assign(flags.begin(), flags.end());
    return *this;
  }
  ExecutableBuildOptions& set_allow_spmd_sharding_propagation_to_output(
      absl::Span<const bool> flags) {
    propagation_to_output_.assign(flags.begin(), flags.end());
    return *this;
  }

  using LayoutCanonicalizationCallback =
      std::function<absl::StatusOr<std::pair<std::vector<Shape>, Shape>>(const HloModule& module)>;
  void set_layout_canonicalization_callback(LayoutCanonicalizationCallback callback) {
    layout_canonicalization_callback_ = std::move(callback);
  }
  LayoutCanonicalizationCallback layout_canonicalization_callback() const {
    return layout_canonicalization_callback_;
  }

  absl::string_view fdo_profile() const { return fdo_profile_; }
  void set_fdo_profile(std::string fdo_profile) { fdo_profile_ = std::move(fdo_profile); }
  std::string* mutable_fdo_profile() { return &fdo_profile_; }

  // Options of the client's own kinds; see xla/service/compilation_environments.h.
  bool has_comp_envs() const { return comp_envs_.has_value(); }
  // CHECKs that there are some.
  const CompilationEnvironments& comp_envs() const;
  CompilationEnvironments* mutable_comp_envs();
  const std::optional<GpuTopology>& gpu_topology() const { return gpu_topology_; }
  void set_gpu_topology(const GpuTopology& gpu_topology) { gpu_topology_ = gpu_topology; }

  int process_index() const { return process_index_; }
  void set_process_index(int process_index) { process_index_ = process_index; }
  int process_count() const { return process_count_; }
  void set_process_count(int process_count) { process_count_ = process_count; }
  // Where processes that compile together tell each other what they found out; nothing here needs
  // it.
  std::shared_ptr<KeyValueStoreInterface> key_value_store() const { return key_value_store_; }
  void set_key_value_store(std::shared_ptr<KeyValueStoreInterface> kv_store) {
    key_value_store_ = std::move(kv_store);
  }

  // InvalidArgument for options that have no field in the message: an allocator, a thread pool, a
  // layout callback.
  absl::StatusOr<ExecutableBuildOptionsProto> ToProto() const;
  std::string ToString() const;

 private:
  std::optional<Shape> result_layout_;
  std::optional<DebugOptions> debug_options_;
  std::optional<DeviceAssignment> device_assignment_;
  bool alias_passthrough_params_ = false;
  absl::InlinedVector<bool, 1> propagation_to_parameters_ = {false};
  absl::InlinedVector<bool, 1> propagation_to_output_ = {false};
  LayoutCanonicalizationCallback layout_canonicalization_callback_;
  std::string fdo_profile_;
  std::optional<CompilationEnvironments> comp_envs_;
  std::optional<GpuTopology> gpu_topology_;
  int process_index_ = 0;
  int process_count_ = 1;
  std::shared_ptr<KeyValueStoreInterface> key_value_store_;
};

using LayoutCanonicalizationCallback = ExecutableBuildOptions::LayoutCanonicalizationCallback;

// The inverse of ToProto. InvalidArgument for a malformed shape or device assignment.
absl::StatusOr<ExecutableBuildOptions> ExecutableBuildOptionsFromProto(
    const ExecutableBuildOptionsProto& input);

// The execution options that say the same. `program_shape` gives the result's layout where the
// build options have none; may be null.
ExecutionOptions CreateExecutionOptions(const ExecutableBuildOptions& build_options,
                                        const ProgramShape* program_shape);

}  // namespace xla

#endif  // XLA_CLIENT_EXECUTABLE_BUILD_OPTIONS_H_

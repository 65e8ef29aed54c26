// Executables: how they are compiled and run, and what is known of them without running them.
#ifndef XLA_PJRT_PJRT_EXECUTABLE_H_
#define XLA_PJRT_PJRT_EXECUTABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/client/executable_build_options.h"
#include "xla/ffi/execution_context.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/pjrt/pjrt_common.h"
#include "xla/pjrt/pjrt_device_dimensions.h"
#include "xla/pjrt/pjrt_layout.h"
#include "xla/pjrt/proto/compile_options.pb.h"
#include "xla/pjrt/proto/executable_metadata.pb.h"
#include "xla/pjrt/proto/execute_options.pb.h"
#include "xla/runtime/device_id.h"
#include "xla/shape.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace google::protobuf {
class FieldDescriptor;
}  // namespace google::protobuf

namespace xla {

class CopyToDeviceStream;
class ExecutionProfile;
class PjRtChunk;

// Of programs that run on several slices of accelerators; there are none here.
class MultiSliceConfig {
 public:
  virtual ~MultiSliceConfig() = default;
};

struct CompileOptions {
  // The layouts of the arguments; those of the program's own entry layout without it.
  std::optional<std::vector<Shape>> argument_layouts;
  // Whether the program has one parameter, a tuple, whose elements are the arguments.
  bool parameter_is_tupled_arguments = false;
  // Kept, and means nothing here.
  absl::flat_hash_set<int> individually_defined_output_indices;
  ExecutableBuildOptions executable_build_options;
  // Whether the executable is for one device, to be chosen by ExecutePortable.
  bool compile_portable_executable = false;
  int64_t profile_version = 0;
  const MultiSliceConfig* multi_slice_config = nullptr;
  std::string serialized_multi_slice_config;

  // Fields of DebugOptions by name, and their values.
  using OptionOverride = std::variant<std::string, bool, int64_t, double>;
  using EnvironmentOptionOverrides = std::vector<std::pair<std::string, OptionOverride>>;
  EnvironmentOptionOverrides env_option_overrides;

  bool allow_in_place_mlir_modification = false;
  PrecisionConfig::Precision matrix_unit_operand_precision = PrecisionConfig::DEFAULT;
  std::optional<std::string> compiler_variant;

  // Set the debug options that env_option_overrides names; one of them. InvalidArgument for a name
  // that DebugOptions does not have and for a value that is none of its type.
  absl::Status ApplyAllOptionOverrides();
  absl::Status ApplyOption(const std::string& key, const OptionOverride& value);
  absl::Status ApplyOptionFromString(const google::protobuf::FieldDescriptor* field,
                                     const std::string& value);
  static absl::StatusOr<EnvironmentOptionOverrides> LoadEnvOptionOverrides(
      const google::protobuf::Map<std::string, OptionOverrideProto>& env_option_overrides);

  absl::StatusOr<CompileOptionsProto> ToProto() const;
  static absl::StatusOr<CompileOptions> FromProto(const CompileOptionsProto& proto);
};

struct LoadOptions {
  std::optional<PjRtDeviceDimensions> computation_origin;
  const MultiSliceConfig* multi_slice_config = nullptr;
};

// What the caller hands to the custom calls of executions.
class ExecuteContext {
 public:
  virtual ~ExecuteContext() = default;
  virtual absl::string_view kind() const { return ""; }

  // What handlers that are bound to UserData<T> get. It must stay as it is while executions go on.
  ffi::ExecutionContext& ffi_context() { return ffi_context_; }
  const ffi::ExecutionContext& ffi_context() const { return ffi_context_; }

 private:
  ffi::ExecutionContext ffi_context_;
};

struct PjRtTransferMetadata {
  Shape device_shape;
};
// Functions for send and recv of the program to and from the host.
struct SendCallback {
  int64_t channel_id;
  std::function<absl::Status(const PjRtTransferMetadata& metadata, PjRtChunk chunk,
                             size_t total_size_in_bytes, bool done)>
      callback;
};
struct RecvCallback {
  int64_t channel_id;
  std::function<void(const PjRtTransferMetadata& metadata,
                     std::unique_ptr<CopyToDeviceStream> stream)>
      callback;
};

struct ExecuteOptions {
  // ExecuteSharded calls of several devices belong together when they have the same number.
  int32_t launch_id = 0;
  const ExecuteContext* context = nullptr;  // must outlive the execution
  // Whether the shapes of arguments must be those of the parameters in every detail; otherwise
  // layouts may differ, and arrays may lie within the bounds of dynamic parameters.
  bool strict_shape_checking = false;
  const MultiSliceConfig* multi_slice_config = nullptr;
  // For each device of the execution. Unimplemented on this machine's devices.
  absl::Span<const std::vector<SendCallback>> send_callbacks;
  absl::Span<const std::vector<RecvCallback>> recv_callbacks;
  bool use_major_to_minor_data_layout_for_callbacks = false;
  // kSynchronous: the execution is over when Execute returns. kDefault: as the client says.
  enum class ExecutionMode { kDefault = 0, kSynchronous, kAsynchronous };
  ExecutionMode execution_mode = ExecutionMode::kDefault;
  // Filled in by the execution where it is synchronous.
  ExecutionProfile* execution_profile = nullptr;
  // Arguments that stay as they are although the program has an alias for them.
  absl::flat_hash_set<int> non_donatable_input_indices;
  int64_t execution_stream_id = 0;
  std::string call_location;
  absl::flat_hash_map<int, IncarnationId> incarnations;
  // Of random numbers that the program does not seed itself; 0 for the program's own.
  int64_t seed = 0;
  bool use_output_arena = false;
  // Of older clients: arguments come one by one and tuples are given as their elements, always.
  bool arguments_are_tupled = false;
  bool untuple_result = true;

  absl::StatusOr<ExecuteOptionsProto> ToProto() const;
  static absl::StatusOr<ExecuteOptions> FromProto(const ExecuteOptionsProto& proto);
};

template <typename Sink>
void AbslStringify(Sink& sink, ExecuteOptions::ExecutionMode mode) {
  sink.Append(mode == ExecuteOptions::ExecutionMode::kSynchronous    ? "Synchronous"
              : mode == ExecuteOptions::ExecutionMode::kAsynchronous ? "Asynchronous"
                                                                     : "Default");
}

// How much memory one execution takes on a device, in bytes.
struct CompiledMemoryStats {
  int64_t generated_code_size_in_bytes = 0;
  int64_t argument_size_in_bytes = 0;
  int64_t output_size_in_bytes = 0;
  // Results that take the place of donated arguments; they count as arguments and as outputs.
  int64_t alias_size_in_bytes = 0;
  // Of everything else.
  int64_t temp_size_in_bytes = 0;

  int64_t host_generated_code_size_in_bytes = 0;
  int64_t host_argument_size_in_bytes = 0;
  int64_t host_output_size_in_bytes = 0;
  int64_t host_alias_size_in_bytes = 0;
  int64_t host_temp_size_in_bytes = 0;

  // Arguments, outputs and temporaries together, aliases counted once.
  int64_t peak_memory_in_bytes = 0;
  int64_t total_size_in_bytes = 0;
  int64_t total_allocation_bytes = 0;
  int64_t indefinite_allocations = 0;
  int64_t peak_unpadded_heap_bytes = 0;
  std::string serialized_buffer_assignment;

  CompiledMemoryStatsProto ToProto() const;
  static CompiledMemoryStats FromProto(const CompiledMemoryStatsProto& proto);
  std::string DebugString() const;
};

// Which version of the runtime an executable needs.
class PjRtExecutableAbiVersion {
 public:
  virtual ~PjRtExecutableAbiVersion() = default;
  virtual PjRtPlatformId platform_id() const = 0;
  virtual absl::StatusOr<std::string> ToProto() const {
    return absl::UnimplementedError("the version has no message");
  }
};

// A compiled program, which need not be loaded anywhere.
class PjRtExecutable {
 public:
  virtual ~PjRtExecutable() = default;

  virtual int num_replicas() const = 0;
  virtual int num_partitions() const = 0;
  virtual int64_t SizeOfGeneratedCodeInBytes() const = 0;
  virtual absl::string_view name() const = 0;

  // The program; of one that was loaded from bytes its parameters and its result only.
  virtual absl::StatusOr<std::vector<std::shared_ptr<HloModule>>> GetHloModules() const = 0;

  // For each program (there is one) the shape of its result; types, dimensions of its arrays.
  virtual absl::StatusOr<std::vector<Shape>> GetOutputShapes() const;
  virtual absl::StatusOr<std::vector<std::vector<PrimitiveType>>> GetOutputElementTypes() const;
  virtual absl::StatusOr<std::vector<std::vector<DimensionVector>>> GetOutputDimensions() const;
  // One for each argument, each output.
  virtual absl::StatusOr<std::vector<std::shared_ptr<const PjRtLayout>>> GetParameterLayouts()
      const;
  virtual absl::StatusOr<std::vector<std::shared_ptr<const PjRtLayout>>> GetOutputLayouts() const;
  virtual absl::StatusOr<std::vector<std::vector<absl::string_view>>> GetParameterMemoryKinds()
      const {
    return absl::UnimplementedError("the executable does not know its memory kinds");
  }
  virtual absl::StatusOr<std::vector<std::vector<absl::string_view>>> GetOutputMemoryKinds() const {
    return absl::UnimplementedError("the executable does not know its memory kinds");
  }
  // Nothing where the program has no shardings.
  virtual std::optional<std::vector<OpSharding>> GetParameterShardings() const;
  virtual std::optional<std::vector<OpSharding>> GetOutputShardings() const;

  virtual absl::StatusOr<CompiledMemoryStats> GetCompiledMemoryStats() const {
    return absl::UnimplementedError("the executable does not know its memory");
  }
  // Figures such as "flops" and "bytes accessed".
  virtual absl::StatusOr<absl::flat_hash_map<std::string, PjRtValueType>> GetCostAnalysis() const {
    return absl::UnimplementedError("the executable does not know its cost");
  }

  // Bytes for PjRtClient::DeserializeExecutable.
  virtual absl::StatusOr<std::string> SerializeExecutable() const {
    return absl::UnimplementedError("the executable cannot be saved");
  }
  virtual absl::StatusOr<std::unique_ptr<PjRtExecutableAbiVersion>> GetAbiVersion() const {
    return absl::UnimplementedError("the executable does not know its version");
  }
  // A text that differs for programs that differ.
  virtual absl::StatusOr<std::string> FingerprintExecutable() const {
    return absl::UnimplementedError("the executable has no fingerprint");
  }
  virtual absl::StatusOr<struct CompileOptions> GetCompileOptions() const {
    return absl::UnimplementedError("the executable does not know its options");
  }
};

}  // namespace xla

#endif  // XLA_PJRT_PJRT_EXECUTABLE_H_

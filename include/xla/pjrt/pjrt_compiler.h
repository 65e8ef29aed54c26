// Platforms, topologies of devices, and compilers for them.
#ifndef XLA_PJRT_PJRT_COMPILER_H_
#define XLA_PJRT_PJRT_COMPILER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/layout.h"
#include "xla/pjrt/pjrt_common.h"
#include "xla/pjrt/pjrt_device_description.h"
#include "xla/pjrt/pjrt_executable.h"
#include "xla/service/computation_placer.h"
#include "xla/xla_data.pb.h"

namespace xla {

class PjRtClient;

// Names of platforms and their numbers.
inline absl::string_view CpuName() { return "cpu"; }
inline absl::string_view CudaName() { return "cuda"; }
inline absl::string_view RocmName() { return "rocm"; }
inline absl::string_view SyclName() { return "sycl"; }
inline absl::string_view OneapiName() { return "oneapi"; }
inline absl::string_view TpuName() { return "tpu"; }
inline absl::string_view InterpreterName() { return "interpreter"; }
PjRtPlatformId PlatformIdOf(absl::string_view name);
inline PjRtPlatformId CpuId() { return PlatformIdOf(CpuName()); }
inline PjRtPlatformId CudaId() { return PlatformIdOf(CudaName()); }
inline PjRtPlatformId RocmId() { return PlatformIdOf(RocmName()); }
inline PjRtPlatformId SyclId() { return PlatformIdOf(SyclName()); }
inline PjRtPlatformId OneapiId() { return PlatformIdOf(OneapiName()); }
inline PjRtPlatformId TpuId() { return PlatformIdOf(TpuName()); }
inline PjRtPlatformId InterpreterId() { return PlatformIdOf(InterpreterName()); }
inline bool IsCpuId(PjRtPlatformId id) { return id == CpuId(); }
inline bool IsCudaId(PjRtPlatformId id) { return id == CudaId(); }
inline bool IsRocmId(PjRtPlatformId id) { return id == RocmId(); }
inline bool IsTpuId(PjRtPlatformId id) { return id == TpuId(); }
inline bool IsInterpreterId(PjRtPlatformId id) { return id == InterpreterId(); }
inline bool IsGpuId(PjRtPlatformId id) {
  return IsCudaId(id) || IsRocmId(id) || id == SyclId() || id == OneapiId();
}

class PjRtCompiler;

// Devices, which need not be at hand, and how they belong together.
class PjRtTopologyDescription {
 public:
  virtual ~PjRtTopologyDescription() = default;

  virtual PjRtPlatformId platform_id() const = 0;
  virtual absl::string_view platform_name() const = 0;
  virtual absl::string_view platform_version() const = 0;
  virtual std::optional<PjRtCompiler*> compiler() const { return std::nullopt; }

  virtual std::vector<std::unique_ptr<const PjRtDeviceDescription>> DeviceDescriptions() const = 0;
  // The devices of the process for replicas and partitions, in order; of all processes where those
  // of this one are too few. InvalidArgument when these are too few, too.
  virtual absl::StatusOr<DeviceAssignment> GetDefaultDeviceAssignment(
      int process_index, int num_replicas, std::optional<int> num_replicas_per_slice,
      int num_partitions, const MultiSliceConfig* multi_slice_config) const;
  virtual bool is_subslice_topology() const { return false; }
  virtual absl::StatusOr<int> ProcessCount() const { return 1; }
  virtual absl::StatusOr<int> LogicalDeviceCount() const {
    return static_cast<int>(DeviceDescriptions().size());
  }

  // Bytes; a number that differs for topologies that differ.
  virtual absl::StatusOr<std::string> Serialize() const {
    return absl::UnimplementedError("the topology cannot be saved");
  }
  virtual absl::StatusOr<uint64_t> Fingerprint() const;
  virtual const absl::flat_hash_map<std::string, PjRtDeviceAttribute>& Attributes() const = 0;

  // The layout of arrays where nobody asks for another one.
  virtual absl::StatusOr<Layout> GetDefaultLayout(PrimitiveType element_type,
                                                  absl::Span<const int64_t> dims) const = 0;
};

// Compiles ahead of time.
class PjRtCompiler {
 public:
  virtual ~PjRtCompiler() = default;
  // For devices of the topology; `client` may be null.
  virtual absl::StatusOr<std::unique_ptr<PjRtExecutable>> Compile(
      CompileOptions options, const XlaComputation& computation,
      const PjRtTopologyDescription& topology, PjRtClient* client) = 0;
};

// Makes a compiler known by the name of its platform; one for each.
void PjRtRegisterCompiler(absl::string_view platform_name, std::unique_ptr<PjRtCompiler> compiler);
// NotFound where there is none.
absl::StatusOr<PjRtCompiler*> GetPjRtCompiler(absl::string_view platform_name);

// Compiles with the compiler of the topology's platform.
absl::StatusOr<std::unique_ptr<PjRtExecutable>> PjRtCompile(CompileOptions options,
                                                            const XlaComputation& computation,
                                                            const PjRtTopologyDescription& topology,
                                                            PjRtClient* client = nullptr);

}  // namespace xla

#endif  // XLA_PJRT_PJRT_COMPILER_H_

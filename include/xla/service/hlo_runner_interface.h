// Runs modules: what the test fixtures run their programs with.
#ifndef XLA_SERVICE_HLO_RUNNER_INTERFACE_H_
#define XLA_SERVICE_HLO_RUNNER_INTERFACE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/service/device_assignment.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"

namespace xla {

// What a runner may be asked to tell about itself.
class HloRunnerPropertyTag {
 public:
  using Type = intptr_t;
  static constexpr Type kUsingGpuRocm = 0;
  static constexpr Type kUsingGpuCuda = 1;
  static constexpr Type kCpu = 2;
};

// A compiled program. Its runner knows what is in it; it must not outlive the runner.
class OpaqueExecutable {
 public:
  virtual ~OpaqueExecutable() = default;
  OpaqueExecutable(const OpaqueExecutable&) = delete;
  OpaqueExecutable& operator=(const OpaqueExecutable&) = delete;

 protected:
  OpaqueExecutable() = default;
};

// Functions take a module, or an executable that was made from one. With run_hlo_passes the
// compiler may change the program first; an executable made of a program that was optimised before
// goes without. Errors are those of compiling (InvalidArgument names the broken rule) and of
// running (InvalidArgument when number or shapes of the arguments do not fit).
class HloRunnerInterface {
 public:
  // A run on several devices at once, each of which gets the same arguments.
  struct ReplicatedExecuteOptions {
    int64_t num_devices = 1;
    std::vector<const Literal*> arguments;
    // Values for infeed instructions, one for each device, given out infeed_steps times (negative:
    // as often as the program asks). A tuple that no infeed of the program takes is as many values
    // as it has elements. And where those of outfeed instructions go: all of device 0
    // in order, then all of device 1.
    std::vector<const Literal*> infeed_values;
    int64_t infeed_steps = -1;
    Shape outfeed_shape;
    std::vector<Literal>* outfeed_values = nullptr;
    bool run_hlo_passes = false;
    int64_t seed = 0;  // 0: that of the module's configuration, or else a new one for each run
  };

  HloRunnerInterface() = default;
  virtual ~HloRunnerInterface() = default;
  HloRunnerInterface(const HloRunnerInterface&) = delete;
  HloRunnerInterface& operator=(const HloRunnerInterface&) = delete;

  virtual absl::StatusOr<std::unique_ptr<OpaqueExecutable>> CreateExecutable(
      std::unique_ptr<HloModule> module, bool run_hlo_passes) = 0;
  // Of a program that was saved. Unimplemented unless the runner says more.
  virtual absl::StatusOr<std::unique_ptr<OpaqueExecutable>> DeserializeExecutable(
      absl::string_view serialized) const;
  // Where a back end plans memory by itself, as those of this library do, the assignment changes
  // nothing: no result depends on it.
  virtual absl::StatusOr<std::unique_ptr<OpaqueExecutable>> CreateExecutableWithBufferAssignment(
      std::unique_ptr<HloModule> module, const BufferAssignmentProto* buffer_assignment_proto,
      bool run_hlo_passes) {
    return CreateExecutable(std::move(module), run_hlo_passes);
  }

  // Run once on one device.
  absl::StatusOr<Literal> Execute(std::unique_ptr<HloModule> module,
                                  absl::Span<const Literal> arguments, bool run_hlo_passes = true);
  absl::StatusOr<Literal> Execute(std::unique_ptr<HloModule> module,
                                  absl::Span<const Literal* const> arguments, bool run_hlo_passes);
  absl::StatusOr<Literal> ExecuteWithBufferAssignment(
      std::unique_ptr<HloModule> module, const BufferAssignmentProto* buffer_assignment_proto,
      absl::Span<const Literal> arguments, bool run_hlo_passes = true);
  absl::StatusOr<Literal> ExecuteWithBufferAssignment(
      std::unique_ptr<HloModule> module, const BufferAssignmentProto* buffer_assignment_proto,
      absl::Span<const Literal* const> arguments, bool run_hlo_passes);
  absl::StatusOr<Literal> ExecuteWithExecutable(OpaqueExecutable* executable,
                                                absl::Span<const Literal> arguments);
  absl::StatusOr<Literal> ExecuteWithExecutable(OpaqueExecutable* executable,
                                                absl::Span<const Literal* const> arguments);
  // Runs num_repeats times, one after the other.
  virtual absl::StatusOr<std::vector<absl::StatusOr<Literal>>> ExecuteWithExecutable(
      OpaqueExecutable* executable, absl::Span<const Literal* const> arguments,
      int64_t num_repeats) = 0;

  // Run on options.num_devices devices: replicas of as many partitions as the module's
  // configuration says, or the replicas and partitions of the device assignment. The results are
  // in the order of the assignment: first all partitions of replica 0, then those of replica 1.
  absl::StatusOr<std::vector<Literal>> ExecuteReplicated(std::unique_ptr<HloModule> module,
                                                         const ReplicatedExecuteOptions& options);
  absl::StatusOr<std::vector<Literal>> ExecuteReplicated(std::unique_ptr<HloModule> module,
                                                         const ReplicatedExecuteOptions& options,
                                                         DeviceAssignment* device_assignment);
  absl::StatusOr<std::vector<Literal>> ExecuteReplicatedWithExecutable(
      OpaqueExecutable* executable, const ReplicatedExecuteOptions& options);
  absl::StatusOr<std::vector<Literal>> ExecuteReplicatedWithExecutable(
      OpaqueExecutable* executable, const ReplicatedExecuteOptions& options,
      DeviceAssignment* device_assignment);
  // Each device has arguments of its own: argument_provider(device, i) for each i below
  // argument_count_provider(device). The executable must be the same for all devices.
  // options.arguments is not read.
  virtual absl::StatusOr<std::vector<Literal>> ExecuteReplicated(
      absl::AnyInvocable<OpaqueExecutable*(int64_t)> executable_provider,
      absl::AnyInvocable<int64_t(int64_t)> argument_count_provider,
      absl::AnyInvocable<const Literal*(int64_t, int64_t)> argument_provider,
      const ReplicatedExecuteOptions& options, DeviceAssignment* device_assignment) = 0;

  virtual absl::string_view Name() const = 0;
  // The number of devices that a test may count on.
  virtual int device_count() const = 0;
  virtual bool HasProperty(HloRunnerPropertyTag::Type tag) const = 0;

  // The program as it runs. InvalidArgument for the executable of another kind of runner.
  virtual absl::StatusOr<const HloModule*> HloModuleFromWrapped(
      const OpaqueExecutable* wrapped) const = 0;
  // Whether the two run the same program.
  virtual bool ExecutablesAreEquivalent(const OpaqueExecutable* lhs,
                                        const OpaqueExecutable* rhs) const = 0;

  // Device i for replica and partition number i.
  virtual absl::StatusOr<DeviceAssignment> GetDefaultDeviceAssignment(int num_replicas,
                                                                      int num_partitions) const = 0;
};

}  // namespace xla

#endif  // XLA_SERVICE_HLO_RUNNER_INTERFACE_H_

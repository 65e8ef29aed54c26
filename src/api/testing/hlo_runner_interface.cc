#include "xla/service/hlo_runner_interface.h"

#include <utility>

#include "base/status_macros.h"
#include "xla/literal_util.h"
#include "xla/util.h"

namespace xla {

absl::StatusOr<Literal> HloRunnerInterface::Execute(std::unique_ptr<HloModule> module,
                                                    absl::Span<const Literal> arguments,
                                                    bool run_hlo_passes) {
  return Execute(std::move(module), LiteralUtil::MakePointers(arguments), run_hlo_passes);
}

absl::StatusOr<Literal> HloRunnerInterface::Execute(std::unique_ptr<HloModule> module,
                                                    absl::Span<const Literal* const> arguments,
                                                    bool run_hlo_passes) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<OpaqueExecutable> executable,
                        CreateExecutable(std::move(module), run_hlo_passes));
  return ExecuteWithExecutable(executable.get(), arguments);
}

absl::StatusOr<Literal> HloRunnerInterface::ExecuteWithBufferAssignment(
    std::unique_ptr<HloModule> module, const BufferAssignmentProto* buffer_assignment_proto,
    absl::Span<const Literal> arguments, bool run_hlo_passes) {
  return ExecuteWithBufferAssignment(std::move(module), buffer_assignment_proto,
                                     LiteralUtil::MakePointers(arguments), run_hlo_passes);
}

absl::StatusOr<Literal> HloRunnerInterface::ExecuteWithBufferAssignment(
    std::unique_ptr<HloModule> module, const BufferAssignmentProto* buffer_assignment_proto,
    absl::Span<const Literal* const> arguments, bool run_hlo_passes) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<OpaqueExecutable> executable,
                        CreateExecutableWithBufferAssignment(
                            std::move(module), buffer_assignment_proto, run_hlo_passes));
  return ExecuteWithExecutable(executable.get(), arguments);
}

absl::StatusOr<std::unique_ptr<OpaqueExecutable>> HloRunnerInterface::DeserializeExecutable(
    absl::string_view serialized) const {
  return Unimplemented("the runner %s knows no saved programs", Name());
}

absl::StatusOr<Literal> HloRunnerInterface::ExecuteWithExecutable(
    OpaqueExecutable* executable, absl::Span<const Literal> arguments) {
  return ExecuteWithExecutable(executable, LiteralUtil::MakePointers(arguments));
}

absl::StatusOr<Literal> HloRunnerInterface::ExecuteWithExecutable(
    OpaqueExecutable* executable, absl::Span<const Literal* const> arguments) {
  HILO_ASSIGN_OR_RETURN(std::vector<absl::StatusOr<Literal>> results,
                        ExecuteWithExecutable(executable, arguments, /*num_repeats=*/1));
  return std::move(results.front());
}

absl::StatusOr<std::vector<Literal>> HloRunnerInterface::ExecuteReplicated(
    std::unique_ptr<HloModule> module, const ReplicatedExecuteOptions& options) {
  return ExecuteReplicated(std::move(module), options, /*device_assignment=*/nullptr);
}

absl::StatusOr<std::vector<Literal>> HloRunnerInterface::ExecuteReplicated(
    std::unique_ptr<HloModule> module, const ReplicatedExecuteOptions& options,
    DeviceAssignment* device_assignment) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<OpaqueExecutable> executable,
                        CreateExecutable(std::move(module), options.run_hlo_passes));
  return ExecuteReplicatedWithExecutable(executable.get(), options, device_assignment);
}

absl::StatusOr<std::vector<Literal>> HloRunnerInterface::ExecuteReplicatedWithExecutable(
    OpaqueExecutable* executable, const ReplicatedExecuteOptions& options) {
  return ExecuteReplicatedWithExecutable(executable, options, /*device_assignment=*/nullptr);
}

absl::StatusOr<std::vector<Literal>> HloRunnerInterface::ExecuteReplicatedWithExecutable(
    OpaqueExecutable* executable, const ReplicatedExecuteOptions& options,
    DeviceAssignment* device_assignment) {
  return ExecuteReplicated(
      [&](int64_t device) { return executable; },
      [&](int64_t device) { return static_cast<int64_t>(options.arguments.size()); },
      [&](int64_t device, int64_t argument) { return options.arguments[argument]; }, options,
      device_assignment);
}

}  // namespace xla

// The runner of Hilo's back ends.
#ifndef XLA_SERVICE_HLO_RUNNER_H_
#define XLA_SERVICE_HLO_RUNNER_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/service/hlo_runner_interface.h"

namespace xla {

class ExecutionBackend;
class PjRtClient;

class HloRunner : public HloRunnerInterface {
 public:
  // Runs on the default back end.
  HloRunner();
  // On the back end of that client, "cpu" or "interpreter" by the name of its platform; for clients of
  // other platforms CreateExecutable is Unimplemented.
  explicit HloRunner(std::unique_ptr<PjRtClient> client);
  ~HloRunner() override;
  // The back end with that name, "interpreter" for the reference evaluator. NotFound lists those
  // that there are.
  static absl::StatusOr<std::unique_ptr<HloRunner>> Create(absl::string_view backend);

  using HloRunnerInterface::ExecuteReplicated;
  using HloRunnerInterface::ExecuteWithExecutable;

  absl::StatusOr<std::unique_ptr<OpaqueExecutable>> CreateExecutable(
      std::unique_ptr<HloModule> module, bool run_hlo_passes) override;
  absl::StatusOr<std::vector<absl::StatusOr<Literal>>> ExecuteWithExecutable(
      OpaqueExecutable* executable, absl::Span<const Literal* const> arguments,
      int64_t num_repeats) override;
  absl::StatusOr<std::vector<Literal>> ExecuteReplicated(
      absl::AnyInvocable<OpaqueExecutable*(int64_t)> executable_provider,
      absl::AnyInvocable<int64_t(int64_t)> argument_count_provider,
      absl::AnyInvocable<const Literal*(int64_t, int64_t)> argument_provider,
      const ReplicatedExecuteOptions& options, DeviceAssignment* device_assignment) override;

  absl::string_view Name() const override;
  // 8. Devices are simulated, so that a run may also use more.
  int device_count() const override;
  bool HasProperty(HloRunnerPropertyTag::Type tag) const override;
  absl::StatusOr<const HloModule*> HloModuleFromWrapped(
      const OpaqueExecutable* wrapped) const override;
  bool ExecutablesAreEquivalent(const OpaqueExecutable* lhs,
                                const OpaqueExecutable* rhs) const override;
  absl::StatusOr<DeviceAssignment> GetDefaultDeviceAssignment(int num_replicas,
                                                              int num_partitions) const override;

 private:
  explicit HloRunner(ExecutionBackend* backend);

  ExecutionBackend* backend_;  // null: no back end of Hilo's
  std::unique_ptr<PjRtClient> client_;
};

}  // namespace xla

#endif  // XLA_SERVICE_HLO_RUNNER_H_

// The runner of Hilo's back ends.
#ifndef XLA_SERVICE_HLO_RUNNER_H_
#define XLA_SERVICE_HLO_RUNNER_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/service/hlo_runner_interface.h"
#include "xla/tsl/platform/protobuf.h"  // IWYU pragma: export

namespace xla {

class ExecutionBackend;
class PjRtClient;

class HloRunner : public HloRunnerInterface {
 public:
  // Runs on the default back end.
  HloRunner();
  // On the back end of that client, "cpu" or "interpreter" by the name of its platform; for clients
  // of other platforms CreateExecutable is Unimplemented, and so is running what they made.
  explicit HloRunner(std::unique_ptr<PjRtClient> client);
  ~HloRunner() override;
  // The back end with that name, "interpreter" for the reference evaluator. NotFound lists those
  // that there are.
  static absl::StatusOr<std::unique_ptr<HloRunner>> Create(absl::string_view backend);

  using HloRunnerInterface::ExecuteReplicated;
  using HloRunnerInterface::ExecuteWithExecutable;

  // Without run_hlo_passes the debug option xla_disable_all_hlo_passes is set: the back end "cpu"
  // then has no code for batch normalisations and for sizes of dimensions, which is Unimplemented.
  absl::StatusOr<std::unique_ptr<OpaqueExecutable>> CreateExecutable(
      std::unique_ptr<HloModule> module, bool run_hlo_passes) override;
  // Of what the client's executables serialize to. InvalidArgument for a runner without client.
  absl::StatusOr<std::unique_ptr<OpaqueExecutable>> DeserializeExecutable(
      absl::string_view serialized) const override;
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

 protected:
  PjRtClient* client() const { return client_.get(); }  // null without one

 private:
  explicit HloRunner(ExecutionBackend* backend);

  ExecutionBackend* backend_;  // null: no back end of Hilo's
  std::unique_ptr<PjRtClient> client_;
};

// Programs that are compiled by one process and run by another, on clients of the same kind. A
// folder holds a file for each module, named after it and how it is configured.

// CreateExecutable leaves a file with what the client's executable serializes to. What it gives is
// not for running here.
class CompilePhaseHloRunner : public HloRunner {
 public:
  CompilePhaseHloRunner(std::unique_ptr<PjRtClient> client, std::string artifact_dir);

  absl::StatusOr<std::unique_ptr<OpaqueExecutable>> CreateExecutable(
      std::unique_ptr<HloModule> module, bool run_hlo_passes) override;

  // A file of such a folder, compressed by gzip.
  static absl::Status WriteCompressedExecutable(const std::string& path,
                                                absl::string_view serialized);
  static absl::StatusOr<std::string> ReadCompressedExecutable(const std::string& path);

 private:
  const std::string artifact_dir_;
};

// CreateExecutable takes the module's file. Where there is none it compiles or, without
// compile_if_not_found, gives the error of reading it. With fail_duplicate_loads it is
// InvalidArgument to take a file a second time. For one thread at a time.
class ExecutePhaseHloRunner : public HloRunner {
 public:
  ExecutePhaseHloRunner(std::unique_ptr<PjRtClient> client, std::string artifact_dir,
                        bool compile_if_not_found = true, bool fail_duplicate_loads = true);

  absl::StatusOr<std::unique_ptr<OpaqueExecutable>> CreateExecutable(
      std::unique_ptr<HloModule> module, bool run_hlo_passes) override;

 private:
  const std::string artifact_dir_;
  const bool compile_if_not_found_;
  const bool fail_duplicate_loads_;
  std::set<std::string> loaded_;
};

}  // namespace xla

#endif  // XLA_SERVICE_HLO_RUNNER_H_

// Compiled programs of the CPU client, and their executions.
#ifndef HILO_API_PJRT_CPU_EXECUTABLE_H_
#define HILO_API_PJRT_CPU_EXECUTABLE_H_

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/backend.h"
#include "api/pjrt/cpu_client.h"
#include "api/pjrt/device_run.h"
#include "runtime/rendezvous.h"
#include "xla/pjrt/pjrt_client.h"
#include "xla/pjrt/pjrt_executable.h"

namespace xla {

class CpuExecutable : public PjRtExecutable {
 public:
  // The errors of the back end, and InvalidArgument for options that do not fit the program.
  static absl::StatusOr<std::unique_ptr<CpuExecutable>> Compile(const CpuClient& client,
                                                                const XlaComputation& computation,
                                                                CompileOptions options);
  // Of what SerializeExecutable gave.
  static absl::StatusOr<std::unique_ptr<CpuExecutable>> Deserialize(
      const CpuClient& client, absl::string_view serialized, std::optional<CompileOptions> options);

  int num_replicas() const override;
  int num_partitions() const override;
  int64_t SizeOfGeneratedCodeInBytes() const override;
  absl::string_view name() const override { return name_; }
  absl::StatusOr<std::vector<std::shared_ptr<HloModule>>> GetHloModules() const override;
  absl::StatusOr<std::vector<std::shared_ptr<const PjRtLayout>>> GetParameterLayouts()
      const override;
  absl::StatusOr<std::vector<std::shared_ptr<const PjRtLayout>>> GetOutputLayouts() const override;
  absl::StatusOr<std::vector<std::vector<absl::string_view>>> GetParameterMemoryKinds()
      const override;
  absl::StatusOr<std::vector<std::vector<absl::string_view>>> GetOutputMemoryKinds() const override;
  absl::StatusOr<CompiledMemoryStats> GetCompiledMemoryStats() const override;
  absl::StatusOr<absl::flat_hash_map<std::string, PjRtValueType>> GetCostAnalysis() const override;
  absl::StatusOr<std::string> SerializeExecutable() const override;
  absl::StatusOr<std::string> FingerprintExecutable() const override;
  absl::StatusOr<struct CompileOptions> GetCompileOptions() const override { return options_; }

  const DeviceProgram& program() const { return program_; }
  const CompileOptions& options() const { return options_; }

 private:
  CpuExecutable(std::unique_ptr<CompiledModule> module, CompileOptions options,
                absl::string_view client_name);

  std::string name_;
  CompileOptions options_;
  DeviceProgram program_;
  std::string client_name_;
  std::string saved_;  // of one that was made from bytes
};

class CpuLoadedExecutable : public PjRtLoadedExecutable {
 public:
  static absl::StatusOr<std::unique_ptr<PjRtLoadedExecutable>> Load(
      CpuClient* client, std::shared_ptr<CpuExecutable> executable);

  ~CpuLoadedExecutable() override;

  PjRtExecutable* GetExecutable() const override { return executable_.get(); }
  PjRtClient* client() const override { return client_; }
  const DeviceAssignment& device_assignment() const override { return assignment_; }
  absl::Span<const LogicalDeviceIds> addressable_device_logical_ids() const override {
    return logical_ids_;
  }
  absl::Span<PjRtDevice* const> addressable_devices() const override { return devices_; }

  using PjRtLoadedExecutable::Execute;
  absl::StatusOr<std::vector<std::vector<std::unique_ptr<PjRtBuffer>>>> Execute(
      absl::Span<const std::vector<PjRtBuffer*>> argument_handles, const ExecuteOptions& options,
      std::optional<std::vector<Future<>>>& returned_futures) const override;
  using PjRtLoadedExecutable::ExecuteSharded;
  absl::StatusOr<std::vector<std::unique_ptr<PjRtBuffer>>> ExecuteSharded(
      absl::Span<PjRtBuffer* const> argument_handles, PjRtDevice* device,
      const ExecuteOptions& options, std::optional<Future<>>& returned_future,
      bool fill_future) const override;
  using PjRtLoadedExecutable::ExecutePortable;
  absl::StatusOr<std::vector<std::unique_ptr<PjRtBuffer>>> ExecutePortable(
      absl::Span<PjRtBuffer* const> argument_handles, PjRtDevice* device,
      const ExecuteOptions& options, std::optional<Future<>>& returned_future,
      bool fill_future) const override;

  void Delete() override { is_deleted_ = true; }
  bool IsDeleted() const override { return is_deleted_; }

 private:
  using Buffers = std::vector<std::unique_ptr<PjRtBuffer>>;
  // Where the devices of a new run meet.
  std::unique_ptr<runtime::Rendezvous> NewRendezvous() const;
  // Whether a single device runs the program.
  bool IsForOne() const { return processes_.size() == 1; }

  // ExecuteSharded calls that belong together and have not all come.
  struct Assembly {
    std::vector<std::unique_ptr<DeviceRun>> runs;  // by number of the device
    size_t missing;
  };

  CpuLoadedExecutable(CpuClient* client, std::shared_ptr<CpuExecutable> executable)
      : client_(client), executable_(std::move(executable)) {}

  absl::Status SetDevices();

  absl::Status Check(const ExecuteOptions& options) const;
  // Gives a new run its arguments and results; of a portable executable `number` is 0.
  absl::Status Prepare(absl::Span<PjRtBuffer* const> arguments, CpuDevice* device, int64_t number,
                       const ExecuteOptions& options, DeviceRun& run) const;
  // The same for a program that one device runs: begins it as well.
  absl::StatusOr<Buffers> ExecuteAlone(absl::Span<PjRtBuffer* const> arguments, CpuDevice* device,
                                       const ExecuteOptions& options,
                                       std::optional<Future<>>& returned_future,
                                       bool fill_future) const;
  static Buffers ResultsOf(const DeviceRun& run);
  bool IsSynchronous(const ExecuteOptions& options) const;
  void BeginTogether(std::vector<std::unique_ptr<DeviceRun>> runs) const;

  CpuClient* const client_;
  const std::shared_ptr<CpuExecutable> executable_;
  DeviceAssignment assignment_;
  std::vector<LogicalDeviceIds> logical_ids_;
  std::vector<PjRtDevice*> devices_;  // of this process
  std::vector<int64_t> numbers_;      // and which of the program's they are
  std::vector<int> processes_;        // where all of the program's devices are
  std::atomic<bool> is_deleted_ = false;
  mutable std::mutex mutex_;
  mutable std::map<int32_t, Assembly> assemblies_;  // by launch_id
};

}  // namespace xla

#endif  // HILO_API_PJRT_CPU_EXECUTABLE_H_

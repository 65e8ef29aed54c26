// The other processes whose devices a client knows.
#ifndef HILO_API_PJRT_CPU_PROCESSES_H_
#define HILO_API_PJRT_CPU_PROCESSES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/device_names.h"
#include "runtime/collectives/process_group.h"
#include "runtime/rendezvous.h"
#include "xla/pjrt/plugin/xla_cpu/cpu_client_options.h"

namespace xla {

class CpuProcesses {
 public:
  // Waits for all processes that `options` tell of.
  static absl::StatusOr<std::unique_ptr<CpuProcesses>> Join(const CpuClientOptions& options);

  // Of each process.
  const device_names::DeviceCounts& device_counts() const { return device_counts_; }

  // The place where the devices of a run meet, which are in these processes. `program` are words
  // for what they run; all processes begin the runs of the same words in the same order.
  std::unique_ptr<runtime::Rendezvous> NewRendezvous(std::vector<int> processes,
                                                     const std::string& program);

 private:
  CpuProcesses(std::unique_ptr<runtime::ProcessGroup> group,
               device_names::DeviceCounts device_counts)
      : group_(std::move(group)), device_counts_(std::move(device_counts)) {}

  const std::unique_ptr<runtime::ProcessGroup> group_;
  const device_names::DeviceCounts device_counts_;
  std::mutex mutex_;
  std::map<std::string, uint64_t> runs_;  // how many of each program have begun
};

}  // namespace xla

#endif  // HILO_API_PJRT_CPU_PROCESSES_H_

// Commands that run as several processes.
#ifndef HILO_TOOLS_PROCESSES_H_
#define HILO_TOOLS_PROCESSES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/collectives/process_group.h"

namespace xla {

// Which of several processes this one is.
struct ProcessPlace {
  std::string engine;  // "gloo" or "mpi"
  int rank = 0;
  int size = 1;
  std::string store;  // the folder where those that StartProcesses started meet; empty otherwise
};

// From the environment: that of StartProcesses, or that of mpirun. Nothing for a process that was
// started alone.
std::optional<ProcessPlace> PlaceOfProcess();

// Starts this command, with all its arguments, `count` times and waits for the processes. When one
// fails, the others have `timeout` to end by themselves before they are killed. Gives the exit code
// of the first that failed, else 0. Errors are those of starting.
absl::StatusOr<int> StartProcesses(int count, absl::Duration timeout);

// Connects with the other processes.
absl::StatusOr<std::unique_ptr<runtime::ProcessGroup>> JoinProcesses(const ProcessPlace& place,
                                                                     absl::Duration timeout);

}  // namespace xla

#endif  // HILO_TOOLS_PROCESSES_H_

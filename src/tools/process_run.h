// Programs on the devices of several processes.
#ifndef HILO_TOOLS_PROCESS_RUN_H_
#define HILO_TOOLS_PROCESS_RUN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/collectives/process_group.h"
#include "tools/divided_run.h"
#include "xla/literal.h"

namespace xla {

// Runs the program, which all processes have compiled, on all its devices, as many in each process.
// Each process has all inputs and takes its devices' parts. Gives the results of this process'
// devices. `seed` is that of process 0.
absl::StatusOr<std::vector<Literal>> RunOnProcesses(const DividedProgram& program,
                                                    absl::Span<const Literal> inputs,
                                                    runtime::ProcessGroup& group, uint64_t seed);

// The results of all devices, on process 0; nothing on the others.
absl::StatusOr<std::vector<Literal>> CollectResults(std::vector<Literal> own,
                                                    runtime::ProcessGroup& group);

}  // namespace xla

#endif  // HILO_TOOLS_PROCESS_RUN_H_

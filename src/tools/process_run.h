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

// What the devices of this process take of the program's inputs; each process has as many.
std::vector<std::vector<Literal>> PartsOfProcess(const DividedProgram& program,
                                                 absl::Span<const Literal> inputs,
                                                 const runtime::ProcessGroup& group);

// Runs the program, which all processes have compiled, on all its devices. `parts` are those of
// this process' devices, whose results it gives. `seed` is that of process 0.
absl::StatusOr<std::vector<Literal>> RunOnProcesses(const DividedProgram& program,
                                                    absl::Span<const std::vector<Literal>> parts,
                                                    runtime::ProcessGroup& group, uint64_t seed);

// The results of all devices, on process 0; nothing on the others.
absl::StatusOr<std::vector<Literal>> CollectResults(std::vector<Literal> own,
                                                    runtime::ProcessGroup& group);

}  // namespace xla

#endif  // HILO_TOOLS_PROCESS_RUN_H_

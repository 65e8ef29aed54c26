// What commands share that run a module on several devices, of this process or of several.
#ifndef HILO_TOOLS_HILO_DIVISION_H_
#define HILO_TOOLS_HILO_DIVISION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/collectives/process_group.h"
#include "tools/divided_run.h"
#include "tools/hilo/commands.h"
#include "tools/processes.h"
#include "xla/literal.h"

namespace xla {

struct DivisionOptions {
  int processes = 1;
  int64_t devices = 0;  // 0 for one of each process
  double timeout = 60;
};

// Adds --processes, --devices and --timeout.
void AddDivisionOptions(CLI::App& command, DivisionOptions* options);

// What is run.
struct DividedInput {
  std::string module;
  std::vector<std::string> inputs;  // files; none where they are made up
  bool fake_inputs = false;
  std::string backend, target;
};

struct Division {
  std::unique_ptr<runtime::ProcessGroup> group;  // null where there is one process only
  std::optional<DividedProgram> program;
  std::vector<std::vector<Literal>> parts;  // of the inputs, what each device of this process has
  uint64_t seed = 0;
  double parse_ms = 0, compile_ms = 0;
};

// The arguments for the module.
absl::StatusOr<std::vector<Literal>> ArgumentsOf(const HloModule& module,
                                                 const DividedInput& input);

// Reads, divides and compiles the module and joins the other processes, among which `place` says
// which this one is. Prints what goes wrong and gives its exit code.
ExitCode Divide(const std::optional<ProcessPlace>& place, const DividedInput& input,
                const DivisionOptions& options, Division* result);

// How many devices so many processes have together. InvalidArgument where they do not spread
// evenly.
absl::StatusOr<int64_t> DevicesOfAll(const DivisionOptions& options, int processes);

// Starts the processes of the command, which was asked for several, and gives their exit code.
ExitCode StartDivision(absl::Span<const std::string> modules, const DivisionOptions& options);

}  // namespace xla

#endif  // HILO_TOOLS_HILO_DIVISION_H_

#include "tools/hilo/division.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/time/time.h"
#include "api/backend.h"
#include "tools/fake_inputs.h"
#include "tools/files.h"
#include "tools/stopwatch.h"
#include "xla/util.h"

namespace xla {

void AddDivisionOptions(CLI::App& command, DivisionOptions* options) {
  command
      .add_option("--processes", options->processes,
                  "Run it by its shardings on so many processes, which are started; under mpirun "
                  "its processes run it")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--devices", options->devices,
                  "How many devices all processes have together; one each by default")
      ->check(CLI::PositiveNumber);
  command.add_option("--timeout", options->timeout, "How many seconds a process waits for another")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

absl::StatusOr<std::vector<Literal>> ArgumentsOf(const HloModule& module,
                                                 const DividedInput& input) {
  if (input.fake_inputs) return MakeFakeInputs(module);
  const int64_t count = module.entry_computation()->num_parameters();
  if (input.inputs.empty() && count > 0) {
    return InvalidArgument("%s takes %d arguments: give them with --input, or use --fake-inputs",
                           input.module, count);
  }
  return ReadArguments(input.inputs, module);
}

ExitCode Divide(const std::optional<ProcessPlace>& place, const DividedInput& input,
                const DivisionOptions& options, Division* result) {
  const absl::StatusOr<int64_t> devices =
      DevicesOfAll(options, place.has_value() ? place->size : 1);
  if (!devices.ok()) return Fail(devices.status(), kWrongUsage);
  const Stopwatch parsing;
  absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(input.module);
  if (!module.ok()) return Fail(module.status(), kInvalidInput);
  result->parse_ms = parsing.Milliseconds();
  SetTarget(**module, input.target);
  absl::StatusOr<std::vector<Literal>> arguments = ArgumentsOf(**module, input);
  if (!arguments.ok()) return Fail(arguments.status(), kInvalidInput);
  result->inputs = *std::move(arguments);
  const absl::StatusOr<ExecutionBackend*> backend = FindBackend(input.backend);
  if (!backend.ok()) return Fail(backend.status(), kInvalidInput);
  if (place.has_value()) {
    auto joined = JoinProcesses(*place, absl::Seconds(options.timeout));
    if (!joined.ok()) return Fail(joined.status(), kExecutionFailed);
    result->group = *std::move(joined);
    const absl::Status same = result->group->ExpectSame("module", (*module)->ToString());
    if (!same.ok()) return Fail(same, kExecutionFailed);
  }
  result->seed = SeedOfRun(**module, 0);
  const Stopwatch compiling;
  absl::StatusOr<DividedProgram> program =
      DividedProgram::Compile(**backend, *std::move(module), *devices);
  if (!program.ok()) return Fail(program.status(), kInvalidInput);
  result->program = *std::move(program);
  result->compile_ms = compiling.Milliseconds();
  return kDone;
}

absl::StatusOr<int64_t> DevicesOfAll(const DivisionOptions& options, int processes) {
  const int64_t devices = options.devices > 0 ? options.devices : processes;
  if (devices % processes == 0) return devices;
  return InvalidArgument("%d devices do not spread evenly over %d processes", devices, processes);
}

ExitCode StartDivision(absl::Span<const std::string> modules, const DivisionOptions& options) {
  if (absl::c_linear_search(modules, "-")) {
    return Fail(InvalidArgument("several processes cannot read one standard input"), kWrongUsage);
  }
  const absl::StatusOr<int> code =
      StartProcesses(options.processes, absl::Seconds(options.timeout));
  return code.ok() ? static_cast<ExitCode>(*code) : Fail(code.status(), kExecutionFailed);
}

}  // namespace xla

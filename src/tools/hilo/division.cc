#include "tools/hilo/division.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "api/backend.h"
#include "base/status_macros.h"
#include "tools/fake_inputs.h"
#include "tools/files.h"
#include "tools/npy.h"
#include "tools/stopwatch.h"
#include "xla/util.h"

namespace xla {

namespace {

// What a module is run on: arrays, or files that have one each.
struct Inputs {
  std::vector<Literal> arrays;
  std::vector<NpyFile> files;
};

absl::StatusOr<Inputs> OpenInputs(const HloModule& module, const DividedInput& input) {
  Inputs inputs;
  const auto parameters = module.entry_computation()->parameter_instructions();
  const bool are_files =
      !input.fake_inputs && !input.inputs.empty() && input.inputs.size() == parameters.size() &&
      absl::c_all_of(input.inputs,
                     [](const std::string& path) { return absl::EndsWith(path, ".npy"); });
  if (!are_files) {
    HILO_ASSIGN_OR_RETURN(inputs.arrays, ArgumentsOf(module, input));
    return inputs;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    absl::StatusOr<NpyFile> file = NpyFile::Open(input.inputs[i], parameters[i]->shape());
    if (!file.ok()) return Annotate(file.status(), input.inputs[i]);
    inputs.files.push_back(*std::move(file));
  }
  return inputs;
}

absl::StatusOr<std::vector<Literal>> PartsOf(const DividedProgram& program, int64_t device,
                                             const Inputs& inputs) {
  if (!inputs.files.empty()) return program.ReadInputsOf(device, inputs.files);
  return program.InputsOf(device, inputs.arrays);
}

}  // namespace

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
  const int processes = place.has_value() ? place->size : 1;
  const absl::StatusOr<int64_t> devices = DevicesOfAll(options, processes);
  if (!devices.ok()) return Fail(devices.status(), kWrongUsage);
  const Stopwatch parsing;
  absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(input.module);
  if (!module.ok()) return Fail(module.status(), kInvalidInput);
  result->parse_ms = parsing.Milliseconds();
  SetCompileOptions(**module, input.target);
  const absl::StatusOr<Inputs> inputs = OpenInputs(**module, input);
  if (!inputs.ok()) return Fail(inputs.status(), kInvalidInput);
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
  const int64_t own_devices = *devices / processes;
  const int64_t first = place.has_value() ? place->rank * own_devices : 0;
  for (int64_t device = first; device < first + own_devices; ++device) {
    auto parts = PartsOf(*result->program, device, *inputs);
    if (!parts.ok()) return Fail(parts.status(), kInvalidInput);
    result->parts.push_back(*std::move(parts));
  }
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

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/backend.h"
#include "base/status_macros.h"
#include "tools/divided_run.h"
#include "tools/fake_inputs.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"
#include "tools/literal_display.h"
#include "tools/npy.h"
#include "tools/process_run.h"
#include "tools/processes.h"
#include "tools/program_file.h"
#include "xla/error_spec.h"
#include "xla/literal_comparison.h"
#include "xla/util.h"

namespace xla {
namespace {

struct RunOptions {
  std::string module;
  std::vector<std::string> inputs;
  bool fake_inputs = false;
  std::string backend, target;
  std::string output_dir;
  std::string expect;
  double tolerance = 0;
  bool full = false;
  int processes = 1;
  int64_t devices = 0;  // 0 for one of each process
  double timeout = 60;
};

absl::StatusOr<std::vector<Literal>> Arguments(const HloModule& module, const RunOptions& options) {
  if (options.fake_inputs) return MakeFakeInputs(module);
  const int64_t count = module.entry_computation()->num_parameters();
  if (options.inputs.empty() && count > 0) {
    return InvalidArgument("%s takes %d arguments: give them with --input, or use --fake-inputs",
                           options.module, count);
  }
  return ReadArguments(options.inputs, module);
}

absl::Status WriteOutputs(const std::vector<Literal>& leaves, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return FailedPrecondition("%s cannot be made: %s", folder, error.message());
  for (size_t i = 0; i < leaves.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const std::string bytes, FormatNpy(leaves[i]));
    HILO_RETURN_IF_ERROR(WriteFile(absl::StrCat(folder, "/output.", i, ".npy"), bytes));
  }
  return absl::OkStatus();
}

// The first difference between results and expectation; OK when there is none.
absl::Status Compare(const std::vector<Literal>& leaves, const std::vector<Literal>& expected,
                     double tolerance) {
  if (leaves.size() != expected.size()) {
    return InvalidArgument("the program gives %d arrays, but %d are expected", leaves.size(),
                           expected.size());
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    const absl::Status status =
        tolerance == 0
            ? literal_comparison::Equal(expected[i], leaves[i])
            : literal_comparison::Near(expected[i], leaves[i], ErrorSpec(tolerance, tolerance),
                                       std::nullopt, nullptr);
    if (!status.ok()) return InvalidArgument("output %d: %s", i, status.message());
  }
  return absl::OkStatus();
}

void PrintLeaves(const std::vector<Literal>& leaves, bool full) {
  for (const Literal& leaf : leaves) {
    std::puts((full ? WholeText(leaf) : ShortenedText(leaf)).c_str());
  }
}

absl::StatusOr<std::vector<Literal>> ExpectedLeaves(const RunOptions& options) {
  std::vector<Literal> expected;
  if (options.expect.empty()) return expected;
  HILO_ASSIGN_OR_RETURN(std::vector<Literal> literals, ReadLiteralFile(options.expect));
  for (Literal& literal : literals) {
    for (Literal& leaf : Leaves(std::move(literal))) expected.push_back(std::move(leaf));
  }
  return expected;
}

// Prints, writes or compares results.
ExitCode Deliver(const std::vector<Literal>& leaves, const std::vector<Literal>& expected,
                 const RunOptions& options) {
  if (options.output_dir.empty()) {
    PrintLeaves(leaves, options.full);
  } else {
    const absl::Status written = WriteOutputs(leaves, options.output_dir);
    if (!written.ok()) return Fail(written, kExecutionFailed);
  }
  if (options.expect.empty()) return kDone;
  const absl::Status difference = Compare(leaves, expected, options.tolerance);
  return difference.ok() ? kDone : Fail(difference, kDiffers);
}

ExitCode RunAlone(const RunOptions& options) {
  absl::StatusOr<ProgramFile> file =
      ReadProgramFile(options.module, options.backend, options.target);
  if (!file.ok()) return Fail(file.status(), kInvalidInput);
  CompiledModule& compiled = *file->program;
  absl::StatusOr<std::vector<Literal>> arguments = Arguments(compiled.module(), options);
  if (!arguments.ok()) return Fail(arguments.status(), kInvalidInput);
  const absl::StatusOr<std::vector<Literal>> expected = ExpectedLeaves(options);
  if (!expected.ok()) return Fail(expected.status(), kInvalidInput);

  std::vector<const Literal*> pointers;
  for (const Literal& argument : *arguments) pointers.push_back(&argument);
  absl::StatusOr<Literal> result = compiled.Run(pointers);
  if (!result.ok()) return Fail(result.status(), kExecutionFailed);
  return Deliver(Leaves(*std::move(result)), *expected, options);
}

// The module's result or, of a program that was written for several devices, that of each.
absl::StatusOr<std::vector<Literal>> WholeLeaves(const DividedProgram& program,
                                                 std::vector<Literal> results) {
  if (program.is_divided()) {
    HILO_ASSIGN_OR_RETURN(Literal whole, program.Join(results));
    return Leaves(std::move(whole));
  }
  std::vector<Literal> leaves;
  for (Literal& result : results) {
    for (Literal& leaf : Leaves(std::move(result))) leaves.push_back(std::move(leaf));
  }
  return leaves;
}

// On devices of this process, or of several: `place` then says which this one is.
ExitCode RunDivided(const std::optional<ProcessPlace>& place, const RunOptions& options) {
  const int processes = place.has_value() ? place->size : 1;
  const int64_t devices = options.devices > 0 ? options.devices : processes;
  if (devices % processes != 0) {
    return Fail(
        InvalidArgument("%d devices do not spread evenly over %d processes", devices, processes),
        kWrongUsage);
  }
  absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(options.module);
  if (!module.ok()) return Fail(module.status(), kInvalidInput);
  SetTarget(**module, options.target);
  const absl::StatusOr<std::vector<Literal>> arguments = Arguments(**module, options);
  if (!arguments.ok()) return Fail(arguments.status(), kInvalidInput);
  const absl::StatusOr<std::vector<Literal>> expected = ExpectedLeaves(options);
  if (!expected.ok()) return Fail(expected.status(), kInvalidInput);
  const absl::StatusOr<ExecutionBackend*> backend = FindBackend(options.backend);
  if (!backend.ok()) return Fail(backend.status(), kInvalidInput);

  std::unique_ptr<runtime::ProcessGroup> group;
  if (place.has_value()) {
    auto joined = JoinProcesses(*place, absl::Seconds(options.timeout));
    if (!joined.ok()) return Fail(joined.status(), kExecutionFailed);
    group = *std::move(joined);
    const absl::Status same = group->ExpectSame("module", (*module)->ToString());
    if (!same.ok()) return Fail(same, kExecutionFailed);
  }
  const uint64_t seed = SeedOfRun(**module, 0);
  const absl::StatusOr<DividedProgram> program =
      DividedProgram::Compile(**backend, *std::move(module), devices);
  if (!program.ok()) return Fail(program.status(), kInvalidInput);
  RunContext context;
  context.seed = seed;
  absl::StatusOr<std::vector<Literal>> results =
      group == nullptr ? program->Run(*arguments, context)
                       : RunOnProcesses(*program, *arguments, *group, seed);
  if (results.ok() && group != nullptr) results = CollectResults(*std::move(results), *group);
  if (!results.ok()) return Fail(results.status(), kExecutionFailed);
  if (group != nullptr && group->rank() > 0) return kDone;
  const absl::StatusOr<std::vector<Literal>> leaves = WholeLeaves(*program, *std::move(results));
  return leaves.ok() ? Deliver(*leaves, *expected, options)
                     : Fail(leaves.status(), kExecutionFailed);
}

ExitCode Run(const RunOptions& options) {
  const std::optional<ProcessPlace> place = PlaceOfProcess();
  if (place.has_value()) return RunDivided(place, options);
  if (options.processes == 1)
    return options.devices > 1 ? RunDivided(std::nullopt, options) : RunAlone(options);
  if (options.module == "-") {
    return Fail(InvalidArgument("several processes cannot read one standard input"), kWrongUsage);
  }
  const absl::StatusOr<int> code =
      StartProcesses(options.processes, absl::Seconds(options.timeout));
  return code.ok() ? static_cast<ExitCode>(*code) : Fail(code.status(), kExecutionFailed);
}

}  // namespace

Command AddRunCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Run a module and print its results");
  auto options = std::make_shared<RunOptions>();
  command->add_option("MODULE", options->module, "The module, or a saved program")->required();
  CLI::Option* input = command->add_option(
      "--input", options->inputs,
      "Arguments: literal files (one array a line), .npy or .npz, in the order of the parameters");
  command->add_flag("--fake-inputs", options->fake_inputs, "Make up arguments, always the same")
      ->excludes(input);
  AddBackendOption(*command, &options->backend);
  AddTargetOption(*command, &options->target);
  AddRuntimeOptions(*command);
  command->add_option("--output-dir", options->output_dir,
                      "Write each result to output.N.npy there instead of printing it");
  command->add_option("--expect", options->expect, "Literal file that the results must equal");
  command
      ->add_option("--tolerance", options->tolerance,
                   "Relative and absolute tolerance for --expect")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--full", options->full, "Print long results whole");
  command
      ->add_option("--processes", options->processes,
                   "Run it by its shardings on so many processes, which are started; under mpirun "
                   "its processes run it")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--devices", options->devices,
                   "How many devices all processes have together; one each by default")
      ->check(CLI::PositiveNumber);
  command->add_option("--timeout", options->timeout, "How many seconds a process waits for another")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  return [options] { return Run(*options); };
}

}  // namespace xla

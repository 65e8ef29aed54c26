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
#include "tools/files.h"
#include "tools/hilo/commands.h"
#include "tools/hilo/division.h"
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
  DividedInput input;
  DivisionOptions division;
  std::string output_dir;
  bool shards = false;
  std::string expect;
  double tolerance = 0;
  bool full = false;
};

absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return error ? FailedPrecondition("%s cannot be made: %s", folder, error.message())
               : absl::OkStatus();
}

absl::Status WriteOutputs(const std::vector<Literal>& leaves, const std::string& folder) {
  HILO_RETURN_IF_ERROR(MakeFolder(folder));
  for (size_t i = 0; i < leaves.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const std::string bytes, FormatNpy(leaves[i]));
    HILO_RETURN_IF_ERROR(WriteFile(absl::StrCat(folder, "/output.", i, ".npy"), bytes));
  }
  return absl::OkStatus();
}

// What the devices from `first` on hold, each array where no earlier device has the same part.
absl::Status WriteShards(const DividedProgram& program, const std::vector<Literal>& results,
                         int64_t first, const std::string& folder) {
  HILO_RETURN_IF_ERROR(MakeFolder(folder));
  for (size_t k = 0; k < results.size(); ++k) {
    const int64_t device = first + static_cast<int64_t>(k);
    for (const auto& [number, shard] : program.ShardsOf(device, results[k])) {
      HILO_ASSIGN_OR_RETURN(const std::string bytes, FormatNpy(shard));
      HILO_RETURN_IF_ERROR(
          WriteFile(absl::StrCat(folder, "/output.", number, ".device.", device, ".npy"), bytes));
    }
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
      ReadProgramFile(options.input.module, options.input.backend, options.input.target);
  if (!file.ok()) return Fail(file.status(), kInvalidInput);
  CompiledModule& compiled = *file->program;
  absl::StatusOr<std::vector<Literal>> arguments = ArgumentsOf(compiled.module(), options.input);
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
  const absl::StatusOr<std::vector<Literal>> expected = ExpectedLeaves(options);
  if (!expected.ok()) return Fail(expected.status(), kInvalidInput);
  Division division;
  const ExitCode divided = Divide(place, options.input, options.division, &division);
  if (divided != kDone) return divided;
  const DividedProgram& program = *division.program;
  runtime::ProcessGroup* const group = division.group.get();
  RunContext context;
  context.seed = division.seed;
  absl::StatusOr<std::vector<Literal>> results =
      group == nullptr ? program.Run(division.parts, context)
                       : RunOnProcesses(program, division.parts, *group, division.seed);
  if (results.ok() && options.shards) {
    const int64_t first =
        group == nullptr ? 0 : group->rank() * static_cast<int64_t>(results->size());
    const absl::Status written = WriteShards(program, *results, first, options.output_dir);
    return written.ok() ? kDone : Fail(written, kExecutionFailed);
  }
  if (results.ok() && group != nullptr) results = CollectResults(*std::move(results), *group);
  if (!results.ok()) return Fail(results.status(), kExecutionFailed);
  if (group != nullptr && group->rank() > 0) return kDone;
  const absl::StatusOr<std::vector<Literal>> leaves = WholeLeaves(program, *std::move(results));
  return leaves.ok() ? Deliver(*leaves, *expected, options)
                     : Fail(leaves.status(), kExecutionFailed);
}

ExitCode Run(const RunOptions& options) {
  if (options.shards && options.output_dir.empty())
    return Fail(InvalidArgument("--shards is for --output-dir"), kWrongUsage);
  const std::optional<ProcessPlace> place = PlaceOfProcess();
  if (place.has_value()) return RunDivided(place, options);
  if (options.division.processes > 1)
    return StartDivision({options.input.module}, options.division);
  return options.division.devices > 1 ? RunDivided(std::nullopt, options) : RunAlone(options);
}

}  // namespace

Command AddRunCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Run a module and print its results");
  auto options = std::make_shared<RunOptions>();
  command->add_option("MODULE", options->input.module, "The module, or a saved program")
      ->required();
  CLI::Option* input = command->add_option(
      "--input", options->input.inputs,
      "Arguments: literal files (one array a line), .npy or .npz, in the order of the parameters");
  command
      ->add_flag("--fake-inputs", options->input.fake_inputs, "Make up arguments, always the same")
      ->excludes(input);
  AddBackendOption(*command, &options->input.backend);
  AddTargetOption(*command, &options->input.target);
  AddRuntimeOptions(*command);
  command->add_option("--output-dir", options->output_dir,
                      "Write each result to output.N.npy there instead of printing it");
  command->add_flag(
      "--shards", options->shards,
      "Leave results as devices have them: each process writes output.N.device.D.npy");
  command->add_option("--expect", options->expect, "Literal file that the results must equal");
  command
      ->add_option("--tolerance", options->tolerance,
                   "Relative and absolute tolerance for --expect")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--full", options->full, "Print long results whole");
  AddDivisionOptions(*command, &options->division);
  return [options] { return Run(*options); };
}

}  // namespace xla

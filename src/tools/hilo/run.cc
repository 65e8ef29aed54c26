#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/backend.h"
#include "base/status_macros.h"
#include "tools/fake_inputs.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"
#include "tools/literal_display.h"
#include "tools/npy.h"
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

ExitCode Run(const RunOptions& options) {
  absl::StatusOr<ProgramFile> file =
      ReadProgramFile(options.module, options.backend, options.target);
  if (!file.ok()) return Fail(file.status(), kInvalidInput);
  CompiledModule& compiled = *file->program;
  absl::StatusOr<std::vector<Literal>> arguments = Arguments(compiled.module(), options);
  if (!arguments.ok()) return Fail(arguments.status(), kInvalidInput);
  std::vector<Literal> expected;
  if (!options.expect.empty()) {
    absl::StatusOr<std::vector<Literal>> literals = ReadLiteralFile(options.expect);
    if (!literals.ok()) return Fail(literals.status(), kInvalidInput);
    for (Literal& literal : *literals) {
      for (Literal& leaf : Leaves(std::move(literal))) expected.push_back(std::move(leaf));
    }
  }

  std::vector<const Literal*> pointers;
  for (const Literal& argument : *arguments) pointers.push_back(&argument);
  absl::StatusOr<Literal> result = compiled.Run(pointers);
  if (!result.ok()) return Fail(result.status(), kExecutionFailed);
  const std::vector<Literal> leaves = Leaves(*std::move(result));
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
  return [options] { return Run(*options); };
}

}  // namespace xla

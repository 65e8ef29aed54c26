#include "tools/profile.h"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "tools/fake_inputs.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"
#include "tools/program_file.h"
#include "tools/repeated_run.h"

namespace xla {
namespace {

struct Options {
  std::string module, target;
  std::vector<std::string> inputs;
  ProfileOptions measure;
  std::string json, trace;
  bool each_step = false, all = false;
};

absl::StatusOr<Profile> Measure(ProgramFile& file, const Options& options) {
  const HloModule& module = file.program->module();
  HILO_ASSIGN_OR_RETURN(std::vector<Literal> inputs, options.inputs.empty()
                                                         ? MakeFakeInputs(module)
                                                         : ReadArguments(options.inputs, module));
  HILO_ASSIGN_OR_RETURN(RepeatedRun run, RepeatedRun::Make(*file.program, std::move(inputs)));
  return options.each_step ? MeasureEachStep(run, file.profiled, options.measure)
                           : MeasureCheapProfile(run, file.profiled, options.measure);
}

ExitCode RunProfile(Options options) {
  absl::StatusOr<ProgramFile> file =
      ReadProgramFile(options.module, "cpu", options.target, /*wants_profile=*/true);
  if (!file.ok()) return Fail(file.status(), kInvalidInput);
  options.measure.wants_events = !options.trace.empty();
  const absl::StatusOr<Profile> profile = Measure(*file, options);
  if (!profile.ok()) return Fail(profile.status(), kExecutionFailed);
  absl::Status written;
  if (!options.json.empty()) written = WriteFile(options.json, ProfileJson(*profile));
  if (written.ok() && !options.trace.empty())
    written = WriteFile(options.trace, ProfileTrace(*profile));
  if (!written.ok()) return Fail(written, kExecutionFailed);
  std::printf("%s", ProfileTable(*profile, options.all).c_str());
  return kDone;
}

}  // namespace

Command AddProfileCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("profile", "Say where the time of a module goes, step by step");
  command->footer(
      "Bytes and operations are those that the steps' shapes ask for; what the machine can do is "
      "measured by two small loops. With HILO_PERF=map in the environment of any command, `perf` "
      "finds the names of compiled functions in /tmp/perf-PID.map.");
  auto options = std::make_shared<Options>();
  command->add_option("MODULE", options->module, "The module")->required();
  command->add_option("--input", options->inputs,
                      "Arguments, as of `hilo run`; otherwise they are made up");
  AddTargetOption(*command, &options->target);
  AddRuntimeOptions(*command);
  command->add_option("--seconds", options->measure.seconds, "About how long to run it")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--json", options->json, "A file for all figures, as JSON");
  command->add_option(
      "--trace", options->trace,
      "A file with what happened when in one run, for Perfetto or chrome://tracing");
  command->add_flag("--each-step", options->each_step,
                    "Time each step by itself, however short it is, which costs more");
  command->add_flag("--all", options->all, "Print steps that take next to no time as well");
  return [options] { return RunProfile(*options); };
}

}  // namespace xla

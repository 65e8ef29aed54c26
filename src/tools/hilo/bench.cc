#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/backend.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "tools/fake_inputs.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"
#include "tools/profile.h"
#include "tools/program_file.h"
#include "tools/progress.h"
#include "tools/repeated_run.h"
#include "tools/stopwatch.h"

namespace xla {
namespace {

struct BenchOptions {
  std::string module;
  std::vector<std::string> inputs;
  std::string backend, target;
  double seconds = 3;
  bool json = false, profile = false;
};

struct Measurement {
  double parse_ms = 0;
  double compile_ms = 0;
  std::vector<double> run_ms;  // sorted
  double Median() const { return run_ms[run_ms.size() / 2]; }
};

int64_t PeakMegabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

absl::StatusOr<RepeatedRun> Prepare(CompiledModule& compiled, const BenchOptions& options) {
  const HloModule& module = compiled.module();
  HILO_ASSIGN_OR_RETURN(std::vector<Literal> inputs, options.inputs.empty()
                                                         ? MakeFakeInputs(module)
                                                         : ReadArguments(options.inputs, module));
  return RepeatedRun::Make(compiled, std::move(inputs));
}

// One run to warm up, which also tells how many runs fit into the time: at least 3, at most 200.
absl::Status TimeRuns(RepeatedRun& run, const BenchOptions& options, Measurement* result) {
  const Stopwatch first;
  absl::Status status = run.Run();
  const double fitting = options.seconds * 1e3 / std::max(first.Milliseconds(), 1e-3);
  const int64_t runs = static_cast<int64_t>(std::clamp(fitting, 3.0, 200.0));
  Progress progress("runs", runs);
  for (int64_t i = 0; i < runs && status.ok(); ++i) {
    const Stopwatch clock;
    status = run.Run();
    result->run_ms.push_back(clock.Milliseconds());
    progress.Advance();
  }
  std::sort(result->run_ms.begin(), result->run_ms.end());
  return status;
}

double Rounded(double value, int digits) {
  const double scale = std::pow(10.0, digits);
  return std::round(value * scale) / scale;
}

void Report(const BenchOptions& options, const Measurement& m,
            const std::optional<Profile>& profile) {
  const std::string name = std::filesystem::path(options.module).filename().string();
  if (options.json) {
    nlohmann::ordered_json line;
    line["module"] = name;
    line["parse_ms"] = Rounded(m.parse_ms, 3);
    line["compile_ms"] = Rounded(m.compile_ms, 3);
    line["run_ms"] = Rounded(m.Median(), 4);
    line["run_ms_min"] = Rounded(m.run_ms.front(), 4);
    line["runs"] = m.run_ms.size();
    line["peak_rss_mb"] = PeakMegabytes();
    if (profile.has_value()) line["profile"] = nlohmann::ordered_json::parse(ProfileJson(*profile));
    std::puts(line.dump().c_str());
    return;
  }
  std::printf("%s on %s\n", name.c_str(), options.backend.c_str());
  std::printf("  parse    %10.3f ms\n", m.parse_ms);
  std::printf("  compile  %10.3f ms\n", m.compile_ms);
  std::printf("  run      %10.4f ms median, %.4f ms least, %zu runs\n", m.Median(),
              m.run_ms.front(), m.run_ms.size());
  std::printf("  memory   %10lld MB peak\n", static_cast<long long>(PeakMegabytes()));
  if (profile.has_value()) std::printf("\n%s", ProfileTable(*profile, /*has_all=*/false).c_str());
}

ExitCode Bench(const BenchOptions& options) {
  absl::StatusOr<ProgramFile> file = ReadProgramFile(
      options.module, options.backend, options.target, options.profile ? "regions" : "");
  if (!file.ok()) return Fail(file.status(), kInvalidInput);
  absl::StatusOr<RepeatedRun> run = Prepare(*file->program, options);
  if (!run.ok()) return Fail(run.status(), kInvalidInput);
  Measurement measurement;
  measurement.parse_ms = file->parse_ms;
  measurement.compile_ms = file->compile_ms;
  const absl::Status status = TimeRuns(*run, options, &measurement);
  if (!status.ok()) return Fail(status, kExecutionFailed);
  std::optional<Profile> profile;
  if (options.profile) {
    absl::StatusOr<Profile> measured =
        MeasureProfile(*run, *file->profiled, {.seconds = options.seconds});
    if (!measured.ok()) return Fail(measured.status(), kExecutionFailed);
    profile = *std::move(measured);
  }
  Report(options, measurement, profile);
  return kDone;
}

}  // namespace

Command AddBenchCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "Time reading, compiling and running a module");
  auto options = std::make_shared<BenchOptions>();
  command->add_option("MODULE", options->module, "The module, or a saved program")->required();
  command->add_option("--input", options->inputs,
                      "Arguments, as of `hilo run`; otherwise they are made up");
  AddBackendOption(*command, &options->backend);
  AddTargetOption(*command, &options->target);
  AddRuntimeOptions(*command);
  command->add_option("--seconds", options->seconds, "About how long to run it")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print one line of JSON");
  command->add_flag("--profile", options->profile,
                    "Say where the time goes as well, as `hilo profile` does");
  return [options] { return Bench(*options); };
}

}  // namespace xla

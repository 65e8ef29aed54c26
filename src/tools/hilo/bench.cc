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
#include "tools/hilo/division.h"
#include "tools/process_run.h"
#include "tools/profile.h"
#include "tools/program_file.h"
#include "tools/progress.h"
#include "tools/repeated_run.h"
#include "tools/stopwatch.h"
#include "xla/util.h"

namespace xla {
namespace {

struct BenchOptions {
  DividedInput input;
  DivisionOptions division;
  double seconds = 3;
  bool json = false, profile = false;
};

// What exchanges between processes cost in each run.
struct ExchangeMeasurement {
  int processes;
  double ms = 0, overlap_ms = 0;              // in them, and of it beside the program
  int64_t bytes_sent = 0, messages_sent = 0;  // by one process
};

struct Measurement {
  double parse_ms = 0;
  double compile_ms = 0;
  std::vector<double> run_ms;  // sorted
  std::optional<ExchangeMeasurement> exchanges;
  double Median() const { return run_ms[run_ms.size() / 2]; }
};

int64_t PeakMegabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

absl::StatusOr<RepeatedRun> Prepare(CompiledModule& compiled, const BenchOptions& options) {
  const HloModule& module = compiled.module();
  HILO_ASSIGN_OR_RETURN(std::vector<Literal> inputs,
                        options.input.inputs.empty() ? MakeFakeInputs(module)
                                                     : ReadArguments(options.input.inputs, module));
  return RepeatedRun::Make(compiled, std::move(inputs));
}

// How many runs fit into the time when one takes so long: at least 3, at most 200.
int64_t CountRuns(const BenchOptions& options, double ms) {
  return static_cast<int64_t>(std::clamp(options.seconds * 1e3 / std::max(ms, 1e-3), 3.0, 200.0));
}

template <typename Run>
absl::Status TimeRuns(int64_t runs, const Run& run, Measurement* result) {
  Progress progress("runs", runs);
  absl::Status status;
  for (int64_t i = 0; i < runs && status.ok(); ++i) {
    const Stopwatch clock;
    status = run();
    result->run_ms.push_back(clock.Milliseconds());
    progress.Advance();
  }
  std::sort(result->run_ms.begin(), result->run_ms.end());
  return status;
}

// One run to warm up tells how many there are.
absl::Status TimeRuns(RepeatedRun& run, const BenchOptions& options, Measurement* result) {
  const Stopwatch first;
  HILO_RETURN_IF_ERROR(run.Run());
  return TimeRuns(
      CountRuns(options, first.Milliseconds()), [&] { return run.Run(); }, result);
}

double Rounded(double value, int digits) {
  const double scale = std::pow(10.0, digits);
  return std::round(value * scale) / scale;
}

void Report(const BenchOptions& options, const Measurement& m,
            const std::optional<Profile>& profile) {
  const std::string name = std::filesystem::path(options.input.module).filename().string();
  if (options.json) {
    nlohmann::ordered_json line;
    line["module"] = name;
    line["parse_ms"] = Rounded(m.parse_ms, 3);
    line["compile_ms"] = Rounded(m.compile_ms, 3);
    line["run_ms"] = Rounded(m.Median(), 4);
    line["run_ms_min"] = Rounded(m.run_ms.front(), 4);
    line["runs"] = m.run_ms.size();
    line["peak_rss_mb"] = PeakMegabytes();
    if (m.exchanges.has_value()) {
      line["processes"] = m.exchanges->processes;
      line["exchange_ms"] = Rounded(m.exchanges->ms, 4);
      line["overlap_ms"] = Rounded(m.exchanges->overlap_ms, 4);
      line["sent_bytes"] = m.exchanges->bytes_sent;
      line["sent_messages"] = m.exchanges->messages_sent;
    }
    if (profile.has_value()) line["profile"] = nlohmann::ordered_json::parse(ProfileJson(*profile));
    std::puts(line.dump().c_str());
    return;
  }
  std::printf("%s on %s\n", name.c_str(), options.input.backend.c_str());
  std::printf("  parse    %10.3f ms\n", m.parse_ms);
  std::printf("  compile  %10.3f ms\n", m.compile_ms);
  std::printf("  run      %10.4f ms median, %.4f ms least, %zu runs\n", m.Median(),
              m.run_ms.front(), m.run_ms.size());
  std::printf("  memory   %10lld MB peak\n", static_cast<long long>(PeakMegabytes()));
  if (m.exchanges.has_value()) {
    std::printf(
        "  exchange %10.4f ms a run with other processes, %.4f ms of it beside the program\n",
        m.exchanges->ms, m.exchanges->overlap_ms);
    std::printf("  sent     %10lld bytes a run in %lld messages, by one process of %d\n",
                static_cast<long long>(m.exchanges->bytes_sent),
                static_cast<long long>(m.exchanges->messages_sent), m.exchanges->processes);
  }
  if (profile.has_value()) std::printf("\n%s", ProfileTable(*profile, /*has_all=*/false).c_str());
}

absl::Status TimeOnProcesses(Division& division, const BenchOptions& options, Measurement* result) {
  runtime::ProcessGroup& group = *division.group;
  const DividedProgram& program = *division.program;
  const auto run = [&] {
    return RunOnProcesses(program, division.parts, group, division.seed).status();
  };
  const Stopwatch first;
  HILO_RETURN_IF_ERROR(run());
  HILO_ASSIGN_OR_RETURN(
      const uint64_t runs,
      group.OfFirst("runs", static_cast<uint64_t>(CountRuns(options, first.Milliseconds()))));
  const runtime::ExchangeCosts& costs = group.costs();
  const auto now = [&] {
    return ExchangeMeasurement{group.size(), static_cast<double>(costs.nanoseconds) / 1e6,
                               static_cast<double>(costs.overlap_nanoseconds) / 1e6,
                               costs.bytes_sent, costs.messages_sent};
  };
  const ExchangeMeasurement before = now();
  HILO_RETURN_IF_ERROR(TimeRuns(static_cast<int64_t>(runs), run, result));
  const ExchangeMeasurement after = now();
  const auto count = static_cast<int64_t>(runs);
  result->exchanges = {group.size(), (after.ms - before.ms) / static_cast<double>(count),
                       (after.overlap_ms - before.overlap_ms) / static_cast<double>(count),
                       (after.bytes_sent - before.bytes_sent) / count,
                       (after.messages_sent - before.messages_sent) / count};
  return absl::OkStatus();
}

// Process 0 says what it has measured.
ExitCode BenchOnProcesses(const ProcessPlace& place, const BenchOptions& options) {
  if (options.profile) return Fail(InvalidArgument("--profile is for one process"), kWrongUsage);
  DividedInput input = options.input;
  input.fake_inputs = input.inputs.empty();
  Division division;
  const ExitCode divided = Divide(place, input, options.division, &division);
  if (divided != kDone) return divided;
  Measurement measurement;
  measurement.parse_ms = division.parse_ms;
  measurement.compile_ms = division.compile_ms;
  const absl::Status status = TimeOnProcesses(division, options, &measurement);
  if (!status.ok()) return Fail(status, kExecutionFailed);
  if (place.rank == 0) Report(options, measurement, std::nullopt);
  return kDone;
}

ExitCode Bench(const BenchOptions& options) {
  if (const auto place = PlaceOfProcess(); place.has_value())
    return BenchOnProcesses(*place, options);
  if (options.division.processes > 1)
    return StartDivision({options.input.module}, options.division);
  absl::StatusOr<ProgramFile> file = ReadProgramFile(options.input.module, options.input.backend,
                                                     options.input.target, options.profile);
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
        MeasureCheapProfile(*run, file->profiled, {.seconds = options.seconds});
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
  command->add_option("MODULE", options->input.module, "The module, or a saved program")
      ->required();
  command->add_option("--input", options->input.inputs,
                      "Arguments, as of `hilo run`; otherwise they are made up");
  AddBackendOption(*command, &options->input.backend);
  AddTargetOption(*command, &options->input.target);
  AddRuntimeOptions(*command);
  AddDivisionOptions(*command, &options->division);
  command->add_option("--seconds", options->seconds, "About how long to run it")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print one line of JSON");
  command->add_flag("--profile", options->profile,
                    "Say where the time goes as well, as `hilo profile` does");
  return [options] { return Bench(*options); };
}

}  // namespace xla

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "api/backend.h"
#include "base/status_macros.h"
#include "ir/verifier.h"
#include "tools/check_file.h"
#include "tools/compare_backends.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"
#include "tools/hilo/division.h"
#include "tools/processes.h"
#include "tools/progress.h"
#include "tools/random_shardings.h"

namespace xla {
namespace {

struct CompareOptions {
  std::vector<std::string> files;
  std::string backend, target;
  std::string against = "interpreter";
  uint64_t seed = 0;
  uint64_t runs = 1;
  bool fake_inputs = false;
  bool random_shardings = false;
  DivisionOptions division;
};

// Where modules are run; the same for all.
struct Place {
  ExecutionBackend* backend;
  ExecutionBackend* reference;
  int64_t devices = 1;
  std::unique_ptr<runtime::ProcessGroup> group;  // null where there is one process only
};

struct NamedModule {
  std::string name;
  absl::StatusOr<std::unique_ptr<HloModule>> module;
};

// The modules of a file. What a test file says must be refused is left out.
absl::StatusOr<std::vector<NamedModule>> ModulesOf(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(const std::string contents, ReadFile(path));
  const std::vector<CheckCase> cases = SplitCheckFile(path, contents);
  std::vector<NamedModule> modules;
  for (const CheckCase& check : cases) {
    if (!check.error.empty()) continue;
    const bool is_alone = cases.size() == 1;
    NamedModule& each = modules.emplace_back(
        NamedModule{is_alone ? path : absl::StrCat(path, ":", check.first_line),
                    ParseModule(is_alone ? contents : check.text, path)});
    if (!each.module.ok()) continue;
    const absl::Status valid = VerifyModule(**each.module);
    if (!valid.ok()) each.module = valid;
  }
  return modules;
}

absl::StatusOr<BackendComparison> RunOnce(const HloModule& module, const Place& place,
                                          std::optional<uint64_t> seed) {
  ExecutionBackend& backend = *place.backend;
  ExecutionBackend& reference = *place.reference;
  if (place.group != nullptr)
    return CompareOnProcesses(module, backend, reference, place.devices, seed, *place.group);
  return place.devices > 1 ? CompareDivided(module, backend, reference, place.devices, seed)
                           : CompareBackends(module, backend, reference, seed);
}

// All runs of a module, until one of them does not agree.
absl::StatusOr<BackendComparison> RunAll(const HloModule& module, const Place& place,
                                         const CompareOptions& options) {
  for (uint64_t run = 0; run < options.runs; ++run) {
    const uint64_t seed = options.seed + run;
    const std::unique_ptr<HloModule> clone = module.Clone("");
    SetCompileOptions(*clone, options.target);
    if (options.random_shardings) ShardAtRandom(*clone, place.devices, seed);
    HILO_ASSIGN_OR_RETURN(
        const BackendComparison outcome,
        RunOnce(*clone, place, options.fake_inputs ? std::nullopt : std::optional(seed)));
    if (outcome.agreement != Agreement::kAgree) return outcome;
  }
  return BackendComparison();
}

// What became of the modules; says so of each that does not agree.
class Summary {
 public:
  void Add(const std::string& name, const BackendComparison& outcome) {
    ++modules_;
    ++found_[outcome.agreement];
    if (outcome.agreement == Agreement::kDiffer) {
      std::printf("%s: %s\n", name.c_str(), outcome.reason.c_str());
    } else if (outcome.agreement != Agreement::kAgree) {
      missed_ = Fail(Annotate(absl::UnavailableError(outcome.reason), name), kExecutionFailed);
    }
  }

  void AddInvalid(const std::string& name, const absl::Status& status) {
    ++modules_;
    missed_ = Fail(Annotate(status, name), kInvalidInput);
  }

  ExitCode Print() {
    if (modules_ == 1 && found_[Agreement::kAgree] == 1) {
      std::printf("the same\n");
    } else if (modules_ > 1) {
      const int64_t compared = found_[Agreement::kAgree] + found_[Agreement::kDiffer];
      std::printf("%lld modules: %lld agree, %lld differ, %lld were not compared\n",
                  static_cast<long long>(modules_),
                  static_cast<long long>(found_[Agreement::kAgree]),
                  static_cast<long long>(found_[Agreement::kDiffer]),
                  static_cast<long long>(modules_ - compared));
    }
    if (found_[Agreement::kDiffer] > 0) return kDiffers;
    return found_[Agreement::kAgree] > 0 ? kDone : missed_;
  }

 private:
  int64_t modules_ = 0;
  std::map<Agreement, int64_t> found_;
  ExitCode missed_ = kDone;
};

ExitCode CompareAll(const std::vector<NamedModule>& modules, const Place& place,
                    const CompareOptions& options) {
  const bool reports = place.group == nullptr || place.group->rank() == 0;
  std::optional<Progress> progress;
  if (reports) progress.emplace("modules", static_cast<int64_t>(modules.size()));
  Summary summary;
  for (const NamedModule& each : modules) {
    if (!each.module.ok()) {
      if (reports) summary.AddInvalid(each.name, each.module.status());
      continue;
    }
    const absl::StatusOr<BackendComparison> outcome = RunAll(**each.module, place, options);
    if (!outcome.ok()) return Fail(Annotate(outcome.status(), each.name), kExecutionFailed);
    if (!reports) continue;
    summary.Add(each.name, *outcome);
    progress->Advance();
  }
  return reports ? summary.Print() : kDone;
}

ExitCode Compare(const CompareOptions& options) {
  const std::optional<ProcessPlace> process = PlaceOfProcess();
  if (!process.has_value() && options.division.processes > 1)
    return StartDivision(options.files, options.division);
  std::vector<NamedModule> modules;
  for (const std::string& path : options.files) {
    absl::StatusOr<std::vector<NamedModule>> of_file = ModulesOf(path);
    if (!of_file.ok()) return Fail(of_file.status(), kInvalidInput);
    for (NamedModule& each : *of_file) modules.push_back(std::move(each));
  }
  Place place;
  place.backend = *FindBackend(options.backend);
  place.reference = *FindBackend(options.against);
  const absl::StatusOr<int64_t> devices =
      DevicesOfAll(options.division, process.has_value() ? process->size : 1);
  if (!devices.ok()) return Fail(devices.status(), kWrongUsage);
  place.devices = *devices;
  if (process.has_value()) {
    auto group = JoinProcesses(*process, absl::Seconds(options.division.timeout));
    if (!group.ok()) return Fail(group.status(), kExecutionFailed);
    place.group = *std::move(group);
  }
  return CompareAll(modules, place, options);
}

}  // namespace

Command AddCompareCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "compare", "Compare what modules give on two back ends, or divided with the whole");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("MODULE", options->files, "The modules; all those of a test file")
      ->required();
  AddBackendOption(*command, &options->backend);
  AddTargetOption(*command, &options->target);
  command->add_option("--against", options->against, "The back end that is right")
      ->check(CLI::IsMember(BackendNames()))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Of the inputs")->capture_default_str();
  command->add_option("--runs", options->runs, "How often, each time with inputs of the next seed")
      ->capture_default_str();
  command->add_flag("--fake-inputs", options->fake_inputs,
                    "Inputs as `hilo run --fake-inputs` makes them, instead of random ones");
  command->add_flag("--random-shardings", options->random_shardings,
                    "Shardings made from the seed, instead of the module's own");
  AddDivisionOptions(*command, &options->division);
  return [options] { return Compare(*options); };
}

}  // namespace xla

#include <cstdio>
#include <memory>
#include <string>

#include "api/backend.h"
#include "ir/verifier.h"
#include "tools/compare_backends.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"

namespace xla {
namespace {

struct CompareOptions {
  std::string module;
  std::string backend, target;
  std::string against = "interpreter";
  uint64_t seed = 0;
  uint64_t runs = 1;
  int64_t devices = 1;
};

ExitCode Compare(const CompareOptions& options) {
  const absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(options.module);
  if (!module.ok()) return Fail(module.status(), kInvalidInput);
  const absl::Status valid = VerifyModule(**module);
  if (!valid.ok()) return Fail(valid, kInvalidInput);
  SetTarget(**module, options.target);
  ExecutionBackend* backend = *FindBackend(options.backend);
  ExecutionBackend* reference = *FindBackend(options.against);
  for (uint64_t run = 0; run < options.runs; ++run) {
    const uint64_t seed = options.seed + run;
    const BackendComparison outcome =
        options.devices > 1 ? CompareDivided(**module, *backend, *reference, options.devices, seed)
                            : CompareBackends(**module, *backend, *reference, seed);
    switch (outcome.agreement) {
      case Agreement::kAgree:
        break;
      case Agreement::kDiffer:
        std::printf("%s\n", outcome.reason.c_str());
        return kDiffers;
      case Agreement::kNoCode:
      case Agreement::kNotCompared:
        return Fail(absl::UnavailableError(outcome.reason), kExecutionFailed);
    }
  }
  std::printf("the same\n");
  return kDone;
}

}  // namespace

Command AddCompareCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compare", "Compare what a module gives on two back ends");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("MODULE", options->module, "The module")->required();
  AddBackendOption(*command, &options->backend);
  AddTargetOption(*command, &options->target);
  command->add_option("--against", options->against, "The back end that is right")
      ->check(CLI::IsMember(BackendNames()))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Of the inputs")->capture_default_str();
  command->add_option("--runs", options->runs, "How often, each time with inputs of the next seed")
      ->capture_default_str();
  command
      ->add_option("--devices", options->devices,
                   "Divide the module by its shardings among so many devices of the back end")
      ->check(CLI::Range(1, 1024));
  return [options] { return Compare(*options); };
}

}  // namespace xla

#include <cstdio>
#include <memory>
#include <string>

#include "ir/verifier.h"
#include "passes/passes.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {
namespace {

struct OptOptions {
  std::string module;
  std::string passes;
};

ExitCode Opt(const OptOptions& options) {
  const absl::StatusOr<std::vector<passes::Pass>> passes = passes::FindPasses(options.passes);
  if (!passes.ok()) return Fail(passes.status(), kWrongUsage);
  absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(options.module);
  if (!module.ok()) return Fail(module.status(), kInvalidInput);
  absl::Status status = VerifyModule(**module);
  if (!status.ok()) return Fail(status, kInvalidInput);
  status = passes::Run(*passes, **module);
  if (!status.ok()) return Fail(status, kExecutionFailed);
  std::printf("%s", (*module)->ToString().c_str());
  return kDone;
}

}  // namespace

Command AddOptCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("opt", "Run passes over a module and print what they make of it");
  std::string footer = "Passes:";
  for (const passes::Pass& pass : passes::AllPasses()) footer += "\n  " + std::string(pass.name);
  command->footer(footer);
  auto options = std::make_shared<OptOptions>();
  command->add_option("MODULE", options->module, "The program")->required();
  command->add_option("--passes", options->passes, "Names of passes, with commas between them")
      ->required();
  return [options] { return Opt(*options); };
}

}  // namespace xla

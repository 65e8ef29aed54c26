#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "cpu/loops.h"
#include "cpu/passes.h"
#include "ir/verifier.h"
#include "passes/partition/estimate.h"
#include "tools/collectives_text.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {
namespace {

struct OptOptions {
  std::string module;
  std::string passes, target, to;
  bool explain = false;
};

// By stage, with what each does.
std::string ListOfPasses() {
  std::string text;
  absl::string_view stage;
  for (const passes::Pass& pass : cpu::AllPasses()) {
    if (passes::StageName(pass.stage) != stage) {
      stage = passes::StageName(pass.stage);
      absl::StrAppendFormat(&text, "%s%s:\n", text.empty() ? "" : "\n", stage);
    }
    absl::StrAppendFormat(&text, "  %-26s%s\n", pass.name, pass.summary);
  }
  return text;
}

ExitCode Opt(const OptOptions& options) {
  if (options.passes.empty() && options.to.empty()) {
    std::printf("%s", ListOfPasses().c_str());
    return kDone;
  }
  std::vector<passes::Pass> passes(cpu::CompilerPasses().begin(), cpu::CompilerPasses().end());
  if (!options.passes.empty()) {
    absl::StatusOr<std::vector<passes::Pass>> wanted =
        passes::FindPasses(cpu::AllPasses(), options.passes);
    if (!wanted.ok()) return Fail(wanted.status(), kWrongUsage);
    passes = *std::move(wanted);
  }
  absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(options.module);
  if (!module.ok()) return Fail(module.status(), kInvalidInput);
  SetCompileOptions(**module, options.target);
  absl::Status status = VerifyModule(**module);
  if (!status.ok()) return Fail(status, kInvalidInput);
  status = passes::Run(passes, **module, {.verifies = true});
  if (!status.ok()) return Fail(status, kExecutionFailed);
  if (options.explain) {
    std::printf("%s", CollectivesTable(passes::EstimateProgram(**module, {})).c_str());
    return kDone;
  }
  if (options.to.empty()) {
    const auto print = HloPrintOptions::Default().set_print_large_constants(true);
    std::printf("%s", (*module)->ToString(print).c_str());
    return kDone;
  }
  const absl::StatusOr<std::string> plan = cpu::PlanText(**module, options.to);
  if (!plan.ok()) return Fail(plan.status(), kWrongUsage);
  std::printf("%s", plan->c_str());
  return kDone;
}

}  // namespace

Command AddOptCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("opt", "Run passes over a module and print what they make of it");
  command->footer(ListOfPasses());
  auto options = std::make_shared<OptOptions>();
  CLI::Option* passes = command->add_option("--passes", options->passes,
                                            "Names of passes, with commas between them. Without "
                                            "them, the passes that there are are printed");
  CLI::Option* module = command->add_option("MODULE", options->module, "The program");
  passes->needs(module);
  command
      ->add_option(
          "--to", options->to,
          "Print the plan of the program behind this pass over it, or behind all: "
          "\"program\"; or the loops of kernels: \"loops\". Without --passes, those of the "
          "compiler come first")
      ->needs(module);
  AddTargetOption(*command, &options->target);
  command
      ->add_flag("--explain", options->explain,
                 "Print what devices send each other instead, how many bytes and for which "
                 "instructions, as `hilo partition --estimate` has it")
      ->needs(module);
  return [options] { return Opt(*options); };
}

}  // namespace xla

#include <cstdio>
#include <memory>
#include <string>

#include "api/cpu_backend.h"
#include "api/cpu_backend_report.h"
#include "tools/explain_page.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"

namespace xla {
namespace {

struct ExplainOptions {
  std::string module, target;
  std::string html, profile;
};

ExitCode Explain(const ExplainOptions& options) {
  const absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(options.module);
  if (!module.ok()) return Fail(module.status(), kInvalidInput);
  SetCompileOptions(**module, options.target);
  cpu::CompileReport report;
  report.wants_data = !options.html.empty();
  const absl::Status compiled = CompileToBytes(**module, &report).status();
  if (!compiled.ok()) return Fail(compiled, kInvalidInput);
  if (options.html.empty()) {
    std::printf("%s", xla::Explain(report).c_str());
    return kDone;
  }
  absl::StatusOr<std::string> profile = "";
  if (!options.profile.empty()) profile = ReadFile(options.profile);
  if (!profile.ok()) return Fail(profile.status(), kInvalidInput);
  const absl::StatusOr<std::string> page = ExplainPage(report, *profile);
  if (!page.ok()) return Fail(page.status(), kInvalidInput);
  const absl::Status written = WriteFile(options.html, *page);
  return written.ok() ? kDone : Fail(written, kExecutionFailed);
}

}  // namespace

Command AddExplainCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "explain",
      "Say what runs, what was fused and why not more, where arrays lie, and how long each stage "
      "of the compile took");
  auto options = std::make_shared<ExplainOptions>();
  command->add_option("MODULE", options->module, "The module")->required();
  AddTargetOption(*command, &options->target);
  CLI::Option* html = command->add_option(
      "--html", options->html,
      "A file for all that as a page for browsers, with the graph of the program, its memory over "
      "time, and the texts of the module, the plan and the loops of kernels");
  command
      ->add_option("--profile", options->profile,
                   "What `hilo profile --json` printed for the module, for the page")
      ->needs(html);
  return [options] { return Explain(*options); };
}

}  // namespace xla

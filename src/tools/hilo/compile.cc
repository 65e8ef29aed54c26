#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "api/cpu_backend.h"
#include "api/cpu_backend_report.h"
#include "passes/partition/estimate.h"
#include "tools/collectives_text.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"

namespace xla {
namespace {

struct CompileOptions {
  std::string module;
  std::string output, target;
  bool explain = false;
  std::string dump_to;
  std::string dump_after;
};

// The module behind a pass; what it was before where the pass changed nothing.
ExitCode PrintAfter(const std::string& pass, const cpu::CompileReport& report) {
  const std::string* text = &report.input;
  for (const cpu::CompileReport::Stage& stage : report.stages) {
    if (stage.changed) text = &stage.text;
    if (stage.name != pass) continue;
    std::printf("%s", text->c_str());
    return kDone;
  }
  return Fail(absl::NotFoundError(absl::StrCat("there is no pass ", pass)), kWrongUsage);
}

ExitCode Compile(const CompileOptions& options) {
  const absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(options.module);
  if (!module.ok()) return Fail(module.status(), kInvalidInput);
  SetCompileOptions(**module, options.target);
  cpu::CompileReport report;
  report.wants_texts = !options.dump_to.empty() || !options.dump_after.empty();
  const absl::StatusOr<std::string> program = CompileToBytes(**module, &report);
  // What there is of the report helps to see why.
  absl::Status written;
  if (!options.dump_to.empty()) {
    written = WriteReport(report, options.dump_to, (*module)->name(),
                          [](const std::string&) { return true; });
  }
  if (!program.ok()) return Fail(program.status(), kInvalidInput);
  if (written.ok() && !options.output.empty()) written = WriteFile(options.output, *program);
  if (!written.ok()) return Fail(written, kExecutionFailed);
  if (options.explain) {
    std::printf("%s", Explain(report).c_str());
    const passes::ProgramCost cost = passes::EstimateProgram(**module, {});
    if (!cost.collectives.empty())
      std::printf("what devices send each other\n%s", CollectivesTable(cost).c_str());
  }
  return options.dump_after.empty() ? kDone : PrintAfter(options.dump_after, report);
}

}  // namespace

Command AddCompileCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compile", "Compile a module to a program in a file");
  command->footer(
      "The program runs with `hilo run`, `hilo bench` and through the C++ interface, on CPUs that "
      "can "
      "do as much as the target, with this version of Hilo.");
  auto options = std::make_shared<CompileOptions>();
  command->add_option("MODULE", options->module, "The module")->required();
  command->add_option("-o,--output", options->output, "The file for the program");
  AddTargetOption(*command, &options->target);
  command->add_flag("--explain", options->explain,
                    "Print what runs, what was fused and why not more, where arrays lie, and how "
                    "long each stage took");
  command->add_option("--dump-to", options->dump_to,
                      "A folder for the module behind each pass, loops of kernels, LLVM IR, object "
                      "code and plan");
  command->add_option("--dump-after", options->dump_after, "Print the module behind this pass");
  return [options] { return Compile(*options); };
}

}  // namespace xla

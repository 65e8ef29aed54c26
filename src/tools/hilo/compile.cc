#include <memory>
#include <string>

#include "api/cpu_backend.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"

namespace xla {
namespace {

struct CompileOptions {
  std::string module;
  std::string output;
};

ExitCode Compile(const CompileOptions& options) {
  const absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(options.module);
  if (!module.ok()) return Fail(module.status(), kInvalidInput);
  const absl::StatusOr<std::string> program = CompileToBytes(**module);
  if (!program.ok()) return Fail(program.status(), kInvalidInput);
  const absl::Status written = WriteFile(options.output, *program);
  return written.ok() ? kDone : Fail(written, kExecutionFailed);
}

}  // namespace

Command AddCompileCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compile", "Compile a module to a program in a file");
  command->footer(
      "The program runs with `hilo run`, `hilo bench` and through the C++ interface, on CPUs that "
      "can "
      "do as much as this one, with this version of Hilo.");
  auto options = std::make_shared<CompileOptions>();
  command->add_option("MODULE", options->module, "The module")->required();
  command->add_option("-o,--output", options->output, "The file for the program")->required();
  return [options] { return Compile(*options); };
}

}  // namespace xla

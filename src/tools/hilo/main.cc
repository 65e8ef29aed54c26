#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "api/backend.h"
#include "api/cpu_backend.h"
#include "codegen/target.h"
#include "runtime/parallel.h"
#include "tools/hilo/commands.h"

namespace xla {

void AddBackendOption(CLI::App& command, std::string* backend) {
  *backend = std::string(DefaultBackend().name());
  command.add_option("--backend", *backend, "What runs the program")
      ->check(CLI::IsMember(BackendNames()))
      ->capture_default_str();
}

void AddTargetOption(CLI::App& command, std::string* target) {
  *target = codegen::Target::Host().name;
  command.add_option("--target", *target, "The machine that code is compiled for")
      ->check(CLI::IsMember(codegen::Target::Names()))
      ->capture_default_str();
}

void AddRuntimeOptions(CLI::App& command) {
  command
      .add_option_function<int>("--threads", runtime::SetThreadCount,
                                "How many threads a program uses at most")
      ->check(CLI::Range(1, 1024));
  command.add_option_function<std::string>("--cache-dir", SetCacheDirectory,
                                           "Where compiled programs are kept for later runs");
}

ExitCode Fail(const absl::Status& status, ExitCode code) {
  std::fprintf(stderr, "hilo: %s\n", std::string(status.message()).c_str());
  return code;
}

}  // namespace xla

int main(int argc, char** argv) {
  CLI::App app("Reads, checks, runs and times programs in HLO and StableHLO.", "hilo");
  app.set_version_flag("--version", "hilo " HILO_VERSION);
  app.require_subcommand(1);
  app.footer(
      "A MODULE is a file with HLO text, a serialised HloModuleProto, HloProto or HloSnapshot, or "
      "StableHLO, as text or as a portable artifact; - is standard input.\n"
      "Exit codes: 0 done, 1 results differ, 2 wrong usage, 3 the module or an input is invalid, 4 "
      "execution failed.");
  const std::vector<xla::Command> commands = {
      xla::AddCompileCommand(app), xla::AddExplainCommand(app),  xla::AddRunCommand(app),
      xla::AddPrintCommand(app),   xla::AddVerifyCommand(app),   xla::AddCheckCommand(app),
      xla::AddBenchCommand(app),   xla::AddProfileCommand(app),  xla::AddOpsCommand(app),
      xla::AddOptCommand(app),     xla::AddRandomCommand(app),   xla::AddCompareCommand(app),
      xla::AddReduceCommand(app),  xla::AddPartitionCommand(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? xla::kDone : xla::kWrongUsage;
  }
  const auto subcommands = app.get_subcommands([](const CLI::App*) { return true; });
  for (size_t i = 0; i < commands.size(); ++i) {
    if (subcommands[i]->parsed()) return commands[i]();
  }
  return xla::kWrongUsage;
}

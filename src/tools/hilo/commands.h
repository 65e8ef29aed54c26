// The subcommands of `hilo`. Each adds itself to the command line and gives the exit code when it
// was chosen.
#ifndef HILO_TOOLS_HILO_COMMANDS_H_
#define HILO_TOOLS_HILO_COMMANDS_H_

#include <functional>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace xla {

enum ExitCode : int {
  kDone = 0,
  kDiffers = 1,
  kWrongUsage = 2,
  kInvalidInput = 3,
  kExecutionFailed = 4,
};

using Command = std::function<ExitCode()>;

Command AddCompileCommand(CLI::App& app);
Command AddExplainCommand(CLI::App& app);
Command AddRunCommand(CLI::App& app);
Command AddPrintCommand(CLI::App& app);
Command AddVerifyCommand(CLI::App& app);
Command AddCheckCommand(CLI::App& app);
Command AddBenchCommand(CLI::App& app);
Command AddProfileCommand(CLI::App& app);
Command AddOpsCommand(CLI::App& app);
Command AddOptCommand(CLI::App& app);
Command AddPartitionCommand(CLI::App& app);
Command AddRandomCommand(CLI::App& app);
Command AddCompareCommand(CLI::App& app);
Command AddReduceCommand(CLI::App& app);

// Adds --backend with the names of the back ends there are.
void AddBackendOption(CLI::App& command, std::string* backend);

// Adds --target with the names of the targets there are.
void AddTargetOption(CLI::App& command, std::string* target);

// Adds --threads and --cache-dir, which hold for the process as soon as they are read.
void AddRuntimeOptions(CLI::App& command);

// Prints the error and gives `code` back.
ExitCode Fail(const absl::Status& status, ExitCode code);

}  // namespace xla

#endif  // HILO_TOOLS_HILO_COMMANDS_H_

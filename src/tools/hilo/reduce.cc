#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "ir/verifier.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"
#include "tools/reduce_module.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/util.h"

namespace xla {
namespace {

struct ReduceOptions {
  std::string module;
  std::string command;
  std::string output = "-";
  std::optional<int> exit_code;
};

std::string Text(const HloModule& module) {
  return module.ToString(HloPrintOptions::Default().set_print_large_constants(true));
}

// What a shell says about the command's end; 128 and the signal's number where it was killed.
int ExitCodeOf(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return 128 + (WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

ExitCode Reduce(const ReduceOptions& options) {
  const absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(options.module);
  if (!module.ok()) return Fail(module.status(), kInvalidInput);
  const absl::Status valid = VerifyModule(**module);
  if (!valid.ok()) return Fail(valid, kInvalidInput);
  const std::string path =
      std::filesystem::temp_directory_path() / absl::StrCat("hilo_reduce_", getpid(), ".hlo");
  const std::string command =
      absl::StrReplaceAll(absl::StrCat("(", options.command, ") > /dev/null 2>&1"), {{"{}", path}});
  int64_t tried = 0;
  const auto is_interesting = [&](const HloModule& candidate) -> absl::StatusOr<bool> {
    const absl::Status written = WriteFile(path, Text(candidate));
    if (!written.ok()) return written;
    ++tried;
    const int code = ExitCodeOf(std::system(command.c_str()));
    return options.exit_code.has_value() ? code == *options.exit_code : code != 0;
  };
  const auto reduced = ReduceModule(**module, is_interesting);
  std::filesystem::remove(path);
  if (!reduced.ok()) return Fail(reduced.status(), kInvalidInput);
  std::fprintf(stderr, "%lld instructions of %lld are left after %lld runs\n",
               static_cast<long long>((*reduced)->instruction_count()),
               static_cast<long long>((*module)->instruction_count()),
               static_cast<long long>(tried));
  if (options.output == "-") {
    std::printf("%s\n", Text(**reduced).c_str());
    return kDone;
  }
  const absl::Status written = WriteFile(options.output, Text(**reduced));
  return written.ok() ? kDone : Fail(written, kInvalidInput);
}

}  // namespace

Command AddReduceCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "reduce", "Shrink a module while a command that is run on it ends as it does now");
  auto options = std::make_shared<ReduceOptions>();
  command->add_option("MODULE", options->module, "The module")->required();
  command
      ->add_option("--command", options->command,
                   "A command for the shell; {} stands for the file with the module")
      ->required();
  command->add_option("--exit-code", options->exit_code,
                      "How it must end: 128 and more for signals (default: anything but 0)");
  command->add_option("-o,--output", options->output, "Where the result goes")
      ->capture_default_str();
  return [options] { return Reduce(*options); };
}

}  // namespace xla

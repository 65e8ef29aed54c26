#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/verifier.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::Status VerifyFile(const std::string& path) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(path);
  if (!module.ok()) return module.status();
  const absl::Status status = VerifyModule(**module);
  if (!status.ok()) return InvalidArgument("%s: %s", path, status.message());
  std::printf("%s: %lld computations, %lld instructions\n", path.c_str(),
              static_cast<long long>((*module)->computation_count()),
              static_cast<long long>((*module)->instruction_count()));
  return absl::OkStatus();
}

ExitCode Verify(const std::vector<std::string>& modules) {
  ExitCode code = kDone;
  for (const std::string& module : modules) {
    const absl::Status status = VerifyFile(module);
    if (!status.ok()) code = Fail(status, kInvalidInput);
  }
  return code;
}

}  // namespace

Command AddVerifyCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("verify", "Check modules against the rules of every operation");
  auto modules = std::make_shared<std::vector<std::string>>();
  command->add_option("MODULE", *modules, "The programs")->required();
  return [modules] { return Verify(*modules); };
}

}  // namespace xla

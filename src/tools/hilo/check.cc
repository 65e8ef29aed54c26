#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "codegen/target.h"
#include "tools/check_file.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"
#include "tools/progress.h"

namespace xla {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  std::string backend, target;
};

ExitCode Check(const CheckOptions& options) {
  const absl::StatusOr<codegen::Target> target = codegen::Target::Parse(options.target);
  if (!target.ok()) return Fail(target.status(), kWrongUsage);
  const absl::Status runs_here = target->CheckRunsOn(codegen::Target::Host());
  if (!runs_here.ok()) return Fail(runs_here, kExecutionFailed);
  std::vector<CheckCase> cases;
  for (const std::string& path : options.files) {
    absl::StatusOr<std::string> contents = ReadFile(path);
    if (!contents.ok()) return Fail(contents.status(), kInvalidInput);
    for (CheckCase& check : SplitCheckFile(path, *contents)) cases.push_back(std::move(check));
  }
  int64_t failed = 0;
  {
    Progress progress("checks", static_cast<int64_t>(cases.size()));
    for (const CheckCase& check : cases) {
      const std::string failure = RunCheckCase(check, options.backend, options.target);
      if (!failure.empty()) {
        ++failed;
        std::printf("%s\n", failure.c_str());
      }
      progress.Advance();
    }
  }
  std::printf("%lld passed, %lld failed\n", static_cast<long long>(cases.size()) - failed,
              static_cast<long long>(failed));
  return failed == 0 ? kDone : kDiffers;
}

}  // namespace

Command AddCheckCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("check", "Run self-checking test files");
  command->footer(
      "A test file holds modules in HLO or StableHLO divided by lines '// -----', each with lines "
      "such as\n"
      "  // run: (1, {2, 3}) == {3, 4}       equal results\n"
      "  // run: ({1, 2}) ~ {1.6, 2.7}       nearly equal results\n"
      "  // infeed: s32[2] {1, 2}            a value that infeed instructions read\n"
      "  // outfeed: f32[] 4                 a value that an outfeed instruction must put out\n"
      "  // target: x86-64-v3                a target other than that of --target\n"
      "  // profile: regions                 the module is compiled to be profiled\n"
      "  // passes: inline-calls             passes to run first, and what they must make of the "
      "module:\n"
      "  // to: vectorize                   then passes over loops of kernels; without others, "
      "those\n"
      "                                      of the compiler come first\n"
      "  // CHECK: add(x, y)                 text in it, in this order, // CHECK-NOT: text that is "
      "not\n"
      "  ...                                 // error: text that the error must contain");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("FILE", options->files, "The test files")->required();
  AddBackendOption(*command, &options->backend);
  AddTargetOption(*command, &options->target);
  AddRuntimeOptions(*command);
  return [options] { return Check(*options); };
}

}  // namespace xla

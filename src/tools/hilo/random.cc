#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/hilo/commands.h"
#include "tools/random_module.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {
namespace {

struct Options {
  int64_t modules = 1000;
  uint64_t seed = 0;
  int size = 25;
  bool print = false;
  bool list = false;
};

// What became of all the modules.
class Summary {
 public:
  void Count(const HloModule& module) {
    for (const HloComputation* computation : module.computations()) {
      for (const HloInstruction* instruction : computation->instructions())
        ++operations_[std::string(HloOpcodeString(instruction->opcode()))];
    }
  }

  void Count(const absl::Status& ran) {
    ran_ += ran.ok();
    if (!ran.ok()) ++errors_[std::string(ran.message().substr(0, ran.message().find(':')))];
  }

  void Print(int64_t modules, bool list) const {
    std::printf("%lld modules, %lld ran to the end, %zu of %u operations\n",
                static_cast<long long>(modules), static_cast<long long>(ran_), operations_.size(),
                HloOpcodeCount());
    if (!list) return;
    for (const auto& [operation, count] : operations_)
      std::printf("%8lld %s\n", static_cast<long long>(count), operation.c_str());
    for (const auto& [error, count] : errors_)
      std::printf("%8lld error: %s\n", static_cast<long long>(count), error.c_str());
  }

 private:
  int64_t ran_ = 0;
  std::map<std::string, int64_t> operations_, errors_;
};

ExitCode TryModules(const Options& options) {
  Summary summary;
  for (int64_t i = 0; i < options.modules; ++i) {
    const uint64_t seed = options.seed + static_cast<uint64_t>(i);
    std::unique_ptr<HloModule> module = MakeRandomModule(seed, options.size);
    if (options.print) std::printf("%s\n", module->ToString().c_str());
    summary.Count(*module);
    const RandomModuleOutcome outcome = TryRandomModule(std::move(module));
    if (!outcome.sound.ok()) {
      std::fprintf(stderr, "seed %llu:\n", static_cast<unsigned long long>(seed));
      return Fail(outcome.sound, kDiffers);
    }
    summary.Count(outcome.ran);
  }
  summary.Print(options.modules, options.list);
  return kDone;
}

}  // namespace

Command AddRandomCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "random", "Make valid modules at random and try what can be done with a module");
  auto options = std::make_shared<Options>();
  command->add_option("--modules", options->modules, "How many")->capture_default_str();
  command->add_option("--seed", options->seed, "Of the first one; the next has the next number")
      ->capture_default_str();
  command->add_option("--size", options->size, "About how many instructions each has")
      ->capture_default_str();
  command->add_flag("--print", options->print, "Print each module before it is tried");
  command->add_flag("--list", options->list, "List the operations and the errors of runs");
  return [options] { return TryModules(*options); };
}

}  // namespace xla

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "api/backend.h"
#include "tools/compare_backends.h"
#include "tools/files.h"
#include "tools/hilo/commands.h"
#include "tools/perturb_module.h"
#include "tools/random_module.h"
#include "tools/random_shardings.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/hlo/ir/hlo_print_options.h"

namespace xla {
namespace {

struct RandomOptions {
  int64_t modules = 1000;
  uint64_t seed = 0;
  int size = 25;
  int64_t elements = kFewElements;
  bool print = false;
  bool list = false;
  bool is_alone = false;
  std::string backend, target;
  std::string against;  // compared with the back end, unless empty
  std::string output_dir;
  int64_t devices = 1;
};

using Counts = std::map<std::string, int64_t>;

void PrintCounts(const Counts& counts, const char* what) {
  for (const auto& [name, count] : counts)
    std::printf("%8lld %s%s\n", static_cast<long long>(count), what, name.c_str());
}

// Messages are counted by how they begin.
std::string Beginning(absl::string_view message) {
  return std::string(message.substr(0, message.find(':')));
}

// ---- All that can be done with a module on one back end -------------------------------------

// A module is to be seen where it ends the process, too.
void PrintBeforeTrial(const HloModule& module) {
  std::printf("%s\n", module.ToString().c_str());
  std::fflush(stdout);
}

// What became of all the modules.
class RandomSummary {
 public:
  void Count(const HloModule& module) {
    for (const HloComputation* computation : module.computations()) {
      for (const HloInstruction* instruction : computation->instructions())
        ++operations_[std::string(HloOpcodeString(instruction->opcode()))];
    }
  }

  void Count(const absl::Status& ran) {
    ran_ += ran.ok();
    if (!ran.ok()) ++errors_[Beginning(ran.message())];
  }

  void Print(int64_t modules, bool list) const {
    std::printf("%lld modules, %lld ran to the end, %zu of %u operations\n",
                static_cast<long long>(modules), static_cast<long long>(ran_), operations_.size(),
                HloOpcodeCount());
    if (!list) return;
    PrintCounts(operations_, "");
    PrintCounts(errors_, "error: ");
  }

 private:
  int64_t ran_ = 0;
  Counts operations_, errors_;
};

ExitCode TryModules(const RandomOptions& options) {
  RandomSummary summary;
  for (int64_t i = 0; i < options.modules; ++i) {
    const uint64_t seed = options.seed + static_cast<uint64_t>(i);
    std::unique_ptr<HloModule> module =
        MakeRandomModule(seed, options.size, !options.is_alone, options.elements);
    if (options.print) PrintBeforeTrial(*module);
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

// ---- Two back ends ---------------------------------------------------------------------------

// Compiled code that crashes takes this process with it: which module that was is said before.
volatile uint64_t seed_at_work = 0;

void SayWhereItCrashed(int signal) {
  std::fprintf(stderr, "seed %llu: signal %d\n", static_cast<unsigned long long>(seed_at_work),
               signal);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// The operation that an error speaks of: the first word before a parenthesis.
std::string OperationIn(absl::string_view message) {
  for (size_t end = message.find('('); end != absl::string_view::npos;
       end = message.find('(', end + 1)) {
    size_t begin = end;
    while (begin > 0 && (absl::ascii_isalnum(message[begin - 1]) || message[begin - 1] == '-'))
      --begin;
    if (begin > 0 && message[begin - 1] == ' ' && begin < end)
      return std::string(message.substr(begin, end - begin));
  }
  return Beginning(message);
}

absl::Status Report(const RandomOptions& options, uint64_t seed, const HloModule& module,
                    const std::string& reason) {
  const std::string text =
      module.ToString(HloPrintOptions::Default().set_print_large_constants(true));
  std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), reason.c_str());
  if (options.output_dir.empty()) {
    std::printf("%s\n", text.c_str());
    return absl::OkStatus();
  }
  std::filesystem::create_directories(options.output_dir);
  return WriteFile(absl::StrCat(options.output_dir, "/", seed, ".hlo"), text);
}

ExitCode CompareModules(const RandomOptions& options) {
  const absl::StatusOr<ExecutionBackend*> backend = FindBackend(options.backend);
  if (!backend.ok()) return Fail(backend.status(), kWrongUsage);
  const absl::StatusOr<ExecutionBackend*> reference = FindBackend(options.against);
  if (!reference.ok()) return Fail(reference.status(), kWrongUsage);
  for (int signal : {SIGSEGV, SIGILL, SIGFPE, SIGBUS, SIGABRT})
    std::signal(signal, SayWhereItCrashed);
  std::map<Agreement, int64_t> found;
  Counts without_code, errors;
  for (int64_t i = 0; i < options.modules; ++i) {
    const uint64_t seed = options.seed + static_cast<uint64_t>(i);
    seed_at_work = seed;
    const bool is_divided = options.devices > 1;
    const std::unique_ptr<HloModule> module =
        MakeRandomModule(seed, options.size, !is_divided && !options.is_alone, options.elements);
    const absl::Status reproducible = MakeReproducible(*module);
    if (!reproducible.ok()) return Fail(reproducible, kDiffers);
    if (is_divided) ShardAtRandom(*module, options.devices, seed);
    if (options.print) PrintBeforeTrial(*module);
    SetCompileOptions(*module, options.target);
    const BackendComparison outcome =
        is_divided ? CompareDivided(*module, **backend, **reference, options.devices, seed)
                   : CompareBackends(*module, **backend, **reference, seed);
    ++found[outcome.agreement];
    if (outcome.agreement == Agreement::kNoCode) ++without_code[OperationIn(outcome.reason)];
    if (outcome.agreement == Agreement::kNotCompared) ++errors[Beginning(outcome.reason)];
    if (outcome.agreement != Agreement::kDiffer) continue;
    const absl::Status reported = Report(options, seed, *module, outcome.reason);
    if (!reported.ok()) return Fail(reported, kInvalidInput);
  }
  std::printf(
      "%lld modules: %lld agree, %lld differ, %lld have operations without code, %lld have no "
      "result to compare with\n",
      static_cast<long long>(options.modules), static_cast<long long>(found[Agreement::kAgree]),
      static_cast<long long>(found[Agreement::kDiffer]),
      static_cast<long long>(found[Agreement::kNoCode]),
      static_cast<long long>(found[Agreement::kNotCompared]));
  PrintCounts(without_code, "no code: ");
  if (options.list) PrintCounts(errors, "error: ");
  return found[Agreement::kDiffer] == 0 ? kDone : kDiffers;
}

}  // namespace

Command AddRandomCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "random", "Make valid modules at random and try what can be done with a module");
  auto options = std::make_shared<RandomOptions>();
  command->add_option("--modules", options->modules, "How many")->capture_default_str();
  command->add_option("--seed", options->seed, "Of the first one; the next has the next number")
      ->capture_default_str();
  command->add_option("--size", options->size, "About how many instructions each has")
      ->capture_default_str();
  command->add_option("--elements", options->elements, "How many elements arrays have at most")
      ->check(CLI::Range(kFewElements, int64_t{1} << 20))
      ->capture_default_str();
  command->add_flag("--alone", options->is_alone,
                    "Leave out operations that speak of other devices or of the host");
  command->add_flag("--print", options->print, "Print each module before it is tried");
  command->add_flag("--list", options->list, "List the operations and the errors of runs");
  AddBackendOption(*command, &options->backend);
  AddTargetOption(*command, &options->target);
  CLI::Option* against = command->add_option(
      "--against", options->against,
      "Only compare: each module must give on --backend what it gives on this back end");
  against->check(CLI::IsMember(BackendNames()));
  command
      ->add_option("--devices", options->devices,
                   "Compare what so many devices make of the module with random shardings")
      ->needs(against)
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--output-dir", options->output_dir,
                   "Write modules that differ there, as SEED.hlo, rather than print them")
      ->needs(against);
  return [options] {
    return options->against.empty() ? TryModules(*options) : CompareModules(*options);
  };
}

}  // namespace xla

// Runs recorded programs and compares with recorded results. Each entry runs in a process of its
// own, so that no entry can end the run.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "codegen/target.h"
#include "tools/conformance_check.h"
#include "tools/conformance_data.h"
#include "tools/progress.h"
#include "tools/regular_expression.h"

namespace xla {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string data;
  std::string mode = "run";
  std::string backend = "interpreter", target = "host";
  std::string group;
  std::string filter;
  std::string exceptions;
  std::string unpack_folder;
  int jobs = static_cast<int>(std::thread::hardware_concurrency());
  double seconds = 60;
  bool verbose = false;
};

struct Item {
  const ConformanceGroup* group;
  const ConformanceEntry* entry;
  std::string Name() const { return absl::StrCat(entry->group, "/", entry->path); }
};

// A child process at work on one item; what it writes into the pipe is the reason of its failure.
struct Worker {
  size_t item;
  pid_t process;
  int pipe;
  Clock::time_point started;
  std::string output;
};

Worker Start(size_t index, const Item& item, const Options& options) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    const auto [verdict, reason] = CheckConformanceEntry(*item.group, *item.entry, options.mode,
                                                         options.backend, options.target);
    size_t written = 0;
    while (written < reason.size()) {
      const ssize_t count = write(ends[1], reason.data() + written, reason.size() - written);
      if (count <= 0) break;
      written += static_cast<size_t>(count);
    }
    _exit(static_cast<int>(verdict));
  }
  close(ends[1]);
  return {index, process, ends[0], Clock::now(), ""};
}

ConformanceResult Finish(Worker& worker, bool timed_out, double seconds) {
  if (timed_out) kill(worker.process, SIGKILL);
  close(worker.pipe);
  int status = 0;
  waitpid(worker.process, &status, 0);
  const auto failed = [](std::string reason) {
    return ConformanceResult{Verdict::kFailed, std::move(reason)};
  };
  if (timed_out) return failed(absl::StrCat("took longer than ", seconds, " s"));
  if (WIFSIGNALED(status)) return failed(absl::StrCat("crashed with signal ", WTERMSIG(status)));
  return {static_cast<Verdict>(WEXITSTATUS(status)), std::move(worker.output)};
}

std::vector<ConformanceResult> RunAll(const std::vector<Item>& items, const Options& options) {
  std::vector<ConformanceResult> outcomes(items.size());
  std::vector<Worker> workers;
  size_t next = 0;
  Progress progress(options.mode, static_cast<int64_t>(items.size()));
  while (next < items.size() || !workers.empty()) {
    while (next < items.size() && static_cast<int>(workers.size()) < options.jobs) {
      workers.push_back(Start(next, items[next], options));
      ++next;
    }
    std::vector<pollfd> polls;
    for (const Worker& worker : workers) polls.push_back({worker.pipe, POLLIN, 0});
    poll(polls.data(), polls.size(), 200);
    for (size_t i = workers.size(); i-- > 0;) {
      Worker& worker = workers[i];
      const double elapsed = std::chrono::duration<double>(Clock::now() - worker.started).count();
      bool ended = false;
      if (polls[i].revents != 0) {
        char buffer[4096];
        const ssize_t count = read(worker.pipe, buffer, sizeof(buffer));
        if (count > 0) worker.output.append(buffer, static_cast<size_t>(count));
        ended = count <= 0;
      }
      if (!ended && elapsed < options.seconds) continue;
      outcomes[worker.item] = Finish(worker, !ended, options.seconds);
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(i));
      progress.Advance();
    }
  }
  return outcomes;
}

// The part of a reason that fits a list.
std::string FirstLines(const std::string& reason) {
  constexpr size_t kLongest = 600;
  return reason.size() <= kLongest ? reason : reason.substr(0, kLongest) + " ...";
}

struct Selection {
  std::vector<Item> items;
  int64_t skipped = 0;
};

Selection Select(const std::vector<ConformanceGroup>& groups, const Options& options) {
  Selection selection;
  const std::regex filter(options.filter);
  for (const ConformanceGroup& group : groups) {
    if (!options.group.empty() && group.name != options.group) continue;
    for (const ConformanceEntry& entry : group.entries) {
      const Item item = {&group, &entry};
      if (!std::regex_search(item.Name(), filter)) continue;
      const absl::string_view form = options.mode == "stablehlo" ? ".p.mlir" : ".hlo";
      const bool has_program =
          std::filesystem::exists(absl::StrCat(group.folder, "/", entry.path, form));
      if (!has_program || (options.mode != "parse" && entry.mode != "run")) {
        ++selection.skipped;
      } else {
        selection.items.push_back(item);
      }
    }
  }
  return selection;
}

int Report(const Selection& selection, const std::vector<ConformanceResult>& outcomes,
           absl::flat_hash_map<std::string, std::string> exceptions, const Options& options) {
  int64_t passed = 0;
  int64_t failed = 0;
  int64_t skipped = selection.skipped;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const std::string name = selection.items[i].Name();
    const auto& [verdict, reason] = outcomes[i];
    const auto exception = exceptions.find(name);
    const bool is_exception = exception != exceptions.end();
    if (is_exception && verdict != Verdict::kFailed) {
      ++failed;
      std::printf("FAIL %s: no failure now: take it out of the exceptions\n", name.c_str());
    } else if (verdict == Verdict::kPassed) {
      ++passed;
      if (options.verbose) std::printf("PASS %s\n", name.c_str());
    } else if (is_exception || verdict == Verdict::kSetAside) {
      ++skipped;
      if (options.verbose) {
        std::printf("SKIP %s: %s\n", name.c_str(),
                    is_exception ? exception->second.c_str() : reason.c_str());
      }
    } else {
      ++failed;
      std::printf("FAIL %s: %s\n", name.c_str(), FirstLines(reason).c_str());
    }
  }
  std::printf("%lld passed, %lld failed, %lld skipped\n", static_cast<long long>(passed),
              static_cast<long long>(failed), static_cast<long long>(skipped));
  return failed == 0 ? 0 : 1;
}

int Main(const Options& options) {
  absl::StatusOr<std::vector<ConformanceGroup>> groups =
      ReadConformanceGroups(options.data, options.unpack_folder);
  if (!groups.ok()) {
    std::fprintf(stderr, "hilo-conformance: %s\n", std::string(groups.status().message()).c_str());
    return 3;
  }
  absl::flat_hash_map<std::string, std::string> exceptions;
  if (!options.exceptions.empty()) {
    auto read = ReadExceptions(options.exceptions);
    if (!read.ok()) {
      std::fprintf(stderr, "hilo-conformance: %s\n", std::string(read.status().message()).c_str());
      return 3;
    }
    exceptions = *std::move(read);
  }
  const Selection selection = Select(*groups, options);
  return Report(selection, RunAll(selection.items, options), std::move(exceptions), options);
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  xla::Options options;
  options.unpack_folder =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "conformance")
          .string();
  CLI::App app("Runs recorded programs and compares with recorded results.", "hilo-conformance");
  app.set_version_flag("--version", "hilo-conformance " HILO_VERSION);
  app.add_option("--data", options.data,
                 "A folder of groups, each unpacked or as NAME/NAME.tar.zst, or one unpacked group")
      ->required();
  app.add_option(
         "--mode", options.mode,
         "parse: read, print and read again, through text and protobuf; run: compare results;\n"
         "stablehlo: compare results of the StableHLO programs")
      ->check(CLI::IsMember({"parse", "run", "stablehlo"}))
      ->capture_default_str();
  app.add_option("--backend", options.backend, "What runs the programs")->capture_default_str();
  app.add_option("--target", options.target, "The machine that 'cpu' compiles for")
      ->check(CLI::IsMember(xla::codegen::Target::Names()))
      ->capture_default_str();
  app.add_option("--group", options.group, "Only this group");
  app.add_option("--filter", options.filter,
                 "Only entries whose GROUP/PATH this regular expression finds")
      ->check(xla::CheckRegularExpression);
  app.add_option("--exceptions", options.exceptions,
                 "File of known failures: GROUP/PATH, a tab, the reason");
  app.add_option("--unpack-folder", options.unpack_folder, "Where archives are unpacked")
      ->capture_default_str();
  app.add_option("--jobs", options.jobs, "How many entries at once")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "Time limit for one entry")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--verbose", options.verbose, "List passed and skipped entries too");
  app.footer(
      "Ends with 'N passed, M failed, K skipped'; exit code 0 when none failed. Skipped are\n"
      "entries that are not for the mode, known failures, and those whose expectation the\n"
      "specification does not bear out; --verbose says why.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return xla::Main(options);
}

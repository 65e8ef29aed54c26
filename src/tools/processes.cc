#include "tools/processes.h"

#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "runtime/collectives/folder_store.h"
#include "tools/files.h"
#include "xla/util.h"

namespace xla {
namespace {

constexpr char kRank[] = "HILO_PROCESS_RANK";
constexpr char kCount[] = "HILO_PROCESS_COUNT";
constexpr char kStore[] = "HILO_PROCESS_STORE";
constexpr char kStarter[] = "HILO_PROCESS_STARTER";

std::optional<int> NumberIn(const char* variable) {
  const char* text = std::getenv(variable);
  int number = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &number)) return std::nullopt;
  return number;
}

// A folder that goes with this object.
class TemporaryFolder {
 public:
  static absl::StatusOr<std::unique_ptr<TemporaryFolder>> Make() {
    std::string path = (std::filesystem::temp_directory_path() / "hilo.XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr)
      return FailedPrecondition("%s cannot be made: %s", path, std::strerror(errno));
    return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::move(path)));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Texts as functions of the system want them.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

absl::StatusOr<std::vector<std::string>> OwnArguments() {
  HILO_ASSIGN_OR_RETURN(const std::string text, ReadFile("/proc/self/cmdline"));
  std::vector<std::string> arguments = absl::StrSplit(text, '\0');
  if (!arguments.empty()) arguments.pop_back();  // each ends with a zero
  return arguments;
}

absl::StatusOr<pid_t> Start(std::vector<std::string> arguments,
                            const std::vector<std::string>& added_environment) {
  std::vector<std::string> environment = added_environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  pid_t process = 0;
  const int error = posix_spawn(&process, "/proc/self/exe", nullptr, nullptr,
                                Pointers(arguments).data(), Pointers(environment).data());
  if (error != 0) return ResourceExhausted("no process can be started: %s", std::strerror(error));
  return process;
}

int ExitCodeOf(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Waits for all; from the first failure on, only until a time.
int AwaitAll(std::vector<pid_t> processes, absl::Duration timeout) {
  int first_failure = 0;
  absl::Time deadline = absl::InfiniteFuture();
  while (!processes.empty()) {
    bool has_ended = false;
    for (size_t i = 0; i < processes.size(); ++i) {
      int status = 0;
      if (waitpid(processes[i], &status, WNOHANG) == 0) continue;
      has_ended = true;
      processes.erase(processes.begin() + static_cast<int64_t>(i--));
      if (first_failure != 0 || ExitCodeOf(status) == 0) continue;
      first_failure = ExitCodeOf(status);
      deadline = absl::Now() + timeout;
    }
    if (absl::Now() > deadline) {
      for (const pid_t process : processes) kill(process, SIGKILL);
      deadline = absl::InfiniteFuture();
    }
    if (!has_ended) absl::SleepFor(absl::Milliseconds(2));
  }
  return first_failure;
}

// Whoever StartProcesses started ends with it, even while it computes and exchanges nothing.
absl::Status EndWithStarter() {
  const std::optional<int> starter = NumberIn(kStarter);
  if (!starter.has_value()) return absl::OkStatus();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == *starter) return absl::OkStatus();
  return Cancelled("process %d, which started this one, has ended", *starter);
}

}  // namespace

std::optional<ProcessPlace> PlaceOfProcess() {
  if (const char* store = std::getenv(kStore)) {
    return ProcessPlace{"gloo", NumberIn(kRank).value_or(0), NumberIn(kCount).value_or(1), store};
  }
  // Open MPI's and the others'.
  for (const auto& [rank, size] : {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                                   std::pair("PMI_RANK", "PMI_SIZE")}) {
    const std::optional<int> number = NumberIn(rank);
    if (number.has_value()) return ProcessPlace{"mpi", *number, NumberIn(size).value_or(1), ""};
  }
  return std::nullopt;
}

absl::StatusOr<int> StartProcesses(int count, absl::Duration timeout) {
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string> arguments, OwnArguments());
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<TemporaryFolder> store, TemporaryFolder::Make());
  std::vector<pid_t> processes;
  for (int rank = 0; rank < count; ++rank) {
    const absl::StatusOr<pid_t> process =
        Start(arguments,
              {absl::StrCat(kRank, "=", rank), absl::StrCat(kCount, "=", count),
               absl::StrCat(kStore, "=", store->path()), absl::StrCat(kStarter, "=", getpid())});
    if (!process.ok()) {
      for (const pid_t started : processes) kill(started, SIGKILL);
      AwaitAll(std::move(processes), timeout);
      return process.status();
    }
    processes.push_back(*process);
  }
  return AwaitAll(std::move(processes), timeout);
}

absl::StatusOr<std::unique_ptr<runtime::ProcessGroup>> JoinProcesses(const ProcessPlace& place,
                                                                     absl::Duration timeout) {
  HILO_RETURN_IF_ERROR(EndWithStarter());
  runtime::FolderStore store(place.store);
  runtime::TransportOptions options;
  options.rank = place.rank;
  options.size = place.size;
  options.timeout = timeout;
  options.address = "127.0.0.1";
  options.store = &store;
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<runtime::Transport> transport,
                        runtime::ConnectProcesses(place.engine, options));
  return std::make_unique<runtime::ProcessGroup>(std::move(transport), timeout);
}

}  // namespace xla

// Processes that are killed, stopped or late at a moment taken by chance while they run a program
// together: the others end in time, with the right result or with an error that says what is
// missing. HILO_FAULT_RUNS says how many times, HILO_FAULT_SEED from which on.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/processes/started.h"

namespace xla {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kExecutionFailed = 4;
constexpr int kTimeoutSeconds = 4;
// What a process may take beyond the timeout on a machine that is busy with other things.
constexpr std::chrono::seconds kPatience{40};

int NumberIn(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  int number = 0;
  return text != nullptr && absl::SimpleAtoi(text, &number) ? number : otherwise;
}

enum class Fault { kKilled, kStopped, kLate };
constexpr const char* kFaults[] = {"killed", "stopped", "late"};

class FaultsTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / absl::StrCat("hilo_faults_test_", getpid());
    std::filesystem::create_directories(folder_);
    command_ = absl::StrCat(HILO_COMMAND, " run ", HILO_SOURCE_DIR,
                            "/tests/processes/enduring.hlo --fake-inputs --full --devices 4");
    const Ended right = Started(command_, folder_ / "right").Wait();
    ASSERT_EQ(right.exit_code, 0) << right.output;
    result_ = right.output;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The processes of one run, each in a process of its own that is its leader.
  std::vector<Started> StartAll(const std::filesystem::path& folder, int processes) const {
    const std::string command = absl::StrCat(command_, " --timeout ", kTimeoutSeconds);
    std::vector<Started> all;
    if (std::string(GetParam()) == "mpi") {
      // Each says which process it is.
      all.emplace_back(absl::StrCat(HILO_MPIRUN, " --oversubscribe --allow-run-as-root -n ",
                                    processes, " sh -c 'echo $$ > ", folder.string(),
                                    "/process.$OMPI_COMM_WORLD_RANK; exec ", command, "'"),
                       folder / "output");
      return all;
    }
    for (int rank = 0; rank < processes; ++rank) {
      all.emplace_back(
          absl::StrCat("env HILO_PROCESS_RANK=", rank, " HILO_PROCESS_COUNT=", processes,
                       " HILO_PROCESS_STORE=", folder.string(), " ", command),
          folder / absl::StrCat("output", rank));
    }
    return all;
  }

  static pid_t ProcessOf(const std::vector<Started>& all, const std::filesystem::path& folder,
                         int rank) {
    if (std::string(GetParam()) == "gloo") return all[rank].process();
    std::ifstream file(folder / absl::StrCat("process.", rank));
    pid_t process = 0;
    return file >> process ? process : 0;
  }

  // Whoever starts processes waits for one that is stopped, even when it has nothing left to do:
  // what counts is that the others have ended.
  static void ExpectOthersEnded(const std::vector<Started>& all,
                                const std::filesystem::path& folder, int processes, int victim,
                                Clock::time_point deadline) {
    for (int rank = 0; rank < processes; ++rank) {
      const pid_t process = ProcessOf(all, folder, rank);
      if (rank == victim || process <= 0) continue;
      while (kill(process, 0) == 0 && Clock::now() < deadline)
        std::this_thread::sleep_for(milliseconds(10));
      EXPECT_NE(kill(process, 0), 0) << "process " << rank << " hangs";
    }
  }

  // An end that is right: the result, or an error that names another process or the engine.
  void ExpectRightEnd(const Ended& ended, bool gives_result, bool may_fail) const {
    if (ended.exit_code == 0) {
      if (gives_result) {
        EXPECT_EQ(ended.output, result_);
      }
      return;
    }
    EXPECT_TRUE(may_fail) << ended.output;
    if (std::string(GetParam()) == "mpi") return;  // mpirun ends them all
    EXPECT_EQ(ended.exit_code, kExecutionFailed) << ended.output;
    EXPECT_TRUE(absl::StrContains(ended.output, "process ") ||
                absl::StrContains(ended.output, "nobody has set") ||
                absl::StrContains(ended.output, "Gloo: "))
        << ended.output;
  }

  void Run(int seed) {
    std::mt19937 random(seed);
    const int processes = std::string(GetParam()) == "mpi" || random() % 2 == 0 ? 2 : 4;
    const int victim = static_cast<int>(random() % processes);
    const auto fault = static_cast<Fault>(random() % 3);
    const milliseconds moment(random() % 1500), delay(random() % 1500);
    SCOPED_TRACE(absl::StrCat("seed ", seed, ": process ", victim, " of ", processes, " is ",
                              kFaults[static_cast<int>(fault)], " after ", moment.count(), " ms"));
    const std::filesystem::path folder = folder_ / absl::StrCat("run", seed);
    std::filesystem::create_directories(folder);
    const std::vector<Started> all = StartAll(folder, processes);
    std::this_thread::sleep_for(moment);
    const pid_t process = ProcessOf(all, folder, victim);
    if (process > 0) {
      kill(process, fault == Fault::kKilled ? SIGKILL : SIGSTOP);
      if (fault == Fault::kLate) {
        std::this_thread::sleep_for(delay);
        kill(process, SIGCONT);
      }
    }
    const Clock::time_point deadline =
        Clock::now() + std::chrono::seconds(kTimeoutSeconds) + kPatience;
    if (all.size() == 1 && fault == Fault::kStopped && process > 0) {
      ExpectOthersEnded(all, folder, processes, victim, deadline);
      kill(process, SIGKILL);
    }
    for (size_t i = 0; i < all.size(); ++i) {
      const bool is_victim = all.size() > 1 && static_cast<int>(i) == victim;
      if (is_victim && fault != Fault::kLate) continue;
      const std::optional<Ended> ended = all[i].WaitUntil(deadline);
      if (!ended.has_value()) {
        ADD_FAILURE() << "process " << i << " hangs";
        all[i].Signal(SIGKILL);
        all[i].Wait();
        continue;
      }
      ExpectRightEnd(*ended, i == 0, fault != Fault::kLate);
    }
    if (all.size() == 1 || fault == Fault::kLate) return;
    all[victim].Signal(SIGKILL);
    all[victim].Wait();
  }

  std::filesystem::path folder_;
  std::string command_, result_;
};

TEST_P(FaultsTest, OthersEndInTime) {
  const int first = NumberIn("HILO_FAULT_SEED", 1);
  for (int seed = first; seed < first + NumberIn("HILO_FAULT_RUNS", 3); ++seed) Run(seed);
}

INSTANTIATE_TEST_SUITE_P(Engines, FaultsTest, testing::ValuesIn(Engines()),
                         [](const auto& info) { return std::string(info.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FaultsTest);

}  // namespace
}  // namespace xla

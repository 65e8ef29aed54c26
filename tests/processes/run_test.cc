// `hilo run` on several processes, by each engine that is there: what threads of one process give,
// and errors in place of waiting where a process is missing, dies, or runs something else.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/processes/started.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

constexpr int kExecutionFailed = 4;
constexpr int kMostTries = 4000;
constexpr std::chrono::milliseconds kBetweenTries{10};

std::string FileOf(const std::string& module) {
  return absl::StrCat(HILO_SOURCE_DIR, "/tests/processes/", module, ".hlo");
}

class RunTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              absl::StrCat("hilo_processes_test_", getpid(), "_",
                           testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_ / "store");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Started Start(const std::string& command) {
    return Started(command, folder_ / absl::StrCat("output", count_++));
  }

  Ended Run(const std::string& options) {
    return Start(absl::StrCat(HILO_COMMAND, " run ", options)).Wait();
  }

  // One of two processes that `hilo run --processes 2` would start.
  Started StartOne(int rank, const std::string& module, int timeout) {
    return Start(
        absl::StrCat("env HILO_PROCESS_RANK=", rank,
                     " HILO_PROCESS_COUNT=2 HILO_PROCESS_STORE=", (folder_ / "store").string(), " ",
                     HILO_COMMAND, " run ", FileOf(module), " --fake-inputs --timeout ", timeout));
  }

  std::filesystem::path folder_;
  int count_ = 0;
};

class EngineTest : public RunTest, public testing::WithParamInterface<const char*> {
 protected:
  // On four devices, by threads and by two and four processes.
  void ExpectSameAsThreads(const std::string& module,
                           const std::vector<std::string>& backends = {"cpu", "interpreter"}) {
    const std::string options = absl::StrCat(FileOf(module), " --fake-inputs --full --devices 4");
    const Ended threads = Run(absl::StrCat(options, " --backend ", backends[0]));
    ASSERT_EQ(threads.exit_code, 0) << threads.output;
    for (const std::string& backend : backends) {
      for (const int processes : {2, 4}) {
        const std::string more = absl::StrCat(options, " --timeout 60 --backend ", backend);
        const Ended ended =
            std::string(GetParam()) == "mpi"
                ? Start(absl::StrCat(HILO_MPIRUN, " --oversubscribe --allow-run-as-root -n ",
                                     processes, " ", HILO_COMMAND, " run ", more))
                      .Wait()
                : Run(absl::StrCat(more, " --processes ", processes));
        EXPECT_EQ(ended.exit_code, 0) << ended.output;
        EXPECT_EQ(ended.output, threads.output) << backend << " on " << processes << " processes";
      }
    }
  }
};

TEST_P(EngineTest, Collectives) { ExpectSameAsThreads("collectives"); }
TEST_P(EngineTest, LargeCollectives) { ExpectSameAsThreads("large_collectives"); }
TEST_P(EngineTest, DynamicSizes) { ExpectSameAsThreads("dynamic_sizes"); }
TEST_P(EngineTest, DynamicTransfers) { ExpectSameAsThreads("dynamic_transfers", {"interpreter"}); }
TEST_P(EngineTest, Overlap) { ExpectSameAsThreads("overlap"); }
TEST_P(EngineTest, Transfers) { ExpectSameAsThreads("transfers"); }

INSTANTIATE_TEST_SUITE_P(Engines, EngineTest, testing::ValuesIn(Engines()),
                         [](const auto& info) { return std::string(info.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EngineTest);

class GlooTest : public RunTest {
 protected:
  void SetUp() override {
    if (!HILO_WITH_GLOO) GTEST_SKIP() << "Gloo was not there when Hilo was built";
    RunTest::SetUp();
  }

  // Until both have found the other, which the store shows, and run.
  void AwaitRunning() const {
    for (int tries = 0; tries < 1000; ++tries) {
      const auto files = std::filesystem::directory_iterator(folder_ / "store");
      if (std::distance(begin(files), end(files)) >= 2) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  }
};

TEST_F(GlooTest, DividesByShardings) {
  const Ended whole = Run(FileOf("perceptron") + " --fake-inputs --full");
  std::ofstream(folder_ / "expected") << whole.output;
  for (const char* devices : {"--processes 4", "--processes 2 --devices 4", "--devices 4"}) {
    const Ended divided =
        Run(absl::StrCat(FileOf("perceptron"), " --fake-inputs --tolerance 1e-5 --expect ",
                         (folder_ / "expected").string(), " ", devices));
    EXPECT_EQ(divided.exit_code, 0) << devices << ": " << divided.output;
  }
}

// Each process reads what its devices have of arrays that are divided along rows or columns, into
// parts of which the last has less, or not at all.
TEST_F(GlooTest, ReadsPartsOfInputs) {
  const std::filesystem::path maker = folder_ / "maker.hlo", module = folder_ / "module.hlo";
  std::ofstream(maker) << "ENTRY e { x = f32[8,6] parameter(0)  ROOT y = f32[8,6] negate(x) }";
  std::ofstream(module) << "ENTRY e { x = f32[8,6] parameter(0), sharding={devices=[4,1]<=[4]} "
                           "y = f32[8,6] parameter(1), sharding={devices=[1,4]<=[4]} "
                           "z = f32[8,6] parameter(2), sharding={replicated} "
                           "a = f32[8,6] subtract(x, y)  ROOT r = f32[8,6] multiply(a, z) }";
  const std::string arrays = (folder_ / "output.0.npy").string();
  ASSERT_EQ(Run(maker.string() + " --fake-inputs --output-dir " + folder_.string()).exit_code, 0);
  const std::string run =
      absl::StrCat(module.string(), " --full --input ", arrays, " ", arrays, " ", arrays);
  const Ended whole = Run(run);
  EXPECT_EQ(whole.exit_code, 0) << whole.output;
  for (const char* devices : {" --processes 4", " --processes 2 --devices 4", " --devices 4"})
    EXPECT_EQ(Run(run + devices).output, whole.output) << devices;
  // An array of other sizes is refused before processes meet.
  std::ofstream(maker) << "ENTRY e { x = f32[8] parameter(0)  ROOT y = f32[8] negate(x) }";
  ASSERT_EQ(Run(maker.string() + " --fake-inputs --output-dir " + folder_.string()).exit_code, 0);
  EXPECT_THAT(Run(run + " --processes 4").output, HasSubstr("but f32[8,6] is wanted"));
}

// A program that was written for its devices leaves what each of them has.
TEST_F(GlooTest, LeavesShards) {
  const Ended ended = Run(absl::StrCat(FileOf("large_collectives"),
                                       " --fake-inputs --processes 2 --devices 4 --shards "
                                       "--output-dir ",
                                       (folder_ / "shards").string()));
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  for (int device = 0; device < 4; ++device) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "shards" /
                                        absl::StrCat("output.14.device.", device, ".npy")));
  }
}

TEST_F(GlooTest, BenchSaysWhatIsSent) {
  const Ended ended = Start(absl::StrCat(HILO_COMMAND, " bench ", FileOf("perceptron"),
                                         " --seconds 0.1 --json --processes 2 --devices 4"))
                          .Wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  for (const char* word : {"\"processes\":2", "\"exchange_ms\":", "\"sent_bytes\":"})
    EXPECT_THAT(ended.output, HasSubstr(word));
  EXPECT_THAT(ended.output, testing::Not(HasSubstr("\"sent_bytes\":0,")));
}

TEST_F(GlooTest, EndsWhenOneDies) {
  const Started survivor = StartOne(0, "endless", 60);
  const Started other = StartOne(1, "endless", 60);
  AwaitRunning();
  other.Signal(SIGKILL);
  other.Wait();
  const Ended ended = survivor.Wait();
  EXPECT_EQ(ended.exit_code, kExecutionFailed);
  EXPECT_THAT(ended.output, HasSubstr("all-reduce meeting"));
  EXPECT_THAT(ended.output, HasSubstr("(channel 7): process 0 of 2 failed"));
  EXPECT_THAT(ended.output, HasSubstr("process 1"));
}

// The file that lists the processes that this one has started.
std::string ChildrenOf(pid_t process) {
  return absl::StrCat("/proc/", process, "/task/", process, "/children");
}

TEST_F(GlooTest, EndsWithWhoeverStartedIt) {
  if (!std::filesystem::exists(ChildrenOf(getpid())))
    GTEST_SKIP() << "this kernel does not say what a process has started";
  // Processes that nobody waits for any more come to this one.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Started starter =
      Start(absl::StrCat("env TMPDIR=", folder_.string(), " ", HILO_COMMAND, " run ",
                         FileOf("endless"), " --fake-inputs --processes 2 --timeout 600"));
  std::vector<pid_t> processes;
  for (int tries = 0; processes.size() < 2 && tries < kMostTries; ++tries) {
    std::ifstream started(ChildrenOf(starter.process()));
    processes = {std::istream_iterator<pid_t>(started), {}};
    std::this_thread::sleep_for(kBetweenTries);
  }
  ASSERT_EQ(processes.size(), 2u);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  starter.Signal(SIGKILL);
  starter.Wait();
  for (const pid_t process : processes) {
    bool has_ended = false;
    for (int tries = 0; !has_ended && tries < kMostTries; ++tries) {
      std::this_thread::sleep_for(kBetweenTries);
      has_ended = waitpid(process, nullptr, WNOHANG) == process;
    }
    EXPECT_TRUE(has_ended) << process;
    if (!has_ended) kill(process, SIGKILL);
  }
}

TEST_F(GlooTest, EndsWhenOneStops) {
  const Started survivor = StartOne(0, "endless", 2);
  const Started other = StartOne(1, "endless", 2);
  AwaitRunning();
  other.Signal(SIGSTOP);
  const Ended ended = survivor.Wait();
  other.Signal(SIGKILL);
  other.Wait();
  EXPECT_EQ(ended.exit_code, kExecutionFailed);
  EXPECT_THAT(ended.output, HasSubstr("all-reduce meeting"));
  EXPECT_THAT(ended.output, HasSubstr("nothing came in time"));
}

TEST_F(GlooTest, EndsWhenOneNeverComes) {
  const Ended ended = StartOne(0, "endless", 1).Wait();
  EXPECT_EQ(ended.exit_code, kExecutionFailed);
  EXPECT_THAT(ended.output, HasSubstr("nobody has set"));
}

TEST_F(GlooTest, RefusesDifferentModules) {
  const Started first = StartOne(0, "endless", 60);
  const Started second = StartOne(1, "perceptron", 60);
  for (const Started* process : {&first, &second}) {
    const Ended ended = process->Wait();
    EXPECT_EQ(ended.exit_code, kExecutionFailed);
    EXPECT_THAT(ended.output, HasSubstr("has another module than process"));
  }
}

TEST_F(GlooTest, RefusesUnevenDevices) {
  const Ended ended = Run(FileOf("perceptron") + " --fake-inputs --processes 2 --devices 3");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output, HasSubstr("3 devices do not spread evenly over 2 processes"));
}

}  // namespace
}  // namespace xla

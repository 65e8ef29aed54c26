// Commands that run beside a test.
#ifndef HILO_TESTS_PROCESSES_STARTED_H_
#define HILO_TESTS_PROCESSES_STARTED_H_

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace xla {

struct Ended {
  int exit_code;
  std::string output;
};

// A command that runs beside the test. What it prints goes to a file.
class Started {
 public:
  Started(const std::string& command, std::filesystem::path output) : output_(std::move(output)) {
    std::string line = absl::StrCat("exec ", command, " > ", output_.string(), " 2>&1");
    std::array<char*, 4> arguments = {const_cast<char*>("sh"), const_cast<char*>("-c"), line.data(),
                                      nullptr};
    EXPECT_EQ(posix_spawn(&process_, "/bin/sh", nullptr, nullptr, arguments.data(), environ), 0);
  }

  pid_t process() const { return process_; }
  void Signal(int signal) const { kill(process_, signal); }

  Ended Wait() const {
    int status = 0;
    waitpid(process_, &status, 0);
    return WithOutput(status);
  }

  // Nothing where it has not ended then.
  std::optional<Ended> WaitUntil(std::chrono::steady_clock::time_point deadline) const {
    int status = 0;
    while (waitpid(process_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > deadline) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return WithOutput(status);
  }

 private:
  Ended WithOutput(int status) const {
    std::ifstream file(output_);
    std::ostringstream text;
    text << file.rdbuf();
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text.str()};
  }

  std::filesystem::path output_;
  pid_t process_ = 0;
};

// Those for which Hilo was built and which can be started here.
inline std::vector<const char*> Engines() {
  std::vector<const char*> engines;
  if (HILO_WITH_GLOO) engines.push_back("gloo");
  if (HILO_WITH_MPI && *HILO_MPIRUN != '\0') engines.push_back("mpi");
  return engines;
}

}  // namespace xla

#endif  // HILO_TESTS_PROCESSES_STARTED_H_

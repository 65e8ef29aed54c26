#include "xla/tsl/platform/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

extern char** environ;

namespace tsl {

SubProcess::~SubProcess() { ClosePipes(); }

void SubProcess::SetChannelAction(Channel channel, ChannelAction action) {
  actions_[channel] = action;
}

void SubProcess::SetProgram(const std::string& file, const std::vector<std::string>& arguments) {
  program_ = file;
  arguments_ = arguments;
}

void SubProcess::ClosePipes() {
  for (int& end : pipes_) {
    if (end >= 0) close(end);
    end = -1;
  }
}

bool SubProcess::Start() {
  if (is_running_ || program_.empty()) return false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int theirs[3] = {-1, -1, -1};
  for (int channel = 0; channel < 3; ++channel) {
    if (actions_[channel] == ACTION_CLOSE) {
      // Programs that find no standard channel at all behave strangely.
      posix_spawn_file_actions_addopen(&actions, channel, "/dev/null", O_RDWR, 0);
    } else if (actions_[channel] == ACTION_PIPE) {
      int ends[2];
      if (pipe2(ends, O_CLOEXEC) != 0) continue;
      const bool is_input = channel == CHAN_STDIN;
      pipes_[channel] = ends[is_input ? 1 : 0];
      theirs[channel] = ends[is_input ? 0 : 1];
      posix_spawn_file_actions_adddup2(&actions, theirs[channel], channel);
    }
  }
  std::vector<char*> arguments;
  for (std::string& argument : arguments_) arguments.push_back(argument.data());
  if (arguments.empty()) arguments.push_back(program_.data());
  arguments.push_back(nullptr);
  is_running_ =
      posix_spawnp(&pid_, program_.c_str(), &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  for (const int end : theirs) {
    if (end >= 0) close(end);
  }
  if (!is_running_) ClosePipes();
  return is_running_;
}

bool SubProcess::Wait() {
  if (!is_running_) return false;
  int status;
  while (waitpid(pid_, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  exit_code_ = status;
  is_running_ = false;
  return true;
}

bool SubProcess::Kill(int signal) { return is_running_ && kill(pid_, signal) == 0; }

int SubProcess::Communicate(const std::string* stdin_input, std::string* stdout_output,
                            std::string* stderr_output) {
  std::string* const outputs[3] = {nullptr, stdout_output, stderr_output};
  for (std::string* output : outputs) {
    if (output != nullptr) output->clear();
  }
  // A program that reads no input must not end this one.
  const auto previous = std::signal(SIGPIPE, SIG_IGN);
  size_t written = 0;
  while (true) {
    std::vector<pollfd> open;
    for (int channel = 0; channel < 3; ++channel) {
      const bool has_no_more =
          channel == CHAN_STDIN && (stdin_input == nullptr || written == stdin_input->size());
      if (pipes_[channel] >= 0 && has_no_more) {
        close(pipes_[channel]);
        pipes_[channel] = -1;
      }
      if (pipes_[channel] < 0) continue;
      open.push_back(
          {pipes_[channel], static_cast<short>(channel == CHAN_STDIN ? POLLOUT : POLLIN), 0});
    }
    if (open.empty()) break;
    if (poll(open.data(), open.size(), -1) < 0 && errno != EINTR) break;
    for (const pollfd& ready : open) {
      if (ready.revents == 0) continue;
      const auto channel = std::find(std::begin(pipes_), std::end(pipes_), ready.fd) - pipes_;
      ssize_t count;
      char block[4096];
      if (channel == CHAN_STDIN) {
        count = write(ready.fd, stdin_input->data() + written,
                      std::min<size_t>(stdin_input->size() - written, sizeof(block)));
        if (count > 0) written += static_cast<size_t>(count);
      } else {
        count = read(ready.fd, block, sizeof(block));
        if (count > 0 && outputs[channel] != nullptr)
          outputs[channel]->append(block, static_cast<size_t>(count));
      }
      if (count > 0 || (count < 0 && errno == EINTR)) continue;
      close(ready.fd);
      pipes_[channel] = -1;
    }
  }
  std::signal(SIGPIPE, previous);
  return Wait() ? exit_code_ : -1;
}

}  // namespace tsl

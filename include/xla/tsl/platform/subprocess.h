#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_SUBPROCESS_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_SUBPROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "xla/tsl/platform/macros.h"
#include "xla/tsl/platform/types.h"

namespace tsl {

enum Channel { CHAN_STDIN = 0, CHAN_STDOUT = 1, CHAN_STDERR = 2 };
enum ChannelAction { ACTION_CLOSE, ACTION_PIPE, ACTION_DUPPARENT };

// A program that runs beside this one. Not for several threads at once, but for Kill.
class SubProcess {
 public:
  explicit SubProcess(int nfds = 3) {}
  // Kills nothing: a program that still runs goes on.
  virtual ~SubProcess();
  SubProcess(const SubProcess&) = delete;
  SubProcess& operator=(const SubProcess&) = delete;

  // Before Start: what becomes of a channel (by default it is closed), and the program with all
  // arguments, its name included. The program is looked for in PATH.
  virtual void SetChannelAction(Channel channel, ChannelAction action);
  virtual void SetProgram(const std::string& file, const std::vector<std::string>& arguments);

  // False when it could not be started or has been started before.
  virtual bool Start();
  // Waits for its end. False when there is nothing to wait for.
  virtual bool Wait();
  virtual bool Kill(int signal);
  // Feeds and reads the channels that are pipes until the program ends; any pointer may be null.
  // The status that waitpid gives, or -1.
  virtual int Communicate(const std::string* stdin_input, std::string* stdout_output,
                          std::string* stderr_output);
  // 0 when it ended well.
  int exit_code() const { return exit_code_; }

 private:
  void ClosePipes();

  std::string program_;
  std::vector<std::string> arguments_;
  ChannelAction actions_[3] = {ACTION_CLOSE, ACTION_CLOSE, ACTION_CLOSE};
  int pipes_[3] = {-1, -1, -1};  // this process's ends
  pid_t pid_ = -1;
  bool is_running_ = false;
  int exit_code_ = 0;
};

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_SUBPROCESS_H_

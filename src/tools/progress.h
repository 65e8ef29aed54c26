// A progress bar for people; nothing for pipes.
#ifndef HILO_TOOLS_PROGRESS_H_
#define HILO_TOOLS_PROGRESS_H_

#include <cstdint>
#include <mutex>
#include <string>

namespace xla {

// Draws "[#####.....] 50/100 label" on standard error while it is a terminal, and wipes it at the end. Thread-safe.
class Progress {
 public:
  Progress(std::string label, int64_t total);
  ~Progress();
  void Advance(int64_t steps = 1);

 private:
  void Draw();

  std::mutex mutex_;
  std::string label_;
  int64_t total_;
  int64_t done_ = 0;
  int64_t drawn_percent_ = -1;
  bool is_terminal_;
};

}  // namespace xla

#endif  // HILO_TOOLS_PROGRESS_H_

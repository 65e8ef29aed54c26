// How many threads are worth it for a kernel, where that cannot be known beforehand.
#ifndef HILO_RUNTIME_LAUNCH_SITE_H_
#define HILO_RUNTIME_LAUNCH_SITE_H_

#include <atomic>
#include <cstdint>

#include "absl/functional/function_ref.h"

namespace xla::runtime {

// A place in a program where a kernel runs again and again. How long it takes is measured with all
// threads first, once one of them has come that was asleep before; where that is not long, alone
// and with two, four, eight and so on as well. What was fastest is done from then on, and all is
// tried again after a while, since it depends on what else the machine does. Where fewer than all
// were fastest, that is checked once the kernels around have what is fastest for them: data that
// other threads have written comes slower than in the trial, in which all kernels had as many.
// Results do not depend on it. For any number of threads: when they meet here, times may be lost.
class LaunchSite {
 public:
  // Calls kernel(), in which ParallelFor uses so many threads at most.
  void Run(absl::FunctionRef<void()> kernel);

 private:
  void Note(int64_t nanoseconds, int most);
  void Decide(int64_t nanoseconds, int most);
  void Settle(int64_t nanoseconds);  // that a run takes

  // What is tried: so many threads, all of them, what was fastest again, or nothing any more.
  static constexpr int kAll = 0, kSettled = -1, kCheck = -2;
  std::atomic<int> trial_ = kAll;
  std::atomic<int> runs_ = 0;                   // of the trial, or since the last one
  std::atomic<int> waits_ = 0;                  // runs before the trial or the check
  std::atomic<int> threads_ = 1;                // with which it was fastest so far, and
  std::atomic<int64_t> fastest_ = 0, all_ = 0;  // how long that took, and how long with all
  std::atomic<int64_t> times_[2] = {};          // of this trial
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_LAUNCH_SITE_H_

// Whether a launch of a kernel is worth more than one thread, where that cannot be known
// beforehand.
#ifndef HILO_RUNTIME_LAUNCH_SITE_H_
#define HILO_RUNTIME_LAUNCH_SITE_H_

#include <atomic>
#include <cstdint>

#include "absl/functional/function_ref.h"

namespace xla::runtime {

// A place in a program where kernels of a few microseconds are launched. Its first runs are timed,
// some on the calling thread alone and some on several; what was faster is done from then on, and
// tried again after many runs, since it depends on what else the machine does. Results do not
// depend on it. For any number of threads: when they meet here, times may be lost.
class LaunchSite {
 public:
  // Calls body(begin, end) for all of [0, count), as ParallelFor does or on this thread.
  void Run(int64_t count, int64_t least, absl::FunctionRef<void(int64_t begin, int64_t end)> body);

 private:
  std::atomic<uint32_t> runs_ = 0;
  // The ticks that the trials have taken.
  std::atomic<uint64_t> alone_ = 0, together_ = 0;
  std::atomic<bool> is_worth_threads_ = false;
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_LAUNCH_SITE_H_

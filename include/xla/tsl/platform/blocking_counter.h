#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_BLOCKING_COUNTER_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_BLOCKING_COUNTER_H_

#include <chrono>

#include "absl/log/check.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace tsl {

// Counts down to zero, which others wait for.
class BlockingCounter {
 public:
  explicit BlockingCounter(int initial_count) : count_(initial_count) {
    CHECK_GE(initial_count, 0);
  }
  BlockingCounter(const BlockingCounter&) = delete;
  BlockingCounter& operator=(const BlockingCounter&) = delete;

  void DecrementCount() {
    const absl::MutexLock lock(&mutex_);
    CHECK_GT(count_, 0);
    --count_;
  }
  void Wait() {
    const absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &BlockingCounter::IsZero));
  }
  // Whether zero was reached in time.
  bool WaitFor(std::chrono::milliseconds duration) {
    const absl::MutexLock lock(&mutex_);
    return mutex_.AwaitWithTimeout(absl::Condition(this, &BlockingCounter::IsZero),
                                   absl::FromChrono(duration));
  }

 private:
  bool IsZero() const { return count_ == 0; }

  absl::Mutex mutex_;
  int count_;
};

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_BLOCKING_COUNTER_H_

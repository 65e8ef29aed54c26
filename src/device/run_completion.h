// The end of a run, for those who wait for what it computes.
#ifndef HILO_DEVICE_RUN_COMPLETION_H_
#define HILO_DEVICE_RUN_COMPLETION_H_

#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/status/status.h"

namespace xla {

class RunCompletion {
 public:
  // To be called once.
  void Set(absl::Status status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    status_ = std::move(status);
    is_done_ = true;
    done_.notify_all();
  }
  bool IsDone() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return is_done_;
  }
  absl::Status Await() const {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return is_done_; });
    return status_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable done_;
  absl::Status status_;
  bool is_done_ = false;
};

}  // namespace xla

#endif  // HILO_DEVICE_RUN_COMPLETION_H_

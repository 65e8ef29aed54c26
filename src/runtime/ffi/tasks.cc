#include "runtime/ffi/tasks.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/parallel.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

// Threads begin when there is work for them and live as long as the process.
class Threads {
 public:
  static Threads& Get() {
    static auto* const threads = new Threads();
    return *threads;
  }

  absl::Status Push(void (*task)(void*), void* data) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (idle_ <= tasks_.size() && count_ < FfiTaskThreadCount() && !Start() && count_ == 0)
        return ResourceExhausted("The system has no thread for the task of a custom call");
      tasks_.emplace_back(task, data);
    }
    arrived_.notify_one();
    return absl::OkStatus();
  }

 private:
  bool Start() {
    try {
      std::thread([this] { Work(); }).detach();
    } catch (const std::system_error&) {
      return false;
    }
    ++count_;
    return true;
  }

  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      ++idle_;
      arrived_.wait(lock, [this] { return !tasks_.empty(); });
      --idle_;
      const auto [task, data] = tasks_.front();
      tasks_.pop_front();
      lock.unlock();
      task(data);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::pair<void (*)(void*), void*>> tasks_;
  size_t idle_ = 0;
  int64_t count_ = 0;
};

}  // namespace

absl::Status ScheduleFfiTask(void (*task)(void* data), void* data) {
  return Threads::Get().Push(task, data);
}

int64_t FfiTaskThreadCount() { return ThreadCount(); }

}  // namespace xla::runtime

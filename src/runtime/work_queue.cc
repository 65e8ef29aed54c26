#include "runtime/work_queue.h"

#include <system_error>
#include <utility>

#include "xla/util.h"

namespace xla::runtime {

WorkQueue::WorkQueue(int threads) : most_threads_(threads) {}

// Whether the system had a thread.
bool WorkQueue::Start(Lane& lane) {
  try {
    lane.threads.emplace_back([this, &lane] { Work(lane); });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

void WorkQueue::Push(Task task) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool needs_thread =
        busy_.idle <= busy_.tasks.size() && busy_.threads.size() < most_threads_;
    if (!is_closed_ && (!needs_thread || Start(busy_) || !busy_.threads.empty())) {
      busy_.tasks.push_back(std::move(task));
      busy_.arrived.notify_one();
      return;
    }
  }
  std::move(task)();
}

absl::Status WorkQueue::PushWaiting(Task task) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_closed_) {
      if (waiting_.idle <= waiting_.tasks.size() && !Start(waiting_))
        return ResourceExhausted("the system has no thread for one more task that may wait");
      waiting_.tasks.push_back(std::move(task));
      waiting_.arrived.notify_one();
      return absl::OkStatus();
    }
  }
  std::move(task)();
  return absl::OkStatus();
}

void WorkQueue::Work(Lane& lane) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    ++lane.idle;
    lane.arrived.wait(lock, [&] { return is_closed_ || !lane.tasks.empty(); });
    --lane.idle;
    if (lane.tasks.empty()) return;
    Task task = std::move(lane.tasks.front());
    lane.tasks.pop_front();
    lock.unlock();
    std::move(task)();
    task = nullptr;
    lock.lock();
  }
}

void WorkQueue::Close() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_closed_ = true;
    for (Lane* lane : {&busy_, &waiting_}) {
      for (std::thread& thread : lane->threads) threads.push_back(std::move(thread));
      lane->threads.clear();
      lane->arrived.notify_all();
    }
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace xla::runtime

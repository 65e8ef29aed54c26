#include "runtime/work_queue.h"

#include <system_error>
#include <utility>

#include "runtime/wakeup.h"
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

// Takes the task if a thread will do it.
WorkQueue::Outcome WorkQueue::Give(Lane& lane, Task& task) {
  const bool begins_at_once = &lane == &waiting_;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_closed_) return Outcome::kClosed;
    const bool needs_thread =
        lane.idle <= lane.tasks.size() && (begins_at_once || lane.threads.size() < most_threads_);
    if (needs_thread && !Start(lane) && (begins_at_once || lane.threads.empty()))
      return Outcome::kNoThread;
    lane.tasks.push_back(std::move(task));
  }
  // Without the lock, which the thread that wakes takes at once.
  lane.arrived.notify_one();
  return Outcome::kGiven;
}

void WorkQueue::Push(Task task) {
  if (Give(busy_, task) != Outcome::kGiven) std::move(task)();
}

absl::Status WorkQueue::PushElsewhere(Task task) {
  if (Give(busy_, task) == Outcome::kGiven) return absl::OkStatus();
  return ResourceExhausted("the system has no thread for one more task");
}

absl::Status WorkQueue::PushWaiting(Task task) {
  switch (Give(waiting_, task)) {
    case Outcome::kGiven:
      break;
    case Outcome::kNoThread:
      return ResourceExhausted("the system has no thread for one more task that may wait");
    case Outcome::kClosed:
      std::move(task)();
      break;
  }
  return absl::OkStatus();
}

void WorkQueue::Work(Lane& lane) {
  LetWakersContinue();
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

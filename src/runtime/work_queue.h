// Threads for work that nobody waits for at once. They live as long as the queue.
#ifndef HILO_RUNTIME_WORK_QUEUE_H_
#define HILO_RUNTIME_WORK_QUEUE_H_

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "xla/tsl/concurrency/executor.h"

namespace xla::runtime {

// For any number of threads. Threads begin when there is work for them.
class WorkQueue : public tsl::Executor {
 public:
  // At most so many tasks of Push run at the same time.
  explicit WorkQueue(int threads);
  ~WorkQueue() override { Close(); }

  // Tasks begin in the order in which they come.
  void Push(Task task);
  void Execute(Task task) override { Push(std::move(task)); }

  // For a task that must not run on this thread. ResourceExhausted, and the task is gone, where the
  // system has no thread, or the queue is closed.
  absl::Status PushElsewhere(Task task);

  // For a task that may wait for other tasks or for the host: it begins at once, whatever else
  // runs. ResourceExhausted, and the task is gone, where the system has no thread for it.
  absl::Status PushWaiting(Task task);

  int most_threads() const { return static_cast<int>(most_threads_); }

  // Runs what has come to its end. To be called from none of the queue's own threads; what comes
  // later runs on the thread that brings it.
  void Close();

 private:
  // Threads that take tasks from one deque.
  struct Lane {
    std::condition_variable arrived;
    std::deque<Task> tasks;
    std::vector<std::thread> threads;
    size_t idle = 0;
  };

  enum class Outcome { kGiven, kNoThread, kClosed };
  Outcome Give(Lane& lane, Task& task);
  bool Start(Lane& lane);
  void Work(Lane& lane);

  const size_t most_threads_;
  std::mutex mutex_;
  Lane busy_, waiting_;
  bool is_closed_ = false;
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_WORK_QUEUE_H_

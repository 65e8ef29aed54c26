// Threads for what clients do in the background.
#include "runtime/work_queue.h"

#include <atomic>
#include <thread>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace xla::runtime {
namespace {

TEST(WorkQueueTest, TasksRunOnItsThreads) {
  WorkQueue queue(2);
  EXPECT_EQ(queue.most_threads(), 2);
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<int> most = 0, now = 0, done = 0;
  const auto task = [&] {
    EXPECT_NE(std::this_thread::get_id(), here);
    const int running = ++now;
    for (int before = most; before < running && !most.compare_exchange_weak(before, running);) {
    }
    std::this_thread::yield();
    --now;
    ++done;
  };
  for (int i = 0; i < 100; ++i) {
    queue.Push(task);
    EXPECT_TRUE(queue.PushElsewhere(task).ok());
  }
  queue.Close();
  EXPECT_EQ(done, 200);
  EXPECT_LE(most, 2);
}

// Each waits for all others, whatever else runs.
TEST(WorkQueueTest, WaitingTasksBeginAtOnce) {
  WorkQueue queue(1);
  absl::Notification end;
  queue.Push([&] { end.WaitForNotification(); });
  absl::BlockingCounter missing(20);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(queue
                    .PushWaiting([&] {
                      missing.DecrementCount();
                      end.WaitForNotification();
                    })
                    .ok());
  }
  missing.Wait();
  end.Notify();
}

TEST(WorkQueueTest, AfterItsEnd) {
  WorkQueue queue(1);
  queue.Close();
  int runs = 0;
  queue.Push([&] { ++runs; });
  EXPECT_TRUE(queue.PushWaiting([&] { ++runs; }).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(queue.PushElsewhere([&] { ++runs; })));
  EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace xla::runtime

// Threads, pools and what they wait for, as clients of tsl use them.
#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tsl/platform/blocking_counter.h"
#include "tsl/platform/env.h"
#include "tsl/platform/mutex.h"
#include "tsl/platform/notification.h"
#include "tsl/platform/threadpool.h"

namespace tsl {
namespace {

TEST(ThreadTest, DestructorWaits) {
  bool done = false;
  std::string name;
  std::unique_ptr<Thread> thread(
      Env::Default()->StartThread(ThreadOptions(), "a_long_name_of_a_thread", [&] {
        Env::Default()->SleepForMicroseconds(1000);
        Env::Default()->GetCurrentThreadName(&name);
        done = true;
      }));
  thread.reset();
  EXPECT_TRUE(done);
  EXPECT_EQ(name, "a_long_name_of_");
}

TEST(ThreadTest, ClosuresRunLater) {
  Notification now, later;
  const uint64_t begin = Env::Default()->NowMicros();
  Env::Default()->SchedClosure([&] { now.Notify(); });
  Env::Default()->SchedClosureAfter(2000, [&] { later.Notify(); });
  now.WaitForNotification();
  later.WaitForNotification();
  EXPECT_GE(Env::Default()->NowMicros() - begin, 2000);
}

TEST(ThreadPoolTest, DestructorWaitsForAll) {
  std::atomic<int> count = 0;
  {
    thread::ThreadPool pool(Env::Default(), "pool", 3);
    EXPECT_EQ(pool.NumThreads(), 3);
    EXPECT_EQ(pool.CurrentThreadId(), -1);
    for (int i = 0; i < 100; ++i) {
      pool.Schedule([&, only_once = std::make_unique<int>(1)] { count += *only_once; });
    }
  }
  EXPECT_EQ(count, 100);
}

TEST(ThreadPoolTest, ParallelForTakesEachOnce) {
  thread::ThreadPool pool(Env::Default(), ThreadOptions(), "pool", 2);
  for (const int64_t cost : {1, 1000, 1000000}) {
    std::vector<std::atomic<int>> seen(1000);
    pool.ParallelFor(1000, cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++seen[i];
    });
    for (const auto& one : seen) EXPECT_EQ(one, 1);
  }
  pool.ParallelFor(0, 1, [](int64_t, int64_t) { FAIL(); });
}

TEST(ThreadPoolTest, BlocksOfFixedSize) {
  thread::ThreadPool pool(Env::Default(), "pool", 2);
  mutex mu;
  std::set<std::pair<int64_t, int64_t>> parts;
  pool.TransformRangeConcurrently(4, 10, [&](int64_t begin, int64_t end) {
    const mutex_lock lock(mu);
    parts.emplace(begin, end);
  });
  EXPECT_THAT(parts, ::testing::ElementsAre(::testing::Pair(0, 4), ::testing::Pair(4, 8),
                                            ::testing::Pair(8, 10)));
  EXPECT_EQ(pool.NumShardsUsedByFixedBlockSizeScheduling(10, 4), 3);
}

TEST(ThreadPoolTest, WorkersHaveNumbers) {
  thread::ThreadPool pool(Env::Default(), "pool", 2);
  std::atomic<int> wrong = 0;
  pool.ParallelForWithWorkerId(100, 100000, [&](int64_t, int64_t, int worker) {
    if (worker < 0 || worker > 2) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPoolTest, InsideOfItself) {
  thread::ThreadPool pool(Env::Default(), "pool", 1);
  std::atomic<int> count = 0;
  BlockingCounter done(1);
  pool.Schedule([&] {
    pool.ParallelFor(10, 1000000, [&](int64_t begin, int64_t end) { count += end - begin; });
    done.DecrementCount();
  });
  done.Wait();
  EXPECT_EQ(count, 10);
}

TEST(MutexTest, ConditionsAreWaitedFor) {
  mutex mu;
  condition_variable changed;
  bool ready = false;
  std::unique_ptr<Thread> thread(Env::Default()->StartThread(ThreadOptions(), "", [&] {
    const mutex_lock lock(mu);
    ready = true;
    changed.notify_all();
  }));
  mutex_lock lock(mu);
  changed.wait(lock, [&] { return ready; });
  EXPECT_TRUE(ready);
  EXPECT_EQ(WaitForMilliseconds(&lock, &changed, 1), kCond_Timeout);
}

}  // namespace
}  // namespace tsl

// All of a loop is done once, and each thread begins with its own share.
#include "runtime/parallel.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace xla::runtime {
namespace {

// Puts back how many threads there were.
class ParallelTest : public testing::Test {
 protected:
  ~ParallelTest() override { SetThreadCount(before_); }

 private:
  const int before_ = ThreadCount();
};

TEST_F(ParallelTest, AllIsDoneOnce) {
  for (int threads : {1, 2, 3, 8}) {
    SetThreadCount(threads);
    for (int64_t count : {0, 1, 2, 7, 18, 1000}) {
      for (int64_t least : {0, 1, 5, 900, 5000}) {
        std::vector<std::atomic<int>> done(static_cast<size_t>(count));
        ParallelFor(count, least, [&](int64_t begin, int64_t end) {
          ASSERT_LT(begin, end);
          for (; begin < end; ++begin) ++done[static_cast<size_t>(begin)];
        });
        for (const auto& times : done) ASSERT_EQ(times, 1) << threads << " " << count;
      }
    }
    std::vector<std::atomic<int>> done(20);
    ParallelForEach(20, [&](int64_t i) { ++done[static_cast<size_t>(i)]; });
    for (const auto& times : done) ASSERT_EQ(times, 1) << threads;
  }
}

TEST_F(ParallelTest, ThreadsBeginWithTheirOwnShares) {
  SetThreadCount(2);
  std::mutex mutex;
  std::map<std::thread::id, int64_t> first;
  const auto has_both = [&] {
    const std::lock_guard<std::mutex> lock(mutex);
    return first.size() == 2;
  };
  ParallelFor(1000, 1, [&](int64_t begin, int64_t) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      first.try_emplace(std::this_thread::get_id(), begin);
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!has_both() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  });
  ASSERT_EQ(first.size(), 2);
  for (const auto& [thread, begin] : first)
    EXPECT_EQ(begin, thread == std::this_thread::get_id() ? 0 : 500);
}

TEST_F(ParallelTest, InsideOfOneThereIsOneThread) {
  SetThreadCount(4);
  ParallelFor(4, 1, [&](int64_t, int64_t) {
    EXPECT_EQ(UsableThreads(), 1);
    int64_t parts = 0;
    ParallelFor(100, 1, [&](int64_t, int64_t) { ++parts; });
    EXPECT_EQ(parts, 1);
  });
}

}  // namespace
}  // namespace xla::runtime

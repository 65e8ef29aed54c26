// Work is done once by however many threads come, and no thread is left behind.
#include "runtime/fork_join.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace xla::runtime {
namespace {

// Takes numbers below `count` in turn; how often each was taken.
std::vector<std::atomic<int>> Share(int helpers, int count, int times) {
  std::vector<std::atomic<int>> taken(static_cast<size_t>(count));
  for (int i = 0; i < times; ++i) {
    std::atomic<int> next = 0;
    ForkJoin(helpers, [&](int) {
      for (int k; (k = next.fetch_add(1)) < count;) ++taken[static_cast<size_t>(k)];
    });
  }
  return taken;
}

TEST(ForkJoinTest, AllIsDoneOnce) {
  for (int helpers : {0, 1, 2, 7, 31}) {
    for (const auto& times : Share(helpers, 100, 200)) ASSERT_EQ(times, 200);
  }
}

// Helpers are asleep, in part called off, and busy elsewhere.
TEST(ForkJoinTest, CallersMayMeet) {
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([i] {
      for (int round = 0; round < 50; ++round) {
        for (const auto& times : Share(1 + 5 * i, 20, 10)) ASSERT_EQ(times, 10);
        if (round % 10 == i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

// All have begun before any may end.
TEST(ForkJoinTest, HelpersComeWhenThereIsTime) {
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> begun = 0, numbers = 0;
    ForkJoin(3, [&](int thread) {
      ++begun;
      numbers |= 1 << thread;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (begun < 4 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    });
    ASSERT_EQ(begun, 4);
    ASSERT_EQ(std::popcount(static_cast<unsigned>(numbers)), 4);
    ASSERT_TRUE(numbers & 1) << "the caller's";
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// What helpers have written is seen behind the call, however late they end.
TEST(ForkJoinTest, WaitsForThoseThatHaveBegun) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> is_first = true;
    std::vector<int> written(2, 0);
    std::atomic<size_t> next = 0;
    ForkJoin(1, [&](int) {
      const size_t own = next++;
      if (own >= written.size()) return;
      if (!is_first.exchange(false)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      written[own] = 1;
    });
    ASSERT_EQ(written[0] + written[1], static_cast<int>(std::min<size_t>(next, 2)));
  }
}

}  // namespace
}  // namespace xla::runtime

// Places where kernels are launched do all of the work in each run, whatever they find out.
#include "runtime/launch_site.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/parallel.h"

namespace xla::runtime {
namespace {

constexpr int64_t kCount = 1000;

// Runs the site so often that it has tried both ways and has decided, twice.
void RunOften(LaunchSite& site) {
  std::vector<std::atomic<int>> seen(kCount);
  for (int run = 1; run <= 5000; ++run) {
    site.Run(kCount, 10, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
    });
    if (run > 30 && run % 500 != 0) continue;
    for (const std::atomic<int>& times : seen) ASSERT_EQ(times, run);
  }
}

TEST(LaunchSiteTest, EachRunDoesAll) {
  LaunchSite site;
  RunOften(site);
}

TEST(LaunchSiteTest, EachRunDoesAllOnOneThread) {
  const LimitThreads limit(1);
  LaunchSite site;
  RunOften(site);
}

TEST(LaunchSiteTest, ThreadsMayMeet) {
  LaunchSite site;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([&] { RunOften(site); });
  for (std::thread& thread : threads) thread.join();
}

TEST(LaunchSiteTest, NothingToDo) {
  LaunchSite site;
  for (int run = 0; run < 20; ++run)
    site.Run(0, 1, [](int64_t begin, int64_t end) { EXPECT_EQ(begin, end); });
}

}  // namespace
}  // namespace xla::runtime

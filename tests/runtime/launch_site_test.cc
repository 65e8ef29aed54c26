// Places where kernels are launched do all of the work in each run, whatever they find out.
#include "runtime/launch_site.h"

#include <atomic>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "gtest/gtest.h"
#include "runtime/parallel.h"

namespace xla::runtime {
namespace {

constexpr int64_t kCount = 1000;

void ForAll(LaunchSite& site, int64_t count, int64_t least,
            absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  site.Run([&] { ParallelFor(count, least, body); });
}

// Runs the site so often that it has tried all numbers of threads and has decided, twice.
void RunOften(LaunchSite& site) {
  std::vector<std::atomic<int>> seen(kCount);
  for (int run = 1; run <= 5000; ++run) {
    ForAll(site, kCount, 10, [&](int64_t begin, int64_t end) {
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
    ForAll(site, 0, 1, [](int64_t begin, int64_t end) { EXPECT_EQ(begin, end); });
}

// Whatever is tried, no more threads take part than those around allow.
TEST(LaunchSiteTest, KeepsToTheLimit) {
  LaunchSite site;
  for (int most : {3, 1, 2, 4, 1}) {
    const LimitThreads limit(most);
    for (int run = 0; run < 100; ++run) site.Run([&] { ASSERT_LE(UsableThreads(), most); });
  }
}

}  // namespace
}  // namespace xla::runtime

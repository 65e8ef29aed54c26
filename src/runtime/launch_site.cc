#include "runtime/launch_site.h"

#include <algorithm>
#include <chrono>

#include "runtime/parallel.h"

namespace xla::runtime {
namespace {

constexpr auto kOrder = std::memory_order_relaxed;

// A trial is so many runs and the median of their times without the first one's, which finds its
// data in the caches of other processors.
constexpr int kRunsOfTrial = 4;
// All is tried again after so much time in the kernel, and after so many runs at the least and at
// the most: a trial that something else disturbed costs more the longer the kernel is.
constexpr int64_t kTimeUntilTriedAgain = 20'000'000;
constexpr int kLeastRunsUntilTriedAgain = 256, kMostRunsUntilTriedAgain = 4096;
// Helpers that sleep take longer to come than many a kernel runs: a trial begins with the first run
// that one of them has a part in, if there is one soon.
constexpr int kMostWaits = 64;

// So many runs later the kernels around have ended their trials.
constexpr int kRunsBeforeCheck = 64;

// What takes so long with all threads is not tried with fewer.
constexpr int64_t kLong = 100'000;

// More threads have to be faster by more than a sixty-fourth: they are not there for others then.
bool IsFaster(int64_t nanoseconds, int64_t than) { return nanoseconds + nanoseconds / 64 < than; }

int64_t Median(int64_t a, int64_t b, int64_t c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

}  // namespace

void LaunchSite::Run(absl::FunctionRef<void()> kernel) {
  const int most = UsableThreads();
  if (most <= 1) return kernel();
  const int trial = trial_.load(kOrder);
  if (trial == kSettled) {
    const int runs = runs_.load(kOrder) + 1;
    runs_.store(runs % kMostRunsUntilTriedAgain, kOrder);
    if (runs == kMostRunsUntilTriedAgain) {
      waits_.store(0, kOrder);
      trial_.store(kAll, kOrder);
    }
    const LimitThreads limit(std::min(threads_.load(kOrder), most));
    return kernel();
  }
  const int threads = trial == kAll ? most : trial == kCheck ? threads_.load(kOrder) : trial;
  const LimitThreads limit(std::min(threads, most));
  const int64_t help = HelpSoFar();
  const auto begin = std::chrono::steady_clock::now();
  kernel();
  if (trial == kCheck || (trial == kAll && HelpSoFar() == help)) {
    const int waits = waits_.load(kOrder);
    waits_.store(waits + 1, kOrder);
    if (waits < (trial == kCheck ? kRunsBeforeCheck : kMostWaits)) return;
  }
  Note(std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count(), most);
}

void LaunchSite::Note(int64_t nanoseconds, int most) {
  const int run = runs_.load(kOrder);
  runs_.store((run + 1) % kRunsOfTrial, kOrder);
  if (run == 1 || run == 2) times_[run - 1].store(nanoseconds, kOrder);
  if (run + 1 == kRunsOfTrial)
    Decide(Median(times_[0].load(kOrder), times_[1].load(kOrder), nanoseconds), most);
}

void LaunchSite::Decide(int64_t nanoseconds, int most) {
  const int trial = trial_.load(kOrder);
  if (trial == kCheck) {
    if (IsFaster(all_.load(kOrder), nanoseconds)) threads_.store(most, kOrder);
    return Settle(nanoseconds);
  }
  if (trial == kAll) {
    threads_.store(most, kOrder);
    all_.store(nanoseconds, kOrder);
    return nanoseconds < kLong ? trial_.store(1, kOrder) : Settle(nanoseconds);
  }
  if (trial == 1 || IsFaster(nanoseconds, fastest_.load(kOrder))) {
    fastest_.store(nanoseconds, kOrder);
    threads_.store(trial, kOrder);
  }
  const int64_t fastest = fastest_.load(kOrder);
  if (2 * trial < most && nanoseconds < fastest + fastest / 4)
    return trial_.store(2 * trial, kOrder);
  const bool is_all = IsFaster(all_.load(kOrder), fastest);
  if (is_all) threads_.store(most, kOrder);
  waits_.store(0, kOrder);
  is_all ? Settle(nanoseconds) : trial_.store(kCheck, kOrder);
}

void LaunchSite::Settle(int64_t nanoseconds) {
  const auto runs = std::clamp<int64_t>(kTimeUntilTriedAgain / std::max<int64_t>(nanoseconds, 1),
                                        kLeastRunsUntilTriedAgain, kMostRunsUntilTriedAgain);
  runs_.store(kMostRunsUntilTriedAgain - static_cast<int>(runs), kOrder);
  trial_.store(kSettled, kOrder);
}

}  // namespace xla::runtime

#include "runtime/launch_site.h"

#include "runtime/parallel.h"
#include "runtime/profile.h"

namespace xla::runtime {
namespace {

// Trials are made in turn, alone and with other threads. The first two, which find cold caches and
// sleeping threads, do not count.
constexpr uint32_t kTrials = 10;
constexpr uint32_t kRunsUntilTriedAgain = 4096;

}  // namespace

void LaunchSite::Run(int64_t count, int64_t least,
                     absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  constexpr auto kOrder = std::memory_order_relaxed;
  if (UsableThreads() <= 1) return body(0, count);
  const uint32_t run = runs_.load(kOrder);
  runs_.store(run + 1, kOrder);
  const uint32_t trial = run % kRunsUntilTriedAgain;
  if (trial >= kTrials)
    return is_worth_threads_.load(kOrder) ? ParallelFor(count, least, body) : body(0, count);
  const bool is_alone = trial % 2 == 0;
  const uint64_t begin = Ticks();
  is_alone ? body(0, count) : ParallelFor(count, least, body);
  std::atomic<uint64_t>& sum = is_alone ? alone_ : together_;
  sum.store(trial < 2 ? 0 : sum.load(kOrder) + (Ticks() - begin), kOrder);
  if (trial + 1 == kTrials)
    is_worth_threads_.store(together_.load(kOrder) < alone_.load(kOrder), kOrder);
}

}  // namespace xla::runtime

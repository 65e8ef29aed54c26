#include "runtime/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <utility>

#include "runtime/fork_join.h"
#include "runtime/profile.h"

namespace xla::runtime {
namespace {

// More parts than threads: those that come late or are slowed down do less.
constexpr int64_t kPartsAThread = 4;

int DefaultThreadCount() {
  if (const char* wanted = std::getenv("HILO_NUM_THREADS")) {
    if (const int count = std::atoi(wanted); count > 0) return std::min(count, kMaxThreads);
  }
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof(usable), &usable) == 0)
    return std::clamp(CPU_COUNT(&usable), 1, kMaxThreads);
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxThreads);
}

std::atomic<int>& Count() {
  static std::atomic<int> count = DefaultThreadCount();
  return count;
}

thread_local bool is_inside = false;
thread_local int most_threads = kMaxThreads;
thread_local PartObserver* observer_here = nullptr;
thread_local int64_t help_so_far = 0;

// Parts that threads take one after the other.
struct Parts {
  absl::FunctionRef<void(int64_t, int64_t)> body;
  int64_t count;
  int64_t part;
  PartObserver* observer;
  // Apart from what everybody reads.
  alignas(64) std::atomic<int64_t> next = 0;

  void Work() {
    is_inside = true;
    for (int64_t begin; (begin = next.fetch_add(part, std::memory_order_relaxed)) < count;) {
      const uint64_t since = observer == nullptr ? 0 : Ticks();
      body(begin, std::min(count, begin + part));
      if (observer != nullptr) observer->PartDone(since, Ticks());
    }
    is_inside = false;
  }
};

}  // namespace

int ThreadCount() { return Count(); }
void SetThreadCount(int count) { Count() = std::clamp(count, 1, kMaxThreads); }
int64_t HelpSoFar() { return help_so_far; }
int UsableThreads() { return is_inside ? 1 : std::min(ThreadCount(), most_threads); }

LimitThreads::LimitThreads(int most) : before_(most_threads) {
  if (most > 0) most_threads = most;
}
LimitThreads::~LimitThreads() { most_threads = before_; }

ObserveParts::ObserveParts(PartObserver* observer)
    : before_(std::exchange(observer_here, observer)) {}
ObserveParts::~ObserveParts() { observer_here = before_; }

namespace {

void WorkOn(int64_t count, int64_t part, int64_t threads,
            absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  if (threads > 1) {
    Parts parts = {body, count, part, observer_here};
    help_so_far += ForkJoin(static_cast<int>(threads) - 1, [&] { parts.Work(); });
  } else if (count > 0) {
    body(0, count);
  }
}

}  // namespace

void ParallelFor(int64_t count, int64_t least,
                 absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  least = std::max<int64_t>(1, least);
  const int64_t threads = std::min<int64_t>(UsableThreads(), count / least + (count % least != 0));
  WorkOn(count, std::max(least, count / std::max<int64_t>(threads * kPartsAThread, 1)), threads,
         body);
}

void ParallelForEach(int64_t count, absl::FunctionRef<void(int64_t i)> body) {
  WorkOn(count, 1, std::min<int64_t>(UsableThreads(), count), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace xla::runtime

#include "runtime/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <utility>

#include "absl/container/fixed_array.h"
#include "runtime/fork_join.h"
#include "runtime/profile.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

// Each thread has a share of what there is, the same one of each call, so that it finds in its
// caches what it has written before. It takes parts of it that become smaller, and then helps
// others with theirs: a thread that comes late or is slowed down does less, and all end at about
// the same time (guided self-scheduling: Polychronopoulos and Kuck, 1987).
constexpr int64_t kPartsOfShare = 4, kLastPartsOfShare = 32;

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

// Does a part of what a thread with this observer has called for.
void DoPart(PartObserver* observer, absl::FunctionRef<void()> part) {
  const uint64_t since = observer == nullptr ? 0 : Ticks();
  part();
  if (observer != nullptr) observer->PartDone(since, Ticks());
}

// Calls work(thread) on so many threads.
void OnThreads(int64_t threads, absl::FunctionRef<void(int thread)> work) {
  help_so_far += ForkJoin(static_cast<int>(threads) - 1, [&](int thread) {
    is_inside = true;
    work(thread);
    is_inside = false;
  });
}

// What a thread has to do first, apart from what others write.
struct alignas(64) Share {
  std::atomic<int64_t> next;
  int64_t end;

  // Takes the next part, which is empty where nothing is left.
  std::pair<int64_t, int64_t> Take(int64_t least) {
    int64_t begin = next.load(std::memory_order_relaxed), part_end = begin;
    do {
      const int64_t part = std::max(least, (end - begin) / kPartsOfShare);
      part_end = std::min(end, begin + part);
    } while (begin < part_end &&
             !next.compare_exchange_weak(begin, part_end, std::memory_order_relaxed));
    return {begin, part_end};
  }
};

class SharedWork {
 public:
  SharedWork(int64_t count, int64_t least, int64_t threads,
             absl::FunctionRef<void(int64_t begin, int64_t end)> body)
      : body_(body), least_(least), shares_(static_cast<size_t>(threads)) {
    for (int64_t i = 0; i < threads; ++i) {
      shares_[i].next = count * i / threads;
      shares_[i].end = count * (i + 1) / threads;
    }
  }

  // What is left of the thread's own share, and then of those of others. The first one is the
  // caller's.
  void Do(int thread) {
    const size_t count = shares_.size();
    const size_t own = thread == 0 ? 0 : 1 + (thread - 1) % (count - 1);
    for (size_t i = 0; i < count; ++i) Do(shares_[(own + i) % count]);
  }

 private:
  void Do(Share& share) {
    while (true) {
      const auto [begin, end] = share.Take(least_);
      if (begin >= end) return;
      DoPart(observer_, [&, begin = begin, end = end] { body_(begin, end); });
    }
  }

  const absl::FunctionRef<void(int64_t begin, int64_t end)> body_;
  const int64_t least_;
  PartObserver* const observer_ = observer_here;
  absl::FixedArray<Share, 16> shares_;
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

void ParallelFor(int64_t count, int64_t least,
                 absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  if (count <= 0) return;
  least = std::max<int64_t>(1, least);
  const int64_t threads = std::min<int64_t>(UsableThreads(), CeilOfRatio(count, least));
  if (threads == 1) return body(0, count);
  SharedWork work(count, std::max(least, count / (threads * kLastPartsOfShare)), threads, body);
  OnThreads(threads, [&](int thread) { work.Do(thread); });
}

void ParallelForEach(int64_t count, absl::FunctionRef<void(int64_t i)> body) {
  const int64_t threads = std::min<int64_t>(UsableThreads(), count);
  if (threads <= 1) {
    for (int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  PartObserver* const observer = observer_here;
  std::atomic<int64_t> next = 0;
  OnThreads(threads, [&](int) {
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;)
      DoPart(observer, [&] { body(i); });
  });
}

}  // namespace xla::runtime

#include "runtime/parallel.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/profile.h"

namespace xla::runtime {
namespace {

constexpr int kMaxThreads = 256;

// How long a thread looks for work, or for others to end, before it sleeps.
constexpr std::chrono::microseconds kPatience{30};

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

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Whether something becomes true soon.
template <typename Condition>
bool Soon(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int i = 0; i < 64; ++i) {
      if (condition()) return true;
      Pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

struct Job {
  absl::FunctionRef<void(int64_t, int64_t)> body;
  int64_t count;
  int64_t part;
  int helpers;    // that may still join; guarded by the pool's mutex
  int processor;  // of the thread that waits for it
  PartObserver* observer;
  std::atomic<int64_t> next = 0;
  std::atomic<int> working = 0;  // helpers that have joined and not left

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

// A thread that is woken may be left on the processor of the one that woke it, where it has to wait
// until that one is done. So it goes elsewhere once it sees that. It may come back afterwards:
// which processors threads run on is for the process that Hilo is part of to say.
void LeaveProcessor(int processor) {
  static const cpu_set_t usable = [] {
    cpu_set_t set;
    if (sched_getaffinity(getpid(), sizeof(set), &set) != 0) CPU_ZERO(&set);
    return set;
  }();
  cpu_set_t others = usable;
  if (processor >= 0 && processor < CPU_SETSIZE) CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof(others), &others) == 0)
    sched_setaffinity(0, sizeof(usable), &usable);
}

// Threads that help with whatever jobs are open. They live as long as the process.
class Pool {
 public:
  static Pool& Get() {
    static Pool* const pool = new Pool();
    return *pool;
  }

  void Run(Job& job) {
    Open(job);
    job.Work();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (job.helpers > 0) Close(job);
    }
    const auto is_done = [&] { return job.working.load(std::memory_order_acquire) == 0; };
    if (Soon(is_done)) return;
    std::unique_lock<std::mutex> lock(mutex_);
    left_.wait(lock, is_done);
  }

 private:
  void Open(Job& job) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      while (threads_ < job.helpers) {
        std::thread([this] { Help(); }).detach();
        ++threads_;
      }
      open_.push_back(&job);
      open_count_.store(static_cast<int>(open_.size()), std::memory_order_release);
    }
    opened_.notify_all();
  }

  void Close(Job& job) {
    open_.erase(std::find(open_.begin(), open_.end(), &job));
    open_count_.store(static_cast<int>(open_.size()), std::memory_order_release);
  }

  void Help() {
    while (true) {
      Soon([&] { return open_count_.load(std::memory_order_acquire) > 0; });
      std::unique_lock<std::mutex> lock(mutex_);
      opened_.wait(lock, [&] { return !open_.empty(); });
      // Nobody waits for a thread that has yet to get to another processor.
      if (const int processor = open_.back()->processor; sched_getcpu() == processor) {
        lock.unlock();
        LeaveProcessor(processor);
        lock.lock();
        if (open_.empty()) continue;
      }
      Job& job = *open_.back();
      job.working.fetch_add(1, std::memory_order_relaxed);
      if (--job.helpers == 0) Close(job);
      lock.unlock();
      job.Work();
      // The job may be gone as soon as nobody works on it, so that is said under the mutex, for
      // those who sleep, and is the last thing that touches it.
      lock.lock();
      job.working.fetch_sub(1, std::memory_order_release);
      lock.unlock();
      left_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable opened_, left_;
  std::vector<Job*> open_;
  std::atomic<int> open_count_ = 0;
  int threads_ = 0;
};

}  // namespace

int ThreadCount() { return Count(); }
void SetThreadCount(int count) { Count() = std::clamp(count, 1, kMaxThreads); }
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
  least = std::max<int64_t>(1, least);
  const int64_t threads = std::min<int64_t>(UsableThreads(), count / least + (count % least != 0));
  if (threads > 1) {
    Job job = {body,
               count,
               std::max(least, count / (threads * kPartsAThread)),
               static_cast<int>(threads) - 1,
               sched_getcpu(),
               observer_here};
    Pool::Get().Run(job);
  } else if (count > 0) {
    body(0, count);
  }
}

}  // namespace xla::runtime

#include "runtime/fork_join.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/float_environment.h"

namespace xla::runtime {
namespace {

// How long a thread looks for work, or for others to end, before it sleeps.
constexpr std::chrono::microseconds kPatience{200};

// What threads write often lies in cache lines of its own.
constexpr size_t kCacheLine = 64;

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

struct Helper;

// One call of ForkJoin. It is gone once its owner sees that `unfinished` counts no helper.
struct Call {
  explicit Call(int helpers, absl::FunctionRef<void(int thread)> work)
      : work(work), unfinished(helpers) {}

  absl::FunctionRef<void(int thread)> work;
  const FloatEnvironment float_environment = FloatEnvironment::OfThread();  // of its owner
  // The helpers that are called: those that were idle, then those that slept. Whoever begins wakes
  // two of these, so that no thread has to wake many.
  std::array<Helper*, kMaxThreads> helpers;
  int idle_count = 0;
  std::atomic<int> count = 0;  // 0 until all are called
  std::atomic<int> next_sleeper = 0;
  // Helpers that have not returned and have not been called off, and kOwnerSleeps.
  alignas(kCacheLine) std::atomic<uint32_t> unfinished;
};
constexpr uint32_t kOwnerSleeps = 1u << 31;

// The owner of a call that waits long for its helpers sleeps here.
struct WaitingRoom {
  std::mutex mutex;
  std::condition_variable left;
};
WaitingRoom& Waiting() {
  static auto* const waiting = new WaitingRoom();
  return *waiting;
}

void Leave(Call& call) {
  // The call may be gone behind this.
  if (call.unfinished.fetch_sub(1, std::memory_order_acq_rel) != (kOwnerSleeps | 1)) return;
  { const std::lock_guard<std::mutex> lock(Waiting().mutex); }
  Waiting().left.notify_all();
}

void AwaitHelpers(Call& call) {
  const auto is_done = [&] {
    return (call.unfinished.load(std::memory_order_acquire) & ~kOwnerSleeps) == 0;
  };
  if (Soon(is_done)) return;
  call.unfinished.fetch_or(kOwnerSleeps, std::memory_order_acq_rel);
  std::unique_lock<std::mutex> lock(Waiting().mutex);
  Waiting().left.wait(lock, is_done);
}

// What a helper does, or the address of the call that it is to take part in.
using State = uintptr_t;
constexpr State kIdle = 0, kAsleep = 1, kBusy = 2;

// A thread and the place where it finds its calls. It takes one by becoming busy; until then the
// owner may call it off, which puts the state back. A helper that has been woken and called off
// counts as asleep although it looks for calls: it is woken in vain then, no more.
struct alignas(kCacheLine) Helper {
  std::atomic<State> state = kIdle;
  std::atomic<uint32_t> wakes = 0;
  std::atomic<int> processor = -1;  // of the owner of the latest call

  void Wake() {
    wakes.fetch_add(1, std::memory_order_release);
    wakes.notify_one();
  }

  void Sleep() {
    uint32_t seen = wakes.load(std::memory_order_acquire);
    State before = kIdle;
    if (!state.compare_exchange_strong(before, kAsleep) && before != kAsleep) return;
    while (state.load(std::memory_order_acquire) == kAsleep) {
      wakes.wait(seen, std::memory_order_acquire);
      seen = wakes.load(std::memory_order_acquire);
    }
  }

  Call& NextCall() {
    while (true) {
      State found = kIdle;
      const auto is_called = [&] {
        found = state.load(std::memory_order_acquire);
        return found > kBusy;
      };
      if (!Soon(is_called)) {
        Sleep();
        continue;
      }
      // Nobody waits for a thread that has yet to get to another processor.
      const int caller = processor.load(std::memory_order_relaxed);
      if (sched_getcpu() == caller) LeaveProcessor(caller);
      if (state.compare_exchange_strong(found, kBusy)) return *reinterpret_cast<Call*>(found);
    }
  }

  void Run(int number);
};

void WakeTwo(Call& call) {
  const int count = call.count.load(std::memory_order_acquire);
  for (int i = 0; i < 2 && call.next_sleeper.load(std::memory_order_relaxed) < count; ++i) {
    const int next = call.next_sleeper.fetch_add(1, std::memory_order_relaxed);
    if (next < count) call.helpers[next]->Wake();
  }
}

void Helper::Run(int number) {
  while (true) {
    Call& call = NextCall();
    WakeTwo(call);
    call.float_environment.SetForThread();
    call.work(number);
    // Before it leaves, so that the owner finds it idle when it calls again.
    state.store(kIdle, std::memory_order_release);
    Leave(call);
  }
}

class Helpers {
 public:
  static Helpers& Get() {
    static auto* const helpers = new Helpers();
    return *helpers;
  }

  int Run(int wanted, absl::FunctionRef<void(int thread)> work) {
    wanted = std::min(wanted, kMaxThreads - 1);
    if (count_.load(std::memory_order_acquire) < wanted) Start(wanted);
    Call call(wanted, work);
    const int called = Post(call, wanted);
    WakeTwo(call);
    work(0);
    const uint32_t absent = static_cast<uint32_t>(wanted - called + CallOff(call, called));
    if (call.unfinished.fetch_sub(absent, std::memory_order_acq_rel) != absent) AwaitHelpers(call);
    return wanted - static_cast<int>(absent);
  }

 private:
  void Start(int wanted) {
    const std::lock_guard<std::mutex> lock(mutex_);
    int count = count_.load(std::memory_order_relaxed);
    for (; count < wanted; ++count) {
      auto* const helper = new Helper();
      try {
        std::thread([helper, number = count + 1] { helper->Run(number); }).detach();
      } catch (const std::system_error&) {  // The system has no more.
        delete helper;
        break;
      }
      helpers_[count] = helper;
    }
    count_.store(count, std::memory_order_release);
  }

  // Calls helpers, those first that are awake, and gives their number.
  int Post(Call& call, int wanted) {
    const int count = count_.load(std::memory_order_acquire);
    const int processor = sched_getcpu();
    int called = 0;
    const auto call_all = [&](const State wanted_state) {
      for (int i = 0; i < count && called < wanted; ++i) {
        Helper* const helper = helpers_[i];
        State state = wanted_state;
        if (helper->state.load(std::memory_order_relaxed) != state) continue;
        helper->processor.store(processor, std::memory_order_relaxed);
        if (helper->state.compare_exchange_strong(state, reinterpret_cast<State>(&call)))
          call.helpers[called++] = helper;
      }
    };
    call_all(kIdle);
    call.idle_count = called;
    call_all(kAsleep);
    call.next_sleeper.store(call.idle_count, std::memory_order_relaxed);
    call.count.store(called, std::memory_order_release);
    return called;
  }

  // How many helpers had not begun.
  static int CallOff(Call& call, int called) {
    int absent = 0;
    for (int i = 0; i < called; ++i) {
      std::atomic<State>& state = call.helpers[i]->state;
      State found = reinterpret_cast<State>(&call);
      if (state.load(std::memory_order_relaxed) == found)
        absent += state.compare_exchange_strong(found, i < call.idle_count ? kIdle : kAsleep);
    }
    return absent;
  }

  std::mutex mutex_;
  std::array<Helper*, kMaxThreads> helpers_;
  std::atomic<int> count_ = 0;  // of those that have been started
};

}  // namespace

int ForkJoin(int helpers, absl::FunctionRef<void(int thread)> work) {
  return Helpers::Get().Run(helpers, work);
}

}  // namespace xla::runtime

#include "xla/tsl/platform/threadpool.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "absl/synchronization/blocking_counter.h"
#include "xla/tsl/platform/threadpool_interface.h"

namespace tsl {
namespace thread {
namespace {

// Fewer cycles than this are not worth waking a thread.
constexpr int64_t kLeastCycles = 10'000;
// More parts than threads: those that come late do less.
constexpr int64_t kPartsAThread = 4;

// How Eigen's pool starts threads and keeps tasks.
struct EnvThreads {
  struct Task {
    std::function<void()> f;
  };
  class EnvThread {
   public:
    explicit EnvThread(Thread* thread) : thread_(thread) {}

   private:
    std::unique_ptr<Thread> thread_;
  };

  EnvThread* CreateThread(std::function<void()> f) {
    return new EnvThread(env->StartThread(options, name, std::move(f)));
  }
  Task CreateTask(std::function<void()> f) { return Task{std::move(f)}; }
  void ExecuteTask(const Task& task) { task.f(); }

  Env* env;
  ThreadOptions options;
  std::string name;
};

int64_t Parts(int64_t total, int64_t block_size) { return (total + block_size - 1) / block_size; }

}  // namespace

ThreadPool::ThreadPool(Env* env, const std::string& name, int num_threads)
    : ThreadPool(env, ThreadOptions(), name, num_threads) {}

ThreadPool::ThreadPool(Env* env, const ThreadOptions& thread_options, const std::string& name,
                       int num_threads)
    : ThreadPool(env, thread_options, name, num_threads, /*low_latency_hint=*/true) {}

ThreadPool::ThreadPool(Env* env, const ThreadOptions& thread_options, const std::string& name,
                       int num_threads, bool low_latency_hint) {
  CHECK_GE(num_threads, 1) << "thread pool " << name;
  own_ = std::make_unique<Eigen::ThreadPoolTempl<EnvThreads>>(
      num_threads, low_latency_hint, EnvThreads{env, thread_options, name});
  pool_ = own_.get();
}

ThreadPool::ThreadPool(ThreadPoolInterface* user_threadpool) : pool_(user_threadpool) {}

ThreadPool::~ThreadPool() = default;

void ThreadPool::Schedule(absl::AnyInvocable<void()> function) {
  auto shared = std::make_shared<absl::AnyInvocable<void()>>(std::move(function));
  pool_->Schedule([shared] { (*shared)(); });
}

void ThreadPool::InParts(int64_t total, int64_t block_size,
                         const std::function<void(int64_t, int64_t)>& fn) {
  const int64_t parts = Parts(total, block_size);
  if (parts <= 1) {
    if (total > 0) fn(0, total);
    return;
  }
  // Whoever comes takes the next part. Threads that come when none is left have nothing to do with
  // the caller, who may be gone then.
  struct Work {
    std::atomic<int64_t> next{0};
    int64_t total, block_size;
    const std::function<void(int64_t, int64_t)>* fn;
    absl::BlockingCounter done;
    Work(int64_t all, int64_t block, const std::function<void(int64_t, int64_t)>* function,
         int64_t count)
        : total(all), block_size(block), fn(function), done(static_cast<int>(count)) {}
    void Help() {
      for (int64_t begin; (begin = next.fetch_add(block_size)) < total;) {
        (*fn)(begin, std::min(total, begin + block_size));
        done.DecrementCount();
      }
    }
  };
  auto work = std::make_shared<Work>(total, block_size, &fn, parts);
  const int64_t helpers = std::min<int64_t>(parts - 1, NumThreads());
  for (int64_t i = 0; i < helpers; ++i) pool_->Schedule([work] { work->Help(); });
  work->Help();
  work->done.Wait();
}

void ThreadPool::ParallelFor(int64_t total, int64_t cost_per_unit,
                             const std::function<void(int64_t, int64_t)>& fn) {
  const int64_t least = std::max<int64_t>(1, kLeastCycles / std::max<int64_t>(1, cost_per_unit));
  const int64_t even = Parts(total, kPartsAThread * (NumThreads() + 1));
  InParts(total, std::max(least, even), fn);
}

void ThreadPool::ParallelFor(int64_t total, const SchedulingParams& scheduling_params,
                             const std::function<void(int64_t, int64_t)>& fn) {
  if (scheduling_params.strategy() == SchedulingParams::Strategy::kAdaptive) {
    ParallelFor(total, scheduling_params.cost_per_unit().value_or(1), fn);
  } else {
    InParts(total, std::max<int64_t>(1, scheduling_params.block_size().value_or(1)), fn);
  }
}

void ThreadPool::ParallelForWithWorkerId(int64_t total, int64_t cost_per_unit,
                                         const std::function<void(int64_t, int64_t, int)>& fn) {
  ParallelFor(total, cost_per_unit, [&](int64_t begin, int64_t end) {
    const int thread = CurrentThreadId();
    fn(begin, end, thread >= 0 ? thread : NumThreads());
  });
}

void ThreadPool::TransformRangeConcurrently(int64_t block_size, int64_t total,
                                            const std::function<void(int64_t, int64_t)>& fn) {
  InParts(total, std::max<int64_t>(1, block_size), fn);
}

int ThreadPool::NumShardsUsedByFixedBlockSizeScheduling(int64_t total, int64_t block_size) {
  return total <= 0 || block_size <= 0 ? 1 : static_cast<int>(Parts(total, block_size));
}

int ThreadPool::NumThreads() const { return pool_->NumThreads(); }

int ThreadPool::CurrentThreadId() const { return pool_->CurrentThreadId(); }

Eigen::ThreadPoolInterface* ThreadPool::AsEigenThreadPool() const { return pool_; }

}  // namespace thread
}  // namespace tsl

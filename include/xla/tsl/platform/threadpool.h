// A fixed number of threads that run functions.
#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_THREADPOOL_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_THREADPOOL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "xla/tsl/platform/env.h"

namespace Eigen {
class ThreadPoolInterface;
}  // namespace Eigen

namespace tsl {
namespace thread {

class ThreadPoolInterface;

class ThreadPool {
 public:
  // How ParallelFor divides its work.
  class SchedulingParams {
   public:
    enum class Strategy { kAdaptive, kFixedBlockSize };
    // For kAdaptive, how many cycles a unit takes; for kFixedBlockSize, how many units a part has.
    SchedulingParams(Strategy strategy, std::optional<int64_t> cost_per_unit,
                     std::optional<int64_t> block_size)
        : strategy_(strategy), cost_per_unit_(cost_per_unit), block_size_(block_size) {}
    Strategy strategy() const { return strategy_; }
    std::optional<int64_t> cost_per_unit() const { return cost_per_unit_; }
    std::optional<int64_t> block_size() const { return block_size_; }

   private:
    Strategy strategy_;
    std::optional<int64_t> cost_per_unit_, block_size_;
  };

  // CHECK that there is at least one thread. With low_latency_hint idle threads look for work for a
  // while before they sleep.
  ThreadPool(Env* env, const std::string& name, int num_threads);
  ThreadPool(Env* env, const ThreadOptions& thread_options, const std::string& name,
             int num_threads);
  ThreadPool(Env* env, const ThreadOptions& thread_options, const std::string& name,
             int num_threads, bool low_latency_hint);
  // Runs everything on the threads of somebody else, who must outlive the pool.
  explicit ThreadPool(ThreadPoolInterface* user_threadpool);
  // Waits until everything that was scheduled is done.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void Schedule(absl::AnyInvocable<void()> function);

  // Call fn(begin, end) for parts of [0, total) on several threads, of which the caller may be one,
  // until all is done.
  void ParallelFor(int64_t total, int64_t cost_per_unit,
                   const std::function<void(int64_t, int64_t)>& fn);
  void ParallelFor(int64_t total, const SchedulingParams& scheduling_params,
                   const std::function<void(int64_t, int64_t)>& fn);
  // The same with the number of the thread: 0 to NumThreads(), which is for threads outside.
  void ParallelForWithWorkerId(int64_t total, int64_t cost_per_unit,
                               const std::function<void(int64_t, int64_t, int)>& fn);
  // In parts of block_size.
  void TransformRangeConcurrently(int64_t block_size, int64_t total,
                                  const std::function<void(int64_t, int64_t)>& fn);
  int NumShardsUsedByFixedBlockSizeScheduling(int64_t total, int64_t block_size);

  int NumThreads() const;
  // The number of the calling thread in this pool; -1 outside of it.
  int CurrentThreadId() const;
  Eigen::ThreadPoolInterface* AsEigenThreadPool() const;

 private:
  void InParts(int64_t total, int64_t block_size, const std::function<void(int64_t, int64_t)>& fn);

  std::unique_ptr<Eigen::ThreadPoolInterface> own_;
  Eigen::ThreadPoolInterface* pool_;
};

}  // namespace thread
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_THREADPOOL_H_

#include "runtime/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#if HILO_WITH_OPENMP
// The runtime's own interface: it is the same for every compiler.
extern "C" {
void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags);
int omp_get_max_threads();
void omp_set_num_threads(int threads);
int omp_in_parallel();
}
#endif

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HILO_UNDER_TSAN 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define HILO_UNDER_TSAN 1
#endif
#if HILO_UNDER_TSAN
// The sanitizer does not see that OpenMP's threads start after and end before what surrounds them.
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#define HILO_ACQUIRE(address) __tsan_acquire(address)
#define HILO_RELEASE(address) __tsan_release(address)
#else
#define HILO_ACQUIRE(address)
#define HILO_RELEASE(address)
#endif

namespace xla::runtime {
namespace {

int DefaultThreadCount() {
  if (const char* wanted = std::getenv("HILO_NUM_THREADS")) {
    if (const int count = std::atoi(wanted); count > 0) return std::min(count, 1024);
  }
#if HILO_WITH_OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

std::atomic<int>& Count() {
  static std::atomic<int> count = DefaultThreadCount();
  return count;
}

struct Job {
  absl::FunctionRef<void(int64_t, int64_t)> body;
  int64_t count;
  int64_t part;
  std::atomic<int64_t> next = 0;

  void Work() {
    HILO_ACQUIRE(this);
    for (int64_t begin; (begin = next.fetch_add(part, std::memory_order_relaxed)) < count;)
      body(begin, std::min(count, begin + part));
    HILO_RELEASE(this);
  }
};

}  // namespace

int ThreadCount() { return Count(); }
void SetThreadCount(int count) { Count() = std::max(1, count); }

void ShareThreadsWithLibraries() {
#if HILO_WITH_OPENMP
  omp_set_num_threads(ThreadCount());
#endif
}

void ParallelFor(int64_t count, int64_t least,
                 absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  least = std::max<int64_t>(1, least);
  const int64_t threads = std::min<int64_t>(ThreadCount(), (count + least - 1) / least);
#if HILO_WITH_OPENMP
  if (threads > 1 && !omp_in_parallel()) {
    // A few parts for each thread: those that come late or are slowed down do less.
    Job job = {body, count, std::max(least, count / (threads * 4))};
    HILO_RELEASE(&job);
    GOMP_parallel([](void* data) { static_cast<Job*>(data)->Work(); }, &job,
                  static_cast<unsigned>(threads), 0);
    HILO_ACQUIRE(&job);
    return;
  }
#endif
  if (count > 0) body(0, count);
}

}  // namespace xla::runtime

// The process's threads for work inside of programs. All programs share them.
#ifndef HILO_RUNTIME_PARALLEL_H_
#define HILO_RUNTIME_PARALLEL_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace xla::runtime {

// Calls body(begin, end) for parts of [0, count) that have about `least` or more, on several
// threads at once, until all is done. The caller is one of them, and waits only for threads that
// have begun. A thread begins with its own share, the same one of each call for the same count,
// since it may have in its caches what it has written there before. Which thread does what differs
// from run to run nevertheless, so parts must not depend on one another. Inside of another
// ParallelFor it runs on the calling thread alone.
void ParallelFor(int64_t count, int64_t least,
                 absl::FunctionRef<void(int64_t begin, int64_t end)> body);

// Calls body(i) for each of [0, count). Threads take one after the other, so that a large one
// should come before small ones.
void ParallelForEach(int64_t count, absl::FunctionRef<void(int64_t i)> body);

// Is told by each thread that works inside of ParallelFor when it has done a part of it, from when
// to when (Ticks in runtime/profile.h).
class PartObserver {
 public:
  virtual ~PartObserver() = default;
  virtual void PartDone(uint64_t begin, uint64_t end) = 0;
};

// While it lives, `observer` is told of parts of what this thread calls ParallelFor for.
class ObserveParts {
 public:
  explicit ObserveParts(PartObserver* observer);
  ~ObserveParts();
  ObserveParts(const ObserveParts&) = delete;
  ObserveParts& operator=(const ObserveParts&) = delete;

 private:
  PartObserver* before_;
};

// How many threads there are at most: HILO_NUM_THREADS of the environment or, where that is not
// set, as many as the process may run on at once.
int ThreadCount();
void SetThreadCount(int count);
// How many of them ParallelFor would use here for enough work.
int UsableThreads();
// How often a thread has helped in what this thread called.
int64_t HelpSoFar();

// While it lives, calls of ParallelFor on this thread use at most so many threads; 0 for as many as
// there are.
class LimitThreads {
 public:
  explicit LimitThreads(int most);
  ~LimitThreads();
  LimitThreads(const LimitThreads&) = delete;
  LimitThreads& operator=(const LimitThreads&) = delete;

 private:
  int before_;
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_PARALLEL_H_

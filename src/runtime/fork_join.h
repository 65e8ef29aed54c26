// Doing one piece of work on several threads at once, with little time lost before and after it.
#ifndef HILO_RUNTIME_FORK_JOIN_H_
#define HILO_RUNTIME_FORK_JOIN_H_

#include "absl/functional/function_ref.h"

namespace xla::runtime {

// More threads than these never work on one call.
inline constexpr int kMaxThreads = 256;

// Calls work(0) on this thread and work(number) on at most `helpers` others, each of which has a
// number of its own, from one on; returns when all that have begun have returned. Helpers may come
// late or not at all, so the calls must share out among themselves what there is to do, and leave
// when nothing is left. Helpers are threads that live as long as the process; after each call they
// look for another one for a while before they sleep. Returns how many have taken part.
int ForkJoin(int helpers, absl::FunctionRef<void(int thread)> work);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_FORK_JOIN_H_

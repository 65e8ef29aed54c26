// How threads that wait for work behave when they are woken.
#ifndef HILO_RUNTIME_WAKEUP_H_
#define HILO_RUNTIME_WAKEUP_H_

#include <pthread.h>
#include <sched.h>

namespace xla::runtime {

// From now on the calling thread, when it is woken, takes a free processor or waits for one. By
// default Linux may give it the processor of the thread that wakes it, and a call that only starts
// work would return after the work. Where the system does not allow it, nothing changes.
inline void LetWakersContinue() {
  const sched_param priority = {};
  (void)pthread_setschedparam(pthread_self(), SCHED_BATCH, &priority);
}

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_WAKEUP_H_

// Threads for what handlers of custom calls schedule.
#ifndef HILO_RUNTIME_FFI_TASKS_H_
#define HILO_RUNTIME_FFI_TASKS_H_

#include <cstdint>

#include "absl/status/status.h"

namespace xla::runtime {

// Runs task(data) on a thread other than the caller's; tasks begin in order, up to
// FfiTaskThreadCount() at once. ResourceExhausted, and nothing is run, when there is no thread.
absl::Status ScheduleFfiTask(void (*task)(void* data), void* data);
int64_t FfiTaskThreadCount();

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_FFI_TASKS_H_

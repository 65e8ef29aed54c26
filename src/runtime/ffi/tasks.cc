#include "runtime/ffi/tasks.h"

#include "runtime/parallel.h"
#include "runtime/work_queue.h"

namespace xla::runtime {
namespace {

// As many threads as programs have when the first task comes.
WorkQueue& FfiTasks() {
  static auto* const queue = new WorkQueue(ThreadCount());
  return *queue;
}

}  // namespace

absl::Status ScheduleFfiTask(void (*task)(void* data), void* data) {
  return FfiTasks().PushElsewhere([task, data] { task(data); });
}

int64_t FfiTaskThreadCount() { return FfiTasks().most_threads(); }

}  // namespace xla::runtime

#include <atomic>
#include <cstdint>

#include "xla/debug_options_flags.h"
#include "xla/executable_run_options.h"
#include "xla/execution_options_util.h"

namespace xla {

ExecutionOptions CreateDefaultExecutionOptions() {
  ExecutionOptions options;
  *options.mutable_debug_options() = GetDebugOptionsFromFlags();
  options.set_num_replicas(1);
  options.set_num_partitions(1);
  return options;
}

RunId RunId::CreateUniqueId() {
  static std::atomic<int64_t> next = 1;
  return RunId(next++);
}

}  // namespace xla

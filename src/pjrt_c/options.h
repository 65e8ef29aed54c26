// Create options of clients and topologies.
#ifndef HILO_PJRT_C_OPTIONS_H_
#define HILO_PJRT_C_OPTIONS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pjrt_c/insight.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace xla::pjrt_c {

struct CreateOptions {
  int device_count = 0;  // ReadCreateOptions gives 1 or more
  bool asynchronous = true;
  std::string platform_name = "cpu";
  std::optional<int> process;
  int process_count = 1;  // several only where the caller gives a key-value store as well
  // Of the process, where something is said of them.
  std::optional<int> threads;
  std::optional<std::string> cache_dir;  // empty for none
  Insight insight;
};

// What the options say and, where they say nothing, the environment: HILO_FLAGS="name=value ..."
// has the same options, HILO_LOG is `log`, JAX_NUM_CPU_DEVICES or the flag
// xla_force_host_platform_device_count in XLA_FLAGS say how many devices there are. Numbers may
// come as texts. InvalidArgument for options of other names, with those there are.
absl::StatusOr<CreateOptions> ReadCreateOptions(const PJRT_NamedValue* options, size_t num_options);

// Puts what holds for the whole process in force.
void ApplyToProcess(const CreateOptions& options);

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_OPTIONS_H_

// Create options of clients and topologies.
#ifndef HILO_PJRT_C_OPTIONS_H_
#define HILO_PJRT_C_OPTIONS_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace xla::pjrt_c {

struct CreateOptions {
  int device_count = 1;
  bool asynchronous = true;
  std::string platform_name = "cpu";
  int process = 0;
};

// What the options say and, where they say nothing, the environment: JAX_NUM_CPU_DEVICES, or the
// flag xla_force_host_platform_device_count in XLA_FLAGS. Numbers may come as texts. Options of
// other names are skipped.
absl::StatusOr<CreateOptions> ReadCreateOptions(const PJRT_NamedValue* options, size_t num_options);

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_OPTIONS_H_

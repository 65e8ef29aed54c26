// The PJRT client for the CPU.
#ifndef XLA_PJRT_PLUGIN_XLA_CPU_XLA_CPU_PJRT_CLIENT_H_
#define XLA_PJRT_PLUGIN_XLA_CPU_XLA_CPU_PJRT_CLIENT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "xla/pjrt/pjrt_client.h"
#include "xla/pjrt/plugin/xla_cpu/cpu_client_options.h"

namespace xla {

// InvalidArgument for counts that are not positive.
absl::StatusOr<std::unique_ptr<PjRtClient>> GetXlaPjrtCpuClient(CpuClientOptions options);

}  // namespace xla

#endif  // XLA_PJRT_PLUGIN_XLA_CPU_XLA_CPU_PJRT_CLIENT_H_

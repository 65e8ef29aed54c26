// The PJRT client for the CPU, by an older name.
#ifndef XLA_PJRT_TFRT_CPU_PJRT_CLIENT_H_
#define XLA_PJRT_TFRT_CPU_PJRT_CLIENT_H_

#include "xla/pjrt/cpu/cpu_client.h"

namespace xla {

inline absl::StatusOr<std::unique_ptr<PjRtClient>> GetTfrtCpuClient(CpuClientOptions options) {
  return GetXlaPjrtCpuClient(std::move(options));
}

}  // namespace xla

#endif  // XLA_PJRT_TFRT_CPU_PJRT_CLIENT_H_

// The runner under an older name.
#ifndef XLA_SERVICE_HLO_RUNNER_PJRT_H_
#define XLA_SERVICE_HLO_RUNNER_PJRT_H_

#include "xla/service/hlo_runner.h"

namespace xla {

using HloRunnerPjRt = HloRunner;

}  // namespace xla

#endif  // XLA_SERVICE_HLO_RUNNER_PJRT_H_

// Runners for tests that may compile in one process and run in another.
#ifndef XLA_TESTS_AOT_UTILS_H_
#define XLA_TESTS_AOT_UTILS_H_

#include <memory>
#include <utility>

#include "xla/pjrt/pjrt_client.h"
#include "xla/service/hlo_runner.h"
#include "xla/service/hlo_runner_interface.h"

namespace xla {

// One that compiles and runs in this process.
inline std::unique_ptr<HloRunnerInterface> MakeAotAwareHloRunner(
    std::unique_ptr<PjRtClient> client) {
  return std::make_unique<HloRunner>(std::move(client));
}

}  // namespace xla

#endif  // XLA_TESTS_AOT_UTILS_H_

// A pass that runs until there is nothing left to do.
#ifndef XLA_HLO_PASS_HLO_PASS_FIX_H_
#define XLA_HLO_PASS_HLO_PASS_FIX_H_

#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/pass/hlo_pass_interface.h"

namespace xla {

// Runs `Pass` until it changes nothing, but no more often than the limit says.
template <typename Pass, int kIterationLimit = 25>
class HloPassFix : public Pass {
 public:
  static_assert(std::is_base_of_v<HloPassInterface, Pass>);
  using Pass::Pass;
  using Pass::Run;

  absl::StatusOr<bool> Run(HloModule* module,
                           const HloPassInterface::ExecutionThreads& execution_threads) override {
    bool is_changed = false;
    for (int i = 0; i < kIterationLimit; ++i) {
      absl::StatusOr<bool> changed = Pass::Run(module, execution_threads);
      if (!changed.ok()) return changed;
      if (!*changed) break;
      is_changed = true;
    }
    return is_changed;
  }
};

}  // namespace xla

#endif  // XLA_HLO_PASS_HLO_PASS_FIX_H_

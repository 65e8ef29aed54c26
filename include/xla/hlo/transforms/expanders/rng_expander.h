// Random numbers as arithmetic.
#ifndef XLA_HLO_TRANSFORMS_EXPANDERS_RNG_EXPANDER_H_
#define XLA_HLO_TRANSFORMS_EXPANDERS_RNG_EXPANDER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/pass/hlo_pass_interface.h"

namespace xla {

// Writes rng as arithmetic on the counter of the run, which rng-get-and-update-state gives.
class RngExpander : public HloModulePass {
 public:
  absl::string_view name() const override { return "rng-expander"; }

 protected:
  absl::StatusOr<bool> RunImpl(HloModule* module,
                               const ExecutionThreads& execution_threads) override;
};

}  // namespace xla

#endif  // XLA_HLO_TRANSFORMS_EXPANDERS_RNG_EXPANDER_H_

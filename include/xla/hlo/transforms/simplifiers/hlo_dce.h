// Dead code elimination.
#ifndef XLA_HLO_TRANSFORMS_SIMPLIFIERS_HLO_DCE_H_
#define XLA_HLO_TRANSFORMS_SIMPLIFIERS_HLO_DCE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/pass/hlo_pass_interface.h"

namespace xla {

// Removes instructions that neither a root nor a side effect needs, and computations that nobody
// calls any more. Parameters stay.
class HloDCE : public HloModulePass {
 public:
  HloDCE() = default;
  // Collectives between partitions have a side effect unless they may be removed.
  explicit HloDCE(bool remove_cross_partition_collective_ops)
      : remove_cross_partition_collective_ops_(remove_cross_partition_collective_ops) {}

  absl::string_view name() const override { return "dce"; }

  // Of one computation; the computations that it calls stay as they are.
  static absl::StatusOr<bool> RunOnComputation(HloComputation* computation,
                                               bool remove_cross_partition_collective_ops);

 protected:
  absl::StatusOr<bool> RunImpl(HloModule* module,
                               const ExecutionThreads& execution_threads) override;

 private:
  bool remove_cross_partition_collective_ops_ = false;
};

}  // namespace xla

#endif  // XLA_HLO_TRANSFORMS_SIMPLIFIERS_HLO_DCE_H_

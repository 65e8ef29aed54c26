// Tuples that are put together and taken apart again.
#ifndef XLA_HLO_TRANSFORMS_SIMPLIFIERS_TUPLE_SIMPLIFIER_H_
#define XLA_HLO_TRANSFORMS_SIMPLIFIERS_TUPLE_SIMPLIFIER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/pass/hlo_pass_interface.h"

namespace xla {

// An element of a tuple instruction becomes its operand, and a tuple of all elements of one value,
// in order, that value.
class TupleSimplifier : public HloModulePass {
 public:
  TupleSimplifier() = default;
  // The entry computation stays as it is.
  explicit TupleSimplifier(bool exclude_entry_computation)
      : exclude_entry_computation_(exclude_entry_computation) {}

  absl::string_view name() const override { return "tuple-simplifier"; }

 protected:
  absl::StatusOr<bool> RunImpl(HloModule* module,
                               const ExecutionThreads& execution_threads) override;

 private:
  bool exclude_entry_computation_ = false;
};

}  // namespace xla

#endif  // XLA_HLO_TRANSFORMS_SIMPLIFIERS_TUPLE_SIMPLIFIER_H_

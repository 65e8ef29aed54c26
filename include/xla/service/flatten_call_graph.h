// Computations of its own for each call.
#ifndef XLA_SERVICE_FLATTEN_CALL_GRAPH_H_
#define XLA_SERVICE_FLATTEN_CALL_GRAPH_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/pass/hlo_pass_interface.h"

namespace xla {

// Afterwards CallGraph::IsFlattened: each call, while, conditional and asynchronous call has
// computations that nobody else calls. Those that are called on elements, like those of reduce, may
// still be shared.
class FlattenCallGraph : public HloModulePass {
 public:
  absl::string_view name() const override { return "flatten-call-graph"; }

 protected:
  absl::StatusOr<bool> RunImpl(HloModule* module,
                               const ExecutionThreads& execution_threads) override;
};

}  // namespace xla

#endif  // XLA_SERVICE_FLATTEN_CALL_GRAPH_H_

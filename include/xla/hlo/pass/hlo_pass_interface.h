// Passes over modules, written by clients or by Hilo.
#ifndef XLA_HLO_PASS_HLO_PASS_INTERFACE_H_
#define XLA_HLO_PASS_HLO_PASS_INTERFACE_H_

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Changes a module and says whether it did.
class HloPassInterface {
 public:
  using ExecutionThreads = absl::flat_hash_set<absl::string_view>;

  virtual ~HloPassInterface() = default;
  virtual absl::string_view name() const = 0;

  // Of the execution threads that are named, or of all.
  absl::StatusOr<bool> Run(HloModule* module) { return Run(module, {}); }
  // A pass overrides one of these two.
  virtual absl::StatusOr<bool> Run(HloModule* module, const ExecutionThreads& execution_threads) {
    return RunImpl(module, execution_threads);
  }
  virtual bool IsPassPipeline() const { return false; }

 protected:
  virtual absl::StatusOr<bool> RunImpl(HloModule*, const ExecutionThreads&) {
    return absl::UnimplementedError("this pass does nothing");
  }
};

class HloModulePass : public HloPassInterface {};

}  // namespace xla

#endif  // XLA_HLO_PASS_HLO_PASS_INTERFACE_H_

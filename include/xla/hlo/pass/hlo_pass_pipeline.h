// Passes one after the other.
#ifndef XLA_HLO_PASS_HLO_PASS_PIPELINE_H_
#define XLA_HLO_PASS_HLO_PASS_PIPELINE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/pass/hlo_pass_interface.h"

namespace xla {

// Runs its passes in order, with its checkers before the first and after each; an error names the
// pass. The metadata of the module tells what ran. What passes removed from the module is destroyed
// after each.
class HloPassPipeline : public HloPassInterface {
 public:
  explicit HloPassPipeline(std::string name) : name_(std::move(name)) {}

  absl::string_view name() const override { return name_; }
  bool IsPassPipeline() const override { return true; }

  // Gives the new pass, which the pipeline owns.
  template <typename Pass, typename... Args>
  Pass& AddPass(Args&&... args) {
    auto pass = std::make_unique<Pass>(std::forward<Args>(args)...);
    Pass& added = *pass;
    passes_.push_back(std::move(pass));
    return added;
  }
  void AddPass(std::unique_ptr<HloPassInterface> pass) { passes_.push_back(std::move(pass)); }

  template <typename Pass, typename... Args>
  Pass& AddInvariantChecker(Args&&... args) {
    auto checker = std::make_unique<Pass>(std::forward<Args>(args)...);
    Pass& added = *checker;
    checkers_.push_back(std::move(checker));
    return added;
  }
  // Only where assertions are on.
  template <typename Pass, typename... Args>
  void AddInvariantCheckerDebug(Args&&... args) {
#ifndef NDEBUG
    AddInvariantChecker<Pass>(std::forward<Args>(args)...);
#endif
  }

  int PassesSize() const { return static_cast<int>(passes_.size()); }
  HloPassInterface& GetPass(int index) { return *passes_.at(index); }

 protected:
  absl::StatusOr<bool> RunImpl(HloModule* module,
                               const ExecutionThreads& execution_threads) override;

 private:
  absl::Status Check(HloModule* module, const ExecutionThreads& execution_threads,
                     absl::string_view after);

  std::string name_;
  std::vector<std::unique_ptr<HloPassInterface>> passes_;
  std::vector<std::unique_ptr<HloPassInterface>> checkers_;
};

}  // namespace xla

#endif  // XLA_HLO_PASS_HLO_PASS_PIPELINE_H_

#include "xla/tests/hlo_test_base.h"

#include <utility>

#include "absl/log/check.h"
#include "xla/service/hlo_runner.h"
#include "xla/tests/hlo_interpreter_reference_mixin.h"

namespace xla {
namespace {

HloRunnerAgnosticTestBaseOptions ToBaseOptions(HloTestBaseOptions options) {
  HloRunnerAgnosticTestBaseOptions result;
  result.verifier_layout_sensitive = options.verifier_layout_sensitive;
  result.allow_mixed_precision_in_hlo_verifier = options.allow_mixed_precision_in_hlo_verifier;
  result.instruction_can_change_layout_func = std::move(options.instruction_can_change_layout_func);
  return result;
}

}  // namespace

HloTestBase::HloTestBase(HloTestBaseOptions options)
    : HloTestBase(std::make_unique<HloRunner>(), std::move(options)) {}

HloTestBase::HloTestBase(std::unique_ptr<HloRunnerInterface> runner, HloTestBaseOptions options)
    : HloRunnerAgnosticTestBase(std::move(runner), ToBaseOptions(std::move(options))) {}

HloTestBase::HloTestBase(bool verifier_layout_sensitive, bool allow_mixed_precision_in_hlo_verifier,
                         HloPredicate instruction_can_change_layout_func)
    : HloTestBase(HloTestBaseOptions{verifier_layout_sensitive,
                                     allow_mixed_precision_in_hlo_verifier,
                                     std::move(instruction_can_change_layout_func)}) {}

std::unique_ptr<HloRunnerInterface> MakeInterpreterRunner() {
  absl::StatusOr<std::unique_ptr<HloRunner>> runner = HloRunner::Create("interpreter");
  CHECK_OK(runner.status());
  return *std::move(runner);
}

}  // namespace xla

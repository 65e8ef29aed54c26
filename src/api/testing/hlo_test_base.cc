#include "xla/tests/hlo_test_base.h"

#include <utility>

#include "absl/log/check.h"
#include "xla/pjrt/pjrt_client.h"
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

Literal ValueOrFailure(absl::StatusOr<Literal> result) {
  if (result.ok()) return *std::move(result);
  ADD_FAILURE() << result.status();
  return Literal();
}

}  // namespace

HloTestBase::HloTestBase(HloTestBaseOptions options)
    : HloTestBase(std::make_unique<HloRunner>(), std::move(options)) {}

HloTestBase::HloTestBase(std::unique_ptr<HloRunnerInterface> runner, HloTestBaseOptions options)
    : HloInterpreterReferenceMixin<HloRunnerAgnosticTestBase>(std::move(runner),
                                                              ToBaseOptions(std::move(options))) {}

HloTestBase::HloTestBase(std::unique_ptr<PjRtClient> client, HloTestBaseOptions options)
    : HloTestBase(std::make_unique<HloRunner>(std::move(client)), std::move(options)) {}

HloTestBase::HloTestBase(bool verifier_layout_sensitive, bool allow_mixed_precision_in_hlo_verifier,
                         HloPredicate instruction_can_change_layout_func)
    : HloTestBase(HloTestBaseOptions{verifier_layout_sensitive,
                                     allow_mixed_precision_in_hlo_verifier,
                                     std::move(instruction_can_change_layout_func)}) {}

Literal HloTestBase::ExecuteAndTransfer(std::unique_ptr<HloModule> module,
                                        absl::Span<const Literal* const> arguments) {
  return ValueOrFailure(Execute(std::move(module), arguments));
}

Literal HloTestBase::ExecuteNoHloPasses(std::unique_ptr<HloModule> module,
                                        absl::Span<const Literal* const> arguments) {
  return ValueOrFailure(Execute(std::move(module), arguments, /*run_hlo_passes=*/false));
}

std::unique_ptr<HloRunnerInterface> MakeInterpreterRunner() {
  absl::StatusOr<std::unique_ptr<HloRunner>> runner = HloRunner::Create("interpreter");
  CHECK_OK(runner.status());
  return *std::move(runner);
}

}  // namespace xla

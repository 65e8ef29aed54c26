#include "xla/tests/hlo_runner_agnostic_reference_mixin.h"

#include <vector>

#include "absl/status/statusor.h"
#include "xla/literal_util.h"
#include "xla/tests/literal_test_util.h"
#include "xla/tests/test_utils.h"

namespace xla::testing_internal {

::testing::AssertionResult RunAndCompare(const ComparedRuns& runs,
                                         std::unique_ptr<HloModule> module,
                                         absl::Span<const Literal* const> arguments,
                                         const std::optional<ErrorSpec>& error) {
  std::unique_ptr<HloModule> reference = module->Clone("");
  if (runs.reference_preprocessor) runs.reference_preprocessor(reference.get());
  if (runs.test_preprocessor) runs.test_preprocessor(module.get());

  const absl::StatusOr<Literal> expected =
      runs.reference_runner.Execute(std::move(reference), arguments, /*run_hlo_passes=*/false);
  if (!expected.ok()) {
    return ::testing::AssertionFailure() << "the reference failed: " << expected.status();
  }
  const absl::StatusOr<Literal> actual =
      runs.test_runner.Execute(std::move(module), arguments, runs.run_hlo_passes);
  if (!actual.ok()) {
    if (runs.swallow_execution_errors) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << actual.status();
  }
  return LiteralTestUtil::NearOrEqual(*expected, *actual, error);
}

::testing::AssertionResult RunAndCompare(const ComparedRuns& runs,
                                         std::unique_ptr<HloModule> module,
                                         const std::optional<ErrorSpec>& error,
                                         std::optional<int64_t> args_max_bits_of_precision) {
  const absl::StatusOr<std::vector<Literal>> arguments =
      MakeFakeArguments(module.get(), /*pseudo_random=*/true, /*use_large_range=*/false,
                        /*treat_gte_as_data_formatting=*/false, args_max_bits_of_precision);
  if (!arguments.ok()) return ::testing::AssertionFailure() << arguments.status();
  return RunAndCompare(runs, std::move(module), LiteralUtil::MakePointers(*arguments), error);
}

::testing::AssertionResult RunAndCompare(const ComparedRuns& runs,
                                         absl::StatusOr<std::unique_ptr<VerifiedHloModule>> module,
                                         const std::optional<ErrorSpec>& error,
                                         std::optional<int64_t> args_max_bits_of_precision) {
  if (!module.ok()) return ::testing::AssertionFailure() << module.status();
  return RunAndCompare(runs, std::unique_ptr<HloModule>(*std::move(module)), error,
                       args_max_bits_of_precision);
}

}  // namespace xla::testing_internal

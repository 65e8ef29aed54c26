// Adds a second runner to a fixture, whose results are the expected ones.
#ifndef XLA_TESTS_HLO_RUNNER_AGNOSTIC_REFERENCE_MIXIN_H_
#define XLA_TESTS_HLO_RUNNER_AGNOSTIC_REFERENCE_MIXIN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/error_spec.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/testlib/test.h"
#include "xla/literal.h"
#include "xla/service/hlo_runner_interface.h"
#include "xla/tests/hlo_runner_agnostic_test_base.h"

namespace xla {
namespace testing_internal {

// A run on the runner under test and one on the reference.
struct ComparedRuns {
  HloRunnerInterface& test_runner;
  HloRunnerInterface& reference_runner;
  bool run_hlo_passes;            // of the program under test
  bool swallow_execution_errors;  // of it too
  const std::function<void(HloModule*)>& reference_preprocessor;
  const std::function<void(HloModule*)>& test_preprocessor;
};

// Runs the module, which each side may change before, and a copy of it.
::testing::AssertionResult RunAndCompare(const ComparedRuns& runs,
                                         std::unique_ptr<HloModule> module,
                                         absl::Span<const Literal* const> arguments,
                                         const std::optional<ErrorSpec>& error);
// With the arguments of MakeFakeArguments.
::testing::AssertionResult RunAndCompare(const ComparedRuns& runs,
                                         std::unique_ptr<HloModule> module,
                                         const std::optional<ErrorSpec>& error,
                                         std::optional<int64_t> args_max_bits_of_precision);
// With a module that may be an error.
::testing::AssertionResult RunAndCompare(const ComparedRuns& runs,
                                         absl::StatusOr<std::unique_ptr<VerifiedHloModule>> module,
                                         const std::optional<ErrorSpec>& error,
                                         std::optional<int64_t> args_max_bits_of_precision);

}  // namespace testing_internal

// RunAndCompare runs a module, with the same arguments, on both runners. Success means that the
// results are Near (with an error specification) or Equal; see LiteralTestUtil. Arguments are made
// up (MakeFakeArguments) unless some are given. The preprocessors change the module of one side
// before it is compiled. The ...NoHloPasses forms do without passes on both sides.
//
// T is HloRunnerAgnosticTestBase or derives from it; it gets the constructor's arguments behind the
// first.
template <typename T>
class HloRunnerAgnosticReferenceMixin : public T {
  static_assert(std::is_base_of_v<HloRunnerAgnosticTestBase, T>,
                "the mixin needs a fixture that runs modules");
  using Preprocessor = std::function<void(HloModule*)>;

 public:
  using has_reference_runner_mixin = std::true_type;

 protected:
  template <typename... BaseArgs>
  explicit HloRunnerAgnosticReferenceMixin(std::unique_ptr<HloRunnerInterface> reference_runner,
                                           BaseArgs&&... base_args)
      : T(std::forward<BaseArgs>(base_args)...), reference_runner_(std::move(reference_runner)) {}

  HloRunnerInterface& reference_runner() const { return *reference_runner_; }

  ::testing::AssertionResult RunAndCompare(std::unique_ptr<HloModule> module,
                                           absl::Span<const Literal* const> arguments,
                                           const std::optional<ErrorSpec>& error,
                                           const Preprocessor& reference_preprocessor = nullptr,
                                           const Preprocessor& test_preprocessor = nullptr) {
    return testing_internal::RunAndCompare(Runs(true, reference_preprocessor, test_preprocessor),
                                           std::move(module), arguments, error);
  }
  ::testing::AssertionResult RunAndCompareNoHloPasses(
      std::unique_ptr<HloModule> module, absl::Span<const Literal* const> arguments,
      const std::optional<ErrorSpec>& error, const Preprocessor& reference_preprocessor = nullptr,
      const Preprocessor& test_preprocessor = nullptr) {
    return testing_internal::RunAndCompare(Runs(false, reference_preprocessor, test_preprocessor),
                                           std::move(module), arguments, error);
  }

  ::testing::AssertionResult RunAndCompare(
      std::unique_ptr<HloModule> module, const std::optional<ErrorSpec>& error,
      const Preprocessor& reference_preprocessor = nullptr,
      const Preprocessor& test_preprocessor = nullptr,
      std::optional<int64_t> args_max_bits_of_precision = std::nullopt) {
    return testing_internal::RunAndCompare(Runs(true, reference_preprocessor, test_preprocessor),
                                           std::move(module), error, args_max_bits_of_precision);
  }
  ::testing::AssertionResult RunAndCompareNoHloPasses(
      std::unique_ptr<HloModule> module, const std::optional<ErrorSpec>& error,
      const Preprocessor& reference_preprocessor = nullptr,
      const Preprocessor& test_preprocessor = nullptr) {
    return testing_internal::RunAndCompare(Runs(false, reference_preprocessor, test_preprocessor),
                                           std::move(module), error, std::nullopt);
  }

  ::testing::AssertionResult RunAndCompare(
      absl::string_view hlo_string, const std::optional<ErrorSpec>& error,
      const Preprocessor& reference_preprocessor = nullptr,
      const Preprocessor& test_preprocessor = nullptr,
      std::optional<int64_t> args_max_bits_of_precision = std::nullopt) {
    return testing_internal::RunAndCompare(Runs(true, reference_preprocessor, test_preprocessor),
                                           this->ParseAndReturnVerifiedModule(hlo_string), error,
                                           args_max_bits_of_precision);
  }
  ::testing::AssertionResult RunAndCompareNoHloPasses(
      absl::string_view hlo_string, const std::optional<ErrorSpec>& error,
      const Preprocessor& reference_preprocessor = nullptr,
      const Preprocessor& test_preprocessor = nullptr) {
    return testing_internal::RunAndCompare(Runs(false, reference_preprocessor, test_preprocessor),
                                           this->ParseAndReturnVerifiedModule(hlo_string), error,
                                           std::nullopt);
  }

 private:
  testing_internal::ComparedRuns Runs(bool run_hlo_passes,
                                      const Preprocessor& reference_preprocessor,
                                      const Preprocessor& test_preprocessor) const {
    return {this->test_runner(),    *reference_runner_,
            run_hlo_passes,         this->swallow_execution_errors(),
            reference_preprocessor, test_preprocessor};
  }

  std::unique_ptr<HloRunnerInterface> reference_runner_;
};

}  // namespace xla

#endif  // XLA_TESTS_HLO_RUNNER_AGNOSTIC_REFERENCE_MIXIN_H_

// The fixture of tests that run modules on Hilo's default back end:
//
//   class FooTest : public HloTestBase {};
//   TEST_F(FooTest, Doubles) {
//     TF_ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnVerifiedModule(R"(
//       ENTRY e { x = f32[2] parameter(0)  ROOT y = f32[2] add(x, x) })"));
//     const Literal x = LiteralUtil::CreateR1<float>({1, 2});
//     TF_ASSERT_OK_AND_ASSIGN(Literal y, Execute(std::move(module), {&x}));
//     LiteralTestUtil::ExpectR1Equal<float>({2, 4}, y);
//   }
//
// or, compared with the reference evaluator,
//
//   EXPECT_TRUE(RunAndCompare("ENTRY e { ... }", ErrorSpec{1e-5, 1e-5}));
#ifndef XLA_TESTS_HLO_TEST_BASE_H_
#define XLA_TESTS_HLO_TEST_BASE_H_

#include <memory>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/service/hlo_runner_interface.h"
#include "xla/tests/hlo_interpreter_reference_mixin.h"
#include "xla/tests/hlo_runner_agnostic_test_base.h"
#include "xla/util.h"

namespace xla {

class PjRtClient;

// See HloVerifier.
struct HloTestBaseOptions {
  bool verifier_layout_sensitive = false;
  bool allow_mixed_precision_in_hlo_verifier = true;
  HloPredicate instruction_can_change_layout_func;
};

// It has a reference itself, as tests written before HloInterpreterReferenceMixin expect.
class HloTestBase : public HloInterpreterReferenceMixin<HloRunnerAgnosticTestBase> {
 protected:
  explicit HloTestBase(HloTestBaseOptions options = {});
  // On a runner of the test's own.
  explicit HloTestBase(std::unique_ptr<HloRunnerInterface> runner, HloTestBaseOptions options = {});
  explicit HloTestBase(std::unique_ptr<PjRtClient> client, HloTestBaseOptions options = {});
  // The arguments are the options one by one.
  explicit HloTestBase(bool verifier_layout_sensitive, bool allow_mixed_precision_in_hlo_verifier,
                       HloPredicate instruction_can_change_layout_func = {});

  // Run a module once. An error fails the test, and gives an empty literal.
  Literal ExecuteAndTransfer(std::unique_ptr<HloModule> module,
                             absl::Span<const Literal* const> arguments);
  Literal ExecuteNoHloPasses(std::unique_ptr<HloModule> module,
                             absl::Span<const Literal* const> arguments);
};

}  // namespace xla

#endif  // XLA_TESTS_HLO_TEST_BASE_H_

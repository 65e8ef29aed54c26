// A client's test of its program, with the installed fixture.
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/tests/client_library_test_runner_mixin.h"
#include "xla/tests/hlo_interpreter_reference_mixin.h"
#include "xla/tests/hlo_test_base.h"

namespace {

class FixtureTest : public xla::ClientLibraryTestRunnerMixin<
                        xla::HloInterpreterReferenceMixin<xla::HloTestBase>> {};

TEST_F(FixtureTest, Adds) {
  xla::XlaBuilder builder(TestName());
  xla::Add(xla::ConstantR1<float>(&builder, {1, 2}), xla::ConstantR1<float>(&builder, {10, 20}));
  ComputeAndCompareR1<float>(&builder, {11, 22}, {}, xla::ErrorSpec(1e-5));
}

TEST_F(FixtureTest, AgreesWithTheReference) {
  EXPECT_TRUE(RunAndCompare("ENTRY e { x = f32[8] parameter(0)  ROOT y = f32[8] exponential(x) }",
                            xla::ErrorSpec(1e-5)));
}

}  // namespace

#include "xla/tests/local_client_test_base.h"

#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/testlib/test_helpers.h"
#include "xla/literal_util.h"
#include "xla/tests/literal_test_util.h"

namespace xla {
namespace {

class LocalClientTestBaseTest : public LocalClientTestBase {
 protected:
  XlaComputation AddOne() {
    XlaBuilder builder(TestName());
    Add(Parameter(&builder, 0, ShapeUtil::MakeShape(F32, {2}), "x"),
        ConstantR0<float>(&builder, 1));
    return builder.Build().value();
  }
};

TEST_F(LocalClientTestBaseTest, ResultsStayOnTheDevice) {
  const ScopedShapedBuffer x = LiteralToShapedBuffer(LiteralUtil::CreateR1<float>({1, 2}));
  const ScopedShapedBuffer y = ExecuteLocallyOrDie(AddOne(), {&x});
  const ScopedShapedBuffer z = ExecuteLocallyOrDie(AddOne(), {&y}, DefaultExecutableBuildOptions(),
                                                   DefaultExecutableRunOptions());
  LiteralTestUtil::ExpectR1Equal<float>({3, 4}, ShapedBufferToLiteral(z));
  EXPECT_EQ(DefaultExecutableBuildOptions().device_ordinal(),
            local_client_->default_device_ordinal());
}

TEST_F(LocalClientTestBaseTest, Errors) {
  EXPECT_IS_NOT_OK(ExecuteLocally(AddOne(), {}));
  const ScopedShapedBuffer x = LiteralToShapedBuffer(LiteralUtil::CreateR1<float>({1, 2, 3}));
  EXPECT_IS_NOT_OK(ExecuteLocally(AddOne(), {&x}, DefaultExecutableBuildOptions(),
                                  DefaultExecutableRunOptions()));
  EXPECT_DEATH(ExecuteLocallyOrDie(AddOne(), {}), "takes 1");
}

TEST_F(LocalClientTestBaseTest, ParseAndReturnVerifiedModule) {
  EXPECT_EQ(TestName(), "ParseAndReturnVerifiedModule");
  EXPECT_IS_OK(ParseAndReturnVerifiedModule("ENTRY e { ROOT x = f32[2] parameter(0) }"));
  HloModuleConfig config;
  config.set_seed(3);
  const auto module =
      ParseAndReturnVerifiedModule("ENTRY e { ROOT x = f32[2] parameter(0) }", config);
  ASSERT_IS_OK(module);
  EXPECT_EQ((*module)->config().seed(), 3);
  EXPECT_IS_NOT_OK(ParseAndReturnVerifiedModule("ENTRY e { x = f32[2] }"));
}

}  // namespace
}  // namespace xla

#include "xla/tests/xla_test_backend_predicates.h"

#include <cstdlib>

#include "xla/hlo/testlib/test.h"

namespace xla::test {
namespace {

class BackendPredicatesTest : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const char* key : {"XLA_TEST_DEVICE", "XLA_TEST_DEVICE_TYPE", "XLA_TEST_MODIFIERS"}) {
      unsetenv(key);
    }
  }
  static void Set(const char* device, const char* type, const char* modifiers) {
    setenv("XLA_TEST_DEVICE", device, 1);
    setenv("XLA_TEST_DEVICE_TYPE", type, 1);
    setenv("XLA_TEST_MODIFIERS", modifiers, 1);
  }
};

TEST_F(BackendPredicatesTest, TheEnvironmentSays) {
  Set("h100", "gpu", "grm,hardware");
  EXPECT_EQ(GetEnvOrDie("XLA_TEST_DEVICE"), "h100");
  EXPECT_TRUE(DeviceIs(kH100));
  EXPECT_FALSE(DeviceIs(kA100));
  EXPECT_TRUE(DeviceIsOneOf({kA100, kH100}));
  EXPECT_FALSE(DeviceIsOneOf({kA100, kV100}));
  EXPECT_TRUE(DeviceTypeIs(kGpu));
  EXPECT_FALSE(DeviceTypeIs(kCpu));
  EXPECT_TRUE(DeviceTypeIsOneOf({kCpu, kGpu}));
  EXPECT_FALSE(DeviceTypeIsOneOf({kCpu, kTpu}));
  EXPECT_TRUE(HasModifiers({kGrm}));
  EXPECT_TRUE(HasModifiers({}));
  EXPECT_FALSE(HasModifiers({kGrm, kIss}));
  EXPECT_TRUE(BackendLike(kH100, {kHardware}));
  EXPECT_FALSE(BackendLike(kA100, {kHardware}));
  EXPECT_TRUE(BackendIsExactly(kH100, {kHardware, kGrm}));
  EXPECT_FALSE(BackendIsExactly(kH100, {kHardware}));
  EXPECT_FALSE(BackendIsStrict(kH100));
  Set("h100", "gpu", "");
  EXPECT_TRUE(BackendIsStrict(kH100));
}

TEST_F(BackendPredicatesTest, ATpuHasNoDoubles) {
  EXPECT_TRUE(BackendSupportsFloat64());
  EXPECT_TRUE(BackendSupportsComplex128());
  Set("v5", "tpu", "");
  EXPECT_FALSE(BackendSupportsFloat64());
  EXPECT_FALSE(BackendSupportsComplex128());
}

TEST_F(BackendPredicatesTest, WithoutEnvironmentTheBackEndIsTheDevice) {
  EXPECT_FALSE(DeviceTypeIs(kGpu));
  EXPECT_FALSE(DeviceTypeIs(kTpu));
  EXPECT_TRUE(DeviceTypeIsOneOf({kCpu, kInterpreter}));
  EXPECT_FALSE(HasModifiers({kGrm}));
}

TEST_F(BackendPredicatesTest, GetEnvOrDieDies) {
  EXPECT_DEATH(GetEnvOrDie("XLA_TEST_SURELY_UNSET"), "XLA_TEST_SURELY_UNSET is not set");
}

// A suite that is left out.
class LeftOutTest : public ::testing::TestWithParam<int> {};
TEST_P(LeftOutTest, NeverRuns) { FAIL(); }
INSTANTIATE_TEST_SUITE_P(Nothing, LeftOutTest, Empty<int>());
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LeftOutTest);

}  // namespace
}  // namespace xla::test

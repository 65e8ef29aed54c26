// A client's test of element-wise operations, written with the public fixture alone.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "xla/array2d.h"
#include "xla/error_spec.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/testlib/test.h"
#include "xla/literal_util.h"
#include "xla/tests/client_library_test_runner_mixin.h"
#include "xla/tests/hlo_pjrt_interpreter_reference_mixin.h"
#include "xla/tests/hlo_pjrt_test_base.h"
#include "xla/tests/xla_test_backend_predicates.h"
#include "xla/types.h"

namespace xla {
namespace {

using ElementwiseTestBase =
    ClientLibraryTestRunnerMixin<HloPjRtInterpreterReferenceMixin<HloPjRtTestBase>>;

class ElementwiseTest : public ElementwiseTestBase {
 protected:
  const ErrorSpec error_spec_{1e-5, 1e-5};
};

TEST_F(ElementwiseTest, PolynomialOfAVector) {
  XlaBuilder b(TestName());
  XlaOp x;
  const Literal argument = CreateR1Parameter<float>({-1, 0, 0.5, 2}, 0, "x", &b, &x);
  // 3x^2 - x + 1
  Add(Sub(Mul(ConstantR0<float>(&b, 3), Mul(x, x)), x), ConstantR0<float>(&b, 1));
  ComputeAndCompareR1<float>(&b, {5, 1, 1.25, 11}, {&argument}, error_spec_);
}

TEST_F(ElementwiseTest, EmptyVectors) {
  XlaBuilder b(TestName());
  Add(ConstantR1<float>(&b, {}), ConstantR1<float>(&b, {}));
  ComputeAndCompareR1<float>(&b, {}, {}, error_spec_);
}

TEST_F(ElementwiseTest, ARowIsAddedToEachRow) {
  XlaBuilder b(TestName());
  const XlaOp matrix = ConstantR2<int32_t>(&b, {{1, 2, 3}, {4, 5, 6}});
  Add(matrix, ConstantR1<int32_t>(&b, {10, 20, 30}), /*broadcast_dimensions=*/{1});
  ComputeAndCompareR2<int32_t>(&b, {{11, 22, 33}, {14, 25, 36}}, {});
}

TEST_F(ElementwiseTest, IntegersWrapAround) {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  XlaBuilder b(TestName());
  Add(ConstantR1<int32_t>(&b, {kMax, kMin, 5}), ConstantR1<int32_t>(&b, {1, -1, 0}));
  ComputeAndCompareR1<int32_t>(&b, {kMin, kMax, 5}, {});
}

TEST_F(ElementwiseTest, ComparisonsOfNan) {
  if (test::DeviceTypeIs(test::kTpu)) GTEST_SKIP() << "NaN is a number there";
  const float nan = std::nanf("");
  XlaBuilder b(TestName());
  Ne(ConstantR1<float>(&b, {1, nan, nan}), ConstantR1<float>(&b, {1, 2, nan}));
  ComputeAndCompareR1<bool>(&b, {false, true, true}, {});
}

TEST_F(ElementwiseTest, ComplexProduct) {
  XlaBuilder b(TestName());
  Mul(ConstantR1<complex64>(&b, {{1, 2}, {0, 1}}), ConstantR1<complex64>(&b, {{3, -1}, {0, 1}}));
  ComputeAndCompareR1<complex64>(&b, {{5, 5}, {-1, 0}}, {}, error_spec_);
}

TEST_F(ElementwiseTest, FunctionsAgreeWithTheReference) {
  XlaBuilder b(TestName());
  const Literal x = LiteralUtil::CreateR1<float>({0.25, 0.5, 1, 1.5, 2.75, 8});
  const XlaOp p = Parameter(&b, 0, x.shape(), "x");
  Tuple(&b, {Exp(p), Log(p), Tanh(p), Sqrt(p), Rsqrt(p), Sin(p), Cos(p), Logistic(p), Cbrt(p)});
  ComputeAndCompare(&b, {&x}, error_spec_);
}

// Once for each type.
class ElementwiseTypeTest : public ElementwiseTestBase,
                            public ::testing::WithParamInterface<PrimitiveType> {
 protected:
  ElementwiseTypeTest() { set_float_type(GetParam()); }
};

TEST_P(ElementwiseTypeTest, ClampsToAnInterval) {
  XlaBuilder b(TestName());
  XlaOp low, x, high;
  const Literal low_argument = CreateR0Parameter<float>(-1, 0, "low", &b, &low);
  const Literal argument = CreateR1Parameter<float>({-2, 0, 0.5, 7}, 1, "x", &b, &x);
  const Literal high_argument = CreateR0Parameter<float>(2, 2, "high", &b, &high);
  Clamp(low, x, high);
  ComputeAndCompareR1<float>(&b, {-1, 0, 0.5, 2}, {&low_argument, &argument, &high_argument});
}

INSTANTIATE_TEST_SUITE_P(Types, ElementwiseTypeTest,
                         ::testing::Values(F32, BF16, F8E5M2, F8E4M3FN));

template <typename T>
class ElementwiseTypedTest : public ElementwiseTestBase {};
using IntegralTypes = ::testing::Types<int8_t, int16_t, int32_t, int64_t>;
TYPED_TEST_SUITE(ElementwiseTypedTest, IntegralTypes);

TYPED_TEST(ElementwiseTypedTest, DivisionTruncatesAndNeverTraps) {
  using T = TypeParam;
  constexpr T kMin = std::numeric_limits<T>::min();
  XlaBuilder b(this->TestName());
  Div(ConstantR1<T>(&b, {T{7}, T{-7}, T{5}, kMin}), ConstantR1<T>(&b, {T{2}, T{2}, T{0}, T{-1}}));
  this->template ComputeAndCompareR1<T>(&b, {T{3}, T{-3}, T{-1}, kMin}, {});
}

}  // namespace
}  // namespace xla

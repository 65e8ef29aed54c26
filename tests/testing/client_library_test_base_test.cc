#include "xla/tests/client_library_test_base.h"

#include <memory>
#include <vector>

#include "gtest/gtest-spi.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/testlib/test_helpers.h"
#include "xla/test.h"
#include "xla/tests/test_macros.h"
#include "xla/tsl/platform/statusor.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

class ClientLibraryTestBaseTest : public ClientLibraryTestBase {
 protected:
  // A program of two parameters with their arguments.
  struct Sum {
    explicit Sum(ClientLibraryTestBaseTest* test) : builder("sum") {
      XlaOp x, y;
      x_data = test->CreateR1Parameter<float>({1, 2}, 0, "x", &builder, &x);
      y_data = test->CreateR1Parameter<float>({10, 20}, 1, "y", &builder, &y);
      Add(x, y);
    }
    std::vector<GlobalData*> arguments() const { return {x_data.get(), y_data.get()}; }
    XlaBuilder builder;
    std::unique_ptr<GlobalData> x_data, y_data;
  };
};

XLA_TEST_F(ClientLibraryTestBaseTest, Vectors) {
  Sum sum(this);
  ComputeAndCompareR1<float>(&sum.builder, {11, 22}, {sum.x_data.get(), sum.y_data.get()},
                             ErrorSpec(1e-5));
  Sum again(this);
  EXPECT_NONFATAL_FAILURE(
      (ComputeAndCompareR1<float>(&again.builder, {11, 23}, again.arguments(), ErrorSpec(1e-5))),
      "at {1}: expected 23, actual 22");
}

XLA_TEST_F(ClientLibraryTestBaseTest, DISABLED_ON_GPU(OtherRanks)) {
  XlaBuilder scalar("scalar"), pred("pred"), matrix("matrix"), cube("cube"), four("four"),
      text("text"), pair("pair");
  Neg(ConstantR0<int32_t>(&scalar, 4));
  ComputeAndCompareR0<int32_t>(&scalar, -4, {});
  ConstantR1<bool>(&pred, {false, true});
  tsl::core::Bitmap bits(2);
  bits.set(1);
  ComputeAndCompareR1(&pred, bits, {});
  XlaOp x;
  const auto x_data = CreateR2Parameter<float>({{1, 2}}, 0, "x", &matrix, &x);
  Transpose(x, {1, 0});
  ComputeAndCompareR2<float>(&matrix, {{1}, {2}}, {x_data.get()});
  const Array3D<float> array3({{{1, 2}}});
  const auto y_data = CreateR3Parameter<float>(array3, 0, "y", &cube, &x);
  ComputeAndCompareR3<float>(&cube, array3, {y_data.get()}, ErrorSpec(0));
  const Array4D<float> array4({{{{1, 2}}}});
  const auto z_data = CreateR4Parameter<float>(array4, 0, "z", &four, &x);
  ComputeAndCompareR4<float>(&four, array4, {z_data.get()}, ErrorSpec(0));
  ConstantR1<uint8_t>(&text, {'o', 'k'});
  ComputeAndCompareR1U8(&text, "ok", {});
  const auto s_data = CreateR0Parameter<float>(7, 0, "s", &pair, &x);
  Tuple(&pair, {x, x});
  const Literal seven = LiteralUtil::CreateR0<float>(7);
  ComputeAndCompareTuple(&pair, LiteralUtil::MakeTuple({&seven, &seven}), {s_data.get()});
}

XLA_TEST_F(ClientLibraryTestBaseTest, Literals) {
  const Literal expected = LiteralUtil::CreateR1<float>({11, 22});
  Sum first(this), second(this), third(this);
  ComputeAndCompareLiteral(&first.builder, expected, first.arguments());
  ComputeAndCompareLiteral(&second.builder, expected, second.arguments(), ErrorSpec(1e-3));
  EXPECT_NONFATAL_FAILURE(
      ComputeAndCompareLiteral(&third.builder, LiteralUtil::CreateR1<float>({1, 22}),
                               third.arguments()),
      "at {0}: expected 1, actual 11");
}

XLA_TEST_F(ClientLibraryTestBaseTest, Running) {
  Sum first(this), second(this), third(this);
  TF_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<GlobalData> data,
                          Execute(&first.builder, first.arguments()));
  TF_ASSERT_OK_AND_ASSIGN(const Literal value, client_->Transfer(*data));
  LiteralTestUtil::ExpectR1Equal<float>({11, 22}, value);
  TF_ASSERT_OK_AND_ASSIGN(const XlaComputation computation, second.builder.Build());
  TF_ASSERT_OK_AND_ASSIGN(const Literal actual,
                          ExecuteAndTransfer(computation, second.arguments()));
  TF_ASSERT_OK_AND_ASSIGN(const Literal reference,
                          ExecuteAndTransferReference(computation, second.arguments()));
  EXPECT_TRUE(LiteralTestUtil::Equal(value, actual));
  EXPECT_TRUE(LiteralTestUtil::Equal(value, reference));
  EXPECT_IS_NOT_OK(ExecuteAndTransfer(computation, {}));
  EXPECT_THAT(ExecuteToString(&third.builder, {}), HasSubstr("takes 2 arguments"));
}

XLA_TEST_F(ClientLibraryTestBaseTest, AddedParameters) {
  XlaBuilder b(TestName());
  const XlaOp x = AddParam(LiteralUtil::CreateR1<float>({1, 2}), &b);
  const XlaOp y = AddParam(Array2D<float>({{1, 2}, {3, 4}}), &b);
  Mul(y, x, /*broadcast_dimensions=*/{1});
  ComputeAndCompare(&b, {}, ErrorSpec(1e-5));
}

XLA_TEST_F(ClientLibraryTestBaseTest, BFloat16) {
  set_use_bfloat16(true);
  EXPECT_TRUE(use_bfloat16());
  Sum sum(this);
  EXPECT_EQ(client_->GetShape(*sum.x_data)->element_type(), BF16);
  ComputeAndCompareR1<float>(&sum.builder, {11, 22}, sum.arguments());
  XlaBuilder b(TestName());
  const XlaOp constant = CreateConstantFromArray(Array2D<float>({{1, 2}}), &b);
  EXPECT_EQ(b.GetShape(constant)->element_type(), BF16);
  ComputeAndCompareR2<float>(&b, {{1, 2}}, {});
}

XLA_TEST_F(ClientLibraryTestBaseTest, Arrays) {
  EXPECT_EQ(CreatePseudorandomR1<float>(5, 0.0f, 1.0f, 7).size(), 5);
  EXPECT_EQ(CreatePseudorandomR2<float>(2, 3, 0.0f, 1.0f, 7)->width(), 3);
  EXPECT_EQ((*CreatePatternedMatrix(2, 2))(1, 1), 1001);
  EXPECT_EQ((*CreatePatternedMatrixWithZeroPadding(1, 1, 2, 2))(1, 1), 0);
  XlaBuilder b(TestName());
  Map(&b, {ConstantR1<float>(&b, {-1, 2})}, CreateScalarRelu(), {0});
  ComputeAndCompareR1<float>(&b, {0, 2}, {});
}

class ParameterizedClientTest : public ClientLibraryTestBase,
                                public ::testing::WithParamInterface<int32_t> {};
XLA_TEST_P(ParameterizedClientTest, Squares) {
  XlaBuilder b(TestName());
  const XlaOp x = ConstantR0<int32_t>(&b, GetParam());
  Mul(x, x);
  ComputeAndCompareR0<int32_t>(&b, GetParam() * GetParam(), {});
}
INSTANTIATE_TEST_SUITE_P(Numbers, ParameterizedClientTest, ::testing::Values(0, 3));

template <typename T>
class TypedClientTest : public ClientLibraryTestBase {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TypedClientTest, Types);
XLA_TYPED_TEST(TypedClientTest, DISABLED_ON_TPU(Halves)) {
  XlaBuilder b(this->TestName());
  Div(ConstantR0<TypeParam>(&b, 3), ConstantR0<TypeParam>(&b, 2));
  this->template ComputeAndCompareR0<TypeParam>(&b, 1.5, {});
}

}  // namespace
}  // namespace xla

#include "xla/tests/client_library_test_runner_mixin.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest-spi.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/testlib/test.h"
#include "xla/hlo/testlib/test_helpers.h"
#include "xla/tests/hlo_interpreter_reference_mixin.h"
#include "xla/tests/hlo_pjrt_interpreter_reference_mixin.h"
#include "xla/tests/hlo_test_base.h"
#include "xla/tsl/platform/statusor.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

class ClientLibraryTestRunnerMixinTest
    : public ClientLibraryTestRunnerMixin<HloInterpreterReferenceMixin<HloTestBase>> {
 protected:
  // A new builder for each comparison, because Build empties it.
  XlaBuilder* With(const std::function<void(XlaBuilder*)>& add_operations) {
    builders_.push_back(std::make_unique<XlaBuilder>(TestName()));
    add_operations(builders_.back().get());
    return builders_.back().get();
  }
  XlaBuilder* Holding(const Literal& literal) {
    return With([&](XlaBuilder* b) { ConstantLiteral(b, literal); });
  }

 private:
  std::vector<std::unique_ptr<XlaBuilder>> builders_;
};

TEST_F(ClientLibraryTestRunnerMixinTest, ComputeAndCompareR0) {
  const auto sum = [](XlaBuilder* b) { Add(ConstantR0<float>(b, 1), ConstantR0<float>(b, 2)); };
  ComputeAndCompareR0<float>(With(sum), 3, {});
  ComputeAndCompareR0<float>(With(sum), 3.0625f, {}, ErrorSpec(0.125));
  EXPECT_NONFATAL_FAILURE(ComputeAndCompareR0<float>(With(sum), 3.0625f, {}),
                          "expected 3.0625, actual 3");
  EXPECT_NONFATAL_FAILURE(ComputeAndCompareR0<float>(With(sum), 4, {}, ErrorSpec(0.125)),
                          "expected 4, actual 3");
  EXPECT_NONFATAL_FAILURE(ComputeAndCompareR0<int32_t>(With(sum), 3, {}), "s32[]");
}

TEST_F(ClientLibraryTestRunnerMixinTest, ComputeAndCompareR1) {
  const auto product = [](XlaBuilder* b) {
    Mul(ConstantR1<float>(b, {1, 2}), ConstantR1<float>(b, {3, 4}));
  };
  ComputeAndCompareR1<float>(With(product), {3, 8}, {}, ErrorSpec(1e-6));
  EXPECT_NONFATAL_FAILURE((ComputeAndCompareR1<float>(With(product), {3, 9}, {}, ErrorSpec(1e-6))),
                          "at {1}: expected 9, actual 8");
  EXPECT_NONFATAL_FAILURE((ComputeAndCompareR1<float>(With(product), {3}, {})), "f32[1]");
}

// A layout is that of a shape, which is of the test's type like what is expected.
TEST_F(ClientLibraryTestRunnerMixinTest, LayoutsInOtherTypes) {
  set_float_type(BF16);
  const Literal expected = LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}});
  const Shape layout = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 2}, {0, 1});
  const auto add = [&](XlaBuilder* b) {
    ConstantLiteral(b, MaybeConvertLiteralToTestType(expected));
  };
  ComputeAndCompareLiteral(With(add), expected, {}, &layout);
}

TEST_F(ClientLibraryTestRunnerMixinTest, ComputeAndCompareR1OfPred) {
  const auto inverse = [](XlaBuilder* b) { Not(ConstantR1<bool>(b, {false, true, false})); };
  tsl::core::Bitmap expected(3);
  expected.set(0);
  expected.set(2);
  ComputeAndCompareR1(With(inverse), expected, {});
  ComputeAndCompareR1<bool>(With(inverse), {true, false, true}, {});
  expected.set(1);
  EXPECT_NONFATAL_FAILURE(ComputeAndCompareR1(With(inverse), expected, {}), "1 of 3 elements");
}

TEST_F(ClientLibraryTestRunnerMixinTest, ComputeAndCompareR2) {
  const Literal matrix = LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}});
  ComputeAndCompareR2<int32_t>(Holding(matrix), {{1, 2}, {3, 4}}, {});
  EXPECT_NONFATAL_FAILURE((ComputeAndCompareR2<int32_t>(Holding(matrix), {{1, 2}, {3, 5}}, {})),
                          "at {1,1}: expected 5, actual 4");
}

TEST_F(ClientLibraryTestRunnerMixinTest, ComputeAndCompareR3) {
  const Array3D<float> array({{{1, 2}, {3, 4}}});
  const Literal literal = LiteralUtil::CreateR3FromArray3D(array);
  ComputeAndCompareR3<float>(Holding(literal), array, {}, ErrorSpec(0));
  EXPECT_NONFATAL_FAILURE(ComputeAndCompareR3<float>(Holding(literal), Array3D<float>(1, 2, 2), {}),
                          "4 of 4 elements");
}

TEST_F(ClientLibraryTestRunnerMixinTest, ComputeAndCompareR4) {
  const Array4D<float> array({{{{1, 2}, {3, 4}}}});
  const Literal literal = LiteralUtil::CreateR4FromArray4D(array);
  ComputeAndCompareR4<float>(Holding(literal), array, {}, ErrorSpec(0));
  EXPECT_NONFATAL_FAILURE(
      ComputeAndCompareR4<float>(Holding(literal), Array4D<float>(1, 1, 2, 2), {}),
      "4 of 4 elements");
}

TEST_F(ClientLibraryTestRunnerMixinTest, ComputeAndCompareR1U8) {
  const Literal hi = LiteralUtil::CreateR1U8("hi");
  ComputeAndCompareR1U8(Holding(hi), "hi", {});
  EXPECT_NONFATAL_FAILURE(ComputeAndCompareR1U8(Holding(hi), "ho", {}), "1 of 2 elements");
}

TEST_F(ClientLibraryTestRunnerMixinTest, ATupleIsALiteralToo) {
  const auto pair = [](XlaBuilder* b) {
    Tuple(b, {ConstantR0<float>(b, 1.5), ConstantR0<int32_t>(b, 2)});
  };
  const Literal a = LiteralUtil::CreateR0<float>(1.5), b = LiteralUtil::CreateR0<int32_t>(2);
  ComputeAndCompareTuple(With(pair), LiteralUtil::MakeTuple({&a, &b}), {});
  ComputeAndCompareTuple(With(pair), LiteralUtil::MakeTuple({&a, &b}), {}, ErrorSpec(0.5));
  const Literal c = LiteralUtil::CreateR0<int32_t>(3);
  EXPECT_NONFATAL_FAILURE(ComputeAndCompareTuple(With(pair), LiteralUtil::MakeTuple({&a, &c}), {}),
                          "at index {1} of the tuple");
}

TEST_F(ClientLibraryTestRunnerMixinTest, ComputeAndCompareLiteral) {
  const Literal x = LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}});
  const auto transpose = [&](XlaBuilder* b) { Transpose(Parameter(b, 0, x.shape(), "x"), {1, 0}); };
  const Literal expected = LiteralUtil::CreateR2<float>({{1, 3}, {2, 4}});
  ComputeAndCompareLiteral(With(transpose), expected, {&x});
  ComputeAndCompareLiteral(With(transpose), expected, {&x}, ErrorSpec(1e-3));
  const Shape column_major = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 2}, {0, 1});
  ComputeAndCompareLiteral(With(transpose), expected, {&x}, &column_major);
  EXPECT_NONFATAL_FAILURE(ComputeAndCompareLiteral(With(transpose), x, {&x}), "2 of 4 elements");
  EXPECT_NONFATAL_FAILURE(ComputeAndCompareLiteral(With(transpose), x, {&x}, ErrorSpec(0.5)),
                          "2 of 4 elements");
}

TEST_F(ClientLibraryTestRunnerMixinTest, ComputeAndCompare) {
  const Literal x = LiteralUtil::CreateR1<float>({0, 1, 2, 3, -1, -2, -3, -4});
  const auto exp = [&](XlaBuilder* b) { Exp(Parameter(b, 0, x.shape(), "x")); };
  ComputeAndCompare(With(exp), {&x}, ErrorSpec(1e-5, 1e-5));
  ComputeAndCompare(With(exp), {&x});
  EXPECT_NONFATAL_FAILURE(ComputeAndCompare(With(exp), {}), "takes 1 arguments, but 0");
}

TEST_F(ClientLibraryTestRunnerMixinTest, ExecuteAndTransfer) {
  const Shape shape = ShapeUtil::MakeShape(F32, {2, 3});
  const auto negate = [&](XlaBuilder* b) { Neg(Parameter(b, 0, shape, "x")); };
  const Literal x = LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}});
  TF_ASSERT_OK_AND_ASSIGN(const XlaComputation computation, With(negate)->Build());
  TF_ASSERT_OK_AND_ASSIGN(const Literal y, ExecuteAndTransfer(computation, {&x}));
  LiteralTestUtil::ExpectR2Equal<float>({{-1, -2, -3}, {-4, -5, -6}}, y);
  const Shape column_major = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  TF_ASSERT_OK_AND_ASSIGN(const Literal z, ExecuteAndTransfer(With(negate), {&x}, &column_major));
  EXPECT_EQ(z.shape(), column_major);
  EXPECT_TRUE(LiteralTestUtil::Equal(y, z));

  const Shape other = ShapeUtil::MakeShape(F32, {6});
  EXPECT_IS_NOT_OK(ExecuteAndTransfer(With(negate), {&x}, &other));
  EXPECT_IS_NOT_OK(ExecuteAndTransfer(computation, {}));
  EXPECT_IS_NOT_OK(ExecuteAndTransfer(XlaComputation(), {}));
}

TEST_F(ClientLibraryTestRunnerMixinTest, ErrorsOfTheBuilder) {
  const auto mismatch = [](XlaBuilder* b) {
    Add(ConstantR1<float>(b, {1, 2}), ConstantR1<float>(b, {1, 2, 3}));
  };
  EXPECT_IS_NOT_OK(ExecuteAndTransfer(With(mismatch), {}));
  EXPECT_THAT(ExecuteToString(With(mismatch), {}), HasSubstr("INVALID_ARGUMENT"));
}

TEST_F(ClientLibraryTestRunnerMixinTest, ExecuteToString) {
  XlaBuilder builder(TestName());
  ConstantR1<float>(&builder, {1, 2.5});
  EXPECT_EQ(ExecuteToString(&builder, {}), "f32[2] {1, 2.5}");
}

TEST_F(ClientLibraryTestRunnerMixinTest, Parameters) {
  XlaBuilder builder(TestName());
  XlaOp a, b, c, d, e, f;
  std::vector<Literal> arguments;
  arguments.push_back(CreateR0Parameter<float>(1, 0, "a", &builder, &a));
  arguments.push_back(CreateR1Parameter<float>({1, 2}, 1, "b", &builder, &b));
  arguments.push_back(CreateR2Parameter<float>({{1, 2}, {3, 4}}, 2, "c", &builder, &c));
  arguments.push_back(
      CreateR3Parameter<float>(Array3D<float>(2, 2, 2, 5.0f), 3, "d", &builder, &d));
  arguments.push_back(
      CreateR4Parameter<float>(Array4D<float>(2, 2, 2, 2, 6.0f), 4, "e", &builder, &e));
  arguments.push_back(
      CreateParameterAndTransferLiteral(5, LiteralUtil::CreateR1<int32_t>({7}), "f", &builder, &f));
  Tuple(&builder, {f, e, d, c, b, a});
  const std::vector<const Literal*> pointers = LiteralUtil::MakePointers(arguments);
  const Literal expected = LiteralUtil::MakeTuple(
      {pointers[5], pointers[4], pointers[3], pointers[2], pointers[1], pointers[0]});
  ComputeAndCompareTuple(&builder, expected, pointers);
}

TEST_F(ClientLibraryTestRunnerMixinTest, AToleranceIsForFloatingPointOnly) {
  const Literal three = LiteralUtil::CreateR0<int32_t>(3);
  EXPECT_NONFATAL_FAILURE(ComputeAndCompareR0<int32_t>(Holding(three), 3, {}, ErrorSpec(1)),
                          "an ErrorSpec is for floating-point");
}

TEST_F(ClientLibraryTestRunnerMixinTest, FloatTypes) {
  EXPECT_EQ(FloatType(), F32);
  for (const PrimitiveType type : {BF16, F8E5M2, F8E4M3FN}) {
    set_float_type(type);
    EXPECT_EQ(FloatType(), type);
    XlaBuilder builder(TestName());
    XlaOp x, y;
    const Literal a = CreateR1Parameter<float>({1, 2}, 0, "x", &builder, &x);
    const Literal b = CreateR1Parameter<float>({4, 1}, 1, "y", &builder, &y);
    EXPECT_EQ(a.shape().element_type(), type);
    Map(&builder, {x, y}, CreateScalarMax(), {0});
    ComputeAndCompareR1<float>(&builder, {4, 2}, {&a, &b});
    const Literal s32 = LiteralUtil::CreateR0<int32_t>(1);
    EXPECT_EQ(MaybeConvertLiteralToTestType(s32).shape().element_type(), S32);
  }
}

TEST_F(ClientLibraryTestRunnerMixinTest, Options) {
  SetFastMathDisabled(true);
  EXPECT_FALSE(execution_options().debug_options().xla_cpu_enable_fast_math());
  EXPECT_FALSE(execution_options().debug_options().xla_cpu_enable_fast_min_max());
  SetFastMathDisabled(false);
  EXPECT_TRUE(execution_options().debug_options().xla_gpu_enable_fast_min_max());
  mutable_debug_options()->set_xla_backend_optimization_level(0);
  EXPECT_EQ(execution_options().debug_options().xla_backend_optimization_level(), 0);
  mutable_execution_options()->set_num_replicas(2);
  EXPECT_EQ(execution_options().num_replicas(), 2);
}

TEST_F(ClientLibraryTestRunnerMixinTest, Seeds) {
  const auto numbers = [](XlaBuilder* b) {
    RngUniform(ConstantR0<float>(b, 0), ConstantR0<float>(b, 1), ShapeUtil::MakeShape(F32, {16}));
  };
  SetSeed(42);
  TF_ASSERT_OK_AND_ASSIGN(const Literal first, ExecuteAndTransfer(With(numbers), {}));
  TF_ASSERT_OK_AND_ASSIGN(const Literal again, ExecuteAndTransfer(With(numbers), {}));
  EXPECT_TRUE(LiteralTestUtil::Equal(first, again));
  SetSeed(43);
  TF_ASSERT_OK_AND_ASSIGN(const Literal other, ExecuteAndTransfer(With(numbers), {}));
  EXPECT_FALSE(LiteralTestUtil::Equal(first, other));
  ClearSeed();
  EXPECT_EQ(execution_options().seed(), 0);
}

TEST(ClientLibraryTestRunnerUtilsTest, Arrays) {
  const std::vector<float> uniform = CreatePseudorandomR1<float>(100, -2.0f, 3.0f, /*seed=*/7);
  EXPECT_EQ(uniform, CreatePseudorandomR1<float>(100, -2.0f, 3.0f, 7));
  EXPECT_NE(uniform, CreatePseudorandomR1<float>(100, -2.0f, 3.0f, 8));
  EXPECT_THAT(uniform,
              ::testing::Each(::testing::AllOf(::testing::Ge(-2.0f), ::testing::Le(3.0f))));
  EXPECT_THAT(CreatePseudorandomR1<int32_t>(100, 1, 2, 7), ::testing::Each(::testing::AnyOf(1, 2)));
  const auto matrix = CreatePseudorandomR2<float>(3, 4, 0.0f, 1.0f, 7);
  EXPECT_EQ(matrix->height(), 3);
  EXPECT_EQ(matrix->width(), 4);

  EXPECT_EQ(*CreatePatternedMatrix(2, 3), Array2D<float>({{0, 1, 2}, {1000, 1001, 1002}}));
  EXPECT_EQ(*CreatePatternedMatrix(1, 2, 0.5f), Array2D<float>({{0.5, 1.5}}));
  EXPECT_EQ(*CreatePatternedMatrixWithZeroPadding(1, 2, 2, 3),
            Array2D<float>({{0, 1, 0}, {0, 0, 0}}));
}

TEST(ClientLibraryTestRunnerUtilsTest, ExpandTestType) {
  struct Case {
    int number;
    PrimitiveType test_type;
  };
  const std::vector<Case> cases =
      ExpandTestType<Case>({F32, BF16}, {Case{1, PRIMITIVE_TYPE_INVALID}, Case{2, F16}});
  ASSERT_EQ(cases.size(), 4);
  EXPECT_EQ(cases[1].number, 2);
  EXPECT_EQ(cases[1].test_type, F32);
  EXPECT_EQ(cases[2].number, 1);
  EXPECT_EQ(cases[2].test_type, BF16);
}

// With a parameter, the way most tests have one, and the older names.
using Base = ClientLibraryTestRunnerMixin<HloPjRtInterpreterReferenceMixin<HloTestBase>>;
class ParameterizedTest : public Base, public ::testing::WithParamInterface<int32_t> {};

TEST_P(ParameterizedTest, ReluOfNumber) {
  XlaBuilder builder(TestName());
  Call(&builder, CreateScalarReluF32(),
       {ConstantR0<float>(&builder, static_cast<float>(GetParam()))});
  ComputeAndCompareR0<float>(&builder, GetParam() < 0 ? 0 : GetParam(), {});
}
INSTANTIATE_TEST_SUITE_P(Numbers, ParameterizedTest, ::testing::Values(-3, 0, 4));

// The runs with a reference.
constexpr char kTwice[] = "ENTRY e { x = f32[2] parameter(0)  ROOT y = f32[2] add(x, x) }";

class ReferenceMixinTest : public HloInterpreterReferenceMixin<HloTestBase> {
 protected:
  std::unique_ptr<HloModule> Parse(const char* text) {
    auto module = ParseAndReturnVerifiedModule(text);
    EXPECT_IS_OK(module);
    return *std::move(module);
  }
  // Makes the sum of the program a product.
  static void Spoil(HloModule* module) {
    HloComputation* entry = module->entry_computation();
    HloInstruction* root = entry->root_instruction();
    EXPECT_IS_OK(entry->ReplaceWithNewInstruction(
        root, HloInstruction::CreateBinary(root->shape(), HloOpcode::kMultiply,
                                           root->mutable_operand(0), root->mutable_operand(1))));
  }
  const Literal x_ = LiteralUtil::CreateR1<float>({1, 3});
};

TEST_F(ReferenceMixinTest, RunAndCompare) {
  EXPECT_TRUE(RunAndCompare(kTwice, std::nullopt));
  EXPECT_TRUE(RunAndCompare(std::string(kTwice), ErrorSpec{1e-5, 1e-5}));
  EXPECT_TRUE(RunAndCompareNoHloPasses(kTwice, kDefaultErrorSpec));
  EXPECT_TRUE(RunAndCompare(Parse(kTwice), std::nullopt));
  EXPECT_TRUE(RunAndCompareNoHloPasses(Parse(kTwice), std::nullopt));
  EXPECT_TRUE(RunAndCompare(Parse(kTwice), {&x_}, std::nullopt));
  EXPECT_TRUE(RunAndCompareNoHloPasses(Parse(kTwice), {&x_}, std::nullopt));
  EXPECT_TRUE(RunAndCompare(kTwice, std::nullopt, nullptr, nullptr,
                            /*args_max_bits_of_precision=*/4));
  EXPECT_EQ(reference_runner().Name(), "interpreter");
}

TEST_F(ReferenceMixinTest, EitherSideCanBeWrong) {
  const auto reference_spoilt = RunAndCompare(Parse(kTwice), {&x_}, std::nullopt, Spoil);
  EXPECT_THAT(reference_spoilt.message(), HasSubstr("at {1}: expected 9, actual 6"));
  const auto test_spoilt = RunAndCompare(Parse(kTwice), {&x_}, std::nullopt, nullptr, Spoil);
  EXPECT_THAT(test_spoilt.message(), HasSubstr("at {1}: expected 6, actual 9"));
  EXPECT_TRUE(RunAndCompare(Parse(kTwice), {&x_}, std::nullopt, Spoil, Spoil));
  EXPECT_FALSE(RunAndCompareNoHloPasses(Parse(kTwice), {&x_}, ErrorSpec(1), Spoil));
  EXPECT_FALSE(RunAndCompare(kTwice, std::nullopt, Spoil));
  EXPECT_FALSE(RunAndCompareNoHloPasses(kTwice, std::nullopt, nullptr, Spoil));
  EXPECT_FALSE(RunAndCompare(Parse(kTwice), std::nullopt, Spoil));
  EXPECT_FALSE(RunAndCompareNoHloPasses(Parse(kTwice), std::nullopt, Spoil));
}

TEST_F(ReferenceMixinTest, ErrorsAreFailures) {
  EXPECT_THAT(RunAndCompare("ENTRY e { x = f32[2] nonsense() }", std::nullopt).message(),
              HasSubstr("nonsense"));
  EXPECT_THAT(RunAndCompare(Parse(kTwice), {}, std::nullopt).message(),
              HasSubstr("takes 1 arguments"));
}

}  // namespace
}  // namespace xla

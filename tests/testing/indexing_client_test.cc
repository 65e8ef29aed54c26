// Clients' tests of scatter and convolution, written with the public fixture alone.
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

#include "xla/array4d.h"
#include "xla/error_spec.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/testlib/test.h"
#include "xla/literal_util.h"
#include "xla/reference_util.h"
#include "xla/tests/client_library_test_runner_mixin.h"
#include "xla/tests/hlo_interpreter_reference_mixin.h"
#include "xla/tests/hlo_test_base.h"
#include "xla/tests/literal_test_util.h"
#include "xla/tests/test_utils.h"
#include "xla/tsl/platform/statusor.h"

namespace xla {
namespace {

class ScatterTest : public HloInterpreterReferenceMixin<HloTestBase> {
 protected:
  void RunTest(const std::string& text, const Literal& operand, const Literal& indices,
               const Literal& updates, const Literal& expected) {
    TF_ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnVerifiedModule(text));
    const std::unique_ptr<HloModule> again = module->Clone("");
    TF_ASSERT_OK_AND_ASSIGN(const Literal actual,
                            Execute(std::move(module), {&operand, &indices, &updates}));
    EXPECT_TRUE(LiteralTestUtil::Equal(expected, actual));
    EXPECT_TRUE(RunAndCompare(again->Clone(""), {&operand, &indices, &updates}, std::nullopt));
  }
};

TEST_F(ScatterTest, ColumnsAreReplaced) {
  RunTest(R"(
    newer { old = s16[] parameter(0)  ROOT new = s16[] parameter(1) }
    ENTRY main {
      operand = s16[2,4] parameter(0)
      indices = s32[2] parameter(1)
      updates = s16[2,2] parameter(2)
      ROOT scatter = s16[2,4] scatter(operand, indices, updates), to_apply=newer,
        update_window_dims={0}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1},
        index_vector_dim=1
    })",
          LiteralUtil::CreateR2<int16_t>({{1, 3, 5, 7}, {2, 4, 6, 8}}),
          LiteralUtil::CreateR1<int32_t>({3, 1}),
          LiteralUtil::CreateR2<int16_t>({{-1, -2}, {-3, -4}}),
          LiteralUtil::CreateR2<int16_t>({{1, -2, 5, -1}, {2, -4, 6, -3}}));
}

TEST_F(ScatterTest, WhatIsOutOfBoundsIsDropped) {
  RunTest(
      R"(
    add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
    ENTRY main {
      operand = f32[4] parameter(0)
      indices = s32[5] parameter(1)
      updates = f32[5] parameter(2)
      ROOT scatter = f32[4] scatter(operand, indices, updates), to_apply=add,
        update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
        index_vector_dim=1
    })",
      LiteralUtil::CreateR1<float>({0, 0, 0, 0}), LiteralUtil::CreateR1<int32_t>({1, 1, -1, 4, 3}),
      LiteralUtil::CreateR1<float>({1, 2, 4, 8, 16}), LiteralUtil::CreateR1<float>({0, 3, 0, 16}));
}

TEST_F(ScatterTest, MadeUpIndicesAreInBounds) {
  TF_ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnVerifiedModule(R"(
    add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
    ENTRY main {
      operand = f32[7,4] parameter(0)
      indices = s32[50] parameter(1)
      updates = f32[50,4] parameter(2)
      ROOT scatter = f32[7,4] scatter(operand, indices, updates), to_apply=add,
        update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
        index_vector_dim=1
    })"));
  TF_ASSERT_OK_AND_ASSIGN(const auto arguments, MakeFakeArguments(module.get()));
  EXPECT_THAT(arguments[1].data<int32_t>(),
              ::testing::Each(::testing::AllOf(::testing::Ge(0), ::testing::Lt(7))));
  EXPECT_TRUE(RunAndCompare(std::move(module), LiteralUtil::MakePointers(arguments),
                            ErrorSpec{1e-4, 1e-4}));
}

using ConvolutionTestBase = ClientLibraryTestRunnerMixin<HloInterpreterReferenceMixin<HloTestBase>>;
using ConvolutionCase = std::tuple<int64_t, int64_t, Padding>;  // size, stride

class ConvolutionTest : public ConvolutionTestBase,
                        public ::testing::WithParamInterface<ConvolutionCase> {};

TEST_P(ConvolutionTest, OfImages) {
  const auto [size, stride, padding] = GetParam();
  Array4D<float> images(2, 3, size, size + 1);
  images.FillRandom(1.0f);
  Array4D<float> kernels(4, 3, 3, 2);
  kernels.FillRandom(1.0f, /*mean=*/0.5, /*seed=*/7);

  XlaBuilder b(TestName());
  XlaOp lhs, rhs;
  const Literal lhs_argument = CreateR4Parameter<float>(images, 0, "lhs", &b, &lhs);
  const Literal rhs_argument = CreateR4Parameter<float>(kernels, 1, "rhs", &b, &rhs);
  Conv(lhs, rhs, {stride, stride}, padding);
  const auto expected = ReferenceUtil::ConvArray4D(images, kernels, {stride, stride}, padding);
  ComputeAndCompareR4<float>(&b, *expected, {&lhs_argument, &rhs_argument}, ErrorSpec(1e-4, 1e-4));
}

INSTANTIATE_TEST_SUITE_P(Sizes, ConvolutionTest,
                         ::testing::Combine(::testing::Values(4, 7), ::testing::Values(1, 2),
                                            ::testing::Values(Padding::kSame, Padding::kValid)));

class DilatedConvolutionTest : public ConvolutionTestBase {};

TEST_F(DilatedConvolutionTest, OfImagesWithFeaturesLast) {
  ConvolutionDimensionNumbers numbers;
  numbers.set_input_batch_dimension(0);
  numbers.set_input_feature_dimension(3);
  numbers.set_kernel_input_feature_dimension(2);
  numbers.set_kernel_output_feature_dimension(3);
  numbers.set_output_batch_dimension(0);
  numbers.set_output_feature_dimension(3);
  for (int d = 0; d < 2; ++d) {
    numbers.add_input_spatial_dimensions(d + 1);
    numbers.add_kernel_spatial_dimensions(d);
    numbers.add_output_spatial_dimensions(d + 1);
  }
  Array4D<float> images(1, 5, 6, 2);
  images.FillRandom(1.0f);
  Array4D<float> kernels(2, 3, 2, 3);
  kernels.FillRandom(1.0f, 0.0, 3);
  const auto expected = ReferenceUtil::ConvArray4DGeneralDimensionsDilated(
      images, kernels, {1, 2}, Padding::kValid, {2, 1}, {1, 2}, numbers);

  XlaBuilder b(TestName());
  ConvGeneralDilated(ConstantR4FromArray4D<float>(&b, images),
                     ConstantR4FromArray4D<float>(&b, kernels), /*window_strides=*/{1, 2},
                     /*padding=*/{{0, 0}, {0, 0}}, /*lhs_dilation=*/{2, 1}, /*rhs_dilation=*/{1, 2},
                     numbers);
  ComputeAndCompareR4<float>(&b, *expected, {}, ErrorSpec(1e-4, 1e-4));
}

}  // namespace
}  // namespace xla

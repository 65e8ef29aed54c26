// Sizes for gradients of convolutions: the padded gradient and the mirrored filter give the input's
// size, and the sums are those of the transposed convolution.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/builder/lib/conv_grad_size_util.h"

namespace xla {
namespace {

using testing::HasSubstr;

TEST(ConvGradSizeUtilTest, ByHand) {
  // 5 elements, filter of 3, stride 2, no padding: 2 results become 3 with a zero between.
  const auto valid = ConvGradExtractAndVerifyDimension(5, 3, 2, 1, 2, Padding::kValid);
  ASSERT_TRUE(valid.ok()) << valid.status();
  EXPECT_EQ(valid->output_size, 3);
  EXPECT_EQ(valid->pad_before, 2);
  EXPECT_EQ(valid->pad_after, 2);
  // Padded to 3 results by one element on each side.
  const auto same = ConvGradExtractAndVerifyDimension(5, 3, 3, 1, 2, Padding::kSame);
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(same->output_size, 5);
  EXPECT_EQ(same->pad_before, 1);
  EXPECT_EQ(same->pad_after, 1);
}

// Element o of the output takes the input at o * stride + k * dilation - padding with filter k. In
// the gradient, input i must find output o at distance window - 1 - k * dilation.
TEST(ConvGradSizeUtilTest, EveryElementFindsItsOutputs) {
  for (int64_t input = 1; input < 9; ++input) {
    for (int64_t filter = 1; filter < 4; ++filter) {
      for (int64_t stride = 1; stride < 4; ++stride) {
        for (int64_t dilation = 1; dilation < 3; ++dilation) {
          const int64_t window = (filter - 1) * dilation + 1;
          for (Padding padding : {Padding::kSame, Padding::kValid}) {
            if (padding == Padding::kValid && window > input) continue;
            const int64_t outputs = padding == Padding::kSame ? (input + stride - 1) / stride
                                                              : (input - window) / stride + 1;
            const auto own = MakePadding({input}, {window}, {stride}, padding)[0];
            const auto grad = ConvGradExtractAndVerifyDimension(input, filter, outputs, dilation,
                                                                stride, padding);
            ASSERT_TRUE(grad.ok()) << grad.status();
            EXPECT_EQ(grad->pad_before + grad->output_size + grad->pad_after - window + 1, input);
            for (int64_t o = 0; o < outputs; ++o) {
              for (int64_t k = 0; k < filter; ++k) {
                const int64_t i = o * stride + k * dilation - own.first;
                EXPECT_EQ(grad->pad_before + o * stride, i + window - 1 - k * dilation);
              }
            }
          }
        }
      }
    }
  }
}

TEST(ConvGradSizeUtilTest, Errors) {
  const auto message = [](int64_t input, int64_t filter, int64_t output, int64_t dilation,
                          int64_t stride) {
    const auto result =
        ConvGradExtractAndVerifyDimension(input, filter, output, dilation, stride, Padding::kValid);
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(result.status().message());
  };
  EXPECT_THAT(message(5, 3, 4, 1, 1), HasSubstr("make 3 results, not 4"));
  EXPECT_THAT(message(5, 3, 3, 0, 1), HasSubstr("dilation 0 must be at least 1"));
  EXPECT_THAT(message(5, 3, 3, 1, 0), HasSubstr("stride 0 must be at least 1"));
  EXPECT_THAT(message(-1, 3, 3, 1, 1), HasSubstr("input size -1 must be at least 0"));
  EXPECT_THAT(message(int64_t{1} << 62, 3, 3, 1, 1), HasSubstr("below 2^31"));
}

}  // namespace
}  // namespace xla

// Packing of small integers into words, and back to numbers.
#include <limits>

#include "tests/builder/builder_testing.h"
#include "tests/builder/lib_testing.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/quantize.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(QuantizeTest, Packing) {
  EXPECT_THAT(PackToUint32<uint8_t>({0xab, 0x12, 0x34, 0x56, 0x78}),
              ElementsAre(0xab123456u, 0x78000000u));
  EXPECT_THAT(PackToUint32<uint16_t>({0xabcd, 0x1234, 0x5678}),
              ElementsAre(0xabcd1234u, 0x56780000u));
  EXPECT_THAT(PackToUint32<int8_t>({-1, 1, -2, 2}), ElementsAre(0xff01fe02u));
  EXPECT_THAT(PackToUint32<uint32_t>({7}), ElementsAre(7u));
  EXPECT_THAT(PackToUint32<uint8_t>({}), testing::IsEmpty());
}

TEST(QuantizeTest, Ranges) {
  EXPECT_EQ(QuantizedRange(0, 1), QuantizedRange(0, 1));
  EXPECT_NE(QuantizedRange(0, 1), QuantizedRange(0, 2));
  EXPECT_EQ(QuantizedRange(), QuantizedRange(0, 0));
}

template <typename T>
std::vector<float> Dequantized(const std::vector<T>& numbers, QuantizedRange range) {
  XlaBuilder b("main");
  const XlaOp words = ConstantR1<uint32_t>(&b, PackToUint32<T>(numbers));
  std::vector<float> values =
      ValuesOf<float>(Evaluate(b, ConvertElementType(Dequantize<T>(words, range), F32)));
  values.resize(numbers.size());
  return values;
}

TEST(QuantizeTest, BytesToNumbers) {
  // The step is one.
  EXPECT_THAT(Dequantized<uint8_t>({0, 1, 100, 255, 7}, QuantizedRange(0, 255)),
              ElementsAre(0, 1, 100, 255, 7));
  EXPECT_THAT(Dequantized<uint8_t>({0, 1, 100}, QuantizedRange(-1, 254)), ElementsAre(-1, 0, 99));
  EXPECT_THAT(Dequantized<int8_t>({-128, -1, 0, 127}, QuantizedRange(0, 255)),
              ElementsAre(0, 127, 128, 255));
}

TEST(QuantizeTest, HalfWordsToNumbers) {
  // 65535 is 2^16 in BF16, so that the step is 2^-16.
  EXPECT_THAT(Dequantized<uint16_t>({0, 1, 256, 32768}, QuantizedRange(0, 1)),
              ElementsAre(0, 1.0f / 65536, 1.0f / 256, 0.5f));
}

TEST(QuantizeTest, ErrorIsAtMostThatOfBf16) {
  std::vector<uint8_t> all(256);
  for (int i = 0; i < 256; ++i) all[i] = static_cast<uint8_t>(i);
  const std::vector<float> values = Dequantized<uint8_t>(all, QuantizedRange(2, 7.5));
  for (int i = 0; i < 256; ++i) EXPECT_NEAR(values[i], 2 + i * 5.5 / 255, 0.05) << i;
}

TEST(QuantizeTest, Matrices) {
  XlaBuilder b("main");
  const XlaOp words = ConstantR2<uint32_t>(&b, {{0x01020304}, {0x05060708}});
  const auto values = [&](XlaOp op) {
    return ValuesOf<float>(Evaluate(b, ConvertElementType(op, F32)));
  };
  EXPECT_THAT(values(Dequantize<uint8_t>(words, QuantizedRange(0, 255))),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  const XlaOp again = ConstantR2<uint32_t>(&b, {{0x01020304}, {0x05060708}});
  const XlaOp transposed = Dequantize<uint8_t>(again, QuantizedRange(0, 255), "MIN_COMBINED", true);
  EXPECT_THAT(values(transposed), ElementsAre(1, 5, 2, 6, 3, 7, 4, 8));
}

TEST(QuantizeTest, Errors) {
  {
    XlaBuilder b("main");
    Dequantize<uint8_t>(ConstantR1<int32_t>(&b, {1}), QuantizedRange(0, 1));
    EXPECT_THAT(ErrorOf(b), HasSubstr("dequantize: the input is s32[1], no array of U32"));
  }
  {
    XlaBuilder b("main");
    Dequantize<uint8_t>(ConstantR1<uint32_t>(&b, {1}), QuantizedRange(0, 1), "SCALED");
    EXPECT_THAT(ErrorOf(b), HasSubstr("there is no mode SCALED"));
  }
}

}  // namespace
}  // namespace xla

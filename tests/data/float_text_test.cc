#include "data/float_text.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

std::string Printf(int digits, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
  return buffer;
}

TEST(FloatTextTest, FloatsAreSixDigitsWhereTheySufficeElseNine) {
  EXPECT_EQ(FormatElement(1.0f), "1");
  EXPECT_EQ(FormatElement(0.1f), "0.1");
  EXPECT_EQ(FormatElement(-0.0f), "-0.0");
  EXPECT_EQ(FormatElement(1.0f / 3), "0.333333343");
  EXPECT_EQ(FormatElement(1e-7f), "1e-07");
  EXPECT_EQ(FormatElement(123456.0f), "123456");
  EXPECT_EQ(FormatElement(1234567.0f), "1234567");
  EXPECT_EQ(FormatElement(1e6f), "1e+06");
  EXPECT_EQ(FormatElement(std::numeric_limits<float>::denorm_min()), "1.4013e-45");
  EXPECT_EQ(FormatElement(std::numeric_limits<float>::max()), "3.40282347e+38");
  EXPECT_EQ(FormatElement(std::numeric_limits<float>::infinity()), "inf");
  EXPECT_EQ(FormatElement(-std::numeric_limits<float>::infinity()), "-inf");
}

TEST(FloatTextTest, DoublesAreFifteenDigitsWhereTheySufficeElseSeventeen) {
  EXPECT_EQ(FormatElement(0.1), "0.1");
  EXPECT_EQ(FormatElement(1.0 / 3), "0.33333333333333331");
  EXPECT_EQ(FormatElement(5e-324), "4.94065645841247e-324");
  EXPECT_EQ(FormatElement(-0.0), "-0.0");
}

TEST(FloatTextTest, NarrowTypesHaveFixedDigits) {
  EXPECT_EQ(FormatElement(half(0.1f)), "0.099976");
  EXPECT_EQ(FormatElement(half(65504.f)), "65504");
  EXPECT_EQ(FormatElement(bfloat16(0.1f)), "0.1001");
  EXPECT_EQ(FormatElement(tsl::float8_e5m2(0.1)), "0.094");
  EXPECT_EQ(FormatElement(tsl::float8_e4m3fn(0.1)), "0.102");
  EXPECT_EQ(FormatElement(tsl::float8_e3m4(0.1)), "0.0938");
  EXPECT_EQ(FormatElement(tsl::float8_e8m0fnu(0.3)), "0.25");
  EXPECT_EQ(FormatElement(tsl::float4_e2m1fn(1.5)), "1.5");
  EXPECT_EQ(FormatElement(tsl::float6_e2m3fn(7.5)), "7.5");
}

TEST(FloatTextTest, NanShowsItsPayload) {
  EXPECT_EQ(FormatElement(std::bit_cast<float>(0x7fc00000)), "nan");
  EXPECT_EQ(FormatElement(std::bit_cast<float>(0xffc00000)), "-nan");
  EXPECT_EQ(FormatElement(std::bit_cast<float>(0x7f800001)), "nan(0x1)");
  EXPECT_EQ(FormatElement(std::bit_cast<float>(0xffc00001)), "-nan(0x400001)");
  EXPECT_EQ(FormatElement(std::bit_cast<double>(uint64_t{0x7ff0000000000abc})), "nan(0xabc)");
  EXPECT_EQ(FormatElement(tsl::float8_e5m2::FromRep(0x7d)), "nan(0x1)");
  EXPECT_EQ(FormatElement(tsl::float8_e5m2::FromRep(0xfe)), "-nan");
  EXPECT_EQ(FormatElement(tsl::float8_e4m3fn::FromRep(0x7f)), "nan");
  EXPECT_EQ(FormatElement(tsl::float8_e4m3fnuz::FromRep(0x80)), "-nan");
}

TEST(FloatTextTest, IntegersPredAndComplex) {
  EXPECT_EQ(FormatElement(true), "1");
  EXPECT_EQ(FormatElement(int8_t{-128}), "-128");
  EXPECT_EQ(FormatElement(s4(-8)), "-8");
  EXPECT_EQ(FormatElement(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(FormatElement(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(FormatElement(complex64(1.5f, -0.0f)), "(1.5, -0.0)");
}

// The text as printf and reading back define it.
std::string FloatBySearch(float value) {
  const std::string few = Printf(6, value);
  return std::strtof(few.c_str(), nullptr) == value ? few : Printf(9, value);
}
std::string DoubleBySearch(double value) {
  const std::string few = Printf(15, value);
  return std::strtod(few.c_str(), nullptr) == value ? few : Printf(17, value);
}

TEST(FloatTextTest, RandomBitsPrintAsPrintfAndReadBack) {
  std::mt19937_64 engine(1);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t bits = engine();
    const float narrow = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (!std::isnan(narrow)) EXPECT_EQ(FormatElement(narrow), FloatBySearch(narrow));
    const auto narrow_back = ParseElement<float>(FormatElement(narrow));
    ASSERT_TRUE(narrow_back.ok()) << narrow_back.status();
    EXPECT_EQ(std::bit_cast<uint32_t>(*narrow_back), std::bit_cast<uint32_t>(narrow));

    const double wide = std::bit_cast<double>(bits);
    if (!std::isnan(wide)) EXPECT_EQ(FormatElement(wide), DoubleBySearch(wide));
    const auto wide_back = ParseElement<double>(FormatElement(wide));
    ASSERT_TRUE(wide_back.ok()) << wide_back.status();
    EXPECT_EQ(std::bit_cast<uint64_t>(*wide_back), std::bit_cast<uint64_t>(wide));
  }
}

TEST(FloatTextTest, ShortNumbersStayShort) {
  for (int i = -20000; i < 20000; ++i) {
    const float value = static_cast<float>(i) / 100;
    EXPECT_EQ(FormatElement(value), Printf(6, i / 100.0));
  }
}

template <typename T, typename Bits>
void AllBitsReadBack() {
  for (int bits = 0; bits <= std::numeric_limits<Bits>::max(); ++bits) {
    const T value = Eigen::numext::bit_cast<T>(static_cast<Bits>(bits));
    const auto back = ParseElement<T>(FormatElement(value));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(Eigen::numext::bit_cast<Bits>(*back), bits);
  }
}

TEST(FloatTextTest, AllHalfsReadBack) { AllBitsReadBack<half, uint16_t>(); }
TEST(FloatTextTest, AllBfloat16sReadBack) { AllBitsReadBack<bfloat16, uint16_t>(); }

template <typename T>
void AllCodesReadBack() {
  for (int code = 0; code < (1 << T::kBits); ++code) {
    const T value = T::FromRep(code);
    const auto back = ParseElement<T>(FormatElement(value));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->rep(), code);
  }
}

TEST(FloatTextTest, AllSmallFloatsReadBack) {
  AllCodesReadBack<tsl::float4_e2m1fn>();
  AllCodesReadBack<tsl::float6_e2m3fn>();
  AllCodesReadBack<tsl::float6_e3m2fn>();
  AllCodesReadBack<tsl::float8_e3m4>();
  AllCodesReadBack<tsl::float8_e4m3>();
  AllCodesReadBack<tsl::float8_e4m3fn>();
  AllCodesReadBack<tsl::float8_e4m3fnuz>();
  AllCodesReadBack<tsl::float8_e4m3b11fnuz>();
  AllCodesReadBack<tsl::float8_e5m2>();
  AllCodesReadBack<tsl::float8_e5m2fnuz>();
  AllCodesReadBack<tsl::float8_e8m0fnu>();
}

template <typename T>
std::string Error(absl::string_view text) {
  const auto value = ParseElement<T>(text);
  return value.ok() ? "no error" : std::string(value.status().message());
}

TEST(FloatTextTest, FiniteNumbersOutOfRangeAreErrors) {
  EXPECT_THAT(Error<float>("3.4028236e38"), HasSubstr("3.4028236e38 is out of range for type f32"));
  EXPECT_EQ(*ParseElement<float>("3.40282347e+38"), std::numeric_limits<float>::max());
  EXPECT_EQ(*ParseElement<half>("65519"), half(65504.f));
  EXPECT_THAT(Error<half>("65520"), HasSubstr("out of range"));
  EXPECT_THAT(Error<bfloat16>("-3.4e38"), HasSubstr("out of range"));
  EXPECT_THAT(Error<double>("1e400"), HasSubstr("out of range"));
  EXPECT_EQ(*ParseElement<double>("1e-400"), 0);
  EXPECT_THAT(Error<tsl::float8_e4m3fn>("470"), HasSubstr("out of range"));
  EXPECT_EQ(ParseElement<tsl::float8_e4m3fn>("464")->ToFloat(), 448);
  EXPECT_THAT(Error<tsl::float4_e2m1fn>("7.5"), HasSubstr("out of range"));
  EXPECT_THAT(Error<tsl::float8_e8m0fnu>("0"), HasSubstr("out of range"));
  EXPECT_THAT(Error<tsl::float8_e8m0fnu>("-1"), HasSubstr("out of range"));
  EXPECT_THAT(Error<int8_t>("128"), HasSubstr("128 is out of range for type s8"));
  EXPECT_THAT(Error<s4>("-9"), HasSubstr("out of range for type s4"));
  EXPECT_THAT(Error<uint32_t>("-1"), HasSubstr("out of range"));
  EXPECT_THAT(Error<int64_t>("9223372036854775808"), HasSubstr("out of range"));
  EXPECT_THAT(Error<uint64_t>("18446744073709551616"), HasSubstr("out of range"));
}

TEST(FloatTextTest, OtherTextIsNoNumber) {
  for (const char* text :
       {"", "-", "x", "1x", "1.5.2", "0x10", "+1", "nanx", "nan(", "nan(0x)", "nan(0x1", "nan(12)",
        "infinity", "--1", "1 ", "1e", "true", "nan(0x-1)", "nan(0x+1)"}) {
    EXPECT_THAT(Error<float>(text), HasSubstr("is not a value of type f32")) << text;
  }
  EXPECT_THAT(Error<int32_t>("1.5"), HasSubstr("is not a value of type s32"));
  EXPECT_THAT(Error<int32_t>("1e3"), HasSubstr("is not a value"));
  EXPECT_THAT(Error<bool>("yes"), HasSubstr("is not a value"));
  EXPECT_THAT(Error<complex64>("(1, 2"), HasSubstr("is not a value of type c64"));
  EXPECT_THAT(Error<complex64>("(1 2)"), HasSubstr("is not a value"));
}

TEST(FloatTextTest, NanPayloadsMustFit) {
  EXPECT_EQ(std::bit_cast<uint32_t>(*ParseElement<float>("-nan(0x7fffff)")), 0xffffffff);
  EXPECT_THAT(Error<float>("nan(0x800000)"),
              HasSubstr("NaN payload 0x800000 does not fit type f32"));
  EXPECT_THAT(Error<float>("nan(0x0)"), HasSubstr("does not fit"));
  EXPECT_THAT(Error<tsl::float8_e4m3fn>("nan(0x1)"), HasSubstr("does not fit"));
  EXPECT_EQ(ParseElement<tsl::float8_e5m2>("nan(0x1)")->rep(), 0x7d);
}

TEST(FloatTextTest, OtherForms) {
  EXPECT_TRUE(std::signbit(*ParseElement<float>("-0")));
  EXPECT_TRUE(std::signbit(*ParseElement<float>("-0.0")));
  EXPECT_EQ(*ParseElement<float>("5."), 5);
  EXPECT_EQ(*ParseElement<float>(".5"), 0.5);
  EXPECT_EQ(*ParseElement<uint64_t>("-1"), std::numeric_limits<uint64_t>::max());
  EXPECT_TRUE(*ParseElement<bool>("true"));
  EXPECT_TRUE(*ParseElement<bool>("2"));
  EXPECT_FALSE(*ParseElement<bool>("0"));
  EXPECT_EQ(*ParseElement<complex64>("(1.5,-inf)"), complex64(1.5f, -INFINITY));
  EXPECT_EQ(*ParseElement<complex128>("2"), complex128(2));
  EXPECT_TRUE(isnan(*ParseElement<tsl::float8_e4m3fn>("-inf")));
  EXPECT_EQ(ParseElement<tsl::float4_e2m1fn>("-inf")->ToFloat(), -6);
}

TEST(FloatTextTest, DoublesRoundOnceToHalf) {
  // Just above the middle of 1 and the next half: as a float it is a tie.
  EXPECT_EQ(RoundToHalf(1 + 0x1p-11 + 0x1p-40), half(1 + 0x1p-10f));
  EXPECT_EQ(RoundToHalf(1 + 0x1p-11), half(1.f));
  EXPECT_EQ(RoundToBfloat16(1 + 0x1p-8 + 0x1p-40), bfloat16(1 + 0x1p-7f));
  EXPECT_EQ(RoundToBfloat16(1 + 0x1p-8 - 0x1p-40), bfloat16(1.f));
  EXPECT_TRUE(std::signbit(static_cast<float>(RoundToHalf(-1e-300))));
}

}  // namespace
}  // namespace xla

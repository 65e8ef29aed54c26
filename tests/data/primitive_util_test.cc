#include "xla/primitive_util.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace xla::primitive_util {
namespace {

static_assert(NativeToPrimitiveType<float>() == F32);
static_assert(NativeToPrimitiveType<bool>() == PRED);
static_assert(NativeToPrimitiveType<long long>() == S64);
static_assert(NativeToPrimitiveType<unsigned long>() == U64);
static_assert(NativeToPrimitiveType<s4>() == S4);
static_assert(NativeToPrimitiveType<bfloat16>() == BF16);
static_assert(std::is_same_v<NativeTypeOf<C64>, complex64>);
static_assert(BitWidth(S4) == 4 && ByteWidth(S4) == 1 && StorageBitWidth(S4) == 4);
static_assert(BitWidth(PRED) == 1 && ByteWidth(PRED) == 1 && StorageBitWidth(PRED) == 8);
static_assert(BitWidth(C128) == 128 && BitWidth(TOKEN) == 0);

TEST(PrimitiveUtilTest, EveryTypeHasANameThatReadsBack) {
  int count = 0;
  for (int i = 1; i < PrimitiveType_ARRAYSIZE; ++i) {
    if (!PrimitiveType_IsValid(i)) continue;
    const PrimitiveType type = static_cast<PrimitiveType>(i);
    const std::string& name = LowercasePrimitiveTypeName(type);
    EXPECT_EQ(StringToPrimitiveType(name).value(), type) << name;
    ++count;
  }
  EXPECT_EQ(count, PrimitiveType_descriptor()->value_count() - 1);
  EXPECT_EQ(LowercasePrimitiveTypeName(OPAQUE_TYPE), "opaque");
  EXPECT_EQ(LowercasePrimitiveTypeName(F8E4M3B11FNUZ), "f8e4m3b11fnuz");
  EXPECT_FALSE(IsPrimitiveTypeName("F32"));
  EXPECT_FALSE(IsPrimitiveTypeName("opaque_type"));
  EXPECT_EQ(StringToPrimitiveType("invalid").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(LowercasePrimitiveTypeName(static_cast<PrimitiveType>(1000)), "invalid");
}

TEST(PrimitiveUtilTest, KindsDivideTheArrayTypes) {
  for (int i = 0; i < PrimitiveType_ARRAYSIZE; ++i) {
    const PrimitiveType type = static_cast<PrimitiveType>(i);
    const int kinds = (type == PRED) + IsSignedIntegralType(type) + IsUnsignedIntegralType(type) +
                      IsFloatingPointType(type) + IsComplexType(type);
    EXPECT_EQ(kinds, IsArrayType(type) ? 1 : 0) << LowercasePrimitiveTypeName(type);
    EXPECT_EQ(BitWidth(type) > 0, IsArrayType(type)) << LowercasePrimitiveTypeName(type);
  }
}

// The table of formats against what the C++ types say of themselves.
TEST(PrimitiveUtilTest, FloatFormatsAgreeWithNativeTypes) {
  FloatingPointTypeForEach([](auto constant) {
    constexpr PrimitiveType kType = constant;
    using Limits = std::numeric_limits<NativeTypeOf<kType>>;
    SCOPED_TRACE(LowercasePrimitiveTypeName(kType));
    EXPECT_EQ(SignificandWidth(kType), +Limits::digits);
    EXPECT_EQ(UnderflowExponent(kType), +Limits::min_exponent);
    EXPECT_EQ(OverflowExponent(kType), +Limits::max_exponent);
    EXPECT_EQ(HasInfinity(kType), bool{Limits::has_infinity});
    EXPECT_EQ(HasNaN(kType), bool{Limits::has_quiet_NaN});
    EXPECT_EQ(SignificandWidth(kType) - 1 + ExponentWidth(kType) + Limits::is_signed,
              BitWidth(kType));
  });
  EXPECT_EQ(ExponentBias(F32), 127);
  EXPECT_EQ(ExponentBias(F8E4M3B11FNUZ), 11);
  EXPECT_FALSE(HasNegativeZero(F8E5M2FNUZ));
  EXPECT_TRUE(HasNegativeZero(F4E2M1FN));
  EXPECT_FALSE(HasPositiveZero(F8E8M0FNU));
  EXPECT_TRUE(HasInfinity(C64));
  EXPECT_FALSE(HasNaN(S32));
}

TEST(PrimitiveUtilTest, CastPreservesValues) {
  EXPECT_TRUE(CastPreservesValues(U8, S16));
  EXPECT_FALSE(CastPreservesValues(S8, U16));
  EXPECT_TRUE(CastPreservesValues(S32, F64));
  EXPECT_FALSE(CastPreservesValues(S32, F32));
  EXPECT_TRUE(CastPreservesValues(F16, F32));
  EXPECT_FALSE(CastPreservesValues(BF16, F16));
  EXPECT_FALSE(CastPreservesValues(F16, BF16));
  EXPECT_TRUE(CastPreservesValues(PRED, F8E5M2));
  EXPECT_FALSE(CastPreservesValues(PRED, F8E8M0FNU));
  EXPECT_TRUE(CastPreservesValues(PRED, S1));
  EXPECT_FALSE(CastPreservesValues(U1, S1));
  EXPECT_TRUE(CastPreservesValues(F32, C64));
  EXPECT_FALSE(CastPreservesValues(C64, F64));
  EXPECT_FALSE(CastPreservesValues(F8E5M2, F8E4M3));
  EXPECT_FALSE(CastPreservesValues(F8E5M2, F8E5M2FNUZ));  // No infinity.
  EXPECT_FALSE(CastPreservesValues(S4, F6E2M3FN));        // -8 is out of range.
  EXPECT_TRUE(CastPreservesValues(S4, F8E4M3));
}

TEST(PrimitiveUtilTest, RelatedTypes) {
  EXPECT_EQ(HigherPrecisionType(F16, BF16), BF16);
  EXPECT_EQ(HigherPrecisionType(F32, C64), C64);
  EXPECT_EQ(HigherPrecisionType(S64, F16), F16);
  EXPECT_EQ(HigherPrecisionType(PRED, U1), U1);
  EXPECT_EQ(ComplexType(F64), C128);
  EXPECT_EQ(ComplexType(F16), PRIMITIVE_TYPE_INVALID);
  EXPECT_EQ(ComplexComponentType(C64), F32);
  EXPECT_EQ(UnsignedIntegralTypeForBitWidth(2), U2);
  EXPECT_EQ(SignedIntegralTypeForBitWidth(3), PRIMITIVE_TYPE_INVALID);
}

TEST(PrimitiveUtilTest, FitsInIntegralType) {
  EXPECT_TRUE(FitsInIntegralType(-8, S4));
  EXPECT_FALSE(FitsInIntegralType(8, S4));
  EXPECT_TRUE(FitsInIntegralType(-1, S1));
  EXPECT_FALSE(FitsInIntegralType(1, S1));
  EXPECT_TRUE(FitsInIntegralType(std::numeric_limits<int64_t>::min(), S64));
  EXPECT_TRUE(FitsInIntegralType(std::numeric_limits<int64_t>::max(), U64));
  EXPECT_FALSE(FitsInIntegralType(-1, U64));
  EXPECT_FALSE(FitsInIntegralType(int64_t{1} << 32, U32));
}

TEST(PrimitiveUtilTest, SwitchesReachTheType) {
  const int size = ArrayTypeSwitch(
      [](auto constant) -> int { return sizeof(NativeTypeOf<decltype(constant)::value>); }, C128);
  EXPECT_EQ(size, 16);
  const bool is_array = PrimitiveTypeSwitch<bool>(
      [](auto constant) { return IsArrayType(decltype(constant)::value); }, TOKEN);
  EXPECT_FALSE(is_array);
}

TEST(PrimitiveUtilTest, PackAndUnpack) {
  const std::vector<char> unpacked = {1, 2, 3, 4, 5};
  std::vector<char> packed(3);
  PackIntN(U4, unpacked, absl::MakeSpan(packed));
  std::vector<char> again(5);
  UnpackIntN(U4, packed, absl::MakeSpan(again));
  EXPECT_EQ(again, unpacked);
}

}  // namespace
}  // namespace xla::primitive_util

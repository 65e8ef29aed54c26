#include "xla/types.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <type_traits>

#include "gtest/gtest.h"

namespace xla {
namespace {

static_assert(sizeof(s4) == 1 && std::is_trivially_copyable_v<s4>);
static_assert(sizeof(tsl::float8_e4m3fn) == 1 && std::is_trivially_copyable_v<tsl::float8_e4m3fn>);
static_assert(is_specialized_floating_point_v<half> &&
              is_specialized_floating_point_v<tsl::float4_e2m1fn>);
static_assert(is_specialized_integral_v<s4> && is_specialized_integral_v<bool> &&
              !is_specialized_integral_v<float>);
static_assert(is_complex_v<complex64> && !is_complex_v<float>);
static_assert(std::is_same_v<make_specialized_unsigned_t<s4>, u4> &&
              std::is_same_v<make_specialized_signed_t<u1>, s1>);
static_assert(has_negative_zero_v<float> && !has_negative_zero_v<tsl::float8_e5m2fnuz> &&
              !has_negative_zero_v<int>);
static_assert(!has_positive_zero_v<tsl::float8_e8m0fnu> && has_positive_zero_v<tsl::float6_e2m3fn>);
static_assert(std::is_same_v<tsl::bfloat16, bfloat16>);

template <typename T>
class SmallFloatTest : public testing::Test {
 public:
  static bool IsFinite(uint8_t code) { return isfinite(T::FromRep(code)); }
};

using SmallFloats = testing::Types<tsl::float4_e2m1fn, tsl::float6_e2m3fn, tsl::float6_e3m2fn,
                                   tsl::float8_e3m4, tsl::float8_e4m3, tsl::float8_e4m3fn,
                                   tsl::float8_e4m3fnuz, tsl::float8_e4m3b11fnuz, tsl::float8_e5m2,
                                   tsl::float8_e5m2fnuz, tsl::float8_e8m0fnu>;
TYPED_TEST_SUITE(SmallFloatTest, SmallFloats);

TYPED_TEST(SmallFloatTest, EveryCodeSurvivesTheWayThroughFloatAndDouble) {
  using T = TypeParam;
  for (int code = 0; code < (1 << T::kBits); ++code) {
    const T value = T::FromRep(code);
    if (isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(value))) << code;
      EXPECT_TRUE(isnan(T(static_cast<float>(value)))) << code;
      EXPECT_EQ(std::signbit(static_cast<float>(value)), signbit(value)) << code;
    } else {
      EXPECT_EQ(T(static_cast<float>(value)).rep(), code);
      EXPECT_EQ(T(static_cast<double>(value)).rep(), code);
      EXPECT_EQ(isinf(value), std::isinf(static_cast<float>(value)));
    }
  }
}

// The value of a code by the definition of the format.
template <typename T>
double Definition(uint8_t code) {
  using Limits = std::numeric_limits<T>;
  const int mantissa_bits = Limits::digits - 1;
  const int magnitude = code & T::kMagnitudeMask;
  const int exponent = magnitude >> mantissa_bits;
  const double fraction = std::ldexp(magnitude & ((1 << mantissa_bits) - 1), -mantissa_bits);
  if (!T::kSignMask) return std::ldexp(1.0, exponent - 127);
  const int min_exponent = Limits::min_exponent - 1;
  const double value = exponent == 0 ? std::ldexp(fraction, min_exponent)
                                     : std::ldexp(1 + fraction, exponent - 1 + min_exponent);
  return code & T::kSignMask ? -value : value;
}

TYPED_TEST(SmallFloatTest, CodesMeanWhatTheFormatSays) {
  using T = TypeParam;
  for (int code = 0; code < (1 << T::kBits); ++code) {
    if (this->IsFinite(code))
      EXPECT_EQ(static_cast<double>(T::FromRep(code)), Definition<T>(code)) << code;
  }
}

TYPED_TEST(SmallFloatTest, RoundsOnceToNearestEven) {
  using T = TypeParam;
  std::set<double> finite;
  for (int code = 0; code < (1 << T::kBits); ++code) {
    if (this->IsFinite(code)) finite.insert(static_cast<double>(T::FromRep(code)));
  }
  for (auto low = finite.begin(), high = std::next(low); high != finite.end(); ++low, ++high) {
    const double middle = (*low + *high) / 2;
    if (!T::kSignMask && low == finite.begin()) continue;  // See below.
    // A float between the middle and its neighbour does not exist; going through float would see a
    // tie.
    EXPECT_EQ(static_cast<double>(T(std::nextafter(middle, -INFINITY))), *low);
    EXPECT_EQ(static_cast<double>(T(std::nextafter(middle, INFINITY))), *high);
    const uint8_t tie = T(middle).rep();
    if (T::kSignMask) {
      EXPECT_EQ(tie & 1, 0) << middle;
    } else {
      EXPECT_EQ(static_cast<double>(T(middle)), *high);
    }
    EXPECT_TRUE(static_cast<double>(T(middle)) == *low || static_cast<double>(T(middle)) == *high);
  }
}

TEST(SmallFloatComparisonTest, ComparesWithBuiltInNumbers) {
  constexpr tsl::float8_e5m2 two(2.0f);
  static_assert(two == 2 && 2.0 == two && two != 2.25f && 3 != two);
  EXPECT_FALSE(std::numeric_limits<tsl::float8_e5m2>::quiet_NaN() == NAN);
}

// As XLA does it: all that lies between the two least powers goes up, what lies below goes to the
// least one.
TEST(ScaleTest, RoundsUpBetweenTheLeastPowers) {
  using Scale = tsl::float8_e8m0fnu;
  for (const double up : {0x1.000002p-127, 0x1.4p-127, 0x1.7fffffp-127, 0x1.fffffep-127}) {
    EXPECT_EQ(Scale(up).rep(), 1) << up;
    EXPECT_EQ(Scale(static_cast<float>(up)).rep(), up < 0x1.000004p-127 ? 0 : 1) << up;
  }
  for (const double least : {0x1p-127, 0x1.fp-128, 0x1p-149}) EXPECT_EQ(Scale(least).rep(), 0);
  EXPECT_EQ(Scale(0x1.7fffffp-126).rep(), 1);
  EXPECT_EQ(Scale(0x1.8p-126).rep(), 2);
}

TYPED_TEST(SmallFloatTest, Limits) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  double largest = -INFINITY, smallest = INFINITY, smallest_positive = INFINITY;
  for (int code = 0; code < (1 << T::kBits); ++code) {
    if (!this->IsFinite(code)) continue;
    const double value = static_cast<double>(T::FromRep(code));
    largest = std::max(largest, value);
    smallest = std::min(smallest, value);
    if (value > 0) smallest_positive = std::min(smallest_positive, value);
  }
  EXPECT_EQ(static_cast<double>(Limits::max()), largest);
  EXPECT_EQ(static_cast<double>(Limits::lowest()), smallest);
  EXPECT_EQ(static_cast<double>(Limits::denorm_min()), smallest_positive);
  EXPECT_EQ(static_cast<double>(Limits::min()), std::ldexp(1.0, Limits::min_exponent - 1));
  EXPECT_LT(largest, std::ldexp(1.0, Limits::max_exponent));
  EXPECT_GE(largest, std::ldexp(1.0, Limits::max_exponent - 1));
  EXPECT_EQ(isnan(Limits::quiet_NaN()), Limits::has_quiet_NaN);
  EXPECT_EQ(isinf(Limits::infinity()), Limits::has_infinity);
}

TYPED_TEST(SmallFloatTest, TooLargeValues) {
  using T = TypeParam;
  for (const double huge : {1e300, double{INFINITY}}) {
    const T value(huge);
    if (std::numeric_limits<T>::has_infinity) {
      EXPECT_TRUE(isinf(value));
    } else if (std::numeric_limits<T>::has_quiet_NaN) {
      EXPECT_TRUE(isnan(value));
    } else {
      EXPECT_EQ(value.rep(), std::numeric_limits<T>::max().rep());
    }
  }
}

TYPED_TEST(SmallFloatTest, ArithmeticRoundsTheFloatResult) {
  using T = TypeParam;
  for (int a = 0; a < (1 << T::kBits); a += 3) {
    for (int b = 0; b < (1 << T::kBits); b += 5) {
      const T x = T::FromRep(a), y = T::FromRep(b);
      const float fx = static_cast<float>(x), fy = static_cast<float>(y);
      const T sum(fx + fy), product(fx * fy);
      EXPECT_TRUE((x + y).rep() == sum.rep() || (isnan(x + y) && isnan(sum)));
      EXPECT_TRUE((x * y).rep() == product.rep() || (isnan(x * y) && isnan(product)));
      EXPECT_EQ(x < y, fx < fy);
      EXPECT_EQ(x == y, fx == fy);
    }
  }
}

TEST(SmallFloatTest, Negation) {
  EXPECT_EQ((-tsl::float8_e4m3fn(1.5)).ToFloat(), -1.5f);
  EXPECT_EQ((-tsl::float8_e4m3fnuz(0.0)).rep(), 0);
  EXPECT_EQ((-tsl::float8_e4m3fn(0.0)).rep(), 0x80);
  EXPECT_EQ(abs(tsl::float8_e5m2(-2.0)).ToFloat(), 2.0f);
}

TEST(SmallFloatTest, IntegersRoundOnce) {
  // One above the middle of 2^62 and 2^63: as a double it would be a tie.
  EXPECT_EQ(tsl::float8_e8m0fnu((int64_t{3} << 61) + 1).rep(), 127 + 63);
  EXPECT_EQ(tsl::float8_e8m0fnu((int64_t{3} << 61) - 1).rep(), 127 + 62);
  EXPECT_EQ(tsl::float8_e5m2(int64_t{17}).ToFloat(), 16.0f);
  EXPECT_EQ(tsl::float8_e5m2(uint64_t{57344}).ToFloat(), 57344.0f);
}

TEST(SmallFloatTest, ConvertsToAndFromTheOtherTypes) {
  const tsl::float8_e5m2 value(1.5f);
  EXPECT_EQ(static_cast<half>(value), half(1.5f));
  EXPECT_EQ(static_cast<bfloat16>(value), bfloat16(1.5f));
  EXPECT_EQ(static_cast<tsl::float8_e4m3>(value).ToFloat(), 1.5f);
  EXPECT_EQ(tsl::float8_e5m2(half(1.5f)), value);
  EXPECT_EQ(static_cast<complex64>(value), complex64(1.5f));
  EXPECT_EQ(static_cast<int>(value), 1);
  EXPECT_EQ(static_cast<int>(static_cast<s4>(value)), 1);
}

TEST(IntNTest, EveryValue) {
  for (int i = -8; i < 8; ++i) {
    EXPECT_EQ(static_cast<int>(s4(i)), i);
    EXPECT_EQ(static_cast<int>(u4(i)), i & 15);
    EXPECT_EQ(static_cast<int>(s2(i)), (i & 2) != 0 ? (i & 3) - 4 : i & 3);
    EXPECT_EQ(static_cast<int>(u1(i)), i & 1);
    EXPECT_EQ(static_cast<int>(s1(i)), -(i & 1));
  }
  EXPECT_EQ(static_cast<int>(std::numeric_limits<s4>::lowest()), -8);
  EXPECT_EQ(static_cast<int>(std::numeric_limits<s4>::max()), 7);
  EXPECT_EQ(static_cast<int>(std::numeric_limits<u2>::max()), 3);
  EXPECT_EQ(static_cast<int>(std::numeric_limits<s1>::lowest()), -1);
  EXPECT_EQ(static_cast<int>(std::numeric_limits<s1>::max()), 0);
}

TEST(IntNTest, ArithmeticWrapsAround) {
  EXPECT_EQ(s4(7) + s4(1), s4(-8));
  EXPECT_EQ(u4(0) - u4(1), u4(15));
  EXPECT_EQ(s4(-8) * s4(-1), s4(-8));
  EXPECT_EQ(s4(-7) / s4(2), s4(-3));
  EXPECT_EQ(s4(-7) % s4(2), s4(-1));
  EXPECT_EQ(s4(3) << 2, s4(-4));
  EXPECT_EQ(s4(-8) >> 1, s4(-4));
  EXPECT_EQ(u4(8) >> 1, u4(4));
  EXPECT_EQ(s4(-8) >> 100, s4(-1));
  EXPECT_EQ(~u4(5), u4(10));
  EXPECT_LT(s4(-1), s4(0));
}

TEST(IntNTest, FloatsThatDoNotFitAreNoTrap) {
  EXPECT_EQ(s4(2.9), s4(2));
  EXPECT_EQ(s4(-2.9f), s4(-2));
  EXPECT_EQ(s4(std::nan("")), s4(0));
  EXPECT_EQ(s4(1e300), s4(-1));  // The bits of the largest int64_t.
}

}  // namespace
}  // namespace xla

// Conversions to types of few bits: every value of f16 and bf16 to the nearest number there is.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/accuracy/inputs.h"
#include "gtest/gtest.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/types.h"

namespace xla::accuracy {
namespace {

Literal Convert(const Literal& operand, PrimitiveType type) {
  const int64_t count = operand.element_count();
  const auto text = [&](PrimitiveType element) {
    return absl::StrCat(primitive_util::LowercasePrimitiveTypeName(element), "[", count, "]");
  };
  const auto module = ParseAndReturnUnverifiedModule(
      absl::StrCat("HloModule m\nENTRY e { x = ", text(operand.shape().element_type()),
                   " parameter(0) ROOT r = ", text(type), " convert(x) }"));
  EXPECT_TRUE(module.ok()) << module.status();
  absl::StatusOr<Literal> result = HloEvaluator().Evaluate(**module, {&operand});
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

// All 2^16 numbers of a type, and those of f32 whose last digits decide.
template <typename T>
Literal AllOf(PrimitiveType type) {
  Literal all(ShapeUtil::MakeShape(type, {1 << 16}));
  for (int64_t i = 0; i < 1 << 16; ++i) all.data<T>()[i] = FromBits<T>(static_cast<uint64_t>(i));
  return all;
}

Literal FloatsAroundTies() {
  Literal floats(ShapeUtil::MakeShape(F32, {3 << 16}));
  for (int64_t i = 0; i < 1 << 16; ++i) {
    const auto bits = static_cast<uint32_t>(i << 16);
    floats.data<float>()[3 * i] = FromBits<float>(bits - 1);
    floats.data<float>()[3 * i + 1] = FromBits<float>(bits);
    floats.data<float>()[3 * i + 2] = FromBits<float>(bits + 1);
  }
  return floats;
}

template <typename T>
class SmallFloatConversionTest : public testing::Test {
 public:
  // The numbers from zero up and their codes; beyond the last one the number that would follow.
  SmallFloatConversionTest() {
    for (int code = 0; code <= T::kMagnitudeMask; ++code) {
      if (isfinite(T::FromRep(static_cast<uint8_t>(code))))
        codes_[static_cast<double>(T::FromRep(static_cast<uint8_t>(code)))] = code;
    }
    const auto last = std::prev(codes_.end()), before = std::prev(last);
    largest_ = last->first;
    codes_[2 * last->first - before->first] = last->second + 1;
  }

  // What T(x) must be as a number, by looking at the two neighbours.
  double Nearest(double x) const {
    if (std::isnan(x)) return std::numeric_limits<T>::has_quiet_NaN ? x : largest_;
    const double magnitude = std::fabs(x);
    const auto above = codes_.lower_bound(magnitude);
    if (above == codes_.end()) return std::copysign(Overflow(), x);
    double nearest = above->first;
    if (nearest != magnitude) {
      const auto below = std::prev(above);
      const double down = magnitude - below->first, up = above->first - magnitude;
      if (down < up || (down == up && below->second % 2 == 0)) nearest = below->first;
    }
    return std::copysign(nearest > largest_ ? Overflow() : nearest, x);
  }

 private:
  static double Overflow() {
    using Limits = std::numeric_limits<T>;
    if (Limits::has_infinity) return INFINITY;
    return Limits::has_quiet_NaN ? NAN : static_cast<double>(Limits::max());
  }

  std::map<double, int> codes_;
  double largest_;
};

using SignedSmallFloats =
    testing::Types<tsl::float4_e2m1fn, tsl::float6_e2m3fn, tsl::float6_e3m2fn, tsl::float8_e3m4,
                   tsl::float8_e4m3, tsl::float8_e4m3fn, tsl::float8_e4m3fnuz,
                   tsl::float8_e4m3b11fnuz, tsl::float8_e5m2, tsl::float8_e5m2fnuz>;
TYPED_TEST_SUITE(SmallFloatConversionTest, SignedSmallFloats);

TYPED_TEST(SmallFloatConversionTest, NearestNumber) {
  using T = TypeParam;
  const PrimitiveType type = primitive_util::NativeToPrimitiveType<T>();
  for (const Literal& all : {AllOf<half>(F16), AllOf<bfloat16>(BF16), FloatsAroundTies()}) {
    const Literal wide = Convert(all, F64), converted = Convert(all, type);
    for (int64_t i = 0; i < all.element_count(); ++i) {
      const double x = wide.data<double>()[i];
      if (std::isnan(x) && !std::numeric_limits<T>::has_quiet_NaN) continue;
      const T result = converted.data<T>()[i];
      const double expected = this->Nearest(x), actual = static_cast<double>(result);
      if (std::isnan(expected)) {
        ASSERT_TRUE(isnan(result)) << x;
      } else {
        ASSERT_EQ(actual, expected) << x;
        if (actual == 0 && has_negative_zero_v<T>) {
          ASSERT_EQ(std::signbit(actual), std::signbit(x)) << x;
        }
      }
    }
  }
}

template <typename T>
class SmallIntegerConversionTest : public testing::Test {};

using SmallIntegers = testing::Types<s1, u1, s2, u2, s4, u4, int8_t, uint8_t>;
TYPED_TEST_SUITE(SmallIntegerConversionTest, SmallIntegers);

TYPED_TEST(SmallIntegerConversionTest, TruncatesAndSaturates) {
  using T = TypeParam;
  const PrimitiveType type = primitive_util::NativeToPrimitiveType<T>();
  const double lowest = static_cast<int>(std::numeric_limits<T>::lowest());
  const double highest = static_cast<int>(std::numeric_limits<T>::max());
  for (const Literal& all : {AllOf<half>(F16), AllOf<bfloat16>(BF16), FloatsAroundTies()}) {
    const Literal wide = Convert(all, F64), converted = Convert(all, type);
    for (int64_t i = 0; i < all.element_count(); ++i) {
      const double x = wide.data<double>()[i];
      const double expected =
          std::isnan(x) ? 0 : std::trunc(std::min(std::max(x, lowest), highest));
      ASSERT_EQ(static_cast<int>(converted.data<T>()[i]), expected) << x;
    }
  }
}

TYPED_TEST(SmallIntegerConversionTest, IsExactInFloats) {
  using T = TypeParam;
  const PrimitiveType type = primitive_util::NativeToPrimitiveType<T>();
  const int lowest = static_cast<int>(std::numeric_limits<T>::lowest());
  const int highest = static_cast<int>(std::numeric_limits<T>::max());
  Literal integers(ShapeUtil::MakeShape(type, {highest - lowest + 1}));
  for (int i = lowest; i <= highest; ++i) integers.data<T>()[i - lowest] = static_cast<T>(i);
  for (const PrimitiveType to : {F16, BF16, F32, F64}) {
    const Literal wide = Convert(Convert(integers, to), F64);
    for (int i = lowest; i <= highest; ++i) EXPECT_EQ(wide.data<double>()[i - lowest], i);
  }
}

// To f16 and bf16 from floats, and from doubles that would be ties as floats.
TEST(ConversionTest, HalvesAreRoundedOnce) {
  const Literal floats = FloatsAroundTies();
  Literal doubles = Convert(floats, F64);
  for (double& x : doubles.data<double>()) x = std::nextafter(x, 0.0);
  for (const Literal* operand : {&floats, static_cast<const Literal*>(&doubles)}) {
    const Literal wide = Convert(*operand, F64);
    const Literal brains = Convert(*operand, BF16), back = Convert(brains, F64);
    for (int64_t i = 0; i < wide.element_count(); ++i) {
      const double x = wide.data<double>()[i], result = back.data<double>()[i];
      if (!std::isfinite(x) || !std::isfinite(result)) continue;
      const int exponent = std::max(x == 0 ? -126 : std::ilogb(x), -126);
      const double scaled = std::ldexp(x, 7 - exponent);
      ASSERT_EQ(result, std::ldexp(std::nearbyint(scaled), exponent - 7)) << x;
    }
  }
}

}  // namespace
}  // namespace xla::accuracy

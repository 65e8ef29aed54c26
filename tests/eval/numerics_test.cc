// Rounding, accumulation and the recorded numbers of the random bit generators.
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/eval/evaluate.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

Literal Evaluate(absl::string_view text, const std::vector<const Literal*>& arguments) {
  const std::unique_ptr<HloModule> module = Parse(text);
  absl::StatusOr<Literal> result = HloEvaluator().Evaluate(*module, arguments);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : Literal();
}

TEST(NumericsTest, SumsAreRoundedOnce) {
  const int64_t count = 1000000;
  const Literal values = LiteralUtil::CreateFull({count}, 0.1f);
  const Literal sum = Evaluate(R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(b, a) }
ENTRY e { x = f32[1000000] parameter(0)  z = f32[] constant(0)
  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=add })",
                               {&values});
  EXPECT_EQ(sum.Get<float>({}), static_cast<float>(static_cast<double>(0.1f) * count));
}

TEST(NumericsTest, ProductsOfMatricesAreRoundedOnce) {
  // In f32 arithmetic the small addend would be lost.
  EXPECT_EQ(EvaluateText(R"(
HloModule m
ENTRY e { a = f32[3] parameter(0)  b = f32[3] parameter(1)
  ROOT d = f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0} })",
                         {"f32[3] {1e7, 1, -1e7}", "f32[3] {1e7, 1, 1e7}"}),
            "f32[] 1");
}

TEST(NumericsTest, ComputationsThatAreNoProgramsAreCalled) {
  // The conditional cannot be a scalar program.
  EXPECT_EQ(EvaluateText(R"(
HloModule m
double { x = s32[] parameter(0)  ROOT y = s32[] add(x, x) }
keep { x = s32[] parameter(0)  ROOT y = s32[] negate(x) }
combine {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  less = pred[] compare(a, b), direction=LT
  ROOT c = s32[] conditional(less, b, a), true_computation=double, false_computation=keep
}
ENTRY e {
  x = s32[2,3] parameter(0)
  z = s32[] constant(0)
  rows = s32[2] reduce(x, z), dimensions={1}, to_apply=combine
  mapped = s32[2,3] map(x, x), dimensions={0,1}, to_apply=combine
  ROOT t = (s32[2], s32[2,3]) tuple(rows, mapped)
})",
                         {"s32[2,3] {{1, 5, 2}, {-1, 0, 3}}"}),
            "( s32[2] {-10, 6}, s32[2,3] { { -1, -5, -2 }, { 1, 0, -3 } } )");
}

// A wide window and the same computed one window at a time.
TEST(NumericsTest, SlidingWindowsAgreeWithPlainOnes) {
  constexpr int64_t kRows = 3, kColumns = 200;
  Literal values = LiteralUtil::CreateFull({kRows, kColumns}, int32_t{0});
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    values.data<int32_t>()[i] = static_cast<int32_t>((i * 7919) % 1000 - 500);
  for (const auto& [size, low, high] : std::vector<std::array<int64_t, 3>>{{40, 0, 0},
                                                                           {33, 32, 0},
                                                                           {200, 199, 0},
                                                                           {200, 0, 199},
                                                                           {64, 30, 33},
                                                                           {300, 299, 150},
                                                                           {50, -3, 60}}) {
    const int64_t columns = kColumns + low + high - size + 1;
    const Literal result =
        Evaluate(absl::StrCat(R"(
HloModule m
max { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = s32[] maximum(a, b) }
ENTRY e { x = s32[3,200] parameter(0)  z = s32[] constant(-100000)
  ROOT r = s32[3,)",
                              columns, "] reduce-window(x, z), window={size=1x", size, " pad=0_0x",
                              low, "_", high, "}, to_apply=max }"),
                 {&values});
    for (int64_t row = 0; row < kRows; ++row) {
      for (int64_t o = 0; o < columns; ++o) {
        int32_t largest = -100000;
        for (int64_t i = std::max<int64_t>(0, o - low); i < std::min(kColumns, o - low + size);
             ++i) {
          largest = std::max(largest, values.Get<int32_t>({row, i}));
        }
        ASSERT_EQ(result.Get<int32_t>({row, o}), largest)
            << size << " " << low << " " << row << " " << o;
      }
    }
  }
}

TEST(NumericsTest, TransformsOfAnyLength) {
  for (int64_t n : {1, 2, 3, 7, 12, 16, 30, 97, 100}) {
    Literal x = LiteralUtil::CreateFull({n}, complex128(0));
    for (int64_t i = 0; i < n; ++i)
      x.data<complex128>()[i] = complex128(std::sin(i * 1.7), std::cos(i * i));
    const std::string shape = absl::StrCat("c128[", n, "]");
    const Literal spectrum = Evaluate(
        absl::StrCat("HloModule m\nENTRY e { x = ", shape, " parameter(0) ROOT f = ", shape,
                     " fft(x), fft_type=FFT, fft_length={", n, "} }"),
        {&x});
    for (int64_t k = 0; k < n; ++k) {
      complex128 sum = 0;
      for (int64_t j = 0; j < n; ++j)
        sum += x.Get<complex128>({j}) * std::polar(1.0, -2 * M_PI * double(j * k % n) / n);
      EXPECT_LT(std::abs(spectrum.Get<complex128>({k}) - sum), 1e-12 * n) << n << " " << k;
    }
  }
}

TEST(NumericsTest, RandomBitsAreThoseOfXla) {
  const std::string three_fry = EvaluateText(R"(
HloModule m
ENTRY e { s = u64[2] parameter(0)
  ROOT r = (u64[2], u32[4]) rng-bit-generator(s), algorithm=rng_three_fry })",
                                             {"u64[2] {5, 18446744073709551615}"});
  EXPECT_EQ(three_fry, "( u64[2] {5, 1}, u32[4] {3818595097, 1327100559, 1396233059, 315918555} )");
  const std::string philox =
      EvaluateText(R"(
HloModule m
ENTRY e { s = u64[3] parameter(0)
  ROOT r = (u64[3], u32[8]) rng-bit-generator(s), algorithm=rng_philox })",
                   {"u64[3] {1311768467463790320, 1147797409030816545, 1234605616436508552}"});
  EXPECT_EQ(philox,
            "( u64[3] {1311768467463790320, 1147797409030816547, 1234605616436508552}, u32[8] "
            "{2550400498, 3043851618, "
            "129514746, 1741227636, 3352263401, 255380449, 1498927261, 1962740623} )");
  const std::string short_state =
      EvaluateText(R"(
HloModule m
ENTRY e { s = u64[2] parameter(0)
  ROOT r = (u64[2], u32[8]) rng-bit-generator(s), algorithm=rng_philox })",
                   {"u64[2] {1311768467463790320, 1147797409030816545}"});
  EXPECT_EQ(short_state,
            "( u64[2] {1311768467463790320, 1147797409030816547}, u32[8] {4280550385, 238971816, "
            "1079828761, "
            "2933417630, 2651160362, 1297950909, 3789065841, 4149258839} )");
}

TEST(NumericsTest, StatefulRandomNumbersFollowTheSeed) {
  const std::unique_ptr<HloModule> module = Parse(R"(
HloModule m
ENTRY e { a = f32[] constant(2)  b = f32[] constant(3)
  ROOT r = f32[1000] rng(a, b), distribution=rng_uniform })");
  HloEvaluator evaluator;
  const Literal first = evaluator.Evaluate(*module, absl::Span<const Literal* const>()).value();
  const Literal again = evaluator.Evaluate(*module, absl::Span<const Literal* const>()).value();
  evaluator.set_seed(1);
  const Literal other = evaluator.Evaluate(*module, absl::Span<const Literal* const>()).value();
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  double sum = 0;
  for (float value : first.data<float>()) {
    EXPECT_GE(value, 2);
    EXPECT_LT(value, 3);
    sum += value;
  }
  EXPECT_NEAR(sum / 1000, 2.5, 0.05);
}

TEST(NumericsTest, DynamicSizesEndReductions) {
  constexpr char kText[] = R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[10] parameter(0)
  n = s32[] parameter(1)
  z = f32[] constant(0)
  d = f32[<=10] set-dimension-size(x, n), dimensions={0}
  doubled = f32[<=10] add(d, d)
  r = f32[] reduce(doubled, z), dimensions={0}, to_apply=add
  size = s32[] get-dimension-size(doubled), dimensions={0}
  ROOT t = (f32[], s32[]) tuple(r, size)
})";
  EXPECT_EQ(EvaluateText(kText, {"f32[10] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}", "s32[] 5"}),
            "( f32[] 30, s32[] 5 )");
  EXPECT_EQ(EvaluateText(kText, {"f32[10] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}", "s32[] 0"}),
            "( f32[] 0, s32[] 0 )");
  EXPECT_FALSE(
      TryEvaluateText(kText, {"f32[10] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}", "s32[] 11"}).ok());
}

}  // namespace
}  // namespace xla

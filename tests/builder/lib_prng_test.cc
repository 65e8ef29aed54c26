// Random numbers: known bits, ranges and moments.
#include <numeric>

#include "tests/builder/builder_testing.h"
#include "tests/builder/lib_testing.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/prng.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PrngTest : public testing::Test {
 protected:
  XlaOp Word(uint64_t value) { return ConstantR0<uint64_t>(&b_, value); }

  XlaBuilder b_{"main"};
};

// The known answers of the authors' library for a counter and a key of zeros.
TEST_F(PrngTest, KnownBits) {
  const Shape shape = ShapeUtil::MakeShape(U32, {4});
  const RngOutput philox = PhiloxBitGenerator(Word(0), ConstantR1<uint64_t>(&b_, {0, 0}), shape);
  EXPECT_THAT(ValuesOf<uint32_t>(Evaluate(b_, philox.value)),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  const RngOutput threefry = ThreeFryBitGenerator(Word(0), Word(0), ShapeUtil::MakeShape(U32, {2}));
  EXPECT_THAT(ValuesOf<uint32_t>(Evaluate(b_, threefry.value)),
              ElementsAre(0x6b200159, 0x99ba4efe));
}

TEST_F(PrngTest, TheStateGoesOn) {
  const Shape all = ShapeUtil::MakeShape(F64, {4});
  const Shape half = ShapeUtil::MakeShape(F64, {2});
  const auto check = [&](RngOutput (*generator)(XlaOp, XlaOp, const Shape&), XlaOp state) {
    const XlaOp whole = generator(Word(7), state, all).value;
    const RngOutput first = generator(Word(7), state, half);
    const XlaOp second = generator(Word(7), first.state, half).value;
    const XlaOp same = Eq(whole, ConcatInDim(&b_, {first.value, second}, 0));
    EXPECT_THAT(ValuesOf<bool>(Evaluate(b_, same)), ElementsAre(true, true, true, true));
  };
  check(&ThreeFryBitGenerator, Word(11));
  check(&PhiloxBitGenerator, ConstantR1<uint64_t>(&b_, {11, 12}));
}

TEST_F(PrngTest, ScramblePhiloxKey) {
  const auto [state, key] = ScramblePhiloxKey(Word(5));
  const std::vector<uint64_t> words =
      ValuesOf<uint64_t>(Evaluate(b_, ConcatInDim(&b_, {state, Reshape(key, {1})}, 0)));
  const RngOutput bits = PhiloxBitGenerator(
      Word(0x02461e293ec8f720), ConstantR1<uint64_t>(&b_, {5, 0}), ShapeUtil::MakeShape(U32, {4}));
  const std::vector<uint32_t> block = ValuesOf<uint32_t>(Evaluate(b_, bits.value));
  ASSERT_EQ(block.size(), 4);
  EXPECT_THAT(words, ElementsAre(0, block[2] | uint64_t{block[3]} << 32,
                                 block[0] | uint64_t{block[1]} << 32));
}

TEST_F(PrngTest, PhiloxIncreaseCounter) {
  const XlaOp counter = ConstantR1<uint64_t>(&b_, {~uint64_t{0} - 1, 3});
  const XlaOp sums = ConcatInDim(
      &b_, {PhiloxIncreaseCounter(counter, Word(1)), PhiloxIncreaseCounter(counter, Word(5))}, 0);
  EXPECT_THAT(ValuesOf<uint64_t>(Evaluate(b_, sums)), ElementsAre(~uint64_t{0}, 3, 3, 4));
}

TEST_F(PrngTest, ConcatScalars) {
  EXPECT_THAT(ValuesOf<uint64_t>(Evaluate(b_, ConcatScalars(&b_, {Word(3), Word(1)}))),
              ElementsAre(3, 1));
}

double Mean(absl::Span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST_F(PrngTest, UniformFloatingPoint) {
  for (PrimitiveType type : {F16, BF16, F32, F64}) {
    const RngOutput uniform = UniformFloatingPointDistribution(
        Word(1), Word(2), &ThreeFryBitGenerator, ConstantR0WithType(&b_, type, -1.0),
        ConstantR0WithType(&b_, type, 3.0), ShapeUtil::MakeShape(type, {100, 101}));
    const std::vector<double> values =
        ValuesOf<double>(Evaluate(b_, ConvertElementType(uniform.value, F64)));
    ASSERT_EQ(values.size(), 10100);
    EXPECT_THAT(values, testing::Each(testing::AllOf(testing::Ge(-1), testing::Lt(3))));
    // The standard deviation of the mean is 0.0115.
    EXPECT_NEAR(Mean(values), 1, 0.05);
  }
}

TEST_F(PrngTest, UniformInt) {
  const RngOutput uniform = UniformIntDistribution(
      Word(1), ConstantR1<uint64_t>(&b_, {2, 3}), &PhiloxBitGenerator, ConstantR0<int32_t>(&b_, -3),
      ConstantR0<int32_t>(&b_, 2), ShapeUtil::MakeShape(S32, {5000}));
  const std::vector<int32_t> values = ValuesOf<int32_t>(Evaluate(b_, uniform.value));
  ASSERT_EQ(values.size(), 5000);
  for (int32_t value = -3; value < 2; ++value) {
    EXPECT_NEAR(std::count(values.begin(), values.end(), value), 1000, 150) << value;
  }
  EXPECT_THAT(values, testing::Each(testing::AllOf(testing::Ge(-3), testing::Lt(2))));
}

TEST_F(PrngTest, WidestRangeOfIntegers) {
  const RngOutput uniform =
      UniformIntDistribution(Word(1), Word(2), &ThreeFryBitGenerator, MinValue(&b_, S64),
                             MaxValue(&b_, S64), ShapeUtil::MakeShape(S64, {1000}));
  const std::vector<int64_t> values = ValuesOf<int64_t>(Evaluate(b_, uniform.value));
  EXPECT_NEAR(std::count_if(values.begin(), values.end(), [](int64_t x) { return x < 0; }), 500,
              100);
}

TEST_F(PrngTest, Normal) {
  for (PrimitiveType type : {BF16, F32, F64}) {
    const RngOutput normal = NormalFloatingPointDistribution(
        Word(1), Word(2), &ThreeFryBitGenerator, ShapeUtil::MakeShape(type, {99, 101}));
    const std::vector<double> values =
        ValuesOf<double>(Evaluate(b_, ConvertElementType(normal.value, F64)));
    ASSERT_EQ(values.size(), 9999);
    EXPECT_NEAR(Mean(values), 0, 0.05);
    std::vector<double> squares, fourth;
    for (double x : values) {
      squares.push_back(x * x);
      fourth.push_back(x * x * x * x);
    }
    EXPECT_NEAR(Mean(squares), 1, 0.07);
    EXPECT_NEAR(Mean(fourth), 3, 0.5);
  }
}

template <typename Make>
std::string ErrorFrom(Make make) {
  XlaBuilder b("main");
  make(b, ConstantR0<uint64_t>(&b, 1));
  return ErrorOf(b);
}

TEST_F(PrngTest, Errors) {
  const Shape f32 = ShapeUtil::MakeShape(F32, {2}), s32 = ShapeUtil::MakeShape(S32, {2});
  EXPECT_THAT(ErrorFrom([&](XlaBuilder& b, XlaOp word) {
                ThreeFryBitGenerator(word, ConstantR0<uint32_t>(&b, 1), f32);
              }),
              HasSubstr("the state of a bit generator must be u64[], not u32[]"));
  EXPECT_THAT(ErrorFrom([&](XlaBuilder& b, XlaOp word) { PhiloxBitGenerator(word, word, f32); }),
              HasSubstr("the state of a bit generator must be u64[2], not u64[]"));
  EXPECT_THAT(ErrorFrom([&](XlaBuilder& b, XlaOp word) {
                ThreeFryBitGenerator(word, word, ShapeUtil::MakeShape(C64, {2}));
              }),
              HasSubstr("elements of 16, 32 or 64 bits, not as c64[2]"));
  EXPECT_THAT(ErrorFrom([&](XlaBuilder& b, XlaOp word) {
                UniformIntDistribution(word, word, &ThreeFryBitGenerator, word, word, s32);
              }),
              HasSubstr("must be a scalar of this type, not u64[]"));
  EXPECT_THAT(ErrorFrom([&](XlaBuilder& b, XlaOp word) {
                NormalFloatingPointDistribution(word, word, &ThreeFryBitGenerator, s32);
              }),
              HasSubstr("F16, BF16, F32 or F64, not s32[2]"));
}

}  // namespace
}  // namespace xla

#include "xla/util.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Util, ErrorMakers) {
  EXPECT_EQ(InvalidArgument("rank %d of %s", 3, "x"), absl::InvalidArgumentError("rank 3 of x"));
  absl::Status status = UnimplementedStrCat("rank ", 3);
  EXPECT_EQ(status, absl::UnimplementedError("rank 3"));
  EXPECT_EQ(AddStatus(status, "dot").message(), "dot: rank 3");
}

TEST(Util, IntegerDivision) {
  EXPECT_EQ(CeilOfRatio(7, 2), 4);
  EXPECT_EQ(CeilOfRatio(std::numeric_limits<int64_t>::max(), int64_t{2}), int64_t{1} << 62);
  EXPECT_EQ(RoundUpTo(7, 4), 8);
  EXPECT_EQ(FloorDivMod(-7, 2).quotient, -4);
  EXPECT_EQ(FloorDivMod(-7, 2).modulo, 1);
  EXPECT_EQ(IPow(int64_t{3}, 4), 81);
  EXPECT_EQ(Log2Floor(9u), 3);
  EXPECT_EQ(Log2Ceiling(9u), 4);
  EXPECT_THAT(ToMixedRadix(23, {2, 3, 4}), ElementsAre(1, 2, 3));
}

TEST(Util, CommonFactorsDivideAReshape) {
  EXPECT_THAT(CommonFactors({2, 3, 4}, {6, 4}), ElementsAre(Pair(0, 0), Pair(2, 1), Pair(3, 2)));
  EXPECT_THAT(CommonFactors({2, 5}, {2, 5}), ElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 2)));
  EXPECT_THAT(CommonFactors({}, {1, 1}), ElementsAre(Pair(0, 0), Pair(0, 1), Pair(0, 2)));
  EXPECT_THAT(CommonFactors({6, 1}, {2, 3}), ElementsAre(Pair(0, 0), Pair(1, 2), Pair(2, 2)));
  EXPECT_THAT(CommonFactors({0, 2}, {0}), ElementsAre(Pair(0, 0), Pair(2, 1)));
  EXPECT_THAT(CommonFactors({5, 0, 4}, {5, 2, 0}), ElementsAre(Pair(0, 0), Pair(1, 1), Pair(3, 3)));
  EXPECT_THAT(CommonFactors({5, 0, 4}, {5, 0, 2, 3}), ElementsAre(Pair(0, 0), Pair(3, 4)));
}

TEST(Util, PackedElementsComeBack) {
  const std::vector<char> values = {1, 2, 3, 0, 2};
  std::vector<char> packed(2), unpacked(5);
  PackIntN<2>(values, absl::MakeSpan(packed));
  EXPECT_THAT(packed, ElementsAre(0b00111001, 0b10));
  UnpackIntN(2, packed, absl::MakeSpan(unpacked));
  EXPECT_EQ(unpacked, values);
}

TEST(Util, FloatsOrderAsTheirSignMagnitude) {
  EXPECT_LT(ToSignMagnitude(-1.0f), ToSignMagnitude(-0.0f));
  EXPECT_LT(ToSignMagnitude(-0.0f), ToSignMagnitude(0.0f));
  EXPECT_LT(ToSignMagnitude(0.0), ToSignMagnitude(5e-324));
  const float nan = NanWithSignAndPayload<float>(true, 0x400001);
  EXPECT_TRUE(std::isnan(nan) && std::signbit(nan));
  EXPECT_EQ(SignAndMagnitude(nan).second, 0x7fc00001u);
}

TEST(Util, PowersUpToTheLargestNumber) {
  EXPECT_EQ(IPow<int64_t>(2, 62), int64_t{1} << 62);
  constexpr int32_t kLargest = IPow<int32_t>(3, 19);  // No constant expression if 3^32 is computed.
  EXPECT_EQ(kLargest, 1162261467);
  EXPECT_EQ(IPow(-1, 3), -1);
  EXPECT_EQ(IPow(7, 0), 1);
}

TEST(Util, Text) {
  EXPECT_EQ(Reindent("  a\n    b\n\n  c ", "  "), "  a\n  b\n  \n  c");
  EXPECT_EQ(Reindent("    a\n      b", ""), "a\nb");
  EXPECT_EQ(RoundTripFpToString(0.1f), "0.1");
  EXPECT_EQ(std::stod(RoundTripFpToString(1.0 / 3)), 1.0 / 3);
  EXPECT_EQ(VectorString({1, 2}), "(1, 2)");
  EXPECT_EQ(HumanReadableNumFlops(3e9, 1e9), "3.00GFLOP/s");
  EXPECT_EQ(HumanReadableNumFlops(30, 1e9), "30FLOP/s");
  EXPECT_EQ(HumanReadableNumTranscendentalOps(1, 0), "NaN TROP/s");
}

TEST(Util, NamesAndDevices) {
  EXPECT_EQ(SanitizeOpName("a_b__c", '_', "--"), "a--b----c");
  EXPECT_EQ(XlaFormatDevice(3), "[3] ");
}

TEST(Util, AllFieldsOfAMessage) {
  WindowDimension window;
  window.set_size(3);
  EXPECT_THAT(PrintAllFields(window),
              testing::AllOf(testing::HasSubstr("size: 3\n"), testing::HasSubstr("stride: 0\n"),
                             testing::HasSubstr("window_reversal: false\n")));
  Window two;
  *two.add_dimensions() = window;
  two.add_dimensions();
  EXPECT_THAT(PrintAllFields(two), testing::HasSubstr("dimensions {\n  size: 0\n"));
}

TEST(Util, Dimensions) {
  EXPECT_THAT(RemoveElements({0, 2}, std::vector<int>{5, 6, 7, 8}), ElementsAre(6, 8));
  EXPECT_THAT(GetNonContractingDims(4, {3}, {0}), ElementsAre(1, 2));
  EXPECT_FALSE(HasInteriorPadding(MakeEdgePaddingConfig({{1, 2}})));
  EXPECT_EQ(MakeNoPaddingConfig(3).dimensions_size(), 3);
}

}  // namespace
}  // namespace xla

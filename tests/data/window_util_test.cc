#include "xla/window_util.h"

#include <gtest/gtest.h>

#include <limits>

namespace xla {
namespace {

TEST(WindowUtilTest, Text) {
  EXPECT_EQ(window_util::ToString(Window()), "");
  Window window = window_util::MakeWindow({3, 4});
  EXPECT_EQ(window_util::ToString(window), "size=3x4");
  EXPECT_EQ(window_util::ToString(window_util::MakeWindow({3, 4}, {1, 2})), "size=3x4 stride=1x2");
  WindowDimension& d = *window.mutable_dimensions(1);
  d.set_stride(2);
  d.set_padding_low(-1);
  d.set_padding_high(5);
  d.set_base_dilation(3);
  d.set_window_dilation(4);
  d.set_window_reversal(true);
  EXPECT_EQ(window_util::ToString(window),
            "size=3x4 stride=1x2 pad=0_0x-1_5 lhs_dilate=1x3 rhs_dilate=1x4 rhs_reversal=0x1");
  EXPECT_EQ(window_util::ToString(d),
            "(size=4,stride=2,padding_low=-1,padding_high=5,base_dilation=3,window_dilation=4,"
            "window_reversal)");
}

TEST(WindowUtilTest, Queries) {
  Window window = window_util::MakeWindow({1, 2}, {1, 2});
  EXPECT_TRUE(window_util::IsTrivialWindowDimension(window.dimensions(0)));
  EXPECT_FALSE(window_util::IsTrivialWindowDimension(window.dimensions(1)));
  EXPECT_TRUE(window_util::HasStride(window));
  EXPECT_FALSE(window_util::HasOverlappingWindow(window));
  EXPECT_FALSE(window_util::HasDilation(window));
  EXPECT_TRUE(window_util::AllOrNoneReversed(window));
  window.mutable_dimensions(0)->set_window_reversal(true);
  EXPECT_FALSE(window_util::AllOrNoneReversed(window));
  EXPECT_TRUE(window_util::HasSymmetricPadding(window));
  window.mutable_dimensions(0)->set_padding_high(-1);
  EXPECT_FALSE(window_util::HasSymmetricPadding(window));
  EXPECT_TRUE(window_util::HasNegativePadding(window));
  EXPECT_TRUE(window_util::HasSymmetricPadding(window_util::MakeSymmetricPadding({1, 2})));
}

TEST(WindowUtilTest, Bounds) {
  EXPECT_EQ(window_util::DilatedBound(0, 5), 0);
  EXPECT_EQ(window_util::DilatedBound(1, 5), 1);
  EXPECT_EQ(window_util::DilatedBound(4, 3), 10);
  const int64_t max = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(window_util::DilatedBound(max, max), max);
  EXPECT_EQ(window_util::StridedBound(10, 3, 1), 8);
  EXPECT_EQ(window_util::StridedBound(10, 3, 4), 2);
  EXPECT_EQ(window_util::StridedBound(2, 3, 1), 0);
  EXPECT_EQ(window_util::StridedBound(0, 0, 1), 0);
  EXPECT_EQ(window_util::StridedBound(max, 0, 1), max);
}

}  // namespace
}  // namespace xla

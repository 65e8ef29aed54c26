#include "tools/npy.h"

#include "gtest/gtest.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

std::string Format(const Literal& literal) {
  absl::StatusOr<std::string> bytes = FormatNpy(literal);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return *bytes;
}

void ExpectRoundTrip(const Literal& literal) {
  const std::string bytes = Format(literal);
  absl::StatusOr<Literal> read = ParseNpy(bytes, literal.shape());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, literal);
}

TEST(NpyTest, RoundTrips) {
  ExpectRoundTrip(LiteralUtil::CreateR0<float>(1.5f));
  ExpectRoundTrip(LiteralUtil::CreateR1<bool>({true, false, true}));
  ExpectRoundTrip(LiteralUtil::CreateR2<double>({{1, 2}, {3, 4}}));
  ExpectRoundTrip(LiteralUtil::CreateR1<complex64>({{1, 2}, {3, -4}}));
  ExpectRoundTrip(LiteralUtil::CreateR1<int64_t>({}));
  ExpectRoundTrip(LiteralUtil::CreateR1<bfloat16>({bfloat16(1.0f), bfloat16(-2.5f)}));
}

TEST(NpyTest, HeaderIsNumPys) {
  const std::string bytes = Format(LiteralUtil::CreateR2<float>({{1, 2, 3}}));
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_NE(bytes.find("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }"),
            std::string::npos);
  EXPECT_EQ(bytes.size() % 64, 12u);  // the header is padded to 64 bytes
}

TEST(NpyTest, ReadsFortranOrder) {
  std::string bytes = Format(LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}}));
  const size_t order = bytes.find("False");
  bytes.replace(order, 5, "True ");
  absl::StatusOr<Literal> read = ParseNpy(bytes, ShapeUtil::MakeShape(S32, {2, 2}));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, LiteralUtil::CreateR2<int32_t>({{1, 3}, {2, 4}}));
}

TEST(NpyTest, RowMajorWhateverTheLayout) {
  const Literal rows = LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}});
  EXPECT_EQ(Format(rows), Format(rows.Relayout(LayoutUtil::MakeLayout({0, 1}))));
}

TEST(NpyTest, RefusesWhatDoesNotFit) {
  const std::string bytes = Format(LiteralUtil::CreateR1<float>({1, 2, 3}));
  const Shape right = ShapeUtil::MakeShape(F32, {3});
  EXPECT_FALSE(ParseNpy(bytes, ShapeUtil::MakeShape(F32, {4})).ok());
  EXPECT_FALSE(ParseNpy(bytes, ShapeUtil::MakeShape(S32, {3})).ok());
  EXPECT_FALSE(ParseNpy("", right).ok());
  EXPECT_FALSE(FormatNpy(LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<float>(1))).ok());
  // Cut off anywhere, the file is an error and not a crash.
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ParseNpy(bytes.substr(0, size), right).ok()) << size;
  }
}

}  // namespace
}  // namespace xla

#include "tools/npy.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tools/files.h"
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

// Of each of some parts what the array has there.
void ExpectParts(const std::string& bytes, const Literal& whole) {
  const std::string path = testing::TempDir() + "/npy_test_part.npy";
  ASSERT_TRUE(WriteFile(path, bytes).ok());
  const absl::StatusOr<NpyFile> file = NpyFile::Open(path, whole.shape());
  ASSERT_TRUE(file.ok()) << file.status();
  using Indices = std::vector<int64_t>;
  for (const auto& [begin, end] : std::vector<std::pair<Indices, Indices>>{
           {{0, 0, 0}, {3, 4, 5}},
           {{1, 0, 0}, {3, 4, 5}},
           {{0, 1, 0}, {3, 3, 5}},
           {{0, 0, 2}, {3, 4, 4}},
           {{2, 1, 4}, {3, 2, 5}},
           {{1, 1, 1}, {1, 2, 2}},
       }) {
    const absl::StatusOr<Literal> part = file->Read(begin, end);
    ASSERT_TRUE(part.ok()) << part.status();
    EXPECT_EQ(*part, whole.Slice(begin, end));
  }
}

TEST(NpyTest, ReadsParts) {
  Literal whole(ShapeUtil::MakeShape(S32, {3, 4, 5}));
  for (size_t i = 0; i < 60; ++i) whole.data<int32_t>()[i] = static_cast<int32_t>(i * i);
  ExpectParts(Format(whole), whole);
  const Literal columns = whole.Relayout(LayoutUtil::MakeLayout({0, 1, 2}));
  std::string bytes = Format(whole);
  bytes.replace(bytes.find("False"), 5, "True ");
  bytes.replace(bytes.size() - columns.size_bytes(), columns.size_bytes(),
                static_cast<const char*>(columns.untyped_data()), columns.size_bytes());
  ExpectParts(bytes, whole);
}

TEST(NpyTest, OpensOnlyWhatIsWhole) {
  const std::string path = testing::TempDir() + "/npy_test_short.npy";
  const std::string bytes = Format(LiteralUtil::CreateR1<int32_t>({1, 2, 3}));
  ASSERT_TRUE(WriteFile(path, bytes.substr(0, bytes.size() - 1)).ok());
  EXPECT_FALSE(NpyFile::Open(path, ShapeUtil::MakeShape(S32, {3})).ok());
  EXPECT_FALSE(NpyFile::Open(path + ".none", ShapeUtil::MakeShape(S32, {3})).ok());
  ASSERT_TRUE(WriteFile(path, bytes).ok());
  EXPECT_TRUE(NpyFile::Open(path, ShapeUtil::MakeShape(S32, {3})).ok());
  EXPECT_FALSE(NpyFile::Open(path, ShapeUtil::MakeShape(S32, {4})).ok());
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

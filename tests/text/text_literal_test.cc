#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/literal_util.h"
#include "xla/text_literal_reader.h"
#include "xla/text_literal_writer.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

std::string Path() { return testing::TempDir() + "/text_literal_test"; }

absl::StatusOr<Literal> Read(const std::string& text) {
  std::ofstream(Path()) << text;
  return TextLiteralReader::ReadPath(Path());
}

TEST(TextLiteralTest, BothWays) {
  const Literal literals[] = {
      LiteralUtil::CreateR2<float>({{1.5f, -2}, {1e-30f, INFINITY}}),
      LiteralUtil::CreateR1<bool>({true, false}), LiteralUtil::CreateR0<int64_t>(-7),
      LiteralUtil::CreateR1<complex64>({{1, -2}}), LiteralUtil::CreateR1<float>({})};
  for (const Literal& literal : literals) {
    ASSERT_TRUE(TextLiteralWriter::WriteToPath(literal, Path()).ok());
    EXPECT_EQ(*TextLiteralReader::ReadPath(Path()), literal);
  }
  ASSERT_TRUE(TextLiteralWriter::WriteToPath(literals[0], Path()).ok());
  std::string line;
  std::ifstream file(Path());
  std::getline(file, line);
  EXPECT_EQ(line, "f32[2,2]");
  std::getline(file, line);
  EXPECT_EQ(line, "(0, 0): 1.5");
}

TEST(TextLiteralTest, CommentsAndElementsLeftOut) {
  const Literal literal = *Read("# two numbers\ns32[3]\n\n(2): 5  # the last one\n (0) :1\n");
  EXPECT_EQ(literal, LiteralUtil::CreateR1<int32_t>({1, 0, 5}));
  EXPECT_TRUE(std::isnan(Read("f32[1]\n")->Get<float>({0})));
}

TEST(TextLiteralTest, RefusesWhatIsNoLiteral) {
  EXPECT_FALSE(TextLiteralReader::ReadPath(Path() + "/none").ok());
  EXPECT_FALSE(TextLiteralWriter::WriteToPath(Literal(), Path()).ok());
  EXPECT_FALSE(Read("").ok());
  EXPECT_FALSE(Read("(f32[])\n").ok());
  for (const char* element :
       {"(2): 1", "(0,0): 1", "(-1): 1", "(x): 1", "0: 1", "(0): x", "(0) 1", "(0): 1 2"}) {
    EXPECT_THAT(std::string(Read(std::string("f32[2]\n") + element).status().message()),
                HasSubstr("line 2"))
        << element;
  }
}

}  // namespace
}  // namespace xla

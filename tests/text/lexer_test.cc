#include "front/text/lexer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace xla {
namespace {

using Kind = TokenKind;

std::vector<Kind> Kinds(absl::string_view text) {
  std::vector<Kind> kinds;
  for (Lexer lexer(text); lexer.kind() != Kind::kEndOfText; lexer.Next()) {
    kinds.push_back(lexer.kind());
    if (lexer.kind() == Kind::kError) break;
  }
  return kinds;
}

Token First(absl::string_view text) { return Lexer(text).token(); }

TEST(LexerTest, Names) {
  EXPECT_EQ(First("foo.1-x: y").kind, Kind::kName);
  EXPECT_EQ(First("foo.1-x: y").text, "foo.1-x");
  EXPECT_EQ(First("%foo").kind, Kind::kName);
  EXPECT_EQ(First("%foo").text, "foo");
  EXPECT_EQ(First("%f32").kind, Kind::kName);
  EXPECT_EQ(First("foo=1").kind, Kind::kAttributeName);
  EXPECT_EQ(First("foo=1").text, "foo");
  EXPECT_EQ(First("foo = 1").kind, Kind::kIdentifier);
  EXPECT_EQ(First("foo :").kind, Kind::kIdentifier);
  EXPECT_EQ(First("% foo").kind, Kind::kError);
}

TEST(LexerTest, Words) {
  EXPECT_EQ(First("f32[2]").kind, Kind::kPrimitiveType);
  EXPECT_EQ(First("f32[2]").type, F32);
  EXPECT_EQ(First("f8e4m3b11fnuz").type, F8E4M3B11FNUZ);
  EXPECT_EQ(First("opaque[]").type, OPAQUE_TYPE);
  EXPECT_EQ(First("tuple").kind, Kind::kIdentifier);
  EXPECT_EQ(First("buffer").kind, Kind::kIdentifier);
  EXPECT_EQ(First("f32x").kind, Kind::kIdentifier);
  EXPECT_EQ(First("ROOT").kind, Kind::kKeyword);
  EXPECT_EQ(First("replicated}").kind, Kind::kKeyword);
  EXPECT_EQ(First("roots").kind, Kind::kIdentifier);
}

TEST(LexerTest, Numbers) {
  EXPECT_EQ(First("-12").integer, -12);
  EXPECT_EQ(First("-0").kind, Kind::kInteger);
  EXPECT_EQ(First("18446744073709551615").integer, -1);
  EXPECT_EQ(First("18446744073709551616").kind, Kind::kError);
  EXPECT_EQ(First("-9223372036854775808").integer, INT64_MIN);
  EXPECT_EQ(First("-9223372036854775809").kind, Kind::kError);
  EXPECT_EQ(First("1.5").decimal, 1.5);
  EXPECT_EQ(First("-.5e1").decimal, -5);
  EXPECT_EQ(First("1e+3").decimal, 1000);
  EXPECT_EQ(First("2.").decimal, 2);
  EXPECT_EQ(First("1e999").kind, Kind::kError);
  EXPECT_EQ(First("1e-999").decimal, 0);
  EXPECT_EQ(First("inf").decimal, HUGE_VAL);
  EXPECT_EQ(First("-inf").decimal, -HUGE_VAL);
  EXPECT_TRUE(std::isnan(First("nan").decimal));
  EXPECT_EQ(First("-nan(0x12)").kind, Kind::kDecimal);
  EXPECT_EQ(First("nan(0x0)").kind, Kind::kError);
  EXPECT_EQ(First("nan(0x10000000000000)").kind, Kind::kError);
  EXPECT_EQ(Kinds("infinite"), std::vector<Kind>{Kind::kIdentifier});
  EXPECT_EQ(First("-").kind, Kind::kError);
}

TEST(LexerTest, NumbersWithLetters) {
  EXPECT_EQ(First("3x3").kind, Kind::kSizes);
  EXPECT_EQ(First("3x3x").text, "3x3");
  EXPECT_EQ(First("1_2").kind, Kind::kPadding);
  EXPECT_EQ(First("-1_2x0_0_3").text, "-1_2x0_0_3");
  EXPECT_EQ(First("10_20x3_4").kind, Kind::kPadding);
  EXPECT_EQ(First("b01f_01io->b01f").kind, Kind::kDimLabels);
  EXPECT_EQ(First("01bf_oi01->01bf").kind, Kind::kDimLabels);
  EXPECT_EQ(First("bf?_io?->?bf").kind, Kind::kDimLabels);
  EXPECT_EQ(First("?b_io->bf").kind, Kind::kDimLabels);
  EXPECT_EQ(First("?,2").kind, Kind::kQuestionMark);
  EXPECT_EQ(First("bf_io").kind, Kind::kIdentifier);
}

TEST(LexerTest, Punctuation) {
  EXPECT_EQ(Kinds("= <= , : * # + ~ [ ] { } ( ) ... ->").size(), 16);
  EXPECT_EQ(First("<5").kind, Kind::kError);
  EXPECT_EQ(First("..").kind, Kind::kError);
  EXPECT_EQ(First("$").kind, Kind::kError);
}

TEST(LexerTest, SpaceAndComments) {
  EXPECT_EQ(Kinds(" \t\r\n// one\n/* two * / */add"), std::vector<Kind>{Kind::kIdentifier});
  EXPECT_EQ(First("/* two").kind, Kind::kError);
  EXPECT_EQ(Kinds("// to the end").size(), 0);
  EXPECT_EQ(First(absl::string_view("\0", 1)).kind, Kind::kError);
  EXPECT_EQ(First("\xff").kind, Kind::kError);
}

TEST(LexerTest, Strings) {
  EXPECT_EQ(First(R"("a\"b")").text, R"(a\"b)");
  EXPECT_EQ(First("'a\"b'").text, "a\"b");
  EXPECT_EQ(First("\"open").kind, Kind::kError);
  EXPECT_EQ(First("\"open\\").kind, Kind::kError);
  EXPECT_EQ(UnescapeString(R"(a\n\x41\101)").value(), "a\nAA");
  EXPECT_FALSE(UnescapeString(R"(\q)").ok());
}

TEST(LexerTest, Dictionaries) {
  const absl::string_view text = R"({"a":{"}":"\"}"}} rest)";
  const char* end = Lexer::FindDictionaryEnd(text.data(), text.data() + text.size());
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(absl::string_view(end), " rest");
  for (absl::string_view open : {"{", "{\"", "{\"\\", "{{}"}) {
    EXPECT_EQ(Lexer::FindDictionaryEnd(open.data(), open.data() + open.size()), nullptr) << open;
  }
}

}  // namespace
}  // namespace xla

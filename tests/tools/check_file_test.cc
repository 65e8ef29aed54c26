#include "tools/check_file.h"

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kNegate[] =
    "HloModule m\nENTRY e { x = f32[2] parameter(0)  ROOT n = f32[2] negate(x) }\n";

std::string RunOnly(const std::string& text) {
  std::vector<CheckCase> cases = SplitCheckFile("test.hlo", text);
  EXPECT_EQ(cases.size(), 1u);
  return RunCheckCase(cases[0], "interpreter");
}

TEST(CheckFileTest, SplitsCasesAndCountsLines) {
  const auto cases = SplitCheckFile("f", "a\n// run: (1) == 2\n// -----\nb // error: x_c1\n");
  ASSERT_EQ(cases.size(), 2u);
  ASSERT_EQ(cases[0].runs.size(), 1u);
  EXPECT_EQ(cases[0].runs[0].arguments, "(1)");
  EXPECT_EQ(cases[0].runs[0].expected, "2");
  EXPECT_EQ(cases[1].first_line, 4);
  EXPECT_EQ(cases[1].error, "x_c1");
  EXPECT_EQ(cases[1].error_line, 4);
}

TEST(CheckFileTest, ComparesResults) {
  EXPECT_THAT(RunOnly(absl::StrCat(kNegate, "// run: ({1, -2}) == {-1, 2}\n")), IsEmpty());
  EXPECT_THAT(RunOnly(absl::StrCat(kNegate, "// run: ({1, -2}) == {-1, 3}\n")),
              HasSubstr("test.hlo:3:"));
  EXPECT_THAT(RunOnly(absl::StrCat(kNegate, "// run: ({1, -2}) == {-1.0000001, 2}\n")),
              HasSubstr("test.hlo"));
  EXPECT_THAT(RunOnly(absl::StrCat(kNegate, "// run: ({1, -2}) ~ {-1.0000001, 2}\n")), IsEmpty());
}

TEST(CheckFileTest, RefusesOtherKindsOfCheck) {
  EXPECT_THAT(RunOnly(absl::StrCat(kNegate, "// CHECK-SAME: negate\n")),
              AllOf(HasSubstr("test.hlo:3:"), HasSubstr("CHECK-SAME: negate")));
}

TEST(CheckFileTest, RunsStablehlo) {
  constexpr char kProgram[] =
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.negate %x : tensor<2xf32>\n"
      "  return %0 : tensor<2xf32>\n"
      "}\n";
  EXPECT_THAT(RunOnly(absl::StrCat(kProgram, "// run: ({1, -2}) == {-1, 2}\n")), IsEmpty());
  EXPECT_THAT(RunOnly(absl::StrCat(kProgram, "// run: ({1, -2}) == {-1, 3}\n")),
              HasSubstr("test.hlo:5:"));
}

TEST(CheckFileTest, ErrorsInStablehloAreInTheirLine) {
  constexpr char kProgram[] =
      "func.func @main(%x: tensor<2xf32>) {\n"
      "  %0 = stablehlo.negate %y : tensor<2xf32>  // error: not defined\n"
      "  return\n"
      "}\n";
  EXPECT_THAT(RunOnly(kProgram), IsEmpty());
  EXPECT_THAT(RunOnly(absl::StrReplaceAll(kProgram, {{"  // error: not defined", ""},
                                                     {"return", "return  // error: not defined"}})),
              HasSubstr("should be refused"));
}

TEST(CheckFileTest, NamesTheCase) {
  const std::string text = absl::StrCat("// test: EX-a-1, DX-b-2\n", kNegate);
  EXPECT_THAT(SplitCheckFile("f", text)[0].names, ElementsAre("EX-a-1", "DX-b-2"));
  EXPECT_THAT(RunOnly(absl::StrCat(text, "// run: ({1, 2}) == {1, 2}\n")),
              HasSubstr("test.hlo:4: [EX-a-1, DX-b-2] "));
}

TEST(CheckFileTest, ContinuesOverLines) {
  EXPECT_THAT(RunOnly(absl::StrCat(kNegate, "// run: ({1,\n//   -2}) ==\n//   {-1, 2}\n")),
              IsEmpty());
}

TEST(CheckFileTest, FeedsAndWhatIsPutOut) {
  constexpr char kFeeds[] =
      "HloModule m\nENTRY e { t = token[] after-all()  i = (s32[], token[]) infeed(t)\n"
      "x = s32[] get-tuple-element(i), index=0  u = token[] get-tuple-element(i), index=1\n"
      "n = s32[] negate(x)  o = token[] outfeed(n, u)  ROOT y = s32[] add(x, x) }\n";
  const auto run = [&](absl::string_view lines) {
    return RunOnly(absl::StrCat(kFeeds, lines, "// run: () == 6\n"));
  };
  EXPECT_THAT(run("// infeed: s32[] 3\n// outfeed: s32[] -3\n"), IsEmpty());
  EXPECT_THAT(run("// infeed 0: s32[] 3\n// outfeed 0: s32[] -3\n"), IsEmpty());
  EXPECT_THAT(run("// outfeed: s32[] -3\n"), HasSubstr("no value in the infeed of device 0"));
  EXPECT_THAT(run("// infeed 1: s32[] 3\n"), HasSubstr("no value in the infeed of device 0"));
  EXPECT_THAT(run("// infeed: s32[] 3\n"), HasSubstr("more than those given are in the outfeed"));
  EXPECT_THAT(run("// infeed: s32[] 3\n// infeed: s32[] 4\n// outfeed: s32[] -3\n"),
              HasSubstr("not all values of the infeed were read"));
  EXPECT_THAT(run("// infeed: s32[] 3\n// outfeed: s32[] 3\n"),
              HasSubstr("test.hlo:7: outfeed of line 6: "));
  EXPECT_THAT(run("// infeed: s32[] 3\n// outfeed: s32[] -3\n// outfeed: s32[] -3\n"),
              HasSubstr("outfeed of line 7: there is no value in the outfeed of device 0"));
  EXPECT_THAT(run("// infeed: 3\n"), HasSubstr("test.hlo:6: "));
}

TEST(CheckFileTest, WrongNumberOfArgumentsFails) {
  EXPECT_THAT(RunOnly(absl::StrCat(kNegate, "// run: () == {-1, 2}\n")),
              HasSubstr("0 arguments given for 1 parameters"));
}

TEST(CheckFileTest, ExpectedErrorsMustHappen) {
  EXPECT_THAT(RunOnly(absl::StrCat(kNegate, "// error: nothing\n")),
              HasSubstr("should be refused"));
  EXPECT_THAT(RunOnly("HloModule m\nENTRY e { ROOT x = f32[2] nosuch(y) } // error: nosuch\n"),
              IsEmpty());
  EXPECT_THAT(RunOnly("HloModule m\nENTRY e { // error: nosuch\nROOT x = f32[2] nosuch(y) }\n"),
              HasSubstr("but the error is"));
}

}  // namespace
}  // namespace xla

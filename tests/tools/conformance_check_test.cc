// When a recorded program passes, and when its expectation is set aside.
#include "tools/conformance_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "tools/files.h"

namespace xla {
namespace {

using testing::HasSubstr;

struct Recorded {
  std::string program;
  std::string arguments = "";
  std::string results = "";
  std::string canonical = "";
};

class ConformanceCheckTest : public testing::Test {
 protected:
  ConformanceCheckTest() {
    group_.name = "group";
    group_.folder = absl::StrCat(testing::TempDir(), "conformance_check_test");
    std::filesystem::remove_all(group_.folder);
    std::filesystem::create_directories(group_.folder);
    entry_.path = "entry";
    entry_.exact = true;
    entry_.absolute_tolerances = {0};
  }

  ConformanceResult Check(const Recorded& recorded, absl::string_view mode) {
    const auto write = [&](absl::string_view suffix, const std::string& text) {
      const absl::Status written = WriteFile(absl::StrCat(group_.folder, "/entry", suffix), text);
      ASSERT_TRUE(written.ok()) << written;
    };
    write(".hlo", recorded.program);
    write(".in.lit", recorded.arguments);
    write(".out.lit", recorded.results);
    if (!recorded.canonical.empty()) write(".canon", recorded.canonical);
    if (entry_.mode.empty()) entry_.mode = std::string(mode);
    return CheckConformanceEntry(group_, entry_, mode, "interpreter");
  }

  ConformanceGroup group_;
  ConformanceEntry entry_;
};

constexpr absl::string_view kSum =
    "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n";

TEST_F(ConformanceCheckTest, Results) {
  const std::string program = "ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] negate(x) }";
  EXPECT_EQ(Check({program, "f32[2] {1, 2}\n", "f32[2] {-1, -2}\n"}, "run").verdict,
            Verdict::kPassed);
  const ConformanceResult wrong = Check({program, "f32[2] {1, 2}\n", "f32[2] {-1, 2}\n"}, "run");
  EXPECT_EQ(wrong.verdict, Verdict::kFailed);
  EXPECT_THAT(wrong.reason, HasSubstr("got -2, expected 2"));
}

TEST_F(ConformanceCheckTest, ElementsThatAreNotInTheText) {
  const std::string program = "ENTRY e { ROOT c = f32[2] constant({...}) }";
  EXPECT_EQ(Check({program, "", "f32[2] {7, 8}\n"}, "run").verdict, Verdict::kSetAside);
}

TEST_F(ConformanceCheckTest, ModulesThatBreakARule) {
  const std::string program =
      "ENTRY e { x = f32[] parameter(0) ROOT r = pred[] compare(x, x), direction=LT, type=SIGNED }";
  const ConformanceResult agrees = Check({program, "f32[] 1\n", "pred[] 0\n"}, "run");
  EXPECT_EQ(agrees.verdict, Verdict::kSetAside);
  EXPECT_THAT(agrees.reason, HasSubstr("compare_c5"));
  EXPECT_EQ(Check({program, "f32[] 1\n", "pred[] 1\n"}, "run").verdict, Verdict::kFailed);
}

TEST_F(ConformanceCheckTest, ZerosThatLoseTheirSign) {
  const std::string program =
      "HloModule m\n\nENTRY %e () -> f32[] {\n  ROOT %c = f32[] constant(-0.0)\n}\n";
  const std::string printed =
      "HloModule m\n\nENTRY %e () -> f32[] {\n  ROOT %c = f32[] constant(-0)\n}\n";
  EXPECT_EQ(Check({program, "", "f32[] 0\n"}, "run").verdict, Verdict::kFailed);
  EXPECT_EQ(Check({program, "", "f32[] 0\n", printed}, "run").verdict, Verdict::kSetAside);
  EXPECT_EQ(Check({program, "", "f32[] 1\n", printed}, "run").verdict, Verdict::kFailed);
}

TEST_F(ConformanceCheckTest, WindowsThatStickOut) {
  const std::string program = absl::StrCat(kSum, R"(ENTRY e {
      x = f32[4] parameter(0)
      i = s32[2,1] parameter(1)
      u = f32[2,2] parameter(2)
      ROOT r = f32[4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
    })");
  const std::string arguments =
      "f32[4] {0, 0, 0, 0}\ns32[2,1] {{3}, {0}}\nf32[2,2] {{1, 2}, {3, 4}}\n";
  EXPECT_EQ(Check({program, arguments, "f32[4] {3, 4, 0, 1}\n"}, "run").verdict, Verdict::kPassed);
  const ConformanceResult dropped = Check({program, arguments, "f32[4] {3, 4, 0, 0}\n"}, "run");
  EXPECT_EQ(dropped.verdict, Verdict::kSetAside);
  EXPECT_THAT(dropped.reason, HasSubstr("stick out"));
  EXPECT_EQ(Check({program, arguments, "f32[4] {3, 4, 1, 0}\n"}, "run").verdict, Verdict::kFailed);
}

TEST_F(ConformanceCheckTest, InitialValuesThatAreNoIdentity) {
  const std::string program = absl::StrCat(kSum, R"(ENTRY e {
      x = f32[70] parameter(0)
      i = f32[] parameter(1)
      z = f32[70] subtract(x, x)
      ROOT r = f32[] reduce(z, i), dimensions={0}, to_apply=sum
    })");
  std::string arguments = "f32[70] {";
  for (int i = 0; i < 70; ++i) absl::StrAppend(&arguments, i > 0 ? ", 1" : "1");
  absl::StrAppend(&arguments, "}\nf32[] 1\n");
  EXPECT_EQ(Check({program, arguments, "f32[] 1\n"}, "run").verdict, Verdict::kPassed);
  // Once for each of three windows, and once for their sum.
  EXPECT_EQ(Check({program, arguments, "f32[] 4\n"}, "run").verdict, Verdict::kSetAside);
  EXPECT_EQ(Check({program, arguments, "f32[] 3\n"}, "run").verdict, Verdict::kFailed);
}

TEST_F(ConformanceCheckTest, TextLikeTheReference) {
  entry_.canonical_is_fixpoint = true;
  const std::string begin =
      "HloModule m, entry_computation_layout={()->c64[1]{0}}\n\nENTRY %e () -> c64[1] {\n  ROOT %c "
      "= c64[1]{0} ";
  const Recorded kept = {begin + "constant({(nan, 1)})\n}\n", "", "",
                         begin + "constant({(nan, nan)})\n}\n"};
  EXPECT_EQ(Check(kept, "parse").verdict, Verdict::kPassed);
  const Recorded other = {begin + "constant({(2, 1)})\n}\n", "", "",
                          begin + "constant({(2, 2)})\n}\n"};
  EXPECT_EQ(Check(other, "parse").verdict, Verdict::kFailed);
  const Recorded elided = {begin + "constant({...})\n}\n", "", "",
                           begin + "constant({(2, 2)})\n}\n"};
  EXPECT_EQ(Check(elided, "parse").verdict, Verdict::kPassed);
}

TEST_F(ConformanceCheckTest, ShortFormsThatDoNotSayAll) {
  entry_.canonical_is_fixpoint = true;
  const std::string header = "HloModule m, entry_computation_layout={(f32[4]{0})->f32[4]{0}}\n\n";
  const std::string program = header + R"(%wrapped (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  ROOT %n = f32[4]{0} negate(%p), backend_config="only here"
}

ENTRY %e (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %s = ((f32[4]{0}), f32[4]{0}, s32[]) async-start(%x), calls=%wrapped
  ROOT %d = f32[4]{0} async-done(%s)
}
)";
  const std::string printed = header + R"(ENTRY %e (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %s = ((f32[4]{0}), f32[4]{0}, s32[]) negate-start(%x)
  ROOT %d = f32[4]{0} negate-done(%s)
}
)";
  EXPECT_EQ(Check({program, "", "", printed}, "parse").verdict, Verdict::kSetAside);
  EXPECT_EQ(Check({printed, "", "", program}, "parse").verdict, Verdict::kFailed);
}

TEST_F(ConformanceCheckTest, TextToRefuse) {
  entry_.mode = "bad";
  EXPECT_EQ(Check({"HloModule m ?"}, "parse").verdict, Verdict::kPassed);
  const Recorded readable = {"ENTRY e { ROOT c = f32[] constant(1) }"};
  EXPECT_EQ(Check(readable, "parse").verdict, Verdict::kFailed);
  entry_.may_be_newer = true;
  EXPECT_EQ(Check(readable, "parse").verdict, Verdict::kSetAside);
}

}  // namespace
}  // namespace xla

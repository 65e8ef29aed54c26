// Graphs that are long, or that are small and would be endless if each call were followed: nothing may recurse along
// them or walk them more than once.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/exercise.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

std::unique_ptr<HloModule> Parse(const std::string& text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  CHECK(module.ok()) << module.status();
  return *std::move(module);
}

// Computations level0 to level<length>, where each has the body of `caller` with the number of the one before in place of $.
std::string Chain(int length, absl::string_view caller) {
  std::string text = "level0 { ROOT x = f32[] parameter(0) }\n";
  for (int i = 1; i <= length; ++i) {
    absl::StrAppend(&text, i == length ? "ENTRY " : "", "level", i, " { x = f32[] parameter(0) ",
                    absl::StrReplaceAll(caller, {{"$", absl::StrCat("level", i - 1)}}), " }\n");
  }
  return text;
}

constexpr absl::string_view kCall = "ROOT y = f32[] call(x), to_apply=$";
constexpr absl::string_view kFusion = "ROOT y = f32[] fusion(x), kind=kLoop, calls=$";
constexpr absl::string_view kCallTwice =
    "y = f32[] call(x), to_apply=$ ROOT z = f32[] call(y), to_apply=$";
constexpr absl::string_view kFuseTwice =
    "y = f32[] fusion(x), kind=kLoop, calls=$ ROOT z = f32[] fusion(y), kind=kLoop, calls=$";
constexpr absl::string_view kMapTwice =
    "v = f32[1] reshape(x) "
    "y = f32[1] map(v), dimensions={0}, to_apply=$ "
    "z = f32[1] map(y), dimensions={0}, to_apply=$ "
    "ROOT r = f32[] reshape(z)";

void ExpectAllWorks(const HloModule& module) {
  EXPECT_TRUE(VerifyModule(module).ok());
  const std::string text = FullText(module);
  auto again = Parse(text);
  EXPECT_EQ(FullText(*again), text);
  EXPECT_TRUE(again->entry_computation()->Equal(*module.entry_computation(), true));
  EXPECT_FALSE(module.entry_computation()->HasSideEffect());
  EXPECT_FALSE(module.ToString(HloPrintOptions::ShortParsable()).empty());
  EXPECT_EQ(module.GetFingerprint128(), again->GetFingerprint128());

  const HloModuleProto proto = module.ToProto();
  auto config = HloModule::CreateModuleConfigFromProto(proto, DebugOptions());
  ASSERT_TRUE(config.ok()) << config.status();
  auto from_proto = HloModule::CreateFromProto(proto, *config);
  ASSERT_TRUE(from_proto.ok()) << from_proto.status();
  EXPECT_EQ(FullText(**from_proto), text);

  const auto clone = module.Clone("");
  EXPECT_EQ(FullText(*clone), text);
  EXPECT_EQ(module.MakeComputationPostOrder().size(), module.computation_count());
}

TEST(LargeGraphTest, ManyComputationsInARow) {
  const auto module = Parse(Chain(50000, kCall));
  ExpectAllWorks(*module);
  // Text that would hold them all within each other ends with names.
  EXPECT_FALSE(module->entry_computation()->ToString(HloPrintOptions::Canonical()).empty());
  EXPECT_EQ(Evaluate(*module).code(), absl::StatusCode::kResourceExhausted);
}

TEST(LargeGraphTest, ManyFusionsInARow) {
  const auto module = Parse(Chain(10000, kFusion));
  ExpectAllWorks(*module);
  EXPECT_TRUE(module->entry_computation()->root_instruction()->IsElementwise());
}

TEST(LargeGraphTest, CallsThatDouble) {
  for (absl::string_view caller : {kCallTwice, kFuseTwice, kMapTwice}) {
    const auto module = Parse(Chain(100, caller));
    ExpectAllWorks(*module);
    const HloInstruction& root = *module->entry_computation()->root_instruction();
    EXPECT_EQ(root.IsElementwise(), caller == kFuseTwice);
    EXPECT_TRUE(root.Identical(root));
    EXPECT_LT(root.ToString(HloPrintOptions::Canonical()).size(), size_t{1} << 30);
  }
}

TEST(LargeGraphTest, EvaluationOfCallsThatDouble) {
  EXPECT_TRUE(Evaluate(*Parse(Chain(10, kCallTwice))).ok());
  EXPECT_TRUE(Evaluate(*Parse(Chain(10, kMapTwice))).ok());
}

// A scalar program is not longer than is worth it, however often it calls.
TEST(LargeGraphTest, ScalarProgramsThatDouble) {
  std::string text = Chain(30, kCallTwice);
  text = absl::StrReplaceAll(text, {{"ENTRY", ""}});
  absl::StrAppend(&text, "ENTRY e { v = f32[0] constant({}) x = f32[] constant(0) "
                         "ROOT y = f32[0] map(v), dimensions={0}, to_apply=level30 }");
  EXPECT_TRUE(Evaluate(*Parse(text)).ok());
}

TEST(LargeGraphTest, ManyRootsOfOneChain) {
  constexpr int kLength = 3000;
  std::string text = absl::StrReplaceAll(Chain(kLength, kCall), {{"ENTRY", ""}});
  for (int i = 0; i < kLength; ++i) {
    absl::StrAppend(&text, "r", i, " { x = f32[] parameter(0) ROOT y = f32[] call(x), to_apply=level",
                    kLength, " }\n");
  }
  absl::StrAppend(&text, "ENTRY e { x = f32[] parameter(0) }\n");
  const auto module = Parse(text);
  EXPECT_EQ(module->MakeComputationPostOrder().size(), module->computation_count());
  EXPECT_FALSE(FullText(*module).empty());
}

TEST(LargeGraphTest, ManyInstructionsInARow) {
  std::string text = "ENTRY e { y0 = f32[] parameter(0)\n";
  constexpr int kLength = 100000;
  for (int i = 1; i <= kLength; ++i) {
    absl::StrAppend(&text, "y", i, " = f32[] negate(y", i - 1, ")\n");
  }
  const auto module = Parse(absl::StrCat(text, "}"));
  ExpectAllWorks(*module);
  EXPECT_TRUE(Evaluate(*module).ok());
}

TEST(LargeGraphTest, ManyUpdatesOfOneStart) {
  std::string text =
      "ENTRY e { x = f32[] parameter(0) start0 = ((f32[]), f32[], u32[]) negate-start(x)\n";
  constexpr int kLength = 20000;
  for (int i = 1; i <= kLength; ++i) {
    absl::StrAppend(&text, "start", i, " = ((f32[]), f32[], u32[]) negate-update(start", i - 1, ")\n");
  }
  ExpectAllWorks(*Parse(absl::StrCat(text, "y = f32[] negate-done(start", kLength, ") }")));
}

TEST(LargeGraphTest, ManyStartsInAThread) {
  std::string text = absl::StrReplaceAll(Chain(1000, kCall), {{"ENTRY", ""}});
  absl::StrAppend(&text, "ENTRY e { x0 = f32[] parameter(0)\n");
  for (int i = 0; i < 1000; ++i) {
    absl::StrAppend(&text, "start", i, " = ((f32[]), f32[], u32[]) call-start(x", i,
                    "), async_execution_thread=\"t\", to_apply=level1000\n", "x", i + 1,
                    " = f32[] call-done(start", i, ")\n");
  }
  ExpectAllWorks(*Parse(absl::StrCat(text, "}")));
}

}  // namespace
}  // namespace xla

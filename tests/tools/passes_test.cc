// The table of passes: what tools and the compiler run by name.
#include "cpu/passes.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/passes.h"
#include "passes/table.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using passes::Pass;
using testing::HasSubstr;

constexpr char kLoop[] = R"(
HloModule loop
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
body {
  s = (s32[], f32[100,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[100,64] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  zero = f32[] constant(0)
  sums = f32[100] reduce(x, zero), dimensions={1}, to_apply=add
  rows = f32[100,64] broadcast(sums), dimensions={0}
  y = f32[100,64] divide(x, rows)
  ROOT t = (s32[], f32[100,64]) tuple(j, y)
}
condition {
  s = (s32[], f32[100,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(50)
  ROOT c = pred[] compare(i, n), direction=LT
}
less { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[100,64] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[100,64]) tuple(zero, x)
  w = (s32[], f32[100,64]) while(s), condition=condition, body=body
  y = f32[100,64] get-tuple-element(w), index=1
  z = f32[100,64] sine(y)
  ROOT r = f32[100,64] sort(z), dimensions={1}, to_apply=less
})";

constexpr char kSharedBody[] = R"(
HloModule shared
body { x = f32[] parameter(0)  ROOT y = f32[] multiply(x, x) }
condition { x = f32[] parameter(0)  one = f32[] constant(1)  ROOT c = pred[] compare(x, one), direction=GT }
ENTRY e {
  x = f32[] parameter(0)
  a = f32[] while(x), condition=condition, body=body
  ROOT b = f32[] while(a), condition=condition, body=body
})";

// A loop whose steps search twice for the same.
constexpr char kEqualLoops[] = R"(
HloModule equal_loops
halve {
  s = (s32[], s32[], s32[100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  place = s32[] get-tuple-element(s), index=1
  table = s32[100] get-tuple-element(s), index=2
  one = s32[] constant(1)
  two = s32[] constant(2)
  j = s32[] add(i, one)
  start = s32[1] slice(table), slice={[0:1]}
  first = s32[] reshape(start)
  middle = s32[] divide(first, two)
  at_middle = s32[1] dynamic-slice(table, middle), dynamic_slice_sizes={1}
  found = s32[] reshape(at_middle)
  sum = s32[] add(place, found)
  next = s32[] xor(sum, place)
  ROOT t = (s32[], s32[], s32[100]) tuple(j, next, table)
}
three_times {
  s = (s32[], s32[], s32[100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], s32[], s32[100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = s32[] get-tuple-element(s), index=1
  table = s32[100] get-tuple-element(s), index=2
  zero = s32[] constant(0)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  inner = (s32[], s32[], s32[100]) tuple(zero, x, table)
  v = (s32[], s32[], s32[100]) while(inner), condition=three_times, body=halve
  w = (s32[], s32[], s32[100]) while(inner), condition=three_times, body=halve
  a = s32[] get-tuple-element(v), index=1
  b = s32[] get-tuple-element(w), index=1
  y = s32[] multiply(a, b)
  ROOT t = (s32[], s32[], s32[100]) tuple(j, y, table)
}
condition {
  s = (s32[], s32[], s32[100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(500)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = s32[] parameter(0)
  table = s32[100] parameter(1)
  zero = s32[] constant(0)
  s = (s32[], s32[], s32[100]) tuple(zero, x, table)
  w = (s32[], s32[], s32[100]) while(s), condition=condition, body=body
  ROOT y = s32[] get-tuple-element(w), index=1
})";

std::unique_ptr<HloModule> Parse(const std::string& text) {
  return ParseAndReturnUnverifiedModule(text).value();
}

// Adds what no rule allows.
absl::StatusOr<bool> ChangeShape(HloModule& module) {
  HloInstruction* root = module.entry_computation()->root_instruction();
  *root->mutable_shape() = ShapeUtil::MakeShape(F32, {3, 3});
  return true;
}

TEST(PassesTest, AnErrorNamesThePassThatBreaksAModule) {
  const std::unique_ptr<HloModule> module = Parse(kLoop);
  const std::vector<Pass> passes = {
      {"merge-duplicates", passes::Stage::kHlo, 0, passes::MergeDuplicates, ""},
      {"change-shape", passes::Stage::kHlo, 0, ChangeShape, ""},
      {"remove-dead-code", passes::Stage::kHlo, 0, passes::RemoveDeadCode, ""}};
  const absl::Status status = passes::Run(passes, *module, {.verifies = true});
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("change-shape has broken the module: "));
}

TEST(PassesTest, PassesSayWhatMustRunBeforeThem) {
  const std::unique_ptr<HloModule> module = Parse(kSharedBody);
  const auto run = [&](absl::string_view names) {
    return passes::Run(passes::FindPasses(cpu::AllPasses(), names).value(), *module,
                       {.verifies = true});
  };
  const absl::Status status = run("merge-duplicates, unroll-loops");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("unroll-loops comes after flatten-control-flow"));
  EXPECT_TRUE(run("flatten-control-flow, unroll-loops").ok());
}

TEST(PassesTest, UnknownNamesAreRefusedWithThoseThatThereAre) {
  const auto found = passes::FindPasses(cpu::AllPasses(), "inline-calls, fuse-everything");
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(std::string(found.status().message()), HasSubstr("no pass 'fuse-everything'"));
  EXPECT_THAT(std::string(found.status().message()), HasSubstr("inline-calls, lay-out-results"));
}

TEST(PassesTest, EqualLoopsInALoopAreComputedOnce) {
  const std::unique_ptr<HloModule> module = Parse(kEqualLoops);
  ASSERT_TRUE(passes::Run(cpu::CompilerPasses(), *module, {.verifies = true}).ok());
  const std::string text = module->ToString();
  size_t steps = 0;
  for (size_t at = text.find(" xor("); at != text.npos; at = text.find(" xor(", at + 1)) ++steps;
  EXPECT_EQ(steps, 3);
}

TEST(PassesTest, NamesAreUniqueAndSentencesEnd) {
  std::vector<std::string> names;
  for (const Pass& pass : cpu::AllPasses()) {
    names.emplace_back(pass.name);
    EXPECT_TRUE(absl::EndsWith(pass.summary, ".")) << pass.name;
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

// Between two passes, a module is no more than its text.
TEST(PassesTest, TheCompilersPassesGoFromTextToText) {
  const HloPrintOptions options = HloPrintOptions::Default().set_print_large_constants(true);
  for (const char* program : {kLoop, kSharedBody}) {
    const std::unique_ptr<HloModule> at_once = Parse(program);
    ASSERT_TRUE(passes::Run(cpu::CompilerPasses(), *at_once, {.verifies = true}).ok());
    std::unique_ptr<HloModule> step = Parse(program);
    for (const Pass& pass : cpu::CompilerPasses()) {
      const absl::Status status = passes::Run({pass}, *step, {.verifies = true});
      ASSERT_TRUE(status.ok()) << status;
      step = Parse(step->ToString(options));
    }
    EXPECT_EQ(step->instruction_count(), at_once->instruction_count()) << step->ToString();
    EXPECT_EQ(step->computation_count(), at_once->computation_count()) << step->ToString();
  }
}

}  // namespace
}  // namespace xla

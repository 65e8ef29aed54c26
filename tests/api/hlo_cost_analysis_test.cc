// What programs cost.
#include "xla/service/hlo_cost_analysis.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

class CostTest : public ::testing::Test {
 protected:
  void Analyze(const std::string& text) {
    module_ = ParseAndReturnUnverifiedModule(text).value();
    ASSERT_TRUE(module_->entry_computation()->Accept(&analysis_).ok());
  }
  const HloInstruction& Find(const std::string& name) {
    for (const HloComputation* computation : module_->computations()) {
      if (const HloInstruction* found = computation->GetInstructionWithName(name)) return *found;
    }
    ADD_FAILURE() << name;
    return *module_->entry_computation()->root_instruction();
  }

  std::unique_ptr<HloModule> module_;
  HloCostAnalysis analysis_;
};

TEST_F(CostTest, EachInstruction) {
  Analyze(R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[10,20] parameter(0)  y = f32[20,30] parameter(1)
  d = f32[10,30] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[10,30] tanh(d)  z = f32[] constant(0)
  r = f32[10] reduce(t, z), dimensions={1}, to_apply=add
  s = f32[2] slice(r), slice={[0:2]}
  ROOT n = f32[2] negate(s) })");
  EXPECT_EQ(analysis_.flop_count(Find("d")), 2 * 10 * 20 * 30);
  EXPECT_EQ(analysis_.bytes_accessed(Find("d")), 4 * (10 * 20 + 20 * 30 + 10 * 30));
  EXPECT_EQ(analysis_.operand_bytes_accessed(Find("d"), 1), 4 * 20 * 30);
  EXPECT_EQ(analysis_.output_bytes_accessed(Find("d")), 4 * 10 * 30);
  EXPECT_EQ(analysis_.operand_utilization(Find("d"), 0), 1);
  EXPECT_EQ(analysis_.transcendental_count(Find("t")), 300);
  EXPECT_EQ(analysis_.flop_count(Find("t")), 0);
  EXPECT_EQ(analysis_.flop_count(Find("r")), 290);
  EXPECT_EQ(analysis_.bytes_accessed(Find("s")), 16);
  EXPECT_EQ(analysis_.bytes_accessed(Find("x")), 0);
  EXPECT_EQ(analysis_.flop_count(), 12000 + 290 + 2);
  EXPECT_EQ(analysis_.transcendental_count(), 300);
  EXPECT_EQ(analysis_.properties()["flops"], analysis_.flop_count());
  EXPECT_EQ(analysis_.properties()["bytes accessed0{}"], 4 * (200 + 300 + 300 + 2 + 2));
}

TEST_F(CostTest, CalledComputations) {
  Analyze(R"(
HloModule m
fused { p = f32[100] parameter(0)  q = f32[100] sine(p)  ROOT r = f32[100] multiply(q, q) }
body { s = (s32[], f32[100]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  x = f32[100] get-tuple-element(s), index=1  one = s32[] constant(1)  j = s32[] add(i, one)
  y = f32[100] fusion(x), kind=kLoop, calls=fused  ROOT t = (s32[], f32[100]) tuple(j, y) }
condition { s = (s32[], f32[100]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  ten = s32[] constant(10)  ROOT less = pred[] compare(i, ten), direction=LT }
cheap { x = f32[100] parameter(0)  ROOT n = f32[100] negate(x) }
dear { x = f32[100] parameter(0)  ROOT e = f32[100] exponential(x) }
ENTRY e { z = s32[] constant(0)  x = f32[100] parameter(0)  b = pred[] parameter(1)
  s = (s32[], f32[100]) tuple(z, x)
  w = (s32[], f32[100]) while(s), condition=condition, body=body
  v = f32[100] get-tuple-element(w), index=1
  ROOT c = f32[100] conditional(b, v, v), true_computation=cheap, false_computation=dear })");
  EXPECT_EQ(analysis_.flop_count(Find("y")), 100);
  EXPECT_EQ(analysis_.transcendental_count(Find("y")), 100);
  EXPECT_EQ(analysis_.bytes_accessed(Find("y")), 800);
  EXPECT_EQ(analysis_.flop_count(Find("q")), 0);
  EXPECT_EQ(analysis_.transcendental_count(Find("q")), 100);
  EXPECT_EQ(analysis_.flop_count(Find("w")), 102);
  EXPECT_EQ(analysis_.bytes_accessed(Find("w")), 800 + 12 + 9);
  EXPECT_EQ(analysis_.flop_count(Find("c")), 100);
  EXPECT_EQ(analysis_.transcendental_count(Find("c")), 100);
  EXPECT_EQ(analysis_.transcendental_count(), 200);
}

TEST_F(CostTest, Seconds) {
  HloCostAnalysis::Options options;
  options.set_flops_per_second(100);
  options.set_bytes_per_second(1000);
  options.set_flops_min_latency_second(2);
  HloCostAnalysis analysis(options);
  Analyze(R"(
HloModule m
ENTRY e { x = f32[1000] parameter(0)  y = f32[1000] negate(x)  s = f32[1] slice(y), slice={[0:1]}
  ROOT n = f32[1] negate(s) })");
  ASSERT_TRUE(module_->entry_computation()->Accept(&analysis).ok());
  EXPECT_FLOAT_EQ(analysis.optimal_seconds(Find("y")), 10);
  EXPECT_FLOAT_EQ(analysis.optimal_seconds(Find("s")), 0.008);
  EXPECT_FLOAT_EQ(analysis.optimal_seconds(Find("n")), 2);
  EXPECT_FLOAT_EQ(analysis.optimal_seconds(), 12.008);
}

// Each computation calls the one before twice.
TEST_F(CostTest, ManyCalls) {
  std::string text = "HloModule m\nc0 { x = f32[] parameter(0)  ROOT n0 = f32[] negate(x) }\n";
  for (int i = 1; i < 60; ++i) {
    const std::string callee = "c" + std::to_string(i - 1), number = std::to_string(i);
    text += "c" + number + " { x = f32[] parameter(0)  a = f32[] call(x), to_apply=" + callee +
            "  ROOT n" + number + " = f32[] call(a), to_apply=" + callee + " }\n";
  }
  Analyze(text + "ENTRY e { x = f32[] parameter(0)  ROOT r = f32[] call(x), to_apply=c59 }");
  EXPECT_FLOAT_EQ(analysis_.flop_count(), 576460752303423488.0f);  // 2^59
}

}  // namespace
}  // namespace xla

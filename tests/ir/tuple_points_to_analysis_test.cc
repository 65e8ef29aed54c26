#include "xla/hlo/analysis/tuple_points_to_analysis.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/service/dynamic_dimension_inference.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr char kPairs[] = R"(
HloModule m
f { x = (f32[2], s32[]) parameter(0)  ROOT y = (f32[2], s32[]) copy(x) }
ENTRY e {
  p = (f32[2], s32[]) parameter(0)
  a = f32[2] get-tuple-element(p), index=0
  b = f32[2] negate(a)
  pair = (f32[2], f32[2]) tuple(b, b)
  same = (f32[2], f32[2]) opt-barrier(pair)
  first = f32[2] get-tuple-element(same), index=0
  called = (f32[2], s32[]) call(p), to_apply=f
  ROOT all = ((f32[2], s32[]), f32[2], (f32[2], s32[])) tuple(called, first, p)
})";

class PointsTo : public ::testing::Test {
 protected:
  void SetUp() override { analysis_ = TuplePointsToAnalysis::Run(module_.get()).value(); }
  HloInstruction* Find(absl::string_view name) {
    for (const HloComputation* computation : module_->computations()) {
      if (HloInstruction* found = computation->GetInstructionWithName(name)) return found;
    }
    return nullptr;
  }
  std::string At(absl::string_view name, const ShapeIndex& index) {
    return absl::StrJoin(
        analysis_->GetPointsToSet(Find(name)).element(index), " ",
        [](std::string* text, const LogicalBuffer* buffer) { *text += buffer->ToString(); });
  }

  const std::unique_ptr<HloModule> module_ = ParseAndReturnUnverifiedModule(kPairs).value();
  std::unique_ptr<TuplePointsToAnalysis> analysis_;
};

TEST_F(PointsTo, ValuesAreHandedOn) {
  EXPECT_EQ(At("a", {}), "p{0}");
  EXPECT_EQ(At("pair", {}), "pair");
  EXPECT_EQ(At("pair", {1}), "b");
  EXPECT_EQ(At("same", {}), "pair");
  EXPECT_EQ(At("first", {}), "b");
  EXPECT_EQ(At("called", {1}), "called{1}");
  EXPECT_EQ(At("all", {2, 1}), "p{1}");
  // A copy of a tuple is another tuple of the same arrays.
  EXPECT_EQ(At("y", {}), "y");
  EXPECT_EQ(At("y", {0}), "x{0}");
}

TEST_F(PointsTo, Sets) {
  const PointsToSet& pair = analysis_->GetPointsToSet(Find("pair"));
  EXPECT_EQ(pair.size(), 2);
  EXPECT_FALSE(pair.IsDistinct());
  EXPECT_FALSE(pair.IsAmbiguous());
  EXPECT_TRUE(analysis_->GetPointsToSet(Find("p")).IsDistinct());
  const LogicalBuffer* b = analysis_->GetBufferDefinedAt(Find("b"), {}).value();
  EXPECT_TRUE(pair.ContainsBufferAtIndex(*b, {0}));
  EXPECT_FALSE(pair.ContainsBufferAtIndex(*b, {}));
  EXPECT_TRUE(pair.ContainsBuffer(*b));
  EXPECT_EQ(b->instruction(), Find("b"));
  EXPECT_EQ(&analysis_->GetBuffer(b->id()), b);
  EXPECT_FALSE(analysis_->InstructionDefinesBufferAtIndex(Find("pair"), {0}));
  EXPECT_EQ(analysis_->GetBuffersDefinedByInstruction(Find("p")).size(), 3);
  EXPECT_THAT(analysis_->ToString(), ::testing::HasSubstr("first{}: b\n"));
}

TEST(DynamicDimensionInferenceTest, ShapesSayIt) {
  const std::unique_ptr<HloModule> module = ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e {
  x = f32[<=3] parameter(0)
  n = s32[] get-dimension-size(x), dimensions={0}
  ROOT r = (s32[], f32[<=3]) tuple(n, x)
})")
                                                .value();
  const DynamicDimensionInference inference = DynamicDimensionInference::Run(module.get()).value();
  HloInstruction* const root = module->entry_computation()->root_instruction();
  EXPECT_TRUE(inference.HasDynamicDimension(root));
  EXPECT_TRUE(inference.HasDynamicDimension(root, {1}));
  EXPECT_FALSE(inference.HasDynamicDimension(root, {0}));
  EXPECT_THAT(inference.ToString(), ::testing::HasSubstr("x: f32[<=3]"));
}

}  // namespace
}  // namespace xla

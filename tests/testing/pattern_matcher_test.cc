#include "xla/service/pattern_matcher.h"

#include <memory>
#include <sstream>
#include <string>

#include "xla/hlo/testlib/hlo_hardware_independent_test_base.h"
#include "xla/hlo/testlib/pattern_matcher_gmock.h"
#include "xla/hlo/testlib/test.h"
#include "xla/tsl/platform/statusor.h"

namespace xla {
namespace {

namespace m = ::xla::match;
using ::testing::HasSubstr;
using ::testing::Not;

class PatternMatcherTest : public HloHardwareIndependentTestBase {
 protected:
  void SetUp() override {
    TF_ASSERT_OK_AND_ASSIGN(module_, ParseAndReturnVerifiedModule(R"(
      ENTRY e {
        x = f32[2,3] parameter(0)
        y = f32[2,3] parameter(1), sharding={replicated}
        two = f32[] constant(2)
        twos = f32[2,3] broadcast(two), dimensions={}
        p = f32[2,3] multiply(x, twos)
        s = f32[2,3] add(p, y)
        c = pred[2,3] compare(s, y), direction=LT
        k = f32[2,3] custom-call(s), custom_call_target="f"
        t = (f32[2,3], f32[2,3]) tuple(k, s)
        g = f32[2,3] get-tuple-element(t), index=1
        ROOT r = (f32[2,3], pred[2,3]) tuple(g, c)
      })"));
  }
  const HloInstruction* Find(const char* name) { return FindInstruction(module_.get(), name); }
  std::unique_ptr<VerifiedHloModule> module_;
};

TEST_F(PatternMatcherTest, OperationsAndOperands) {
  EXPECT_THAT(Find("s"), GmockMatch(m::Add()));
  EXPECT_THAT(Find("s"), GmockMatch(m::Add(m::Multiply(), m::Parameter(1))));
  EXPECT_THAT(Find("s"),
              GmockMatch(m::Add(m::Multiply(m::Parameter(0), m::Broadcast(m::ConstantScalar(2))),
                                m::Op())));
  EXPECT_THAT(Find("s"), Not(GmockMatch(m::Subtract())));
  EXPECT_THAT(Find("s"), Not(GmockMatch(m::Add(m::Parameter(1), m::Multiply()))));
  EXPECT_THAT(Find("s"), Not(GmockMatch(m::Add(m::Op()))));
  EXPECT_THAT(Find("s"), GmockMatch(m::AddAnyOrder(m::Parameter(1), m::Multiply())));
  EXPECT_THAT(Find("s"), Not(GmockMatch(m::AddAnyOrder(m::Parameter(1), m::Parameter(1)))));
  EXPECT_THAT(Find("r"), GmockMatch(m::Tuple(m::GetTupleElement(m::Tuple(), 1), m::Compare())));
  EXPECT_THAT(Find("g"), Not(GmockMatch(m::GetTupleElement(m::Tuple(), 0))));
  EXPECT_THAT(Find("two"), GmockMatch(m::ConstantScalar()));
  EXPECT_THAT(Find("two"), GmockMatch(m::ConstantEffectiveScalar()));
  EXPECT_THAT(Find("two"), Not(GmockMatch(m::ConstantScalar(3))));
  EXPECT_THAT(Find("x"), Not(GmockMatch(m::Parameter(1))));
  EXPECT_FALSE(Match(nullptr, m::Op()));
}

TEST_F(PatternMatcherTest, Captures) {
  const HloInstruction* product = nullptr;
  HloInstruction* parameter = nullptr;
  EXPECT_TRUE(Match(Find("s"), m::Add(m::Op(&product), m::Parameter(&parameter, 1))));
  EXPECT_EQ(product, Find("p"));
  EXPECT_EQ(parameter, Find("y"));
  const HloInstruction* sum = nullptr;
  EXPECT_TRUE(Match(Find("s"), m::Add(&sum, m::Op(), m::Op())));
  EXPECT_EQ(sum, Find("s"));
  // Nothing is stored when something does not match, nor for what was tried in vain.
  const HloInstruction* none = nullptr;
  EXPECT_FALSE(Match(Find("s"), m::Add(m::Op(&none), m::Parameter(0))));
  EXPECT_TRUE(Match(Find("s"), m::AnyOf<HloInstruction>(m::Add(m::Op(&none), m::Parameter(0)),
                                                        m::Add(m::Op(), m::Op(&product)))));
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(product, Find("y"));
}

TEST_F(PatternMatcherTest, Properties) {
  const Shape shape = ShapeUtil::MakeShape(F32, {2, 3});
  const Shape column_major = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  EXPECT_THAT(Find("s"), GmockMatch(m::Op().WithShape(F32, {2, 3})));
  EXPECT_THAT(Find("s"), Not(GmockMatch(m::Op().WithShape(F32, {3, 2}))));
  EXPECT_THAT(Find("s"), GmockMatch(m::Op().WithShapeEqualTo(&shape)));
  EXPECT_THAT(Find("s"), Not(GmockMatch(m::Op().WithShapeEqualTo(&column_major))));
  EXPECT_THAT(Find("s"), GmockMatch(m::Op().WithShapeCompatibleTo(&column_major)));
  EXPECT_THAT(Find("c"), GmockMatch(m::Compare().WithElementType(PRED).WithComparisonDirection(
                             ComparisonDirection::kLt)));
  EXPECT_THAT(Find("c"),
              Not(GmockMatch(m::Compare().WithComparisonDirection(ComparisonDirection::kGt))));
  EXPECT_THAT(Find("k"), GmockMatch(m::CustomCall({"g", "f"})));
  EXPECT_THAT(Find("k"), Not(GmockMatch(m::CustomCall({"g"}))));
  EXPECT_THAT(Find("y"), GmockMatch(m::Op().WithSharding("{replicated}")));
  EXPECT_THAT(Find("x"), Not(GmockMatch(m::Op().WithSharding("{replicated}"))));
  EXPECT_THAT(Find("p"), GmockMatch(m::Op().WithOneUse().WithOneUser().WithName("p")));
  EXPECT_THAT(Find("s"), Not(GmockMatch(m::Op().WithOneUse())));
  EXPECT_THAT(Find("s"), Not(GmockMatch(m::Op().WithOneUser())));
  EXPECT_THAT(Find("s"), Not(GmockMatch(m::Op().WithName("p"))));
  EXPECT_THAT(Find("s"), GmockMatch(m::Op().WithNumOperands(2).WithOperand(1, m::Parameter(1))));
  EXPECT_THAT(Find("s"), Not(GmockMatch(m::Op().WithOperand(2, m::Op()))));
  EXPECT_THAT(Find("s"), GmockMatch(m::Op().WithOperandIfPresent(2, m::Parameter(0))));
  EXPECT_THAT(Find("s"), Not(GmockMatch(m::Op().WithOperandIfPresent(1, m::Parameter(0)))));
  EXPECT_THAT(Find("s"), GmockMatch(m::Op().WithoutOpcode(HloOpcode::kMultiply)));
  EXPECT_THAT(Find("p"), Not(GmockMatch(m::Op().WithoutOpcode(HloOpcode::kMultiply))));
  EXPECT_THAT(Find("p"), Not(GmockMatch(m::Op().WithPredicate(
                             [](const HloInstruction* i) { return i->operand_count() > 2; }))));
}

TEST_F(PatternMatcherTest, AttributesOfOperations) {
  TF_ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnVerifiedModule(R"(
    add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
    ENTRY e {
      x = f32[1,4,4,2] parameter(0)
      w = f32[2,2,2,3] parameter(1)
      c = f32[1,3,3,3] convolution(x, w), window={size=2x2}, dim_labels=b01f_01io->b01f
      ROOT r = f32[1,3,3,3] all-reduce(c), replica_groups={{0,1},{2,3}}, to_apply=add
    })"));
  const HloInstruction* root = module->entry_computation()->root_instruction();
  EXPECT_THAT(root, GmockMatch(m::AllReduce(m::Convolution().WithConvDnums("b01f_01io->b01f"))
                                   .WithReplicaGroups({{0, 1}, {2, 3}})));
  EXPECT_THAT(root, Not(GmockMatch(m::AllReduce().WithReplicaGroups({{0, 1, 2, 3}}))));
  EXPECT_THAT(root->operand(0), Not(GmockMatch(m::Convolution().WithConvDnums("bf01_01io->b01f"))));
}

TEST_F(PatternMatcherTest, AMismatchIsExplained) {
  std::ostringstream explanation;
  EXPECT_FALSE(Match(Find("s"), m::Add(m::Op(), m::Parameter(0)), &explanation));
  EXPECT_THAT(explanation.str(), HasSubstr("y = f32[2,3]"));
  EXPECT_THAT(explanation.str(), HasSubstr("is not number 0"));
  std::ostringstream description;
  GmockMatch(m::Add(m::Op(), m::Parameter(0))).DescribeTo(&description);
  EXPECT_THAT(description.str(), HasSubstr("matches add with 2 operands"));
}

}  // namespace
}  // namespace xla

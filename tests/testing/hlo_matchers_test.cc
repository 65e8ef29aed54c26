#include "xla/hlo/utils/hlo_matchers.h"

#include <memory>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

namespace op = testing::opcode_matchers;
using ::testing::_;
using ::testing::HasSubstr;
using ::testing::Not;

class HloMatchersTest : public ::testing::Test {
 protected:
  const HloInstruction* Root(absl::string_view body) {
    const std::string text = absl::StrCat("HloModule m\nENTRY e {\n", body, "\n}");
    module_ = ParseAndReturnUnverifiedModule(text).value();
    return module_->entry_computation()->root_instruction();
  }
  static std::string WhyNot(const testing::InstructionMatcher& matcher,
                            const HloInstruction* instruction) {
    ::testing::StringMatchResultListener listener;
    EXPECT_FALSE(matcher.MatchAndExplain(instruction, &listener));
    return listener.str();
  }

  std::unique_ptr<HloModule> module_;
};

TEST_F(HloMatchersTest, OperationsAndOperands) {
  const HloInstruction* root = Root(R"(
    x = f32[2] parameter(0)
    y = f32[2] parameter(1)
    c = f32[2] constant({1, 2})
    m = f32[2] multiply(y, c)
    ROOT a = f32[2] add(x, m))");
  EXPECT_THAT(root, op::Add());
  EXPECT_THAT(root, op::Add(op::Parameter(0), op::Multiply(_, op::Constant())));
  EXPECT_THAT(root, op::Add(_, op::Multiply(op::Parameter(1),
                                            op::Constant(LiteralUtil::CreateR1<float>({1, 2})))));
  EXPECT_THAT(root, Not(op::Subtract()));
  EXPECT_THAT(root, Not(op::Add(op::Parameter(1), _)));
  EXPECT_THAT(root, Not(op::Add(_)));
  EXPECT_THAT(root, Not(op::Add(_, _, _)));
  EXPECT_THAT(root->operand(1)->operand(1),
              Not(op::Constant(LiteralUtil::CreateR1<float>({1, 3}))));
  EXPECT_THAT(root, op::Add(root->operand(0), root->operand(1)));
}

TEST_F(HloMatchersTest, SayWhatTheyExpect) {
  const HloInstruction* root = Root("x = f32[2] parameter(0)\nROOT n = f32[2] negate(x)");
  EXPECT_THAT(WhyNot(op::Negate(op::Constant()), root), HasSubstr("x"));
  std::ostringstream description;
  op::Add(op::Parameter(0), _).DescribeTo(&description);
  EXPECT_THAT(description.str(), HasSubstr("add"));
}

TEST_F(HloMatchersTest, NumbersOfParametersAndElements) {
  const HloInstruction* root = Root(R"(
    t = (f32[2], s32[]) parameter(0)
    ROOT e = s32[] get-tuple-element(t), index=1)");
  EXPECT_THAT(root, op::GetTupleElement());
  EXPECT_THAT(root, op::GetTupleElement(op::Parameter(0)));
  EXPECT_THAT(root, op::GetTupleElement(op::Parameter(0), 1));
  EXPECT_THAT(root, Not(op::GetTupleElement(op::Parameter(0), 0)));
}

TEST_F(HloMatchersTest, Comparisons) {
  const HloInstruction* root = Root(R"(
    x = f32[2] parameter(0)
    ROOT c = pred[2] compare(x, x), direction=LE)");
  EXPECT_THAT(root, op::Le());
  EXPECT_THAT(root, op::Le(op::Parameter(0), op::Parameter(0)));
  EXPECT_THAT(root, op::Compare());
  EXPECT_THAT(root, Not(op::Lt()));
}

TEST_F(HloMatchersTest, ContractedDimensions) {
  const HloInstruction* root = Root(R"(
    x = f32[2,3] parameter(0)
    y = f32[3,4] parameter(1)
    ROOT d = f32[2,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})");
  EXPECT_THAT(root, op::Dot(op::Parameter(0), op::Parameter(1), 1, 0));
  EXPECT_THAT(root, Not(op::Dot(op::Parameter(0), op::Parameter(1), 0, 0)));
}

TEST_F(HloMatchersTest, TargetsOfCustomCalls) {
  const HloInstruction* root = Root(R"(
    x = f32[2] parameter(0)
    ROOT c = f32[2] custom-call(x), custom_call_target="square")");
  EXPECT_THAT(root, op::CustomCall());
  EXPECT_THAT(root, op::CustomCall("square"));
  EXPECT_THAT(root, op::CustomCall("square", op::Parameter(0)));
  EXPECT_THAT(root, op::CustomCall(::testing::StartsWith("sq"), _));
  EXPECT_THAT(root, Not(op::CustomCall("cube")));
  EXPECT_THAT(root, Not(op::CustomCall("square", op::Constant())));
}

TEST_F(HloMatchersTest, ShapesAndShardings) {
  const HloInstruction* root =
      Root("ROOT x = f32[2,3]{0,1} parameter(0), sharding={devices=[2,1]<=[2]}");
  EXPECT_THAT(root, op::Shape("f32[2,3]"));
  EXPECT_THAT(root, op::Shape(ShapeUtil::MakeShape(F32, {2, 3})));
  EXPECT_THAT(root, Not(op::Shape("f32[3,2]")));
  EXPECT_THAT(root, op::ShapeWithLayout("f32[2,3]{0,1}"));
  EXPECT_THAT(root, Not(op::ShapeWithLayout("f32[2,3]{1,0}")));
  EXPECT_THAT(root, op::Sharding("{devices=[2,1]<=[2]}"));
  EXPECT_THAT(root, Not(op::Sharding("{replicated}")));
  EXPECT_THAT(root, Not(op::NoSharding()));
  EXPECT_THAT(Root("ROOT x = f32[] parameter(0)"), op::NoSharding());
}

TEST_F(HloMatchersTest, DevicesOfCollectives) {
  EXPECT_THAT(Root(R"(
    x = f32[2] parameter(0)
    ROOT p = f32[2] collective-permute(x), source_target_pairs={{0,1},{1,0}})"),
              op::SourceTargetPairs({{0, 1}, {1, 0}}));
  const HloInstruction* gather = Root(R"(
    x = f32[2] parameter(0)
    ROOT g = f32[4] all-gather(x), replica_groups={{0,1},{2,3}}, dimensions={0})");
  EXPECT_THAT(gather, op::ReplicaGroups({{0, 1}, {2, 3}}));
  EXPECT_THAT(gather, Not(op::ReplicaGroups({{0, 2}, {1, 3}})));
}

TEST_F(HloMatchersTest, PlacesInTheSource) {
  const HloInstruction* root = Root(
      R"(ROOT x = f32[] parameter(0), metadata={op_type="T" op_name="n" source_file="f.py" source_line=3})");
  OpMetadata metadata;
  metadata.set_op_type("T");
  metadata.set_op_name("n");
  metadata.set_source_file("f.py");
  metadata.set_source_line(3);
  EXPECT_THAT(root, op::Metadata(metadata));
  metadata.set_source_line(4);
  EXPECT_THAT(root, Not(op::Metadata(metadata)));
}

}  // namespace
}  // namespace xla

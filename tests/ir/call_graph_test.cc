#include "xla/service/call_graph.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/analysis/alias_info.h"
#include "xla/hlo/ir/hlo_instruction_utils.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/service/buffer_value.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// main calls a loop and a reduction, the loop's body the same reduction and a function, which the
// condition calls, too.
constexpr char kProgram[] = R"(
  HloModule m
  add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
  half { h = f32[4] parameter(0)  c = f32[] constant(0.5)  b = f32[4] broadcast(c), dimensions={}
    ROOT m = f32[4] multiply(h, b) }
  body { s = f32[4] parameter(0)  ROOT next = f32[4] call(s), to_apply=half }
  condition { t = f32[4] parameter(0)  u = f32[4] call(t), to_apply=half  zero = f32[] constant(0)
    sum = f32[] reduce(u, zero), dimensions={0}, to_apply=add  one = f32[] constant(1)
    ROOT p = pred[] compare(sum, one), direction=GT }
  alone { ROOT a = f32[] parameter(0) }
  ENTRY main { v = f32[4] parameter(0)  loop = f32[4] while(v), condition=condition, body=body
    none = f32[] constant(0)
    ROOT total = f32[] reduce(loop, none), dimensions={0}, to_apply=add })";

class CallGraphTest : public testing::Test {
 protected:
  HloComputation* Of(absl::string_view name) const { return module_->GetComputationWithName(name); }
  const CallGraphNode& Node(absl::string_view name) const { return graph_->GetNode(Of(name)); }

  std::unique_ptr<HloModule> module_ = ParseAndReturnUnverifiedModule(kProgram).value();
  std::unique_ptr<CallGraph> graph_ = CallGraph::Build(module_.get());
};

TEST_F(CallGraphTest, WhoCallsWhom) {
  EXPECT_EQ(graph_->nodes().size(), 6);
  EXPECT_THAT(Node("main").callees(), UnorderedElementsAre(Of("body"), Of("condition"), Of("add")));
  EXPECT_THAT(Node("half").callers(), UnorderedElementsAre(Of("body"), Of("condition")));
  EXPECT_EQ(Node("half").caller_callsites().size(), 2);
  EXPECT_THAT(Node("main").callers(), IsEmpty());
  EXPECT_EQ(graph_->GetComputationCallers(Of("body")),
            std::vector<HloInstruction*>{Of("main")->GetInstructionWithName("loop")});

  const CallSite* loop = Node("main").GetCallSite(Of("main")->GetInstructionWithName("loop"));
  ASSERT_NE(loop, nullptr);
  EXPECT_THAT(loop->called_computations(), ElementsAre(Of("body"), Of("condition")));
  EXPECT_EQ(loop->context(), CallContext::kControlFlow);
  EXPECT_EQ(Node("main").GetCallSite(Of("main")->parameter_instruction(0)), nullptr);
}

TEST_F(CallGraphTest, ContextsAndDepths) {
  EXPECT_EQ(Node("main").context(), CallContext::kControlFlow);
  EXPECT_EQ(Node("half").context(), CallContext::kControlFlow);
  EXPECT_EQ(Node("add").context(), CallContext::kEmbedded);
  EXPECT_EQ(Node("alone").context(), CallContext::kControlFlow);
  EXPECT_EQ(Node("main").depth(), 0);
  EXPECT_EQ(Node("body").depth(), 1);
  EXPECT_EQ(Node("half").depth(), 2);
  EXPECT_EQ(Node("add").depth(), 2);
  EXPECT_FALSE(graph_->IsFlattened());
}

TEST_F(CallGraphTest, Paths) {
  EXPECT_TRUE(graph_->CanReach(Of("main"), Of("half")));
  EXPECT_FALSE(graph_->CanReach(Of("half"), Of("main")));
  EXPECT_TRUE(graph_->Dominates(Of("main"), Of("half")));
  EXPECT_TRUE(graph_->Dominates(Of("half"), Of("half")));
  EXPECT_FALSE(graph_->Dominates(Of("body"), Of("half")));
  EXPECT_FALSE(graph_->Dominates(Of("condition"), Of("add")));
  HloInstruction* in_body = Of("body")->root_instruction();
  EXPECT_TRUE(graph_->InstructionIsNestedIn(in_body, Of("main")));
  EXPECT_FALSE(graph_->InstructionIsNestedIn(in_body, Of("condition")));

  HloInstruction* total = Of("main")->root_instruction();
  const auto ancestors = graph_->NearestAncestorsInSameComputation(in_body, total);
  EXPECT_EQ(ancestors.first, Of("main")->GetInstructionWithName("loop"));
  EXPECT_EQ(ancestors.second, total);
  EXPECT_EQ(graph_->NearestAncestorsInSameComputation(Of("half")->root_instruction(), total).first,
            nullptr);
  EXPECT_THAT(graph_->NearestCommonAncestorComputations({Of("body"), Of("condition")}),
              UnorderedElementsAre(Of("main")));
}

TEST_F(CallGraphTest, Visits) {
  std::vector<std::string> order;
  const auto visit = [&](const CallGraphNode& node) {
    order.emplace_back(node.computation()->name());
    return absl::OkStatus();
  };
  EXPECT_OK(graph_->VisitNodes(visit));
  EXPECT_EQ(order.size(), 6);
  EXPECT_LT(absl::c_find(order, "half"), absl::c_find(order, "body"));
  EXPECT_LT(absl::c_find(order, "body"), absl::c_find(order, "main"));
  order.clear();
  EXPECT_OK(graph_->VisitNodes(visit, /*visit_unreachable_nodes=*/false));
  EXPECT_EQ(order.size(), 5);
  EXPECT_FALSE(absl::c_linear_search(order, "alone"));
  EXPECT_EQ(
      graph_->VisitNodes([](const CallGraphNode&) { return absl::AbortedError("enough"); }).code(),
      absl::StatusCode::kAborted);
}

TEST(CallGraphOfStepsTest, AsynchronousCallsAreOneCall) {
  const auto module = ParseAndReturnUnverifiedModule(R"(
    HloModule m
    work { a = f32[4] parameter(0)  ROOT n = f32[4] negate(a) }
    ENTRY e { x = f32[4] parameter(0)
      s = ((f32[4]), f32[4], u32[]) async-start(x), calls=work
      u = ((f32[4]), f32[4], u32[]) async-update(s)
      ROOT d = f32[4] async-done(u) })")
                          .value();
  const auto graph = CallGraph::Build(module.get());
  const CallGraphNode& work = graph->GetNode(module->GetComputationWithName("work"));
  EXPECT_EQ(work.caller_callsites().size(), 1);
  EXPECT_EQ(work.context(), CallContext::kControlFlow);
  EXPECT_TRUE(graph->IsFlattened());
}

TEST(AliasInfoTest, WhatIsUpdatedInPlace) {
  const auto module = ParseAndReturnUnverifiedModule(R"(
    HloModule m
    ENTRY e { x = f32[4] parameter(0)  y = f32[2] parameter(1)  i = s32[] parameter(2)
      u = f32[4] dynamic-update-slice(x, y, i)
      c = (f32[4], f32[2]) custom-call(u, y), custom_call_target="f", output_to_operand_aliasing={{1}: (1, {})}
      n = f32[4] negate(u)
      ROOT r = (f32[4], (f32[4], f32[2])) tuple(n, c) })")
                          .value();
  const auto pairs = [&](absl::string_view name) {
    return AliasInfo().GetInPlaceInputOutputPairs(
        module->entry_computation()->GetInstructionWithName(name));
  };
  EXPECT_THAT(pairs("u"), ElementsAre(AliasInfo::InPlacePair({0, {}}, {})));
  EXPECT_THAT(pairs("c"), ElementsAre(AliasInfo::InPlacePair({1, {}}, {1})));
  EXPECT_THAT(pairs("n"), IsEmpty());
}

TEST(BufferValueTest, Parts) {
  const auto module =
      ParseAndReturnUnverifiedModule(
          "ENTRY e { x = f32[4] parameter(0)  ROOT t = (f32[4], f32[4]) tuple(x, x) }")
          .value();
  HloInstruction* root = module->entry_computation()->root_instruction();
  const BufferValue whole(root, {}, 1), part(root, {1}, 2);
  EXPECT_TRUE(whole.IsTuple());
  EXPECT_TRUE(part.IsArray());
  EXPECT_EQ(part.ToString(), "t{1}");
  EXPECT_LT(whole, part);
}

TEST(HloInstructionUtilsTest, SlicesWidthsAndPairs) {
  const auto module = ParseAndReturnUnverifiedModule(R"(
    ENTRY e { x = f32[4] parameter(0)  s = f32[2] slice(x), slice={[1:3]}
      t = f32[2] slice(x), slice={[0:4:2]}  i = s32[2] bitcast-convert(s)  h = f16[2] convert(t)
      ROOT r = (s32[2], f16[2]) tuple(i, h) })")
                          .value();
  const auto named = [&](absl::string_view name) {
    return module->entry_computation()->GetInstructionWithName(name);
  };
  EXPECT_TRUE(hlo_instruction_utils::IsUnstridedSlice(named("s")));
  EXPECT_FALSE(hlo_instruction_utils::IsUnstridedSlice(named("t")));
  EXPECT_FALSE(hlo_instruction_utils::IsUnstridedSlice(named("i")));
  EXPECT_TRUE(hlo_instruction_utils::KeepsBitwidth(*named("i")));
  EXPECT_FALSE(hlo_instruction_utils::KeepsBitwidth(*named("h")));
  EXPECT_FALSE(hlo_instruction_utils::KeepsBitwidth(*named("r")));
  EXPECT_FALSE(hlo_instruction_utils::KeepsBitwidth(*named("x")));

  HloInstruction* slice = named("s");
  hlo_instruction_utils::AddOrUpdateVectorOfPairsAsAttribute(slice, "ranges", {{0, 4}});
  hlo_instruction_utils::AddOrUpdateVectorOfPairsAsAttribute(slice, "ranges", {{1, 2}, {3, 3}});
  EXPECT_EQ(slice->get_frontend_attribute("ranges"), "{{1,2},{3,3}}");
}

}  // namespace
}  // namespace xla

#include "xla/hlo/ir/hlo_computation.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/verifier.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_instructions.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_module_metadata.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/hlo/utils/hlo_query.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<HloModule> Read(absl::string_view text) {
  return ParseAndReturnUnverifiedModule(text).value();
}

HloInstruction* Named(HloModule& module, absl::string_view name) {
  return module.entry_computation()->GetInstructionWithName(name);
}

constexpr char kChain[] = R"(ENTRY e { a = f32[4] parameter(0)  b = f32[4] parameter(1)
  c = f32[4] exponential(a)  d = f32[4] multiply(c, b)  f = f32[4] negate(c)
  ROOT r = (f32[4], f32[4]) tuple(d, f) })";

// ---- Computations within others ----

TEST(HloComputationTest, FusionsTakeInstructionsOutOfTheirComputation) {
  const auto module = Read(kChain);
  HloInstruction* fusion = module->entry_computation()->CreateFusionInstruction(
      {Named(*module, "d")}, HloInstruction::FusionKind::kLoop);
  EXPECT_THAT(fusion->operands(), ElementsAre(Named(*module, "c"), Named(*module, "b")));
  fusion->FuseInstructionIntoMultiOutput(Named(*module, "c"));
  EXPECT_TRUE(fusion->IsMultiOutputFusion());
  EXPECT_THAT(fusion->operands(), ElementsAre(Named(*module, "b"), Named(*module, "a")));
  EXPECT_EQ(Named(*module, "f")->operand(0)->opcode(), HloOpcode::kGetTupleElement);
  EXPECT_EQ(Named(*module, "c")->user_count(), 0);
  EXPECT_OK(VerifyModule(*module));

  ASSERT_OK(static_cast<HloFusionInstruction*>(fusion)->PermuteFusionOperands({1, 0}));
  EXPECT_THAT(fusion->operands(), ElementsAre(Named(*module, "a"), Named(*module, "b")));
  EXPECT_OK(VerifyModule(*module));

  HloInstruction* product = fusion->fused_expression_root()->mutable_operand(0);
  EXPECT_EQ(fusion->UnfuseInstruction(product).status().code(),
            absl::StatusCode::kFailedPrecondition);
  ASSERT_OK(fusion->UnfuseInstruction(product->mutable_operand(0)));
  EXPECT_OK(VerifyModule(*module));
}

TEST(HloComputationTest, FusionsMerge) {
  const auto module = Read(R"(
    f { p = f32[] parameter(0)  q = f32[] parameter(1)  s = f32[] add(p, q)
        ROOT t = (f32[], f32[]) tuple(q, s) }
    g { p = f32[] parameter(0)  ROOT n = f32[] negate(p) }
    ENTRY e { a = f32[] parameter(0)  b = f32[] parameter(1)
      x = (f32[], f32[]) fusion(a, b), kind=kLoop, calls=f
      x0 = f32[] get-tuple-element(x), index=0
      x1 = f32[] get-tuple-element(x), index=1
      y = f32[] fusion(x1), kind=kLoop, calls=g
      ROOT r = (f32[], f32[], f32[]) tuple(x0, x1, y) })");
  HloInstruction* root = module->entry_computation()->root_instruction();
  HloInstruction* y = Named(*module, "y");
  y->MergeFusionInstructionIntoMultiOutput(Named(*module, "x"));
  EXPECT_EQ(root->operand(0)->name(), "b");
  EXPECT_EQ(root->operand(1)->operand(0), y);
  EXPECT_EQ(root->operand(1)->tuple_index(), 1);
  EXPECT_EQ(root->operand(2)->tuple_index(), 0);
  EXPECT_EQ(Named(*module, "x"), nullptr);
  EXPECT_OK(VerifyModule(*module));
}

TEST(HloComputationTest, OneValueIsHandedToAFusionOnce) {
  const auto module = Read(R"(
    f { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT s = f32[] add(p, q) }
    ENTRY e { a = f32[] parameter(0)  b = f32[] parameter(1)
      ROOT x = f32[] fusion(a, b), kind=kLoop, calls=f })");
  ASSERT_OK(Named(*module, "b")->ReplaceAllUsesWith(Named(*module, "a")));
  EXPECT_THAT(Named(*module, "x")->operands(), ElementsAre(Named(*module, "a")));
  EXPECT_EQ(Named(*module, "x")->fused_parameters().size(), 1);
}

TEST(HloComputationTest, AsynchronousFormOfAnInstruction) {
  const auto module = Read(kChain);
  HloInstruction* d = Named(*module, "d");
  const absl::StatusOr<HloInstruction*> done = module->entry_computation()->CreateAsyncInstructions(
      d, {ShapeUtil::MakeShape(U32, {})}, "side");
  ASSERT_OK(done);
  const HloInstruction* start = (*done)->operand(0);
  EXPECT_EQ(start->name(), "multiply-start");
  EXPECT_EQ(start->async_execution_thread(), "side");
  EXPECT_EQ((*done)->async_wrapped_computation()->execution_thread(), "side");
  EXPECT_EQ((*done)->async_chain_start(), start);
  EXPECT_EQ(module->entry_computation()->root_instruction()->operand(0), *done);
  EXPECT_OK(VerifyModule(*module));
}

TEST(HloComputationTest, DeepCopies) {
  const auto module = Read("ENTRY e { ROOT p = (f32[], (f32[2], token[])) parameter(0) }");
  HloComputation* entry = module->entry_computation();
  const HloInstruction* copy = *entry->DeepCopyInstruction(entry->root_instruction());
  EXPECT_TRUE(ShapeUtil::Equal(copy->shape(), entry->root_instruction()->shape()));
  EXPECT_EQ(copy->operand(0)->opcode(), HloOpcode::kCopy);
  EXPECT_EQ(copy->operand(1)->operand(1)->opcode(), HloOpcode::kGetTupleElement);
}

// ---- Parameters, removal, copies ----

TEST(HloComputationTest, ParametersAreRemovedAndReplaced) {
  const auto module = Read(R"(
    f { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT n = f32[] negate(q) }
    ENTRY e { a = f32[] parameter(0)  ROOT c = f32[] call(a, a), to_apply=f })");
  HloInstruction* call = module->entry_computation()->root_instruction();
  HloComputation* f = call->to_apply();
  EXPECT_FALSE(f->RemoveParameter(1).ok());
  EXPECT_FALSE(module->entry_computation()->RemoveParameter(0).ok());
  ASSERT_OK(f->RemoveParameter(0));
  call->RemoveOperandAt(0);
  EXPECT_EQ(f->parameter_instruction(0)->parameter_number(), 0);
  EXPECT_OK(VerifyModule(*module));
  f->ReplaceParameter(0, HloInstruction::CreateParameter(0, ShapeUtil::MakeShape(F32, {}), "z"));
  EXPECT_EQ(f->root_instruction()->operand(0)->name(), "z");
}

TEST(HloComputationTest, WhatIsRemovedLivesUntilCleanup) {
  const auto module = Read(kChain);
  HloComputation* entry = module->entry_computation();
  HloInstruction* f = Named(*module, "f");
  entry->set_root_instruction(Named(*module, "d"), /*accept_different_shape=*/true);
  entry->RemoveInstructionsIf([&](const HloInstruction* instruction) {
    return instruction == f || instruction->opcode() == HloOpcode::kTuple;
  });
  EXPECT_EQ(entry->instruction_count(), 4);
  EXPECT_EQ(Named(*module, "c")->user_count(), 1);
  EXPECT_EQ(f->ToString(), "%f = f32[4]{0} negate()");
  module->Cleanup();
}

TEST(HloComputationTest, CopiesWithReplacements) {
  const auto module = Read("ENTRY e { a = f32[] parameter(0)  ROOT n = f32[] negate(a) }");
  const HloComputation& entry = *module->entry_computation();
  const auto copy = entry.CloneWithReplacementPairs(
      {entry.parameter_instruction(0),
       HloInstruction::CreateConstant(LiteralUtil::CreateR0<float>(2))});
  EXPECT_EQ(copy->num_parameters(), 0);
  EXPECT_EQ(copy->root_instruction()->operand(0)->opcode(), HloOpcode::kConstant);
}

// ---- Who calls whom ----

TEST(HloComputationTest, Callers) {
  const auto module = Read(R"(
    f { p = f32[] parameter(0)  ROOT n = f32[] negate(p) }
    ENTRY e { a = f32[] parameter(0)  c = f32[] call(a), to_apply=f
      ROOT d = f32[] call(c), to_apply=f })");
  HloComputation* entry = module->entry_computation();
  HloComputation* f = entry->root_instruction()->to_apply();
  EXPECT_THAT(entry->callee_computations(), ElementsAre(std::make_pair(f, 2)));
  EXPECT_THAT(f->caller_computations(), ElementsAre(std::make_pair(entry, 2)));
  EXPECT_EQ(f->caller_instructions().size(), 2);
  EXPECT_EQ(f->GetUniqueCaller(HloOpcode::kCall), std::nullopt);
  EXPECT_EQ(hlo_query::NextChannelId(*module), 1);
  EXPECT_TRUE(hlo_query::ContainsInstrWithOpcode(entry, {HloOpcode::kNegate}));
}

TEST(HloComputationTest, ReshapesMayComeFirst) {
  const auto module = Read(R"(ENTRY e { a = f32[2,2] parameter(0)  b = f32[4] parameter(1)
    n = f32[2,2] negate(a)  x = f32[2,2] exponential(n)  m = f32[2,2] reshape(b)
    ROOT r = f32[2,2] add(x, m) })");
  const auto order = module->entry_computation()->MakeInstructionPostOrderWithReshapeFirst();
  std::vector<std::string> names;
  for (const HloInstruction* instruction : order) names.emplace_back(instruction->name());
  EXPECT_THAT(names, ElementsAre("b", "m", "a", "n", "x", "r"));
}

TEST(HloComputationTest, UsersMayStandOutside) {
  const auto module = Read("ENTRY e { x = f32[4] parameter(0)  ROOT n = f32[4] negate(x) }");
  HloInstruction* x = module->entry_computation()->parameter_instruction(0);
  const auto outside = HloInstruction::CreateUnary(x->shape(), HloOpcode::kExp, x);
  EXPECT_EQ(x->user_count(), 2);
  EXPECT_OK(VerifyModule(*module));
}

TEST(HloComputationTest, NestedBodiesNameTheirThread) {
  const auto module = Read(kChain);
  HloComputation* entry = module->entry_computation();
  HloInstruction* fusion = entry->CreateFusionInstruction({Named(*module, "f")},
                                                          HloInstruction::FusionKind::kLoop);
  const HloPrintOptions options = HloPrintOptions::Canonical();
  EXPECT_THAT(fusion->ToString(options), testing::Not(HasSubstr("execution_thread")));
  fusion->set_called_computations_execution_thread("worker");
  EXPECT_THAT(fusion->ToString(options), testing::EndsWith("\n}, execution_thread=\"worker\""));
}

TEST(HloModuleTest, OutliningAndMetadata) {
  const auto module = Read(kChain);
  HloInstruction* call = module->OutlineExpressionFromComputation({Named(*module, "f")}, "negated",
                                                                  module->entry_computation());
  EXPECT_EQ(call->to_apply()->name(), "negated");
  EXPECT_OK(VerifyModule(*module));

  HloModuleMetadata& metadata = *module->metadata();
  EXPECT_EQ(metadata.set_current_pass_name("x").code(), absl::StatusCode::kNotFound);
  metadata.RecordPassStart();
  metadata.RecordPassStart();
  ASSERT_OK(metadata.set_current_pass_name("inner"));
  ASSERT_OK(metadata.RecordPassEnd());
  ASSERT_OK(metadata.set_current_pass_name("outer"));
  EXPECT_EQ(metadata.proto().pass_metadata(0).pass_name(), "outer");
  EXPECT_EQ(metadata.proto().pass_metadata(1).pass_name(), "inner");
}

}  // namespace
}  // namespace xla

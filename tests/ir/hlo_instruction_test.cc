#include "xla/hlo/ir/hlo_instruction.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Shape F32Scalar() { return ShapeUtil::MakeShape(F32, {}); }

std::unique_ptr<HloModule> Parse(absl::string_view text) {
  return ParseAndReturnUnverifiedModule(text).value();
}

// ---- Lifetimes ----

TEST(HloInstructionTest, AnInstructionThatDiesLeavesTheUsersOfItsOperands) {
  const auto module = Parse("ENTRY e { a = f32[2] parameter(0)  ROOT n = f32[2] negate(a) }");
  HloInstruction* negate = module->entry_computation()->root_instruction();
  HloInstruction* operand = negate->mutable_operand(0);
  {
    const auto clone = negate->CloneWithNewOperands(negate->shape(), {operand});
    EXPECT_THAT(operand->users(), ElementsAre(negate, clone.get()));
  }
  EXPECT_THAT(operand->users(), ElementsAre(negate));
}

TEST(HloInstructionTest, AnOperandMayDieFirst) {
  auto operand = HloInstruction::CreateParameter(0, F32Scalar(), "p");
  const auto sum =
      HloInstruction::CreateBinary(F32Scalar(), HloOpcode::kAdd, operand.get(), operand.get());
  operand.reset();
  EXPECT_THAT(sum->operands(), ElementsAre(nullptr, nullptr));
  EXPECT_THAT(sum->ToString(), HasSubstr("add(null , null )"));
}

TEST(HloInstructionTest, ABuilderMayDieBeforeItBuilds) {
  HloComputation::Builder builder("abandoned");
  HloInstruction* x = builder.AddInstruction(HloInstruction::CreateParameter(0, F32Scalar(), "x"));
  HloInstruction* y = builder.AddInstruction(
      HloInstruction::CreateBinary(F32Scalar(), HloOpcode::kAdd, x, x));
  builder.AddInstruction(HloInstruction::CreateTuple({y, x, y}));
}

TEST(HloInstructionTest, AComputationMayDieBeforeAnInstructionThatUsesIt) {
  auto module = Parse("ENTRY e { a = f32[] parameter(0)  ROOT n = f32[] negate(a) }");
  HloInstruction* root = module->entry_computation()->root_instruction();
  const auto outside = HloInstruction::CreateTuple({root, root->mutable_operand(0)});
  module.reset();
  EXPECT_THAT(outside->operands(), ElementsAre(nullptr, nullptr));
}

// ---- Attributes ----

TEST(HloInstructionTest, CallsMayAliasOperands) {
  const auto module = Parse(R"(
    f { x = f32[2] parameter(0)  ROOT n = f32[2] negate(x) }
    ENTRY e { a = f32[2] parameter(0)  ROOT c = f32[2] call(a), to_apply=f })");
  HloInstruction* call = module->entry_computation()->root_instruction();
  EXPECT_THAT(call->output_to_operand_aliasing(), IsEmpty());
  call->set_output_to_operand_aliasing({{{}, {0, {}}}});
  EXPECT_EQ(call->output_to_operand_aliasing().size(), 1);
  // Nothing of it is lost in text.
  const auto copy = Parse(module->ToString());
  EXPECT_EQ(copy->entry_computation()->root_instruction()->output_to_operand_aliasing(),
            call->output_to_operand_aliasing());
}

}  // namespace
}  // namespace xla

// Passes with the names of OpenXLA's, each on a small module.
#include <memory>
#include <string>

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/analysis/alias_info.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/hlo/transforms/expanders/rng_bit_generator_expander.h"
#include "xla/hlo/transforms/expanders/rng_expander.h"
#include "xla/hlo/transforms/simplifiers/hlo_element_type_converter.h"
#include "xla/hlo/transforms/simplifiers/hlo_memory_scheduler.h"
#include "xla/hlo/transforms/simplifiers/tuple_simplifier.h"
#include "xla/literal_util.h"
#include "xla/service/call_graph.h"
#include "xla/service/flatten_call_graph.h"
#include "xla/service/hlo_verifier.h"

namespace xla {
namespace {

std::unique_ptr<HloModule> Parse(absl::string_view text) {
  return ParseAndReturnUnverifiedModule(text).value();
}

void Verify(HloModule& module) {
  EXPECT_OK(HloVerifier(/*layout_sensitive=*/false, /*allow_mixed_precision=*/false).Run(&module));
}

int64_t CountOf(const HloModule& module, HloOpcode opcode) {
  int64_t count = 0;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions())
      count += instruction->opcode() == opcode;
  }
  return count;
}

TEST(TupleSimplifierTest, TuplesThatNeedNotBe) {
  const auto module = Parse(R"(HloModule m
    ENTRY e { p = (f32[2], f32[2]) parameter(0)
      a = f32[2] get-tuple-element(p), index=0  b = f32[2] get-tuple-element(p), index=1
      same = (f32[2], f32[2]) tuple(a, b)  other = (f32[2], f32[2]) tuple(b, a)
      c = f32[2] get-tuple-element(other), index=0
      ROOT r = ((f32[2], f32[2]), f32[2]) tuple(same, c) })");
  EXPECT_TRUE(TupleSimplifier().Run(module.get()).value());
  Verify(*module);
  const HloInstruction* root = module->entry_computation()->root_instruction();
  EXPECT_EQ(root->operand(0)->opcode(), HloOpcode::kParameter);
  EXPECT_EQ(root->operand(1)->opcode(), HloOpcode::kGetTupleElement);
  EXPECT_EQ(root->operand(1)->tuple_index(), 1);
  EXPECT_FALSE(TupleSimplifier().Run(module.get()).value());
}

TEST(FlattenCallGraphTest, EachCallGetsItsOwn) {
  const auto module = Parse(R"(HloModule m
    add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
    inner { a = f32[2] parameter(0)  ROOT n = f32[2] negate(a) }
    outer { b = f32[2] parameter(0)  c = f32[2] call(b), to_apply=inner  ROOT d = f32[2] call(c), to_apply=inner }
    ENTRY e { v = f32[2] parameter(0)  w = f32[2] call(v), to_apply=outer  u = f32[2] call(w), to_apply=outer
      zero = f32[] constant(0)  s = f32[] reduce(u, zero), dimensions={0}, to_apply=add
      t = f32[] reduce(w, zero), dimensions={0}, to_apply=add  ROOT r = f32[] add(s, t) })");
  EXPECT_FALSE(CallGraph::Build(module.get())->IsFlattened());
  EXPECT_TRUE(FlattenCallGraph().Run(module.get()).value());
  Verify(*module);
  EXPECT_TRUE(CallGraph::Build(module.get())->IsFlattened());
  EXPECT_EQ(module->computation_count(), 8);
  EXPECT_FALSE(FlattenCallGraph().Run(module.get()).value());
}

TEST(HloElementTypeConverterTest, ComputesInTheOtherType) {
  const auto module = Parse(R"(HloModule m
    add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
    ENTRY e { a = f32[4] parameter(0)  i = s32[4] parameter(1)  b = f32[4] exponential(a)
      j = s32[4] negate(i)  p = pred[4] compare(a, b), direction=LT
      zero = f32[] constant(0)  s = f32[] reduce(b, zero), dimensions={0}, to_apply=add
      ROOT r = (f32[], s32[4], pred[4]) tuple(s, j, p) })");
  EXPECT_TRUE(HloElementTypeConverter(F32, BF16).Run(module.get()).value());
  Verify(*module);
  for (const HloComputation* computation : module->computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (HloPredicateIsOp<HloOpcode::kExp, HloOpcode::kAdd>(instruction)) {
        EXPECT_EQ(instruction->shape().element_type(), BF16);
      } else if (instruction->opcode() == HloOpcode::kCompare) {
        EXPECT_EQ(instruction->operand(0)->shape().element_type(), BF16);
      }
    }
  }
  EXPECT_EQ(module->result_shape().tuple_shapes(0).element_type(), F32);
  EXPECT_FALSE(HloElementTypeConverter(F32, BF16).Run(module.get()).value());
}

TEST(RngExpanderTest, NoRandomOperationsAreLeft) {
  const auto module = Parse(R"(HloModule m
    ENTRY e { low = f32[] constant(0)  high = f32[] constant(1)
      u = f32[8] rng(low, high), distribution=rng_uniform
      state = u64[3] parameter(0)
      bits = (u64[3], u32[8]) rng-bit-generator(state), algorithm=rng_default
      ROOT r = (f32[8], (u64[3], u32[8])) tuple(u, bits) })");
  EXPECT_TRUE(RngExpander().Run(module.get()).value());
  EXPECT_EQ(CountOf(*module, HloOpcode::kRng), 0);
  const auto philox = module->Clone();
  const auto evaluate = [](const HloModule& m) {
    const Literal state = LiteralUtil::CreateR1<uint64_t>({1, 2, 3});
    HloEvaluator evaluator;
    return evaluator.Evaluate(m, {&state}).value();
  };
  for (HloComputation* computation : philox->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() != HloOpcode::kRngBitGenerator) continue;
      ASSERT_OK(computation->ReplaceWithNewInstruction(
          instruction, HloInstruction::CreateRngBitGenerator(
                           instruction->shape(), instruction->mutable_operand(0), RNG_PHILOX)));
      break;
    }
  }
  const Literal expected = evaluate(*philox);
  EXPECT_TRUE(RngBitGeneratorExpander(RNG_PHILOX).Run(module.get()).value());
  EXPECT_EQ(CountOf(*module, HloOpcode::kRngBitGenerator), 0);
  Verify(*module);
  EXPECT_EQ(evaluate(*module), expected);
}

// Two long ways to scalars: doing one after the other needs one large array at a time.
constexpr char kTwoWays[] = R"(HloModule m
  add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
  ENTRY e { zero = f32[] constant(0)  p = f32[] parameter(0)
    a = f32[1000] broadcast(p), dimensions={}  b = f32[1000] broadcast(p), dimensions={}
    both = (f32[1000], f32[1000]) tuple(a, b)
    a1 = f32[1000] get-tuple-element(both), index=0
    s = f32[] reduce(a1, zero), dimensions={0}, to_apply=add
    c = f32[1000] broadcast(p), dimensions={}
    t = f32[] reduce(c, zero), dimensions={0}, to_apply=add
    ROOT r = f32[] add(s, t) })";

TEST(HloMemorySchedulerTest, Orders) {
  const auto module = Parse(kTwoWays);
  const AliasInfo alias_info;
  const auto size = [](const BufferValue& buffer) { return ShapeUtil::ByteSizeOf(buffer.shape()); };
  int64_t peak = 0;
  const HloSchedule schedule = ScheduleModule(module.get(), &alias_info, size, {}, &peak).value();
  EXPECT_OK(schedule.Verify());
  // Two arrays that one tuple needs, and a scalar.
  EXPECT_LE(peak, 2 * 4000 + 8);
  EXPECT_GE(peak, 2 * 4000);

  EXPECT_TRUE(HloMemoryScheduler(&alias_info, size).Run(module.get()).value());
  ASSERT_TRUE(module->has_schedule());
  EXPECT_EQ(module->schedule(), schedule);
  EXPECT_TRUE(HloDescheduler().Run(module.get()).value());
  EXPECT_FALSE(module->has_schedule());
  EXPECT_FALSE(HloDescheduler().Run(module.get()).value());
  EXPECT_TRUE(HloTrivialScheduler().Run(module.get()).value());
  EXPECT_EQ(module->schedule().sequence(module->entry_computation()).instructions(),
            module->entry_computation()->MakeInstructionPostOrder());
}

TEST(HloMemorySchedulerTest, PrefersWhatFreesMemory) {
  // In post order the array that is kept comes before the one that is only summed.
  const auto module = Parse(R"(HloModule m
    add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
    ENTRY e { zero = f32[] constant(0)  p = f32[] parameter(0)
      kept = f32[1000] broadcast(p), dimensions={}
      summed = f32[500] broadcast(p), dimensions={}
      s = f32[] reduce(summed, zero), dimensions={0}, to_apply=add
      ROOT r = (f32[1000], f32[]) tuple(kept, s) })");
  const AliasInfo alias_info;
  const auto size = [](const BufferValue& buffer) { return ShapeUtil::ByteSizeOf(buffer.shape()); };
  int64_t peak = 0;
  ASSERT_OK(ScheduleModule(module.get(), &alias_info, size, {}, &peak));
  EXPECT_EQ(peak, 4000 + 4);
}

}  // namespace
}  // namespace xla

// What programs cost on devices, as far as it can be worked out by hand.
#include "passes/partition/estimate.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "passes/partition/search.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla::passes {
namespace {

using Algorithm = DeviceModel::Algorithm;

DeviceModel Model(Algorithm algorithm) {
  DeviceModel model;
  model.latency = 1;
  model.bandwidth = 1;
  model.flops = 1;
  model.algorithm = algorithm;
  return model;
}

void ExpectExchange(HloOpcode opcode, Algorithm algorithm, double bytes, int64_t messages) {
  const Exchange exchange = EstimateExchange(opcode, 80, 8, Model(algorithm));
  EXPECT_DOUBLE_EQ(exchange.bytes, bytes) << HloOpcodeString(opcode);
  EXPECT_EQ(exchange.messages, messages) << HloOpcodeString(opcode);
  EXPECT_DOUBLE_EQ(exchange.seconds, bytes + static_cast<double>(messages));
}

TEST(EstimateTest, RingsSendLittleInManyMessages) {
  ExpectExchange(HloOpcode::kAllGather, Algorithm::kRing, 70, 7);
  ExpectExchange(HloOpcode::kReduceScatter, Algorithm::kRing, 70, 7);
  ExpectExchange(HloOpcode::kAllReduce, Algorithm::kRing, 140, 14);
  ExpectExchange(HloOpcode::kAllToAll, Algorithm::kRing, 70, 7);
  ExpectExchange(HloOpcode::kCollectivePermute, Algorithm::kRing, 80, 1);
  ExpectExchange(HloOpcode::kCollectiveBroadcast, Algorithm::kRing, 80, 7);
}

TEST(EstimateTest, TreesSendMoreInFewMessages) {
  ExpectExchange(HloOpcode::kAllGather, Algorithm::kTree, 70, 3);
  ExpectExchange(HloOpcode::kAllReduce, Algorithm::kTree, 240, 3);
  ExpectExchange(HloOpcode::kAllToAll, Algorithm::kTree, 120, 3);
  ExpectExchange(HloOpcode::kCollectivePermute, Algorithm::kTree, 80, 1);
}

TEST(EstimateTest, ProcessesSendShortArraysWholeToEachOther) {
  ExpectExchange(HloOpcode::kAllGather, Algorithm::kDirect, 70, 7);
  ExpectExchange(HloOpcode::kAllReduce, Algorithm::kDirect, 560, 7);
  ExpectExchange(HloOpcode::kCollectiveBroadcast, Algorithm::kDirect, 560, 7);
  const Exchange of_parts =
      EstimateExchange(HloOpcode::kAllReduce, 1 << 20, 8, Model(Algorithm::kDirect));
  EXPECT_DOUBLE_EQ(of_parts.bytes, 2 * 7 << 17);
  EXPECT_EQ(of_parts.messages, 14);
}

TEST(EstimateTest, TheFastestIsTaken) {
  DeviceModel model = Model(Algorithm::kFastest);
  EXPECT_EQ(EstimateExchange(HloOpcode::kAllReduce, 800, 8, model).algorithm, Algorithm::kRing);
  model.latency = 1e6;
  EXPECT_EQ(EstimateExchange(HloOpcode::kAllReduce, 800, 8, model).algorithm, Algorithm::kTree);
}

TEST(EstimateTest, NobodySendsAnythingToItself) {
  EXPECT_EQ(EstimateExchange(HloOpcode::kAllReduce, 80, 1, Model(Algorithm::kRing)).messages, 0);
}

std::unique_ptr<HloModule> Parse(const std::string& text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

constexpr char kLoop[] = R"(
HloModule m, num_partitions=4
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
cond {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT l = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  x = f32[8] get-tuple-element(s), index=1
  y = f32[8] all-reduce(x), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=add
  ROOT t = (s32[], f32[8]) tuple(j, y)
}
ENTRY e {
  x = f32[8] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[8]) tuple(zero, x)
  w = (s32[], f32[8]) while(t), condition=cond, body=body
  ROOT r = f32[8] get-tuple-element(w), index=1
})";

TEST(EstimateTest, LoopsCountTheirSteps) {
  const auto module = Parse(kLoop);
  const ProgramCost cost = EstimateProgram(*module, Model(Algorithm::kRing));
  ASSERT_EQ(cost.collectives.size(), 1);
  EXPECT_EQ(cost.collectives[0].devices, 2);
  EXPECT_EQ(cost.collectives[0].runs, 5);
  EXPECT_EQ(cost.bytes, 5 * 32);
  EXPECT_EQ(cost.messages, 5 * 2);
  EXPECT_EQ(cost.parameter_bytes, 32);
}

constexpr char kProduct[] = R"(
HloModule m
ENTRY e {
  x = f32[64,16] parameter(0)
  w = f32[16,8] parameter(1)
  ROOT y = f32[64,8] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})";

// Rows of the larger operand are divided along both axes: nothing is sent then.
TEST(SearchTest, FindsWhatNeedsNoMessages) {
  const auto module = Parse(kProduct);
  const Mesh mesh({2, 2}, {"a", "b"});
  const auto search = FindCheapestShardings(*module, mesh, Model(Algorithm::kRing), 100);
  ASSERT_TRUE(search.ok()) << search.status();
  EXPECT_EQ(search->best.cost.bytes, 0);
  EXPECT_EQ(search->best.cost.flops, 2 * 64 * 16 * 8 / 4);
  EXPECT_LE(search->tries, 100);
  EXPECT_EQ(
      search->best.module->entry_computation()->parameter_instruction(0)->shape().dimensions(0),
      16);
}

TEST(SearchTest, LeavesAllWholeWhereSendingIsSlow) {
  const auto module = Parse(R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[64] parameter(0)
  zero = f32[] constant(0)
  ROOT s = f32[] reduce(x, zero), dimensions={0}, to_apply=add
})");
  DeviceModel model = Model(Algorithm::kFastest);
  model.latency = 1e6;
  const Mesh mesh({4}, {"a"});
  const auto search = FindCheapestShardings(*module, mesh, model, 100);
  ASSERT_TRUE(search.ok()) << search.status();
  EXPECT_TRUE(search->best.shardings[0].IsReplicated());
}

TEST(SearchTest, TriesNoMoreThanItMay) {
  const auto module = Parse(kProduct);
  const Mesh mesh({2, 2}, {"a", "b"});
  const auto search = FindCheapestShardings(*module, mesh, Model(Algorithm::kRing), 3);
  ASSERT_TRUE(search.ok()) << search.status();
  EXPECT_LE(search->tries, 3);
}

}  // namespace
}  // namespace xla::passes

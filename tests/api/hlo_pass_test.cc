// Passes as clients write and run them.
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/ir/hlo_module_metadata.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/hlo/pass/hlo_pass_fix.h"
#include "xla/hlo/pass/hlo_pass_pipeline.h"
#include "xla/hlo/transforms/simplifiers/hlo_dce.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<HloModule> Parse(absl::string_view text) {
  return ParseAndReturnUnverifiedModule(text).value();
}

constexpr char kNegations[] = R"(
HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  a = f32[4] negate(x)
  b = f32[4] negate(a)
  c = f32[4] negate(b)
  ROOT d = f32[4] negate(c)
})";

// Takes two negations off the root, if it is one of a negation.
class CancelNegations : public HloModulePass {
 public:
  absl::string_view name() const override { return "cancel-negations"; }

 protected:
  absl::StatusOr<bool> RunImpl(HloModule* module, const ExecutionThreads&) override {
    HloComputation& entry = *module->entry_computation();
    const HloInstruction& root = *entry.root_instruction();
    if (root.opcode() != HloOpcode::kNegate) return false;
    if (root.operand(0)->opcode() != HloOpcode::kNegate) return false;
    entry.set_root_instruction(entry.root_instruction()->mutable_operand(0)->mutable_operand(0));
    return true;
  }
};

// Writes down when it is called, and fails on demand.
class Witness : public HloModulePass {
 public:
  Witness(std::string name, std::vector<std::string>* calls, absl::Status status = absl::OkStatus())
      : name_(std::move(name)), calls_(calls), status_(std::move(status)) {}
  absl::string_view name() const override { return name_; }

 protected:
  absl::StatusOr<bool> RunImpl(HloModule*, const ExecutionThreads&) override {
    calls_->push_back(name_);
    if (!status_.ok()) return status_;
    return false;
  }

 private:
  std::string name_;
  std::vector<std::string>* calls_;
  absl::Status status_;
};

TEST(HloPassPipelineTest, RunsCheckersAroundEachPass) {
  std::vector<std::string> calls;
  HloPassPipeline pipeline("both");
  pipeline.AddInvariantChecker<Witness>("check", &calls);
  pipeline.AddPass<Witness>("first", &calls);
  pipeline.AddPass(std::make_unique<Witness>("second", &calls));
  EXPECT_EQ(pipeline.PassesSize(), 2);
  EXPECT_EQ(pipeline.GetPass(1).name(), "second");
  EXPECT_TRUE(pipeline.IsPassPipeline());
  EXPECT_FALSE(pipeline.Run(Parse(kNegations).get()).value());
  EXPECT_THAT(calls, ElementsAre("check", "first", "check", "second", "check"));
}

TEST(HloPassPipelineTest, AnErrorEndsItAndNamesThePass) {
  std::vector<std::string> calls;
  HloPassPipeline pipeline("p");
  pipeline.AddPass<Witness>("broken", &calls, absl::DataLossError("no disk"));
  pipeline.AddPass<Witness>("later", &calls);
  const absl::Status status = pipeline.Run(Parse(kNegations).get()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("broken"), HasSubstr("no disk")));
  EXPECT_THAT(calls, ElementsAre("broken"));
}

TEST(HloPassPipelineTest, AFailedCheckSaysAfterWhichPass) {
  std::vector<std::string> calls;
  HloPassPipeline empty("empty");
  empty.AddInvariantChecker<Witness>("check", &calls, absl::InternalError("bad"));
  EXPECT_THAT(std::string(empty.Run(Parse(kNegations).get()).status().message()),
              HasSubstr("check before empty"));
}

TEST(HloPassPipelineTest, PipelinesNestAndLeaveATrace) {
  HloPassPipeline outer("outer");
  auto inner = std::make_unique<HloPassPipeline>("inner");
  inner->AddPass<CancelNegations>();
  outer.AddPass(std::move(inner));
  outer.AddPass<HloDCE>();
  const std::unique_ptr<HloModule> module = Parse(kNegations);
  EXPECT_TRUE(outer.Run(module.get()).value());
  EXPECT_EQ(module->entry_computation()->instruction_count(), 3);
  std::vector<std::string> names;
  for (const HloPassMetadata& pass : module->metadata()->proto().pass_metadata()) {
    names.push_back(pass.pass_name());
  }
  EXPECT_THAT(names, ElementsAre("inner", "cancel-negations", "dce"));
}

TEST(HloPassFixTest, RepeatsUntilNothingChanges) {
  const std::unique_ptr<HloModule> module = Parse(kNegations);
  HloPassFix<CancelNegations> pass;
  EXPECT_TRUE(pass.Run(module.get()).value());
  EXPECT_EQ(module->entry_computation()->root_instruction()->opcode(), HloOpcode::kParameter);
  EXPECT_FALSE(pass.Run(module.get()).value());
}

TEST(HloPassFixTest, StopsAtItsLimit) {
  const std::unique_ptr<HloModule> module = Parse(kNegations);
  HloPassFix<CancelNegations, 1> pass;
  EXPECT_TRUE(pass.Run(module.get()).value());
  EXPECT_EQ(module->entry_computation()->root_instruction()->name(), "b");
}

TEST(HloDceTest, KeepsParametersRootsAndSideEffects) {
  const std::unique_ptr<HloModule> module = Parse(R"(
    HloModule m
    unused { p = f32[] parameter(0)  ROOT q = f32[] negate(p) }
    ENTRY e {
      x = f32[4] parameter(0)
      y = f32[4] parameter(1)
      dead = f32[4] negate(x)
      deader = f32[4] exponential(dead)
      t = token[] after-all()
      out = token[] outfeed(x, t), outfeed_shape=f32[4]
      c = f32[] constant(1)
      called = f32[] call(c), to_apply=unused
      ROOT r = f32[4] abs(x)
    })");
  EXPECT_TRUE(HloDCE().Run(module.get()).value());
  std::vector<std::string> names;
  for (const HloInstruction* instruction : module->entry_computation()->instructions()) {
    names.emplace_back(instruction->name());
  }
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("x", "y", "t", "out", "r"));
  EXPECT_EQ(module->computation_count(), 1);
  EXPECT_FALSE(HloDCE().Run(module.get()).value());
}

TEST(HloDceTest, CollectivesBetweenPartitionsGoWhereAllowed) {
  constexpr char kText[] = R"(
    HloModule m, num_partitions=2
    add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
    ENTRY e {
      x = f32[4] parameter(0)
      sum = f32[4] all-reduce(x), channel_id=1, replica_groups={{0},{1}}, to_apply=add
      ROOT r = f32[4] abs(x)
    })";
  const std::unique_ptr<HloModule> kept = Parse(kText);
  EXPECT_FALSE(HloDCE().Run(kept.get()).value());
  const std::unique_ptr<HloModule> removed = Parse(kText);
  EXPECT_TRUE(HloDCE(/*remove_cross_partition_collective_ops=*/true).Run(removed.get()).value());
  EXPECT_EQ(removed->entry_computation()->instruction_count(), 2);
}

}  // namespace
}  // namespace xla

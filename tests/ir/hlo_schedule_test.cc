#include "xla/hlo/ir/hlo_schedule.h"

#include <algorithm>

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

using ::absl_testing::StatusIs;
using ::testing::HasSubstr;

std::unique_ptr<HloModule> ExampleModule() {
  return ParseAndReturnUnverifiedModule(R"(
    HloModule m
    callee {
      p = f32[] parameter(0)
      ROOT n = f32[] negate(p)
    }
    ENTRY e {
      x = f32[] parameter(0)
      a = f32[] abs(x)
      b = f32[] sine(x), control-predecessors={a}
      ROOT c = f32[] call(b), to_apply=callee
    })")
      .value();
}

// The module's instructions in the order they were written.
HloSchedule InOrder(const HloModule& module) {
  HloSchedule schedule;
  for (const HloComputation* computation : module.computations()) {
    schedule.set_sequence(computation, computation->MakeInstructionPostOrder());
  }
  return schedule;
}

TEST(HloScheduleTest, SequenceOfAComputation) {
  const auto module = ExampleModule();
  HloSchedule schedule = InOrder(*module);
  EXPECT_OK(schedule.Verify(*module));
  const HloComputation* entry = module->entry_computation();
  EXPECT_TRUE(schedule.is_computation_scheduled(entry));
  EXPECT_EQ(schedule.sequence(entry).instructions(), entry->MakeInstructionPostOrder());
  schedule.remove_computation(entry);
  EXPECT_FALSE(schedule.is_computation_scheduled(entry));
  EXPECT_TRUE(schedule.sequence(entry).empty());
  EXPECT_THAT(schedule.Verify(*module),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("has no sequence")));
}

TEST(HloScheduleTest, HoldsForAClone) {
  const auto module = ExampleModule();
  const auto clone = module->Clone();
  EXPECT_OK(InOrder(*module).Verify(*clone));
}

TEST(HloScheduleTest, Verify) {
  const auto module = ExampleModule();
  const HloComputation* entry = module->entry_computation();
  const auto status = [&](std::vector<absl::string_view> names) {
    std::vector<HloInstruction*> sequence;
    for (const absl::string_view name : names) {
      sequence.push_back(entry->GetInstructionWithName(name));
    }
    HloSchedule schedule = InOrder(*module);
    schedule.set_sequence(entry, sequence);
    return schedule.Verify(*module);
  };
  const auto refused = [](absl::string_view message) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(message)));
  };
  EXPECT_OK(status({"x", "a", "b", "c"}));
  EXPECT_THAT(status({"x", "a", "b"}), refused("c of computation e is left out"));
  EXPECT_THAT(status({"x", "a", "b", "c", "b"}), refused("twice"));
  EXPECT_THAT(status({"a", "x", "b", "c"}), refused("a of computation e runs before x"));
  EXPECT_THAT(status({"x", "b", "a", "c"}), refused("b of computation e runs before a"));
}

TEST(HloScheduleTest, SequencesAreReferredTo) {
  const auto module = ExampleModule();
  HloComputation* entry = module->entry_computation();
  ASSERT_OK(module->set_schedule(InOrder(*module)));
  const HloSchedule& schedule = module->schedule();
  const auto found = std::find(schedule.sequence(entry).instructions().begin(),
                               schedule.sequence(entry).instructions().end(),
                               entry->root_instruction());
  ASSERT_NE(found, schedule.sequence(entry).instructions().end());
  EXPECT_EQ(*found, entry->root_instruction());
  EXPECT_TRUE(HloSchedule().sequence(entry).empty());

  // A clone's has the instructions of the clone.
  const auto clone = module->Clone();
  EXPECT_EQ(clone->schedule().sequence(clone->entry_computation()).instructions().back(),
            clone->entry_computation()->root_instruction());
}

TEST(HloScheduleTest, Update) {
  const auto module = ExampleModule();
  HloComputation* entry = module->entry_computation();
  EXPECT_OK(module->set_schedule(InOrder(*module)));
  HloSchedule& schedule = module->schedule();
  EXPECT_OK(schedule.Verify());
  HloInstruction* a = entry->GetInstructionWithName("a");
  HloInstruction* added = entry->AddInstruction(a->Clone());
  ASSERT_OK(added->AddControlDependencyTo(entry->parameter_instruction(0)->users()[0]));
  ASSERT_OK(entry->GetInstructionWithName("b")->ReplaceAllUsesWith(added));
  ASSERT_OK(entry->GetInstructionWithName("b")->DropAllControlDeps());
  ASSERT_OK(entry->RemoveInstruction(entry->GetInstructionWithName("b")));
  EXPECT_FALSE(schedule.Verify().ok());
  ASSERT_OK(schedule.Update());
  EXPECT_OK(schedule.Verify());
  EXPECT_EQ(schedule.sequence(entry).instructions()[1], added);
  EXPECT_EQ(HloSchedule().Update().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(HloScheduleTest, ProtoBothWays) {
  const auto module = ExampleModule();
  const HloSchedule schedule = InOrder(*module);
  HloScheduleProto proto = schedule.ToProto();
  EXPECT_EQ(HloSchedule::CreateFromProto(module.get(), proto).value(), schedule);
  const int64_t entry_id = module->entry_computation()->unique_id();
  proto.mutable_sequences()->at(entry_id).add_instruction_ids(12345);
  EXPECT_THAT(HloSchedule::CreateFromProto(module.get(), proto).status(),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace xla

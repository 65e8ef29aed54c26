#include "xla/hlo/ir/hlo_module.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_schedule.h"
#include "xla/hlo/ir/stack_frames.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/service/compilation_environments.h"
#include "xla/service/hlo_module_config.h"
#include "xla/service/test_compilation_environment.pb.h"

namespace xla {
namespace {

using ::absl_testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<HloModule> Negation(absl::string_view header = "HloModule m") {
  return ParseAndReturnUnverifiedModule(
             absl::StrCat(header,
                          "\nENTRY e { a = f32[2] parameter(0)  ROOT n = f32[2] negate(a) }"))
      .value();
}

TEST(HloModuleTest, ClonesShareTheirConfigurationUntilItChanges) {
  const auto module = Negation();
  module->mutable_config().set_seed(3);
  const auto clone = module->Clone();
  EXPECT_EQ(&module->config(), &clone->config());
  clone->mutable_config().set_seed(4);
  EXPECT_EQ(module->config().seed(), 3);
  EXPECT_EQ(clone->config().seed(), 4);

  const auto another = module->Clone();
  module->mutable_config().set_seed(5);
  EXPECT_EQ(another->config().seed(), 3);
  const HloModuleConfig* own = &module->config();
  EXPECT_EQ(&module->mutable_config(), own);

  HloModuleConfig other;
  other.set_seed(6);
  EXPECT_EQ(module->Clone("", other)->config().seed(), 6);
}

TEST(HloModuleTest, ModulesMayShareAConfiguration) {
  auto config = std::make_shared<const HloModuleConfig>();
  HloModule first("first", config, nullptr);
  HloModule second("second", config, nullptr);
  EXPECT_EQ(first.shared_config(), config);
  first.mutable_config().set_replica_count(2);
  EXPECT_EQ(config->replica_count(), 1);
  EXPECT_EQ(&second.config(), config.get());
}

TEST(HloModuleTest, CompilationEnvironments) {
  using Environment = test::TestCompilationEnvironment2;
  CompilationEnvironments::RegisterProcessNewEnvFn(
      Environment::descriptor(), [](std::unique_ptr<google::protobuf::Message> given) {
        return given != nullptr ? std::move(given) : std::make_unique<Environment>();
      });
  auto environments = std::make_unique<CompilationEnvironments>();
  auto environment = std::make_unique<Environment>();
  environment->set_some_other_flag(7);
  ASSERT_OK(environments->AddEnv(std::move(environment)));
  HloModule module("m", HloModuleConfig(), std::move(environments));
  EXPECT_EQ(module.comp_envs().GetEnv<Environment>().some_other_flag(), 7);
  module.AddEntryComputation(Negation()->entry_computation()->Clone());
  const auto clone = module.Clone();
  EXPECT_EQ(clone->comp_envs().GetEnv<Environment>().some_other_flag(), 7);
  clone->comp_envs().GetMutableEnv<Environment>().set_some_other_flag(8);
  EXPECT_EQ(module.comp_envs().GetEnv<Environment>().some_other_flag(), 7);
  EXPECT_FALSE(Negation()->comp_envs().HasEnv<Environment>());
}

TEST(HloModuleTest, ComputationsThatAreMeant) {
  const auto module = ParseAndReturnUnverifiedModule(R"(HloModule m
    f { a = f32[] parameter(0)  ROOT n = f32[] negate(a) }
    g { a = f32[] parameter(0)  ROOT c = f32[] call(a), to_apply=f }
    ENTRY e { a = f32[] parameter(0)  ROOT c = f32[] call(a), to_apply=g })")
                          .value();
  HloComputation* f = module->GetComputationWithName("f");
  HloComputation* entry = module->entry_computation();
  EXPECT_THAT(module->MakeComputationPostOrder({}, {entry, f}), ElementsAre(f, entry));
  EXPECT_THAT(module->MakeComputationPostOrder({"other"}, {entry, f}), ElementsAre());
}

TEST(HloModuleTest, SchedulesAreChecked) {
  const auto module = Negation();
  HloComputation* entry = module->entry_computation();
  HloInstruction* root = entry->root_instruction();
  HloSchedule schedule(module.get());
  schedule.set_sequence(entry, {root, root->mutable_operand(0)});
  EXPECT_THAT(module->set_schedule(schedule), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_FALSE(module->has_schedule());
  schedule.set_sequence(entry, {root->mutable_operand(0), root});
  EXPECT_OK(module->set_schedule(schedule));
  EXPECT_THAT(module->schedule().sequence(entry).instructions(),
              ElementsAre(root->mutable_operand(0), root));
}

TEST(HloModuleTest, IdsAreUniqueInTheModule) {
  const auto module = ParseAndReturnUnverifiedModule(R"(HloModule m
    f { a = f32[] parameter(0)  ROOT n = f32[] negate(a) }
    ENTRY e { a = f32[] parameter(0)  ROOT c = f32[] call(a), to_apply=f })")
                          .value();
  const HloInstruction* root = module->entry_computation()->root_instruction();
  const HloInstruction* inner = root->to_apply()->root_instruction();
  EXPECT_EQ(root->local_id(), inner->local_id());
  EXPECT_NE(root->unique_id(), inner->unique_id());
  EXPECT_EQ(root->unique_id(), root->ToProto().id());
  const auto alone = root->Clone();
  EXPECT_EQ(alone->unique_id(), -1);
  alone->SetUniqueId(root->unique_id());
  EXPECT_EQ(alone->unique_id(), root->local_id());
}

TEST(HloModuleTest, IdsOfAMessageMayBeGivenUp) {
  const auto module = Negation("HloModule m, is_scheduled=true");
  module->entry_computation()->root_instruction()->SetUniqueId(41);
  module->clear_schedule();
  HloModuleProto proto = module->ToProto();
  HloScheduleProto::InstructionSequence& sequence =
      (*proto.mutable_schedule()->mutable_sequences())[proto.entry_computation_id()];
  for (const HloInstructionProto& instruction : proto.computations(0).instructions())
    sequence.add_instruction_ids(instruction.id());
  const auto read = [&](bool preserve_ids) {
    return HloModule::CreateFromProto(proto, module->config(), true, nullptr, preserve_ids).value();
  };
  EXPECT_EQ(read(true)->entry_computation()->root_instruction()->local_id(), 41);
  const auto renumbered = read(false);
  HloInstruction* root = renumbered->entry_computation()->root_instruction();
  EXPECT_EQ(root->local_id(), 1);
  EXPECT_THAT(renumbered->schedule().sequence(renumbered->entry_computation()).instructions(),
              ElementsAre(root->mutable_operand(0), root));
}

TEST(HloModuleTest, WhatIsKeptWithAProgram) {
  const auto module = Negation();
  module->mutable_config().set_device_type("tpu");
  HloModuleProto::ProfileInfo info;
  info.set_relative_speedup(1.5);
  module->add_profile_info(info);
  const HloModuleProto proto = module->ToProto();
  EXPECT_EQ(proto.device_type(), "tpu");
  EXPECT_EQ(proto.profile_info(0).relative_speedup(), 1.5);
  const auto config = HloModule::CreateModuleConfigFromProto(proto, DebugOptions()).value();
  EXPECT_EQ(config.device_type(), "tpu");
  const auto read = HloModule::CreateFromProto(proto, config).value();
  EXPECT_EQ(read->profile_info().size(), 1);
  read->set_profile_info({info, info});
  EXPECT_EQ(read->ToProto().profile_info_size(), 2);
  EXPECT_EQ(module->ToFingerprint(), Negation("HloModule another_name")->ToFingerprint());
}

TEST(HloModuleTest, StackFrames) {
  const auto module = Negation();
  const StackFrameId id = module->mutable_stack_frames().AddStackFrame({"a.py", "f", 7});
  EXPECT_EQ(module->get_stack_frame(id).file_name, "a.py");
  EXPECT_TRUE(module->get_stack_frame(StackFrameId{2}).empty());
  module->entry_computation()->root_instruction()->mutable_metadata().set_stack_frame_id(id.value);
  EXPECT_THAT(module->entry_computation()->root_instruction()->GetStackTraceStringFromMetadata(2),
              HasSubstr("a.py:7 [f]"));
}

}  // namespace
}  // namespace xla

// What holds between instructions and computations. The rules of single operations are tested by
// the files in tests/ops.
#include "ir/verifier.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/service/hlo_verifier.h"
#include "xla/service/layout_assignment.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::unique_ptr<HloModule> Parse(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

std::string ErrorOf(const HloModule& module) { return std::string(VerifyModule(module).message()); }

std::string ErrorOf(absl::string_view text) {
  const std::unique_ptr<HloModule> module = Parse(text);
  return module == nullptr ? "" : ErrorOf(*module);
}

constexpr char kTwoSteps[] = R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] negate(x)
  ROOT z = f32[2] add(x, y)
})";

TEST(VerifierTest, ValidModule) { EXPECT_EQ(ErrorOf(kTwoSteps), ""); }

TEST(VerifierTest, MessagesNameThePlace) {
  EXPECT_THAT(ErrorOf(R"(HloModule m
ENTRY main {
  x = f32[2] parameter(0)
  ROOT z = f32[3] negate(x)
})"),
              AllOf(StartsWith("negate_c0: the result is declared as f32[3], but it is f32[2]"),
                    HasSubstr("in computation main: ")));
}

TEST(VerifierTest, OnlyAConvertRounds) {
  EXPECT_THAT(
      ErrorOf("HloModule m\nENTRY e { x = f32[2] parameter(0)  ROOT y = bf16[2] add(x, x) }"),
      StartsWith("add_c0"));
  EXPECT_THAT(
      ErrorOf("HloModule m\nENTRY e { x = f32[2] parameter(0)  ROOT y = (bf16[2]) tuple(x) }"),
      StartsWith("tuple_c0"));
}

std::string ErrorOf(absl::string_view text, HloVerifierOpts&& opts) {
  const std::unique_ptr<HloModule> module = Parse(text);
  return std::string(HloVerifier(std::move(opts)).Run(module.get()).status().message());
}

TEST(VerifierTest, LayoutsCountWhereTheOptionsSaySo) {
  constexpr char kSlice[] = R"(HloModule m
ENTRY e {
  x = f32[4,4]{1,0} parameter(0)
  ROOT y = f32[2,4]{0,1} slice(x), slice={[0:2], [0:4]}
})";
  constexpr char kElement[] = R"(HloModule m
ENTRY e {
  x = (f32[4,4]{1,0}) parameter(0)
  ROOT y = f32[4,4]{0,1} get-tuple-element(x), index=0
})";
  constexpr char kCopy[] = R"(HloModule m
ENTRY e {
  x = f32[4,4]{1,0} parameter(0)
  ROOT y = f32[4,4]{0,1} copy(x)
})";
  for (const char* text : {kSlice, kElement, kCopy}) {
    EXPECT_EQ(ErrorOf(text, HloVerifierOpts()), "");
  }
  const auto sensitive = [] {
    return HloVerifierOpts().MakeLayoutSensitive().WithInstructionCanChangeLayout(
        LayoutAssignment::InstructionCanChangeLayout);
  };
  EXPECT_THAT(ErrorOf(kSlice, sensitive()),
              StartsWith("layout_c1: slice does not change layouts, but the result is "
                         "f32[2,4]{0,1} and operand x is f32[4,4]{1,0}"));
  EXPECT_THAT(ErrorOf(kElement, sensitive()), StartsWith("layout_c2"));
  EXPECT_EQ(ErrorOf(kCopy, sensitive()), "");
  constexpr char kEntry[] =
      R"(HloModule m, entry_computation_layout={(f32[2,3]{1,0})->f32[2,3]{0,1}}
ENTRY e {
  ROOT x = f32[2,3]{0,1} parameter(0)
})";
  EXPECT_EQ(ErrorOf(kEntry, HloVerifierOpts()), "");
  EXPECT_THAT(ErrorOf(kEntry, sensitive()),
              StartsWith("module_c12: entry_computation_layout: parameter 0 is f32[2,3]{1,0}, in "
                         "the entry computation f32[2,3]{0,1}"));
}

TEST(VerifierTest, ReshapesAndBitcastsStayWhereTheyAre) {
  constexpr char kReshape[] = R"(HloModule m
ENTRY e {
  x = f32[4,2]{0,1} parameter(0)
  ROOT y = f32[8]{0} reshape(x)
})";
  EXPECT_EQ(ErrorOf(kReshape, HloVerifierOpts().MakeLayoutSensitive()), "");
  EXPECT_THAT(ErrorOf(kReshape, HloVerifierOpts().MakeLayoutSensitive().VerifyReshapeIsBitcast()),
              StartsWith("layout_c4"));
  constexpr char kBitcast[] = R"(HloModule m
ENTRY e {
  x = f32[3]{0} parameter(0)
  ROOT y = f32[3,1]{1,0} bitcast(x)
})";
  const auto padded = [](const Shape& shape) -> int64_t { return 8 * shape.dimensions_size(); };
  EXPECT_THAT(
      ErrorOf(kBitcast, HloVerifierOpts().MakeLayoutSensitive().WithCustomShapeSize(padded)),
      StartsWith("layout_c3: the result of a bitcast takes 16 bytes, but its operand 8"));
  EXPECT_EQ(ErrorOf(kBitcast, HloVerifierOpts()
                                  .MakeLayoutSensitive()
                                  .WithCustomShapeSize(padded)
                                  .WithAllowBitcastToHaveDifferentSize(true)),
            "");
}

TEST(VerifierTest, FurtherRulesThatOptionsAskFor) {
  constexpr char kBroadcast[] = R"(HloModule m
ENTRY e {
  x = f32[2,3] parameter(0)
  ROOT y = f32[3,2] broadcast(x), dimensions={1,0}
})";
  EXPECT_EQ(ErrorOf(kBroadcast, HloVerifierOpts()), "");
  EXPECT_THAT(ErrorOf(kBroadcast, HloVerifierOpts().VerifyBroadcastDimensionsOrder()),
              StartsWith("broadcast_c5: dimensions={1,0} must ascend"));
  constexpr char kFourBits[] = R"(HloModule m
ENTRY e {
  x = s4[2] parameter(0)
  y = s8[2] convert(x)
  ROOT z = s4[2] add(x, x)
})";
  EXPECT_EQ(ErrorOf(kFourBits, HloVerifierOpts()), "");
  EXPECT_THAT(ErrorOf(kFourBits, HloVerifierOpts().WithVerifyS4U4Usage(true)),
              StartsWith("type_c1: add does not take integers of 4 bits"));
}

TEST(VerifierTest, SizesAndInfeedsOfPrograms) {
  constexpr char kUnbounded[] = "HloModule m\nENTRY e { ROOT x = f32[?,2] parameter(0) }";
  EXPECT_EQ(ErrorOf(kUnbounded), "");
  EXPECT_THAT(ErrorOf(kUnbounded, HloVerifierOpts()), StartsWith("type_c2: f32[?,2] has sizes"));
  EXPECT_EQ(ErrorOf(kUnbounded, HloVerifierOpts().WithAllowUnboundedDynamism(true)), "");
  constexpr char kTwoInfeeds[] = R"(HloModule m
ENTRY e {
  t = token[] after-all()
  a = (f32[], token[]) infeed(t)
  ROOT b = (f32[], token[]) infeed(t)
})";
  EXPECT_THAT(ErrorOf(kTwoInfeeds), StartsWith("module_c10"));
  EXPECT_EQ(ErrorOf(kTwoInfeeds, HloVerifierOpts()), "");
}

TEST(VerifierTest, NamesThatWereScheduled) {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
ENTRY e {
  ROOT x = f32[2] parameter(0), metadata={scheduling_name="x"}
})");
  HloVerifier verifier(HloVerifierOpts().VerifyInstructionNameUnchanged());
  EXPECT_TRUE(verifier.Run(module.get()).ok());
  HloInstruction* root = module->entry_computation()->root_instruction();
  root->SetAndSanitizeName("y.remat");
  EXPECT_TRUE(verifier.Run(module.get()).ok());
  root->SetAndSanitizeName("y");
  EXPECT_THAT(std::string(verifier.Run(module.get()).status().message()),
              StartsWith("name_c1: y was scheduled as x and must keep that name"));
}

// A target that knows no negation.
class NoNegation : public ShapeVerifier {
 public:
  using ShapeVerifier::ShapeVerifier;
  absl::Status HandleNegate(HloInstruction*) override {
    return absl::UnimplementedError("no negation");
  }
};
class NoNegationMetadata : public TargetVerifierMetadata {
 public:
  using TargetVerifierMetadata::TargetVerifierMetadata;
  std::unique_ptr<ShapeVerifier> GetVerifier() const override {
    return std::make_unique<NoNegation>(GetVerifierOpts());
  }
};

TEST(VerifierTest, TargetsHaveRulesOfTheirOwn) {
  const std::unique_ptr<HloModule> module = Parse(kTwoSteps);
  EXPECT_TRUE(HloVerifier(std::make_unique<DefaultVerifierMetadata>(HloVerifierOpts()))
                  .Run(module.get())
                  .ok());
  HloVerifier verifier(std::make_unique<NoNegationMetadata>(HloVerifierOpts()), "after fusion");
  EXPECT_EQ(verifier.Run(module.get()).status(),
            absl::UnimplementedError("after fusion: no negation"));
}

TEST(VerifierTest, ImpossibleShapes) {
  const auto module = Parse(kTwoSteps);
  HloInstruction* x = module->entry_computation()->GetInstructionWithName("x");
  *x->mutable_shape() = Shape(F32, {std::numeric_limits<int64_t>::max(), 4});
  EXPECT_THAT(ErrorOf(*module), StartsWith("parameter_c0"));
  *x->mutable_shape() = Shape();
  EXPECT_THAT(ErrorOf(*module), StartsWith("parameter_c0"));
  EXPECT_THAT(std::string(VerifyInstruction(*x->users()[0]).message()), StartsWith("parameter_c0"));
}

TEST(VerifierTest, ModuleWithoutEntry) {
  const HloModule module("m", HloModuleConfig());
  EXPECT_THAT(ErrorOf(module), StartsWith("module_c1"));
}

TEST(VerifierTest, ComputationNames) {
  const auto module = Parse(
      "HloModule m\nf { ROOT c = s32[] constant(1) }\nENTRY e { ROOT r = s32[] call(), to_apply=f "
      "}");
  module->GetComputationWithName("f")->set_name("e");
  EXPECT_THAT(ErrorOf(*module), StartsWith("module_c2"));
}

TEST(VerifierTest, CallsToAnotherModule) {
  const auto module = Parse(
      "HloModule m\nf { ROOT c = s32[] constant(1) }\nENTRY e { ROOT r = s32[] call(), to_apply=f "
      "}");
  const auto other = Parse("HloModule n\nENTRY g { ROOT c = s32[] constant(1) }");
  module->entry_computation()->root_instruction()->set_called_computation(
      0, other->entry_computation());
  EXPECT_THAT(ErrorOf(*module), StartsWith("module_c3"));
}

TEST(VerifierTest, Recursion) {
  const auto module = Parse(R"(HloModule m
f { ROOT c = s32[] constant(1) }
g { ROOT c = s32[] call(), to_apply=f }
ENTRY e { ROOT r = s32[] call(), to_apply=g })");
  HloComputation* g = module->GetComputationWithName("g");
  g->root_instruction()->set_called_computation(0, g);
  EXPECT_THAT(ErrorOf(*module), StartsWith("module_c4"));
}

TEST(VerifierTest, WrappedComputationsAreCalledAsynchronouslyOnly) {
  EXPECT_THAT(ErrorOf(R"(HloModule m
f { x = f32[] parameter(0)  ROOT c = f32[] negate(x) }
ENTRY e {
  x = f32[] parameter(0)
  s = ((f32[]), f32[]) async-start(x), calls=f
  d = f32[] async-done(s)
  ROOT r = f32[] call(d), to_apply=f
})"),
              StartsWith("module_c5"));
}

TEST(VerifierTest, EntryLayout) {
  const auto module = Parse(kTwoSteps);
  ComputationLayout* layout = module->mutable_entry_computation_layout();
  *layout->mutable_result_layout() = ShapeLayout(ShapeUtil::MakeShape(F32, {3}));
  EXPECT_THAT(ErrorOf(*module), StartsWith("module_c6: entry_computation_layout: the result"));
  *layout->mutable_parameter_layout(0) = ShapeLayout(ShapeUtil::MakeShape(F32, {3}));
  EXPECT_THAT(ErrorOf(*module), StartsWith("module_c6: entry_computation_layout: parameter 0"));
  layout->add_parameter_layout(ShapeLayout(ShapeUtil::MakeShape(F32, {3})));
  EXPECT_THAT(ErrorOf(*module), StartsWith("module_c6: entry_computation_layout has 2 parameters"));
}

TEST(VerifierTest, Aliases) {
  const auto with_alias = [](absl::string_view alias) {
    return absl::StrCat("HloModule m, input_output_alias={ ", alias, R"( }
ENTRY e {
  x = f32[2] parameter(0)
  y = s32[3] parameter(1)
  ROOT t = (f32[2], s32[3]) tuple(x, y)
})");
  };
  EXPECT_EQ(ErrorOf(with_alias("{0}: (0, {}, may-alias), {1}: (1, {}, must-alias)")), "");
  EXPECT_THAT(ErrorOf(with_alias("{0}: (1, {}, may-alias)")), StartsWith("module_c7"));
  EXPECT_THAT(ErrorOf(with_alias("{0}: (2, {}, may-alias)")), StartsWith("module_c7"));
  EXPECT_THAT(ErrorOf(with_alias("{0}: (0, {0}, may-alias)")), StartsWith("module_c7"));
}

TEST(VerifierTest, BufferDonors) {
  const auto with_donor = [](absl::string_view donor) {
    return absl::StrCat("HloModule m, buffer_donor={ ", donor,
                        " }\nENTRY e { x = f32[2] parameter(0)  ROOT y = f32[2] negate(x) }");
  };
  EXPECT_EQ(ErrorOf(with_donor("(0, {})")), "");
  EXPECT_THAT(ErrorOf(with_donor("(1, {})")), StartsWith("module_c8"));
  EXPECT_THAT(ErrorOf(with_donor("(0, {0})")), StartsWith("module_c8"));
}

TEST(VerifierTest, Schedule) {
  const auto module = Parse(kTwoSteps);
  HloComputation* entry = module->entry_computation();
  HloInstruction* x = entry->GetInstructionWithName("x");
  HloInstruction* y = entry->GetInstructionWithName("y");
  HloInstruction* z = entry->GetInstructionWithName("z");
  HloSchedule schedule;
  schedule.set_sequence(entry, {x, y, z});
  module->set_schedule_without_check(schedule);
  EXPECT_EQ(ErrorOf(*module), "");
  schedule.set_sequence(entry, {x, z, y});
  module->set_schedule_without_check(schedule);
  EXPECT_THAT(ErrorOf(*module), StartsWith("module_c9"));
  schedule.set_sequence(entry, {x, z});
  module->set_schedule_without_check(schedule);
  EXPECT_THAT(ErrorOf(*module), StartsWith("module_c9"));
}

TEST(VerifierTest, ParameterNumbers) {
  const auto module = Parse(kTwoSteps);
  auto& parameter = module->entry_computation()
                        ->GetInstructionWithName("x")
                        ->mutable_attributes_as<ParameterAttributes>();
  parameter.parameter_number = 1;
  EXPECT_THAT(ErrorOf(*module), StartsWith("computation_c1"));
  parameter.parameter_number = -1;
  EXPECT_THAT(ErrorOf(*module), StartsWith("computation_c1"));
}

TEST(VerifierTest, OwnershipAndNames) {
  const auto module = Parse(kTwoSteps);
  const auto other = Parse(kTwoSteps);
  HloInstruction* y = module->entry_computation()->GetInstructionWithName("y");
  y->set_parent(other->entry_computation());
  EXPECT_THAT(ErrorOf(*module), StartsWith("computation_c3"));
  module->entry_computation()->root_instruction()->set_parent(nullptr);
  EXPECT_THAT(ErrorOf(*module), StartsWith("computation_c2"));
  module->entry_computation()->root_instruction()->set_parent(module->entry_computation());
  y->set_parent(module->entry_computation());
  y->set_name("x");
  EXPECT_THAT(ErrorOf(*module), StartsWith("computation_c4"));
}

TEST(VerifierTest, OperandsOfOtherComputations) {
  const auto module = Parse(kTwoSteps);
  const auto other = Parse(kTwoSteps);
  HloInstruction* root = module->entry_computation()->root_instruction();
  ASSERT_TRUE(
      root->ReplaceOperandWith(1, other->entry_computation()->GetInstructionWithName("y")).ok());
  EXPECT_THAT(ErrorOf(*module), StartsWith("computation_c5"));
  // The other module now has a user that is not its own.
  EXPECT_THAT(ErrorOf(*other), StartsWith("computation_c6"));
  ASSERT_TRUE(
      root->ReplaceOperandWith(1, module->entry_computation()->GetInstructionWithName("y")).ok());
  EXPECT_EQ(ErrorOf(*module), "");
}

TEST(VerifierTest, Cycles) {
  const auto module = Parse(kTwoSteps);
  HloComputation* entry = module->entry_computation();
  HloInstruction* y = entry->GetInstructionWithName("y");
  ASSERT_TRUE(y->ReplaceOperandWith(0, entry->root_instruction()).ok());
  EXPECT_THAT(ErrorOf(*module), StartsWith("computation_c8"));
  ASSERT_TRUE(y->ReplaceOperandWith(0, entry->GetInstructionWithName("x")).ok());
  EXPECT_EQ(ErrorOf(*module), "");
  ASSERT_TRUE(entry->root_instruction()->AddControlDependencyTo(y).ok());
  EXPECT_THAT(ErrorOf(*module), StartsWith("computation_c8"));
}

TEST(VerifierTest, Shardings) {
  const auto with_sharding = [](absl::string_view sharding) {
    return absl::StrCat("HloModule m\nENTRY e { ROOT x = f32[4,2] parameter(0), sharding={",
                        sharding, "} }");
  };
  EXPECT_EQ(ErrorOf(with_sharding("devices=[2,1]<=[2]")), "");
  EXPECT_EQ(ErrorOf(with_sharding("replicated")), "");
  EXPECT_THAT(ErrorOf(with_sharding("devices=[2,1,1]<=[2]")), StartsWith("sharding_c1"));
}

TEST(VerifierTest, ChannelsOfTransfers) {
  const auto module = Parse(R"(HloModule m
ENTRY e {
  k = token[] after-all()
  s = (f32[2], u32[], token[]) recv(k), channel_id=1
  ROOT d = (f32[2], token[]) recv-done(s), channel_id=1
})");
  module->entry_computation()->root_instruction()->set_channel_id(2);
  EXPECT_THAT(ErrorOf(*module), StartsWith("recv-done_c3"));
}

TEST(VerifierTest, SendDoneHasTheChannelOfSend) {
  const auto module = Parse(R"(HloModule m
ENTRY e {
  k = token[] after-all()
  x = f32[2] parameter(0)
  s = (f32[2], u32[], token[]) send(x, k), channel_id=1
  ROOT d = token[] send-done(s), channel_id=1
})");
  module->entry_computation()->root_instruction()->set_channel_id(2);
  EXPECT_THAT(ErrorOf(*module), StartsWith("send-done_c3"));
}

TEST(VerifierTest, UpdateWithoutStartOrDone) {
  const auto module = Parse(R"(HloModule m
f { x = f32[] parameter(0)  ROOT c = f32[] negate(x) }
ENTRY e {
  x = f32[] parameter(0)
  y = ((f32[]), f32[]) parameter(1)
  s = ((f32[]), f32[]) async-start(x), calls=f
  ROOT u = ((f32[]), f32[]) async-update(s)
})");
  HloComputation* entry = module->entry_computation();
  EXPECT_THAT(ErrorOf(*module), StartsWith("async-update_c5"));
  HloInstruction* update = entry->root_instruction();
  HloInstruction* done = entry->AddInstruction(
      HloInstruction::Create(HloOpcode::kAsyncDone, ShapeUtil::MakeShape(F32, {}), {update}));
  entry->set_root_instruction(done, /*accept_different_shape=*/true);
  *module->mutable_entry_computation_layout()->mutable_result_layout() = ShapeLayout(done->shape());
  ASSERT_EQ(ErrorOf(*module), "");
  HloInstruction* start = entry->GetInstructionWithName("s");
  ASSERT_TRUE(update->ReplaceOperandWith(0, entry->GetInstructionWithName("y")).ok());
  ASSERT_TRUE(entry->RemoveInstruction(start).ok());
  EXPECT_THAT(ErrorOf(*module), StartsWith("async-update_c6"));
}

TEST(VerifierTest, StepsOfOneOperation) {
  const auto module = Parse(R"(HloModule m
f { x = f32[] parameter(0)  ROOT c = f32[] negate(x) }
g { x = f32[] parameter(0)  ROOT c = f32[] abs(x) }
ENTRY e {
  x = f32[] parameter(0)
  s = ((f32[]), f32[]) async-start(x), calls=f
  u = ((f32[]), f32[]) async-update(s), calls=f
  ROOT d = f32[] async-done(u), calls=f
})");
  HloInstruction* update = module->entry_computation()->GetInstructionWithName("u");
  HloInstruction* done = module->entry_computation()->root_instruction();
  ASSERT_EQ(ErrorOf(*module), "");
  done->mutable_attributes_as<AsyncAttributes>().execution_thread = "other";
  EXPECT_THAT(ErrorOf(*module), StartsWith("async-done_c8"));
  update->mutable_attributes_as<AsyncAttributes>().execution_thread = "other";
  EXPECT_THAT(ErrorOf(*module), StartsWith("async-update_c8"));
}

// The text leaves the computation to the start; other front ends may name it again.
TEST(VerifierTest, ComputationsOfSteps) {
  const auto module = Parse(R"(HloModule m
f { x = f32[] parameter(0)  ROOT c = f32[] negate(x) }
g { x = f32[] parameter(0)  ROOT c = f32[] abs(x) }
h { x = s32[] parameter(0)  ROOT c = s32[] abs(x) }
ENTRY e {
  x = f32[] parameter(0)
  s = ((f32[]), f32[]) async-start(x), calls=f
  ROOT d = f32[] async-done(s)
})");
  HloComputation* entry = module->entry_computation();
  HloInstruction* start = entry->GetInstructionWithName("s");
  const auto replace_root = [&](HloInstruction* operand, HloOpcode opcode, const Shape& shape,
                                absl::string_view callee) {
    HloInstruction* old = entry->root_instruction();
    HloInstruction* root = entry->AddInstruction(HloInstruction::Create(
        opcode, shape, {operand}, nullptr, {module->GetComputationWithName(callee)}));
    entry->set_root_instruction(root, /*accept_different_shape=*/true);
    *module->mutable_entry_computation_layout()->mutable_result_layout() = ShapeLayout(shape);
    EXPECT_TRUE(entry->RemoveInstruction(old).ok());
    return root;
  };
  const Shape result = ShapeUtil::MakeShape(F32, {});
  replace_root(start, HloOpcode::kAsyncDone, result, "f");
  EXPECT_EQ(ErrorOf(*module), "");
  replace_root(start, HloOpcode::kAsyncDone, result, "g");
  EXPECT_THAT(ErrorOf(*module), StartsWith("async-done_c7"));
  replace_root(start, HloOpcode::kAsyncDone, result, "h");
  EXPECT_THAT(ErrorOf(*module), StartsWith("async-done_c2"));
  replace_root(start, HloOpcode::kAsyncUpdate, start->shape(), "h");
  EXPECT_THAT(ErrorOf(*module), StartsWith("async-update_c2"));
  HloInstruction* update = replace_root(start, HloOpcode::kAsyncUpdate, start->shape(), "g");
  entry->set_root_instruction(
      entry->AddInstruction(HloInstruction::Create(HloOpcode::kAsyncDone, result, {update})),
      /*accept_different_shape=*/true);
  *module->mutable_entry_computation_layout()->mutable_result_layout() = ShapeLayout(result);
  EXPECT_THAT(ErrorOf(*module), StartsWith("async-update_c7"));
}

// What the text cannot even say.
TEST(VerifierTest, ShapesThatAreNoContexts) {
  const auto module = Parse(R"(HloModule m
f { x = f32[] parameter(0)  ROOT c = f32[] negate(x) }
ENTRY e {
  x = f32[] parameter(0)
  s = ((f32[]), f32[]) async-start(x), calls=f
  ROOT d = f32[] async-done(s)
})");
  HloInstruction* start = module->entry_computation()->GetInstructionWithName("s");
  *start->mutable_shape() = ShapeUtil::MakeTupleShape({start->operand(0)->shape()});
  EXPECT_THAT(ErrorOf(*module), StartsWith("async-start_c1"));
}

TEST(VerifierTest, ReplicationOfLeaves) {
  const auto module = Parse(kTwoSteps);
  HloInstruction* x = module->entry_computation()->GetInstructionWithName("x");
  x->mutable_attributes_as<ParameterAttributes>().parameter_replication = {true, false};
  EXPECT_THAT(ErrorOf(*module), StartsWith("parameter_c2"));
}

// Floating-point numbers of different precision meet where the operation computes with them.
TEST(VerifierTest, MixedPrecision) {
  const auto in_entry = [](absl::string_view instruction) {
    return Parse(absl::StrCat(R"(HloModule m
narrow { a = bf16[] parameter(0)  b = bf16[] parameter(1)  ROOT c = bf16[] add(a, b) }
wide { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
same { a = f32[4] parameter(0)  ROOT b = f32[4] negate(a) }
ENTRY e {
  p = pred[4] parameter(0)
  x = bf16[4] parameter(1)
  y = f32[4] parameter(2)
  u = bf16[] parameter(3)
  v = f32[] parameter(4)
  n = s32[4] parameter(5)
  i = s32[] parameter(6)
  ROOT r = )",
                              instruction, "\n}"));
  };
  for (absl::string_view allowed :
       {"f32[4] add(x, y)", "bf16[4] add(y, y)", "f32[4] select(p, x, y)", "f32[4] clamp(u, y, v)",
        "f32[8] concatenate(x, y), dimensions={0}", "bf16[6] pad(x, v), padding=1_1",
        "f32[4] copy(x)", "bf16[4] rng(u, v), distribution=rng_uniform",
        "f32[] reduce(x, v), dimensions={0}, to_apply=wide",
        "bf16[] reduce(x, v), dimensions={0}, to_apply=narrow",
        "f32[4] map(x, y), dimensions={0}, to_apply=wide",
        "f32[3] reduce-window(x, v), window={size=2}, to_apply=wide",
        "pred[4] compare(x, y), direction=LT"}) {
    const auto module = in_entry(allowed);
    EXPECT_NE(ErrorOf(*module), "") << allowed;
    EXPECT_TRUE(VerifyModule(*module, {.allow_mixed_precision = true}).ok()) << allowed;
  }
  for (absl::string_view refused :
       {"f32[4] add(n, y)", "s32[4] add(x, y)", "f32[4] dynamic-update-slice(y, x, i)",
        "f32[4] call(x), to_apply=same", "(f32[4]) tuple(x)", "s32[4] select(p, n, y)"}) {
    const auto module = in_entry(refused);
    EXPECT_FALSE(VerifyModule(*module, {.allow_mixed_precision = true}).ok()) << refused;
  }
}

TEST(VerifierTest, NoReplicasAtAllAreNoReason) {
  const auto module = Parse(R"(HloModule m
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[4] parameter(0)  ROOT r = f32[4] all-reduce(x), to_apply=sum })");
  module->mutable_config().set_replica_count(0);
  EXPECT_EQ(ErrorOf(*module), "");
}

TEST(VerifierTest, BuffersAreReadByMany) {
  EXPECT_EQ(ErrorOf(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  b = b(f32[4]) custom-call(x), custom_call_target="Pin"
  s = f32[] custom-call(b), custom_call_target="sum"
  t = f32[] custom-call(b), custom_call_target="largest"
  c = b(f32[4]) custom-call(b), custom_call_target="fill", output_to_operand_aliasing={{}: (0, {})}
  u = f32[4] custom-call(c), custom_call_target="Unpin"
  ROOT r = (f32[], f32[], f32[4]) tuple(s, t, u)
})"),
            "");
}

// A context goes into a loop and comes out of it.
TEST(VerifierTest, StepsAcrossComputations) {
  const auto with_root = [](absl::string_view root) {
    return absl::StrCat(R"(HloModule m
f { a = f32[4] parameter(0)  ROOT b = f32[4] negate(a) }
go { p = ((f32[4]), f32[4]) parameter(0)  ROOT u = ((f32[4]), f32[4]) async-update(p), calls=f }
yes { p = ((f32[4]), f32[4]) parameter(0)  ROOT c = pred[] constant(true) }
ENTRY e {
  x = f32[4] parameter(0)
  s = ((f32[4]), f32[4]) async-start(x), calls=f
  w = ((f32[4]), f32[4]) while(s), condition=yes, body=go
  )",
                        root, "\n}");
  };
  EXPECT_EQ(ErrorOf(with_root("ROOT r = f32[4] async-done(w), calls=f")), "");
  const auto module = Parse(with_root("ROOT r = f32[4] async-done(w), calls=f"));
  HloInstruction* done = module->entry_computation()->root_instruction();
  HloInstruction* silent = module->entry_computation()->AddInstruction(
      HloInstruction::Create(HloOpcode::kAsyncDone, done->shape(), {done->mutable_operand(0)}));
  module->entry_computation()->set_root_instruction(silent);
  ASSERT_TRUE(module->entry_computation()->RemoveInstruction(done).ok());
  EXPECT_THAT(ErrorOf(*module), StartsWith("async-done_c7"));
}

TEST(VerifierTest, Threads) {
  constexpr char kText[] = R"(HloModule m
f { x = f32[] parameter(0)  ROOT c = f32[] negate(x) }, execution_thread="host"
ENTRY e {
  x = f32[] parameter(0)
  s = ((f32[]), f32[]) async-start(x), async_execution_thread="host", calls=f
  ROOT d = f32[] async-done(s)
})";
  const auto module = Parse(kText);
  EXPECT_EQ(ErrorOf(*module), "");
  module->GetComputationWithName("f")->SetExecutionThread("other");
  EXPECT_THAT(ErrorOf(*module), StartsWith("async-start_c6"));
}

}  // namespace
}  // namespace xla

// Passes of clients that every compile runs.
#include "xla/service/xla_transform.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "api/cpu_backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_schedule.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using ::testing::HasSubstr;
using Stage = HloXlaTransform::PipelineStage;

constexpr char kProgram[] = R"(
HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }
halve { a = f32[2] parameter(0)  h = f32[] constant(0.5)  b = f32[2] broadcast(h), dimensions={}
        ROOT r = f32[2] multiply(a, b) }
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] call(x), to_apply=halve
  z = f32[2] negate(y)
  ROOT t = (f32[2], f32[2]{0}) tuple(z, y)
})";

std::unique_ptr<HloModule> Parse(absl::string_view text) {
  return ParseAndReturnUnverifiedModule(text).value();
}

class FunctionTransform : public HloXlaTransform {
 public:
  using Function = std::function<absl::StatusOr<bool>(HloModule*)>;
  FunctionTransform(std::string name, Function function)
      : HloXlaTransform(std::move(name)), function_(std::move(function)) {}
  absl::StatusOr<bool> Transform(HloModule* module) override { return function_(module); }

 private:
  const Function function_;
};

void Register(Stage stage, std::string name, FunctionTransform::Function function) {
  RegisterHloXlaTransform(
      stage, std::make_shared<FunctionTransform>(std::move(name), std::move(function)));
}

// Every negate becomes an absolute value, by way of a message.
absl::StatusOr<bool> NegateToAbs(HloModule* module) {
  HloModuleProto proto = module->ToProto();
  for (HloComputationProto& computation : *proto.mutable_computations()) {
    for (HloInstructionProto& instruction : *computation.mutable_instructions()) {
      if (instruction.opcode() == "negate") instruction.set_opcode("abs");
    }
  }
  const absl::Status status = UpdateHloModuleFromProto(module, proto);
  if (!status.ok()) return status;
  return true;
}

class XlaTransformTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (absl::IsUnimplemented(CpuBackend().Compile(Parse(kProgram)).status()))
      GTEST_SKIP() << "Hilo was built without LLVM";
  }
  void TearDown() override { ClearHloXlaTransforms(); }

  absl::StatusOr<Literal> RunProgram() {
    absl::StatusOr<std::unique_ptr<CompiledModule>> program = CpuBackend().Compile(Parse(kProgram));
    if (!program.ok()) return program.status();
    const Literal argument = LiteralUtil::CreateR1<float>({2, 6});
    return (*program)->Run({&argument});
  }
  static Literal Pair(float a, float b, float c, float d) {
    const Literal first = LiteralUtil::CreateR1<float>({a, b});
    const Literal second = LiteralUtil::CreateR1<float>({c, d});
    return LiteralUtil::MakeTuple({&first, &second});
  }
};

TEST_F(XlaTransformTest, AreKnownByStageAndName) {
  EXPECT_FALSE(ClearHloXlaTransforms());
  const auto nothing = [](HloModule*) { return false; };
  Register(Stage::kPreScheduler, "a", nothing);
  Register(Stage::kPreScheduler, "b", nothing);
  Register(Stage::kPostScheduler, "a", nothing);
  EXPECT_EQ(GetHloXlaTransforms(Stage::kPreScheduler).size(), 2);
  EXPECT_EQ(GetHloXlaTransforms(Stage::kPreScheduler)[1]->name(), "b");
  EXPECT_FALSE(ClearHloXlaTransform(Stage::kPostScheduler, "b"));
  EXPECT_TRUE(ClearHloXlaTransform(Stage::kPreScheduler, "a"));
  EXPECT_EQ(GetHloXlaTransforms(Stage::kPreScheduler).size(), 1);
  EXPECT_TRUE(ClearHloXlaTransforms());
  EXPECT_TRUE(GetHloXlaTransforms(Stage::kPostScheduler).empty());
}

TEST_F(XlaTransformTest, ChangePrograms) {
  EXPECT_EQ(RunProgram().value(), Pair(-1, -3, 1, 3));
  Register(Stage::kPreScheduler, "negate to abs", NegateToAbs);
  EXPECT_EQ(RunProgram().value(), Pair(1, 3, 1, 3));
  ClearHloXlaTransforms();
  EXPECT_EQ(RunProgram().value(), Pair(-1, -3, 1, 3));
}

TEST_F(XlaTransformTest, SeeCallsInlinedAndTheScheduleLater) {
  int64_t computations = 0;
  bool had_schedule = true;
  Register(Stage::kPreScheduler, "look", [&](HloModule* module) {
    computations = module->computation_count();
    had_schedule = module->has_schedule();
    return false;
  });
  Register(Stage::kPostScheduler, "look later", [&](HloModule* module) -> absl::StatusOr<bool> {
    EXPECT_TRUE(module->has_schedule());
    EXPECT_TRUE(module->schedule().Verify().ok());
    absl::StatusOr<bool> changed = NegateToAbs(module);
    EXPECT_TRUE(changed.ok()) << changed.status();
    EXPECT_TRUE(module->has_schedule());
    EXPECT_TRUE(module->schedule().Verify().ok());
    EXPECT_FALSE(module->input_output_alias_config().ToString().empty());
    return changed;
  });
  EXPECT_EQ(RunProgram().value(), Pair(1, 3, 1, 3));
  EXPECT_EQ(computations, 1);
  EXPECT_FALSE(had_schedule);
}

TEST_F(XlaTransformTest, ErrorsNameTheTransform) {
  Register(Stage::kPreScheduler, "unable",
           [](HloModule*) -> absl::StatusOr<bool> { return absl::DataLossError("lost"); });
  const absl::Status status = RunProgram().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the transform unable: lost"));
}

TEST_F(XlaTransformTest, WhatComesOutIsVerified) {
  Register(Stage::kPreScheduler, "wrong", [](HloModule* module) {
    *module->entry_computation()->root_instruction()->mutable_operand(0)->mutable_shape() =
        ShapeUtil::MakeShape(S32, {2});
    return true;
  });
  EXPECT_EQ(RunProgram().status().code(), absl::StatusCode::kInvalidArgument);
  ClearHloXlaTransforms();
  Register(Stage::kPreScheduler, "another interface", [](HloModule* module) {
    const std::unique_ptr<HloModule> other =
        Parse("HloModule other\nENTRY e { ROOT x = f32[2] parameter(0) }");
    module->ReplaceEntryComputation(
        module->AddEmbeddedComputation(other->entry_computation()->Clone()));
    return true;
  });
  EXPECT_THAT(std::string(RunProgram().status().message()),
              HasSubstr("parameters or of the result"));
}

}  // namespace
}  // namespace xla

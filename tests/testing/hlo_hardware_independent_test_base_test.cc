#include "xla/hlo/testlib/hlo_hardware_independent_test_base.h"

#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest-spi.h"
#include "xla/hlo/testlib/test.h"
#include "xla/hlo/testlib/test_helpers.h"
#include "xla/hlo/testlib/verified_hlo_module.h"
#include "xla/layout_util.h"
#include "xla/service/hlo_verifier.h"
#include "xla/tsl/platform/statusor.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

constexpr char kSum[] = R"(
HloModule sum
helper {
  p = f32[2,3] parameter(0)
  ROOT n = f32[2,3] negate(p)
}
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[2,3] parameter(1)
  s = f32[2,3] add(x, y)
  ROOT c = f32[2,3] call(s), to_apply=helper
})";
constexpr char kBroken[] = "ENTRY e { x = f32[2] parameter(0)  ROOT y = f32[3] negate(x) }";

class HloHardwareIndependentTestBaseTest : public HloHardwareIndependentTestBase {
 protected:
  // A computation whose root does not have the shape it says.
  static std::unique_ptr<HloComputation> BrokenComputation() {
    HloComputation::Builder builder("broken");
    HloInstruction* x = builder.AddInstruction(
        HloInstruction::CreateParameter(0, ShapeUtil::MakeShape(F32, {2}), "x"));
    builder.AddInstruction(
        HloInstruction::CreateUnary(ShapeUtil::MakeShape(F32, {3}), HloOpcode::kNegate, x));
    return builder.Build();
  }
};

TEST_F(HloHardwareIndependentTestBaseTest, TestName) { EXPECT_EQ(TestName(), "TestName"); }

TEST_F(HloHardwareIndependentTestBaseTest, ParseAndReturnVerifiedModule) {
  TF_ASSERT_OK_AND_ASSIGN(std::unique_ptr<VerifiedHloModule> module,
                          ParseAndReturnVerifiedModule(kSum));
  EXPECT_EQ(module->name(), "sum");
  EXPECT_EQ(module->entry_computation()->root_instruction()->opcode(), HloOpcode::kCall);
  EXPECT_EQ(module->config().replica_count(), 1);
  EXPECT_IS_OK(module->Verify());
}

TEST_F(HloHardwareIndependentTestBaseTest, ParseAndReturnVerifiedModuleTakesConfigurations) {
  TF_ASSERT_OK_AND_ASSIGN(auto replicated, ParseAndReturnVerifiedModule(kSum, 2, 3));
  EXPECT_EQ(replicated->config().replica_count(), 2);
  EXPECT_EQ(replicated->config().num_partitions(), 3);
  EXPECT_FALSE(replicated->config().has_static_device_assignment());

  const DeviceAssignment assignment = GetDefaultDeviceAssignment(2, 1);
  TF_ASSERT_OK_AND_ASSIGN(auto assigned, ParseAndReturnVerifiedModule(kSum, 2, 1, assignment));
  ASSERT_TRUE(assigned->config().has_static_device_assignment());
  EXPECT_EQ(assigned->config().static_device_assignment().DeviceId(1, 0), 1);

  HloModuleConfig config = GetModuleConfigForTest();
  config.set_seed(7);
  TF_ASSERT_OK_AND_ASSIGN(auto configured, ParseAndReturnVerifiedModule(kSum, config));
  EXPECT_EQ(configured->config().seed(), 7);
  EXPECT_TRUE(configured->config().has_entry_computation_layout());
}

TEST_F(HloHardwareIndependentTestBaseTest, ParseAndReturnVerifiedModuleTakesParserOptions) {
  HloParserOptions options;
  options.set_fill_missing_layouts(false);
  TF_ASSERT_OK_AND_ASSIGN(auto module,
                          ParseAndReturnVerifiedModule(kSum, GetModuleConfigForTest(), options));
  EXPECT_FALSE(module->entry_computation()->parameter_instruction(0)->shape().has_layout());
  EXPECT_IS_OK(ParseAndReturnVerifiedModule(kSum, GetModuleConfigForTest(), HloParserOptions(),
                                            [](const Shape&) { return int64_t{1}; }));
}

TEST_F(HloHardwareIndependentTestBaseTest, ParseAndReturnVerifiedModuleReportsErrors) {
  const auto no_text = ParseAndReturnVerifiedModule("ENTRY e { x = f32[2] parameters(0) }");
  ASSERT_IS_NOT_OK(no_text);
  EXPECT_THAT(std::string(no_text.status().message()), HasSubstr("parameters"));
  // The module's destructor does not fail the test that was told of the error.
  const auto broken = ParseAndReturnVerifiedModule(kBroken);
  ASSERT_IS_NOT_OK(broken);
  EXPECT_THAT(std::string(broken.status().message()), HasSubstr("f32[3]"));
}

TEST_F(HloHardwareIndependentTestBaseTest, AVerifiedModuleMustNotEndBroken) {
  EXPECT_NONFATAL_FAILURE(
      { CreateNewVerifiedModule("bad")->AddEntryComputation(BrokenComputation()); },
      "HloVerifier failed on module bad in destructor");
  EXPECT_NONFATAL_FAILURE(
      {
        // It is said only once.
        auto module = CreateNewVerifiedModule("bad");
        module->AddEntryComputation(BrokenComputation());
        EXPECT_IS_NOT_OK(module->Verify());
        module->VerifyOrAddFailure("after a pass");
      },
      "HloVerifier failed on module bad after a pass");
  const auto empty = CreateNewVerifiedModule();
  EXPECT_EQ(empty->name(), TestName());
  EXPECT_IS_OK(empty->Verify());
}

TEST_F(HloHardwareIndependentTestBaseTest, ParseHloStringAndVerifyModule) {
  VerifiedHloModule module("m", GetModuleConfigForTest(), /*verifier_layout_sensitive=*/false,
                           /*allow_mixed_precision_in_hlo_verifier=*/true);
  EXPECT_IS_OK(module.ParseHloStringAndVerifyModule(kSum));
  EXPECT_EQ(module.computation_count(), 2);
  EXPECT_EQ(module.ParseHloStringAndVerifyModule(kSum).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(HloHardwareIndependentTestBaseTest, CreateNewUnverifiedModule) {
  const std::unique_ptr<HloModule> module = CreateNewUnverifiedModule();
  EXPECT_EQ(module->name(), TestName());
  module->AddEntryComputation(BrokenComputation());
}

TEST_F(HloHardwareIndependentTestBaseTest, Verifier) {
  TF_ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnVerifiedModule(kSum));
  TF_ASSERT_OK_AND_ASSIGN(const bool changed, verifier().Run(module.get()));
  EXPECT_FALSE(changed);
  EXPECT_FALSE(verifier().layout_sensitive());
  EXPECT_TRUE(verifier().allow_mixed_precision());
  set_hlo_verifier(std::make_unique<HloVerifier>(true, false));
  EXPECT_TRUE(verifier().layout_sensitive());
  const auto broken = CreateNewUnverifiedModule();
  broken->AddEntryComputation(BrokenComputation());
  EXPECT_IS_NOT_OK(verifier().Run(broken.get()));
}

TEST_F(HloHardwareIndependentTestBaseTest, ForcedLayouts) {
  TF_ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnVerifiedModule(R"(
    ENTRY e { x = f32[2,3] parameter(0)  ROOT t = (f32[2,3], f32[2,3]) tuple(x, x) })"));
  const Layout column_major = LayoutUtil::MakeLayout({0, 1});
  ForceParameterLayout(module.get(), 0, column_major);
  ForceResultLayout(module.get(), column_major, {1});
  const ComputationLayout& layout = module->entry_computation_layout();
  EXPECT_EQ(layout.parameter_shape(0).layout(), column_major);
  EXPECT_NE(layout.result_shape().tuple_shapes(0).layout(), column_major);
  EXPECT_EQ(layout.result_shape().tuple_shapes(1).layout(), column_major);
  ForceClearResultLayout(module.get());
  EXPECT_FALSE(layout.result_shape().tuple_shapes(1).has_layout());

  TF_ASSERT_OK_AND_ASSIGN(auto array, ParseAndReturnVerifiedModule(kSum));
  ForceResultLayout(array.get(), column_major);
  EXPECT_EQ(array->entry_computation_layout().result_shape().layout(), column_major);
  UpdateEntryComputationLayoutToMatchProgramLayout(array.get());
  EXPECT_NE(array->entry_computation_layout().result_shape().layout(), column_major);
}

TEST_F(HloHardwareIndependentTestBaseTest, Finding) {
  TF_ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnVerifiedModule(kSum));
  EXPECT_EQ(FindComputation(module.get(), "helper")->num_parameters(), 1);
  EXPECT_EQ(FindComputation(module.get(), "nobody"), nullptr);
  EXPECT_EQ(FindInstruction(module.get(), "s")->opcode(), HloOpcode::kAdd);
  EXPECT_EQ(FindInstruction(module.get(), "nobody"), nullptr);
  EXPECT_EQ(FindInstruction(module.get(), HloOpcode::kNegate)->name(), "n");
  EXPECT_EQ(FindInstruction(module.get(), HloOpcode::kSort), nullptr);
  EXPECT_EQ(FindInstructions(module.get(), HloOpcode::kParameter).size(), 3);
}

TEST_F(HloHardwareIndependentTestBaseTest, DefaultPrecisionConfig) {
  EXPECT_EQ(DefaultPrecisionConfig(2).operand_precision_size(), 2);
  EXPECT_EQ(DefaultPrecisionConfig(2).operand_precision(1), PrecisionConfig::DEFAULT);
}

// A fixture may choose options of its own.
class OptionsTest : public HloHardwareIndependentTestBase {
 protected:
  OptionsTest()
      : HloHardwareIndependentTestBase(/*verifier_layout_sensitive=*/true,
                                       /*allow_mixed_precision_in_hlo_verifier=*/false,
                                       [](const HloInstruction*) { return false; }) {}
  DebugOptions GetDebugOptionsForTest() const override {
    DebugOptions options = HloHardwareIndependentTestBase::GetDebugOptionsForTest();
    options.set_xla_backend_optimization_level(1);
    return options;
  }
};

TEST_F(OptionsTest, ReachModules) {
  EXPECT_TRUE(verifier_layout_sensitive());
  EXPECT_FALSE(allow_mixed_precision_in_hlo_verifier());
  EXPECT_TRUE(instruction_can_change_layout_func());
  TF_ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnVerifiedModule(kSum));
  EXPECT_EQ(module->config().debug_options().xla_backend_optimization_level(), 1);
  set_verifier_layout_sensitive(false);
  EXPECT_FALSE(verifier_layout_sensitive());
  set_instruction_can_change_layout_func(nullptr);
  EXPECT_FALSE(instruction_can_change_layout_func());
}

TEST(TestHelpersTest, FailuresOfStatus) {
  const absl::Status error = absl::InvalidArgumentError("no good");
  const absl::StatusOr<int> value = 1, no_value = error;
  EXPECT_IS_OK(absl::OkStatus());
  EXPECT_IS_OK(value);
  EXPECT_IS_NOT_OK(error);
  EXPECT_IS_NOT_OK(no_value);
  EXPECT_NONFATAL_FAILURE(EXPECT_IS_OK(error), "no good");
  EXPECT_NONFATAL_FAILURE(EXPECT_IS_OK(no_value), "no good");
  EXPECT_NONFATAL_FAILURE(EXPECT_IS_NOT_OK(value), "OK");
  EXPECT_FATAL_FAILURE(ASSERT_IS_OK(absl::InvalidArgumentError("no good")), "no good");
  EXPECT_FATAL_FAILURE(ASSERT_IS_NOT_OK(absl::OkStatus()), "OK");
}

}  // namespace
}  // namespace xla

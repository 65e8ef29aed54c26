#include "xla/hlo/testlib/hlo_hardware_independent_test_base.h"

#include <utility>

#include "absl/log/check.h"
#include "base/status_macros.h"
#include "xla/debug_options_flags.h"

namespace xla {

HloHardwareIndependentTestBase::HloHardwareIndependentTestBase(
    bool verifier_layout_sensitive, bool allow_mixed_precision_in_hlo_verifier,
    HloPredicate instruction_can_change_layout_func)
    : verifier_layout_sensitive_(verifier_layout_sensitive),
      allow_mixed_precision_in_hlo_verifier_(allow_mixed_precision_in_hlo_verifier),
      instruction_can_change_layout_func_(std::move(instruction_can_change_layout_func)),
      hlo_verifier_(std::make_unique<HloVerifier>(verifier_layout_sensitive,
                                                  allow_mixed_precision_in_hlo_verifier,
                                                  instruction_can_change_layout_func_)) {}

PrecisionConfig HloHardwareIndependentTestBase::DefaultPrecisionConfig(int operands) {
  PrecisionConfig config;
  config.mutable_operand_precision()->Resize(operands, PrecisionConfig::DEFAULT);
  return config;
}

std::string HloHardwareIndependentTestBase::TestName() {
  const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
  return info == nullptr ? "" : info->name();
}

// ---- Modules ----------------------------------------------------------------------------------

std::unique_ptr<HloModule> HloHardwareIndependentTestBase::CreateNewUnverifiedModule(
    const std::string& name) {
  return std::make_unique<HloModule>(name, GetModuleConfigForTest());
}

std::unique_ptr<VerifiedHloModule> HloHardwareIndependentTestBase::CreateNewVerifiedModule(
    const std::string& name, int64_t replica_count) const {
  return MakeModule(name, GetModuleConfigForTest(replica_count));
}

absl::StatusOr<std::unique_ptr<VerifiedHloModule>>
HloHardwareIndependentTestBase::ParseAndReturnVerifiedModule(
    absl::string_view hlo_text, int64_t replica_count, int64_t num_partitions,
    std::optional<DeviceAssignment> device_assignment) const {
  return ParseAndReturnVerifiedModule(
      hlo_text,
      GetModuleConfigForTest(replica_count, num_partitions, std::move(device_assignment)));
}

absl::StatusOr<std::unique_ptr<VerifiedHloModule>>
HloHardwareIndependentTestBase::ParseAndReturnVerifiedModule(
    absl::string_view hlo_text, const HloModuleConfig& config,
    const HloParserOptions& parser_options) const {
  return ParseAndReturnVerifiedModule(hlo_text, config, parser_options, /*shape_size_fn=*/{});
}

absl::StatusOr<std::unique_ptr<VerifiedHloModule>>
HloHardwareIndependentTestBase::ParseAndReturnVerifiedModule(
    absl::string_view hlo_text, const HloModuleConfig& config,
    const HloParserOptions& parser_options,
    std::function<int64_t(const Shape&)> shape_size_fn) const {
  std::unique_ptr<VerifiedHloModule> module =
      MakeModule(TestName(), config, std::move(shape_size_fn));
  HILO_RETURN_IF_ERROR(module->ParseHloStringAndVerifyModule(hlo_text, parser_options));
  return module;
}

std::unique_ptr<VerifiedHloModule> HloHardwareIndependentTestBase::MakeModule(
    const std::string& name, const HloModuleConfig& config,
    std::function<int64_t(const Shape&)> shape_size_fn) const {
  return std::make_unique<VerifiedHloModule>(
      name, config, verifier_layout_sensitive_, allow_mixed_precision_in_hlo_verifier_,
      std::move(shape_size_fn), instruction_can_change_layout_func_);
}

// ---- Configurations ---------------------------------------------------------------------------

DebugOptions HloHardwareIndependentTestBase::GetDebugOptionsForTest() const {
  return GetDebugOptionsFromFlags();
}

HloModuleConfig HloHardwareIndependentTestBase::GetModuleConfigForTest(
    int64_t replica_count, int64_t num_partitions,
    std::optional<DeviceAssignment> device_assignment) const {
  HloModuleConfig config;
  config.set_debug_options(GetDebugOptionsForTest());
  config.set_replica_count(replica_count);
  config.set_num_partitions(num_partitions);
  if (device_assignment.has_value()) config.set_static_device_assignment(*device_assignment);
  return config;
}

DeviceAssignment HloHardwareIndependentTestBase::GetDefaultDeviceAssignment(
    int64_t replica_count, int64_t num_partitions) const {
  DeviceAssignment assignment(replica_count, num_partitions);
  assignment.FillIota(0);
  return assignment;
}

// ---- Layouts ----------------------------------------------------------------------------------

void HloHardwareIndependentTestBase::ForceParameterLayout(HloModule* module, int64_t param_no,
                                                          const Layout& layout) {
  CHECK_LT(param_no, module->entry_computation_layout().parameter_count());
  module->mutable_entry_computation_layout()->mutable_parameter_layout(param_no)->ResetLayout(
      layout);
}

void HloHardwareIndependentTestBase::ForceResultLayout(HloModule* module, const Layout& layout) {
  module->mutable_entry_computation_layout()->mutable_result_layout()->ResetLayout(layout);
}

void HloHardwareIndependentTestBase::ForceResultLayout(HloModule* module, const Layout& layout,
                                                       ShapeIndexView shape_index) {
  module->mutable_entry_computation_layout()->mutable_result_layout()->ResetLayout(layout,
                                                                                   shape_index);
}

void HloHardwareIndependentTestBase::ForceClearResultLayout(HloModule* module) {
  module->mutable_entry_computation_layout()->mutable_result_layout()->Clear();
}

void HloHardwareIndependentTestBase::UpdateEntryComputationLayoutToMatchProgramLayout(
    HloModule* module) {
  module->mutable_config().SetComputationLayoutIfExists(
      module->entry_computation()->ComputeProgramShape());
}

// ---- Finding ----------------------------------------------------------------------------------

HloComputation* HloHardwareIndependentTestBase::FindComputation(HloModule* module,
                                                                absl::string_view name) {
  return module->GetComputationWithName(name);
}

HloInstruction* HloHardwareIndependentTestBase::FindInstruction(HloModule* module,
                                                                absl::string_view name) {
  for (HloComputation* computation : module->computations()) {
    if (HloInstruction* found = computation->GetInstructionWithName(name)) return found;
  }
  return nullptr;
}

HloInstruction* HloHardwareIndependentTestBase::FindInstruction(HloModule* module,
                                                                HloOpcode opcode) {
  const std::vector<HloInstruction*> found = FindInstructions(module, opcode);
  return found.empty() ? nullptr : found.front();
}

std::vector<HloInstruction*> HloHardwareIndependentTestBase::FindInstructions(HloModule* module,
                                                                              HloOpcode opcode) {
  std::vector<HloInstruction*> found;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() == opcode) found.push_back(instruction);
    }
  }
  return found;
}

}  // namespace xla

// The fixture of tests that make, read and verify modules but do not run them.
#ifndef XLA_HLO_TESTLIB_HLO_HARDWARE_INDEPENDENT_TEST_BASE_H_
#define XLA_HLO_TESTLIB_HLO_HARDWARE_INDEPENDENT_TEST_BASE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/hlo/testlib/test.h"
#include "xla/hlo/testlib/verified_hlo_module.h"
#include "xla/layout.h"
#include "xla/service/device_assignment.h"
#include "xla/service/hlo_module_config.h"
#include "xla/service/hlo_verifier.h"
#include "xla/shape_util.h"
#include "xla/util.h"
#include "xla/xla.pb.h"
#include "xla/xla_data.pb.h"

namespace xla {

class HloHardwareIndependentTestBase : public ::testing::Test {
 public:
  // As many entries of default precision.
  static PrecisionConfig DefaultPrecisionConfig(int operands);

 protected:
  // The arguments are those of HloVerifier.
  explicit HloHardwareIndependentTestBase(bool verifier_layout_sensitive = false,
                                          bool allow_mixed_precision_in_hlo_verifier = true,
                                          HloPredicate instruction_can_change_layout_func = {});

  // The name of the test that runs, "" between tests.
  static std::string TestName();

  // Modules without computations, with the configuration of GetModuleConfigForTest.
  std::unique_ptr<HloModule> CreateNewUnverifiedModule(const std::string& name = TestName());
  std::unique_ptr<VerifiedHloModule> CreateNewVerifiedModule(const std::string& name = TestName(),
                                                             int64_t replica_count = 1) const;

  // Reads HLO text. The error is the parser's, or the verifier's when the text breaks a rule. What
  // the header of the text says overrides the configuration.
  absl::StatusOr<std::unique_ptr<VerifiedHloModule>> ParseAndReturnVerifiedModule(
      absl::string_view hlo_text, int64_t replica_count = 1, int64_t num_partitions = 1,
      std::optional<DeviceAssignment> device_assignment = std::nullopt) const;
  absl::StatusOr<std::unique_ptr<VerifiedHloModule>> ParseAndReturnVerifiedModule(
      absl::string_view hlo_text, const HloModuleConfig& config,
      const HloParserOptions& parser_options = HloParserOptions()) const;
  absl::StatusOr<std::unique_ptr<VerifiedHloModule>> ParseAndReturnVerifiedModule(
      absl::string_view hlo_text, const HloModuleConfig& config,
      const HloParserOptions& parser_options,
      std::function<int64_t(const Shape&)> shape_size_fn) const;

  // What modules of this test get; a test overrides it to change options.
  virtual DebugOptions GetDebugOptionsForTest() const;
  HloModuleConfig GetModuleConfigForTest(
      int64_t replica_count = 1, int64_t num_partitions = 1,
      std::optional<DeviceAssignment> device_assignment = std::nullopt) const;
  // Device i for replica and partition number i.
  DeviceAssignment GetDefaultDeviceAssignment(int64_t replica_count, int64_t num_partitions) const;

  // Change what the entry computation promises about layouts. CHECK that the layout fits.
  static void ForceParameterLayout(HloModule* module, int64_t param_no, const Layout& layout);
  static void ForceResultLayout(HloModule* module, const Layout& layout);
  static void ForceResultLayout(HloModule* module, const Layout& layout,
                                ShapeIndexView shape_index);
  static void ForceClearResultLayout(HloModule* module);
  // Promises the layouts of the entry's parameters and root.
  static void UpdateEntryComputationLayoutToMatchProgramLayout(HloModule* module);

  // By name, null when there is none; by opcode the first one of the module.
  static HloComputation* FindComputation(HloModule* module, absl::string_view name);
  static HloInstruction* FindInstruction(HloModule* module, absl::string_view name);
  static HloInstruction* FindInstruction(HloModule* module, HloOpcode opcode);
  static std::vector<HloInstruction*> FindInstructions(HloModule* module, HloOpcode opcode);

  HloVerifier& verifier() const { return *hlo_verifier_; }
  void set_hlo_verifier(std::unique_ptr<HloVerifier> verifier) {
    hlo_verifier_ = std::move(verifier);
  }
  bool verifier_layout_sensitive() const { return verifier_layout_sensitive_; }
  void set_verifier_layout_sensitive(bool value) { verifier_layout_sensitive_ = value; }
  HloPredicate instruction_can_change_layout_func() const {
    return instruction_can_change_layout_func_;
  }
  void set_instruction_can_change_layout_func(HloPredicate value) {
    instruction_can_change_layout_func_ = std::move(value);
  }
  bool allow_mixed_precision_in_hlo_verifier() const {
    return allow_mixed_precision_in_hlo_verifier_;
  }

 private:
  std::unique_ptr<VerifiedHloModule> MakeModule(
      const std::string& name, const HloModuleConfig& config,
      std::function<int64_t(const Shape&)> shape_size_fn = {}) const;

  bool verifier_layout_sensitive_;
  bool allow_mixed_precision_in_hlo_verifier_;
  HloPredicate instruction_can_change_layout_func_;
  std::unique_ptr<HloVerifier> hlo_verifier_;
};

}  // namespace xla

#endif  // XLA_HLO_TESTLIB_HLO_HARDWARE_INDEPENDENT_TEST_BASE_H_

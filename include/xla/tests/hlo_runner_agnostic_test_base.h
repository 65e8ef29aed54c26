// The fixture of tests that run modules, whatever they run them on.
#ifndef XLA_TESTS_HLO_RUNNER_AGNOSTIC_TEST_BASE_H_
#define XLA_TESTS_HLO_RUNNER_AGNOSTIC_TEST_BASE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/error_spec.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/testlib/hlo_hardware_independent_test_base.h"
#include "xla/hlo/testlib/test.h"
#include "xla/literal.h"
#include "xla/service/device_assignment.h"
#include "xla/service/hlo_module_config.h"
#include "xla/service/hlo_runner_interface.h"
#include "xla/tsl/platform/protobuf.h"
#include "xla/util.h"
#include "xla/xla.pb.h"

namespace xla {

struct HloRunnerAgnosticTestBaseOptions {
  // See HloVerifier.
  bool verifier_layout_sensitive = false;
  bool allow_mixed_precision_in_hlo_verifier = true;
  HloPredicate instruction_can_change_layout_func;
  // The functions that give an AssertionResult take a run that ends in an error for a success.
  bool swallow_execution_errors = false;
};

// The functions that give an AssertionResult make up arguments (MakeFakeArguments) unless they get
// some. Where they fail the message has the error, or what differs.
class HloRunnerAgnosticTestBase : public HloHardwareIndependentTestBase {
 public:
  static constexpr ErrorSpec kDefaultErrorSpec{0.0001};

 protected:
  explicit HloRunnerAgnosticTestBase(std::unique_ptr<HloRunnerInterface> test_runner,
                                     HloRunnerAgnosticTestBaseOptions options = {});

  HloRunnerInterface& test_runner() const { return *test_runner_; }
  bool swallow_execution_errors() const { return swallow_execution_errors_; }

  // The module of a computation, with the configuration that the options ask for. Errors are those
  // of the builder, or InvalidArgument when shape_with_output_layout does not fit the result.
  absl::StatusOr<std::unique_ptr<HloModule>> HloModuleFromXlaComputation(
      const XlaComputation& computation, const ExecutionOptions& execution_options) const;
  absl::StatusOr<std::unique_ptr<HloModule>> HloModuleFromXlaBuilder(
      XlaBuilder* builder, const ExecutionOptions& execution_options) const;

  HloComputation* AddEntryComputationAndUpdateEntryComputationLayout(
      HloModule* module, std::unique_ptr<HloComputation> computation);
  // Gives the parameters and results that have no layout yet the default one.
  void UpdateEntryComputationLayout(HloModule* module) const;
  // What every module goes through before it runs: UpdateEntryComputationLayout.
  absl::Status PreprocessModuleForTestRunner(HloModule* module) const;

  // ---- Running on one device.

  absl::StatusOr<Literal> Execute(std::unique_ptr<HloModule> module,
                                  absl::Span<const Literal* const> arguments,
                                  bool run_hlo_passes = true);
  absl::StatusOr<std::unique_ptr<OpaqueExecutable>> CreateExecutable(
      std::unique_ptr<HloModule> module, bool run_hlo_passes);

  // Success when the program runs without error. `backend_config` becomes, as JSON, that of the
  // root. The arguments are zeros without use_random_data. Buffer assignments go to
  // HloRunnerInterface::CreateExecutableWithBufferAssignment.
  ::testing::AssertionResult Run(
      std::unique_ptr<HloModule> module, bool run_hlo_passes,
      const std::function<void(HloModule*)>& test_preprocessor = nullptr,
      const BufferAssignmentProto* buffer_assignment_proto = nullptr);
  ::testing::AssertionResult Run(absl::string_view hlo_string, bool run_hlo_passes = true,
                                 const tsl::protobuf::Message* backend_config = nullptr,
                                 bool use_random_data = true,
                                 const BufferAssignmentProto* buffer_assignment_proto = nullptr);

  // ---- Running on several devices. Each gets the same arguments unless they are given for each.
  // Results are in the order of devices; see HloRunnerInterface.

  absl::StatusOr<std::vector<Literal>> ExecuteReplicated(std::unique_ptr<HloModule> module,
                                                         absl::Span<const Literal* const> arguments,
                                                         int64_t num_devices, bool use_threads,
                                                         bool run_hlo_passes = false);
  absl::StatusOr<std::vector<Literal>> ExecuteReplicated(std::unique_ptr<HloModule> module,
                                                         absl::Span<const Literal* const> arguments,
                                                         int64_t num_devices,
                                                         DeviceAssignment* device_assignment,
                                                         bool run_hlo_passes, bool use_threads);
  absl::StatusOr<std::vector<Literal>> ExecuteReplicated(
      absl::AnyInvocable<OpaqueExecutable*(int64_t)> executable_provider,
      absl::AnyInvocable<int64_t(int64_t)> argument_count_provider,
      absl::AnyInvocable<const Literal*(int64_t, int64_t)> argument_provider, int64_t num_devices,
      bool run_hlo_passes, DeviceAssignment* device_assignment = nullptr);
  absl::StatusOr<std::vector<Literal>> ExecuteReplicated(
      std::unique_ptr<HloModule> module, std::vector<std::vector<Literal*>> arguments,
      int64_t num_devices, bool run_hlo_passes, DeviceAssignment* device_assignment = nullptr);

  // ---- The program as the back end runs it.

  absl::StatusOr<std::pair<const HloModule*, std::unique_ptr<OpaqueExecutable>>>
  GetOptimizedModuleForExecutable(absl::string_view hlo_text, const HloModuleConfig& config);
  absl::StatusOr<std::unique_ptr<HloModule>> GetOptimizedModule(absl::string_view hlo_text,
                                                                const HloModuleConfig& config);
  absl::StatusOr<std::unique_ptr<HloModule>> GetOptimizedModule(absl::string_view hlo_text);
  // Expects that its text is what the pattern says (xla/hlo/testlib/filecheck.h).
  void MatchOptimizedHlo(absl::string_view hlo, absl::string_view pattern,
                         bool print_operand_shape = false);

  // ---- Two programs with the same arguments: success when the second one's result is Near (with
  // an error specification) or Equal to the first one's.

  ::testing::AssertionResult RunAndCompareTwoModules(std::unique_ptr<HloModule> module_0,
                                                     std::unique_ptr<HloModule> module_1,
                                                     absl::Span<const Literal* const> arguments,
                                                     const std::optional<ErrorSpec>& error,
                                                     bool run_hlo_passes = true);
  ::testing::AssertionResult RunAndCompareTwoModules(
      std::unique_ptr<HloModule> module_0, std::unique_ptr<HloModule> module_1,
      const std::optional<ErrorSpec>& error, bool run_hlo_passes = true,
      std::optional<int64_t> args_max_bits_of_precision = std::nullopt);
  ::testing::AssertionResult RunAndCompareTwoModules(
      absl::string_view hlo_string_0, absl::string_view hlo_string_1,
      const std::optional<ErrorSpec>& error, bool run_hlo_passes = true,
      std::optional<int64_t> args_max_bits_of_precision = std::nullopt);
  ::testing::AssertionResult RunAndCompareTwoModules(
      absl::string_view hlo_string_0, absl::string_view hlo_string_1,
      const HloModuleConfig& config_0, const HloModuleConfig& config_1,
      const std::optional<ErrorSpec>& error, bool run_hlo_passes = true,
      std::optional<int64_t> args_max_bits_of_precision = std::nullopt);
  ::testing::AssertionResult RunAndCompareTwoModules(absl::string_view hlo_string_0,
                                                     absl::string_view hlo_string_1,
                                                     absl::Span<const Literal* const> arguments,
                                                     const std::optional<ErrorSpec>& error,
                                                     bool run_hlo_passes = true);

 private:
  ::testing::AssertionResult RunOn(std::unique_ptr<HloModule> module,
                                   absl::Span<const Literal> arguments,
                                   const BufferAssignmentProto* buffer_assignment_proto,
                                   bool run_hlo_passes);
  ::testing::AssertionResult ResultOfRun(const absl::Status& status) const;

  std::unique_ptr<HloRunnerInterface> test_runner_;
  bool swallow_execution_errors_;
};

}  // namespace xla

#endif  // XLA_TESTS_HLO_RUNNER_AGNOSTIC_TEST_BASE_H_

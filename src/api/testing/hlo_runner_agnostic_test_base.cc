#include "xla/tests/hlo_runner_agnostic_test_base.h"

#include <string>

#include "base/status_macros.h"
#include "google/protobuf/util/json_util.h"
#include "xla/hlo/testlib/filecheck.h"
#include "xla/literal_util.h"
#include "xla/tests/literal_test_util.h"
#include "xla/tests/test_utils.h"

namespace xla {
namespace {

::testing::AssertionResult Failure(const absl::Status& status) {
  return ::testing::AssertionFailure() << status;
}

absl::Status SetBackendConfig(const tsl::protobuf::Message& config, HloInstruction* instruction) {
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(config, &json);
  if (!status.ok()) return InvalidArgument("a backend config is no JSON: %s", status.ToString());
  instruction->set_raw_backend_config_string(json);
  return absl::OkStatus();
}

}  // namespace

HloRunnerAgnosticTestBase::HloRunnerAgnosticTestBase(
    std::unique_ptr<HloRunnerInterface> test_runner, HloRunnerAgnosticTestBaseOptions options)
    : HloHardwareIndependentTestBase(options.verifier_layout_sensitive,
                                     options.allow_mixed_precision_in_hlo_verifier,
                                     std::move(options.instruction_can_change_layout_func)),
      test_runner_(std::move(test_runner)),
      swallow_execution_errors_(options.swallow_execution_errors) {}

// ---- Modules ----------------------------------------------------------------------------------

absl::StatusOr<std::unique_ptr<HloModule>> HloRunnerAgnosticTestBase::HloModuleFromXlaComputation(
    const XlaComputation& computation, const ExecutionOptions& execution_options) const {
  if (computation.IsNull()) return InvalidArgument("the computation was not built");
  HILO_ASSIGN_OR_RETURN(
      const HloModuleConfig config,
      HloModule::CreateModuleConfigFromProto(computation.proto(), execution_options.debug_options(),
                                             &execution_options));
  return HloModule::CreateFromProto(computation.proto(), config);
}

absl::StatusOr<std::unique_ptr<HloModule>> HloRunnerAgnosticTestBase::HloModuleFromXlaBuilder(
    XlaBuilder* builder, const ExecutionOptions& execution_options) const {
  HILO_ASSIGN_OR_RETURN(const XlaComputation computation, builder->Build());
  return HloModuleFromXlaComputation(computation, execution_options);
}

HloComputation* HloRunnerAgnosticTestBase::AddEntryComputationAndUpdateEntryComputationLayout(
    HloModule* module, std::unique_ptr<HloComputation> computation) {
  HloComputation* entry = module->AddEntryComputation(std::move(computation));
  UpdateEntryComputationLayout(module);
  return entry;
}

void HloRunnerAgnosticTestBase::UpdateEntryComputationLayout(HloModule* module) const {
  if (!module->config().has_entry_computation_layout()) return;
  module->mutable_entry_computation_layout()->SetToDefaultLayoutIfEmpty();
}

absl::Status HloRunnerAgnosticTestBase::PreprocessModuleForTestRunner(HloModule* module) const {
  UpdateEntryComputationLayout(module);
  return absl::OkStatus();
}

// ---- One device -------------------------------------------------------------------------------

absl::StatusOr<Literal> HloRunnerAgnosticTestBase::Execute(
    std::unique_ptr<HloModule> module, absl::Span<const Literal* const> arguments,
    bool run_hlo_passes) {
  HILO_RETURN_IF_ERROR(PreprocessModuleForTestRunner(module.get()));
  return test_runner_->Execute(std::move(module), arguments, run_hlo_passes);
}

absl::StatusOr<std::unique_ptr<OpaqueExecutable>> HloRunnerAgnosticTestBase::CreateExecutable(
    std::unique_ptr<HloModule> module, bool run_hlo_passes) {
  HILO_RETURN_IF_ERROR(PreprocessModuleForTestRunner(module.get()));
  return test_runner_->CreateExecutable(std::move(module), run_hlo_passes);
}

::testing::AssertionResult HloRunnerAgnosticTestBase::ResultOfRun(
    const absl::Status& status) const {
  if (status.ok() || swallow_execution_errors_) return ::testing::AssertionSuccess();
  return Failure(status);
}

::testing::AssertionResult HloRunnerAgnosticTestBase::Run(
    std::unique_ptr<HloModule> module, bool run_hlo_passes,
    const std::function<void(HloModule*)>& test_preprocessor,
    const BufferAssignmentProto* buffer_assignment_proto) {
  const absl::StatusOr<std::vector<Literal>> arguments = MakeFakeArguments(module.get());
  if (!arguments.ok()) return Failure(arguments.status());
  if (test_preprocessor) test_preprocessor(module.get());
  return RunOn(std::move(module), *arguments, buffer_assignment_proto, run_hlo_passes);
}

::testing::AssertionResult HloRunnerAgnosticTestBase::RunOn(
    std::unique_ptr<HloModule> module, absl::Span<const Literal> arguments,
    const BufferAssignmentProto* buffer_assignment_proto, bool run_hlo_passes) {
  absl::Status status = PreprocessModuleForTestRunner(module.get());
  if (status.ok()) {
    status = test_runner_
                 ->ExecuteWithBufferAssignment(std::move(module), buffer_assignment_proto,
                                               LiteralUtil::MakePointers(arguments), run_hlo_passes)
                 .status();
  }
  return ResultOfRun(status);
}

::testing::AssertionResult HloRunnerAgnosticTestBase::Run(
    absl::string_view hlo_string, bool run_hlo_passes, const tsl::protobuf::Message* backend_config,
    bool use_random_data, const BufferAssignmentProto* buffer_assignment_proto) {
  absl::StatusOr<std::unique_ptr<VerifiedHloModule>> module =
      ParseAndReturnVerifiedModule(hlo_string);
  if (!module.ok()) return Failure(module.status());
  if (backend_config != nullptr) {
    HloInstruction* root = (*module)->entry_computation()->root_instruction();
    const absl::Status status = SetBackendConfig(*backend_config, root);
    if (!status.ok()) return Failure(status);
  }
  const absl::StatusOr<std::vector<Literal>> arguments =
      MakeFakeArguments(module->get(), /*pseudo_random=*/use_random_data);
  if (!arguments.ok()) return Failure(arguments.status());
  return RunOn(*std::move(module), *arguments, buffer_assignment_proto, run_hlo_passes);
}

// ---- Several devices --------------------------------------------------------------------------

absl::StatusOr<std::vector<Literal>> HloRunnerAgnosticTestBase::ExecuteReplicated(
    std::unique_ptr<HloModule> module, absl::Span<const Literal* const> arguments,
    int64_t num_devices, bool use_threads, bool run_hlo_passes) {
  return ExecuteReplicated(std::move(module), arguments, num_devices,
                           /*device_assignment=*/nullptr, run_hlo_passes, use_threads);
}

absl::StatusOr<std::vector<Literal>> HloRunnerAgnosticTestBase::ExecuteReplicated(
    std::unique_ptr<HloModule> module, absl::Span<const Literal* const> arguments,
    int64_t num_devices, DeviceAssignment* device_assignment, bool run_hlo_passes,
    bool use_threads) {
  HILO_RETURN_IF_ERROR(PreprocessModuleForTestRunner(module.get()));
  HloRunnerInterface::ReplicatedExecuteOptions options;
  options.num_devices = num_devices;
  options.arguments.assign(arguments.begin(), arguments.end());
  options.run_hlo_passes = run_hlo_passes;
  return test_runner_->ExecuteReplicated(std::move(module), options, device_assignment);
}

absl::StatusOr<std::vector<Literal>> HloRunnerAgnosticTestBase::ExecuteReplicated(
    absl::AnyInvocable<OpaqueExecutable*(int64_t)> executable_provider,
    absl::AnyInvocable<int64_t(int64_t)> argument_count_provider,
    absl::AnyInvocable<const Literal*(int64_t, int64_t)> argument_provider, int64_t num_devices,
    bool run_hlo_passes, DeviceAssignment* device_assignment) {
  HloRunnerInterface::ReplicatedExecuteOptions options;
  options.num_devices = num_devices;
  options.run_hlo_passes = run_hlo_passes;
  return test_runner_->ExecuteReplicated(std::move(executable_provider),
                                         std::move(argument_count_provider),
                                         std::move(argument_provider), options, device_assignment);
}

absl::StatusOr<std::vector<Literal>> HloRunnerAgnosticTestBase::ExecuteReplicated(
    std::unique_ptr<HloModule> module, std::vector<std::vector<Literal*>> arguments,
    int64_t num_devices, bool run_hlo_passes, DeviceAssignment* device_assignment) {
  if (static_cast<int64_t>(arguments.size()) != num_devices) {
    return InvalidArgument("arguments for %d devices were given, but there are %d",
                           arguments.size(), num_devices);
  }
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<OpaqueExecutable> executable,
                        CreateExecutable(std::move(module), run_hlo_passes));
  return ExecuteReplicated(
      [&](int64_t device) { return executable.get(); },
      [&](int64_t device) { return static_cast<int64_t>(arguments[device].size()); },
      [&](int64_t device, int64_t argument) { return arguments[device][argument]; }, num_devices,
      run_hlo_passes, device_assignment);
}

// ---- The program as it runs -------------------------------------------------------------------

absl::StatusOr<std::pair<const HloModule*, std::unique_ptr<OpaqueExecutable>>>
HloRunnerAgnosticTestBase::GetOptimizedModuleForExecutable(absl::string_view hlo_text,
                                                           const HloModuleConfig& config) {
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<VerifiedHloModule> module,
                        ParseAndReturnVerifiedModule(hlo_text, config));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<OpaqueExecutable> executable,
                        CreateExecutable(std::move(module), /*run_hlo_passes=*/true));
  HILO_ASSIGN_OR_RETURN(const HloModule* optimized,
                        test_runner_->HloModuleFromWrapped(executable.get()));
  return std::make_pair(optimized, std::move(executable));
}

absl::StatusOr<std::unique_ptr<HloModule>> HloRunnerAgnosticTestBase::GetOptimizedModule(
    absl::string_view hlo_text, const HloModuleConfig& config) {
  HILO_ASSIGN_OR_RETURN(const auto optimized, GetOptimizedModuleForExecutable(hlo_text, config));
  return optimized.first->Clone("");
}

absl::StatusOr<std::unique_ptr<HloModule>> HloRunnerAgnosticTestBase::GetOptimizedModule(
    absl::string_view hlo_text) {
  return GetOptimizedModule(hlo_text, GetModuleConfigForTest());
}

void HloRunnerAgnosticTestBase::MatchOptimizedHlo(absl::string_view hlo, absl::string_view pattern,
                                                  bool print_operand_shape) {
  const absl::StatusOr<std::unique_ptr<HloModule>> module = GetOptimizedModule(hlo);
  ASSERT_TRUE(module.ok()) << module.status();
  const HloPrintOptions options = HloPrintOptions().set_print_operand_shape(print_operand_shape);
  const std::string text = (*module)->ToString(options);
  const absl::Status status = CheckFile(text, pattern);
  EXPECT_TRUE(status.ok()) << status << "\n" << text;
}

// ---- Two programs -----------------------------------------------------------------------------

::testing::AssertionResult HloRunnerAgnosticTestBase::RunAndCompareTwoModules(
    std::unique_ptr<HloModule> module_0, std::unique_ptr<HloModule> module_1,
    absl::Span<const Literal* const> arguments, const std::optional<ErrorSpec>& error,
    bool run_hlo_passes) {
  const absl::StatusOr<Literal> expected = Execute(std::move(module_0), arguments, run_hlo_passes);
  if (!expected.ok()) return ResultOfRun(expected.status());
  const absl::StatusOr<Literal> actual = Execute(std::move(module_1), arguments, run_hlo_passes);
  if (!actual.ok()) return ResultOfRun(actual.status());
  return LiteralTestUtil::NearOrEqual(*expected, *actual, error);
}

::testing::AssertionResult HloRunnerAgnosticTestBase::RunAndCompareTwoModules(
    std::unique_ptr<HloModule> module_0, std::unique_ptr<HloModule> module_1,
    const std::optional<ErrorSpec>& error, bool run_hlo_passes,
    std::optional<int64_t> args_max_bits_of_precision) {
  const absl::StatusOr<std::vector<Literal>> arguments =
      MakeFakeArguments(module_0.get(), /*pseudo_random=*/true, /*use_large_range=*/false,
                        /*treat_gte_as_data_formatting=*/false, args_max_bits_of_precision);
  if (!arguments.ok()) return Failure(arguments.status());
  return RunAndCompareTwoModules(std::move(module_0), std::move(module_1),
                                 LiteralUtil::MakePointers(*arguments), error, run_hlo_passes);
}

::testing::AssertionResult HloRunnerAgnosticTestBase::RunAndCompareTwoModules(
    absl::string_view hlo_string_0, absl::string_view hlo_string_1,
    const std::optional<ErrorSpec>& error, bool run_hlo_passes,
    std::optional<int64_t> args_max_bits_of_precision) {
  return RunAndCompareTwoModules(hlo_string_0, hlo_string_1, GetModuleConfigForTest(),
                                 GetModuleConfigForTest(), error, run_hlo_passes,
                                 args_max_bits_of_precision);
}

::testing::AssertionResult HloRunnerAgnosticTestBase::RunAndCompareTwoModules(
    absl::string_view hlo_string_0, absl::string_view hlo_string_1, const HloModuleConfig& config_0,
    const HloModuleConfig& config_1, const std::optional<ErrorSpec>& error, bool run_hlo_passes,
    std::optional<int64_t> args_max_bits_of_precision) {
  absl::StatusOr<std::unique_ptr<VerifiedHloModule>> module_0 =
      ParseAndReturnVerifiedModule(hlo_string_0, config_0);
  if (!module_0.ok()) return Failure(module_0.status());
  absl::StatusOr<std::unique_ptr<VerifiedHloModule>> module_1 =
      ParseAndReturnVerifiedModule(hlo_string_1, config_1);
  if (!module_1.ok()) return Failure(module_1.status());
  return RunAndCompareTwoModules(*std::move(module_0), *std::move(module_1), error, run_hlo_passes,
                                 args_max_bits_of_precision);
}

::testing::AssertionResult HloRunnerAgnosticTestBase::RunAndCompareTwoModules(
    absl::string_view hlo_string_0, absl::string_view hlo_string_1,
    absl::Span<const Literal* const> arguments, const std::optional<ErrorSpec>& error,
    bool run_hlo_passes) {
  absl::StatusOr<std::unique_ptr<VerifiedHloModule>> module_0 =
      ParseAndReturnVerifiedModule(hlo_string_0);
  if (!module_0.ok()) return Failure(module_0.status());
  absl::StatusOr<std::unique_ptr<VerifiedHloModule>> module_1 =
      ParseAndReturnVerifiedModule(hlo_string_1);
  if (!module_1.ok()) return Failure(module_1.status());
  return RunAndCompareTwoModules(*std::move(module_0), *std::move(module_1), arguments, error,
                                 run_hlo_passes);
}

}  // namespace xla

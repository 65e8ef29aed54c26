#include "xla/tests/local_client_test_base.h"

#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "base/status_macros.h"

namespace xla {
namespace {

template <typename T>
T ValueOrDie(absl::StatusOr<T> value) {
  CHECK_OK(value.status());
  return *std::move(value);
}

}  // namespace

LocalClientTestBase::LocalClientTestBase(stream_executor::Platform* platform)
    : local_client_(ClientLibrary::LocalClientOrDie()) {}

std::string LocalClientTestBase::TestName() const {
  return ::testing::UnitTest::GetInstance()->current_test_info()->name();
}

ScopedShapedBuffer LocalClientTestBase::LiteralToShapedBuffer(const Literal& literal) {
  return ValueOrDie(
      local_client_->LiteralToShapedBuffer(literal, local_client_->default_device_ordinal()));
}

Literal LocalClientTestBase::ShapedBufferToLiteral(const ShapedBuffer& shaped_buffer) {
  return ValueOrDie(local_client_->ShapedBufferToLiteral(shaped_buffer));
}

absl::StatusOr<ScopedShapedBuffer> LocalClientTestBase::ExecuteLocally(
    const XlaComputation& computation, absl::Span<const ShapedBuffer* const> arguments) {
  return ExecuteLocally(computation, arguments, DefaultExecutableBuildOptions(),
                        DefaultExecutableRunOptions());
}

absl::StatusOr<ScopedShapedBuffer> LocalClientTestBase::ExecuteLocally(
    const XlaComputation& computation, absl::Span<const ShapedBuffer* const> arguments,
    const ExecutableBuildOptions& build_options, const ExecutableRunOptions& run_options) {
  std::vector<const Shape*> layouts;
  for (const ShapedBuffer* argument : arguments) layouts.push_back(&argument->on_host_shape());
  HILO_ASSIGN_OR_RETURN(const std::vector<std::unique_ptr<LocalExecutable>> executables,
                        local_client_->Compile(computation, layouts, build_options));
  return executables[0]->Run(arguments, run_options);
}

ScopedShapedBuffer LocalClientTestBase::ExecuteLocallyOrDie(
    const XlaComputation& computation, absl::Span<const ShapedBuffer* const> arguments) {
  return ValueOrDie(ExecuteLocally(computation, arguments));
}

ScopedShapedBuffer LocalClientTestBase::ExecuteLocallyOrDie(
    const XlaComputation& computation, absl::Span<const ShapedBuffer* const> arguments,
    const ExecutableBuildOptions& build_options, const ExecutableRunOptions& run_options) {
  return ValueOrDie(ExecuteLocally(computation, arguments, build_options, run_options));
}

absl::StatusOr<std::unique_ptr<VerifiedHloModule>>
LocalClientTestBase::ParseAndReturnVerifiedModule(absl::string_view hlo_text) {
  return ParseAndReturnVerifiedModule(hlo_text, HloModuleConfig());
}

absl::StatusOr<std::unique_ptr<VerifiedHloModule>>
LocalClientTestBase::ParseAndReturnVerifiedModule(absl::string_view hlo_text,
                                                  const HloModuleConfig& config) {
  auto module =
      std::make_unique<VerifiedHloModule>(TestName(), config, /*verifier_layout_sensitive=*/false,
                                          /*allow_mixed_precision_in_hlo_verifier=*/true);
  HILO_RETURN_IF_ERROR(module->ParseHloStringAndVerifyModule(hlo_text));
  return module;
}

ExecutableBuildOptions LocalClientTestBase::DefaultExecutableBuildOptions() const {
  ExecutableBuildOptions options;
  options.set_device_ordinal(local_client_->default_device_ordinal());
  return options;
}

ExecutableRunOptions LocalClientTestBase::DefaultExecutableRunOptions() const {
  ExecutableRunOptions options;
  options.set_device_ordinal(local_client_->default_device_ordinal());
  return options;
}

}  // namespace xla

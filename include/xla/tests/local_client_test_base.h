// The fixture of tests that compile and run with a LocalClient.
#ifndef XLA_TESTS_LOCAL_CLIENT_TEST_BASE_H_
#define XLA_TESTS_LOCAL_CLIENT_TEST_BASE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/client/client_library.h"
#include "xla/client/executable_build_options.h"
#include "xla/client/local_client.h"
#include "xla/executable_run_options.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/testlib/test.h"
#include "xla/hlo/testlib/verified_hlo_module.h"
#include "xla/literal.h"
#include "xla/service/hlo_module_config.h"
#include "xla/service/shaped_buffer.h"

namespace xla {

class LocalClientTestBase : public ::testing::Test {
 protected:
  // There is one platform, the host.
  explicit LocalClientTestBase(stream_executor::Platform* platform = nullptr);

  // The name of the test that runs.
  std::string TestName() const;

  // Copies between the host and the client's device. They CHECK that there is memory.
  ScopedShapedBuffer LiteralToShapedBuffer(const Literal& literal);
  Literal ShapedBufferToLiteral(const ShapedBuffer& shaped_buffer);

  // Compile for arguments of these shapes and run once. The ...OrDie forms CHECK that there is no
  // error.
  absl::StatusOr<ScopedShapedBuffer> ExecuteLocally(
      const XlaComputation& computation, absl::Span<const ShapedBuffer* const> arguments);
  absl::StatusOr<ScopedShapedBuffer> ExecuteLocally(const XlaComputation& computation,
                                                    absl::Span<const ShapedBuffer* const> arguments,
                                                    const ExecutableBuildOptions& build_options,
                                                    const ExecutableRunOptions& run_options);
  ScopedShapedBuffer ExecuteLocallyOrDie(const XlaComputation& computation,
                                         absl::Span<const ShapedBuffer* const> arguments);
  ScopedShapedBuffer ExecuteLocallyOrDie(const XlaComputation& computation,
                                         absl::Span<const ShapedBuffer* const> arguments,
                                         const ExecutableBuildOptions& build_options,
                                         const ExecutableRunOptions& run_options);

  // As in HloHardwareIndependentTestBase.
  absl::StatusOr<std::unique_ptr<VerifiedHloModule>> ParseAndReturnVerifiedModule(
      absl::string_view hlo_text);
  absl::StatusOr<std::unique_ptr<VerifiedHloModule>> ParseAndReturnVerifiedModule(
      absl::string_view hlo_text, const HloModuleConfig& config);

  // Those of the client's default device.
  ExecutableBuildOptions DefaultExecutableBuildOptions() const;
  ExecutableRunOptions DefaultExecutableRunOptions() const;

  LocalClient* local_client_;
};

}  // namespace xla

#endif  // XLA_TESTS_LOCAL_CLIENT_TEST_BASE_H_

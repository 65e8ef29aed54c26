// The fixture of tests that compile and run with a LocalClient.
#ifndef XLA_TESTS_LOCAL_CLIENT_TEST_BASE_H_
#define XLA_TESTS_LOCAL_CLIENT_TEST_BASE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
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
#include "xla/service/transfer_manager.h"
#include "xla/stream_executor/device_address.h"
#include "xla/stream_executor/device_address_allocator.h"
#include "xla/stream_executor/platform.h"
#include "xla/stream_executor/stream_executor.h"
#include "xla/stream_executor/stream_executor_address_allocator.h"

namespace xla {

// An allocator that counts, in all or for one device.
class TestAllocator : public stream_executor::StreamExecutorAddressAllocator {
 public:
  explicit TestAllocator(stream_executor::Platform* platform);

  using stream_executor::StreamExecutorAddressAllocator::Allocate;
  absl::StatusOr<stream_executor::ScopedDeviceAddress<uint8_t>> Allocate(
      int device_ordinal, uint64_t size, bool retry_on_failure, int64_t memory_space) override;
  absl::Status Deallocate(int device_ordinal, stream_executor::DeviceAddressBase memory) override;

  int64_t allocation_count() const;
  int64_t allocation_count(int device_ordinal) const;
  int64_t deallocation_count() const;
  int64_t deallocation_count(int device_ordinal) const;

 private:
  mutable std::mutex count_mutex_;
  std::map<int, int64_t> allocations_, deallocations_;
};

class LocalClientTestBase : public ::testing::Test {
 protected:
  // The threads of a pool with so many, for run options.
  struct EigenThreadPoolWrapper;

  // Null stands for the default platform.
  explicit LocalClientTestBase(stream_executor::Platform* platform = nullptr);
  ~LocalClientTestBase() override;

  // One for the process and platform. CHECKs that there are devices.
  static TestAllocator* GetOrCreateAllocator(stream_executor::Platform* platform);

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

  // Those of the client's default device; runs use the counting allocator.
  ExecutableBuildOptions DefaultExecutableBuildOptions() const;
  ExecutableRunOptions DefaultExecutableRunOptions() const;

  LocalClient* local_client_;
  stream_executor::StreamExecutor* stream_executor_;
  TransferManager* transfer_manager_;
  std::unique_ptr<EigenThreadPoolWrapper> thread_pool_wrapper_;
  static TestAllocator* allocator_;
};

}  // namespace xla

#endif  // XLA_TESTS_LOCAL_CLIENT_TEST_BASE_H_

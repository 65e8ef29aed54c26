#include "xla/tests/local_client_test_base.h"

#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "base/status_macros.h"
#include "xla/service/platform_util.h"
#include "xla/tsl/platform/env.h"
#include "xla/tsl/platform/threadpool.h"

#define EIGEN_USE_THREADS
#include "unsupported/Eigen/CXX11/Tensor"

namespace xla {
namespace {

template <typename T>
T ValueOrDie(absl::StatusOr<T> value) {
  CHECK_OK(value.status());
  return *std::move(value);
}

int64_t Sum(const std::map<int, int64_t>& counts) {
  int64_t sum = 0;
  for (const auto& [device, count] : counts) sum += count;
  return sum;
}

int64_t At(const std::map<int, int64_t>& counts, int device) {
  const auto found = counts.find(device);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

TestAllocator::TestAllocator(stream_executor::Platform* platform)
    : StreamExecutorAddressAllocator(platform,
                                     ValueOrDie(PlatformUtil::GetStreamExecutors(platform))) {}

absl::StatusOr<stream_executor::ScopedDeviceAddress<uint8_t>> TestAllocator::Allocate(
    int device_ordinal, uint64_t size, bool retry_on_failure, int64_t memory_space) {
  {
    const std::lock_guard<std::mutex> lock(count_mutex_);
    ++allocations_[device_ordinal];
  }
  HILO_ASSIGN_OR_RETURN(stream_executor::OwningDeviceAddress memory,
                        StreamExecutorAddressAllocator::Allocate(device_ordinal, size,
                                                                 retry_on_failure, memory_space));
  return stream_executor::ScopedDeviceAddress<uint8_t>(memory.Release(), device_ordinal, this);
}

absl::Status TestAllocator::Deallocate(int device_ordinal,
                                       stream_executor::DeviceAddressBase memory) {
  {
    const std::lock_guard<std::mutex> lock(count_mutex_);
    ++deallocations_[device_ordinal];
  }
  return StreamExecutorAddressAllocator::Deallocate(device_ordinal, memory);
}

int64_t TestAllocator::allocation_count() const {
  const std::lock_guard<std::mutex> lock(count_mutex_);
  return Sum(allocations_);
}
int64_t TestAllocator::allocation_count(int device_ordinal) const {
  const std::lock_guard<std::mutex> lock(count_mutex_);
  return At(allocations_, device_ordinal);
}
int64_t TestAllocator::deallocation_count() const {
  const std::lock_guard<std::mutex> lock(count_mutex_);
  return Sum(deallocations_);
}
int64_t TestAllocator::deallocation_count(int device_ordinal) const {
  const std::lock_guard<std::mutex> lock(count_mutex_);
  return At(deallocations_, device_ordinal);
}

struct LocalClientTestBase::EigenThreadPoolWrapper {
  EigenThreadPoolWrapper()
      : pool(tsl::Env::Default(), tsl::ThreadOptions(), "test", kThreads,
             /*low_latency_hint=*/false),
        device(pool.AsEigenThreadPool(), kThreads) {}
  static constexpr int kThreads = 2;
  tsl::thread::ThreadPool pool;
  Eigen::ThreadPoolDevice device;
};

TestAllocator* LocalClientTestBase::allocator_ = nullptr;

TestAllocator* LocalClientTestBase::GetOrCreateAllocator(stream_executor::Platform* platform) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (allocator_ == nullptr) {
    allocator_ = new TestAllocator(
        platform != nullptr ? platform : ValueOrDie(PlatformUtil::GetDefaultPlatform()));
  }
  return allocator_;
}

LocalClientTestBase::LocalClientTestBase(stream_executor::Platform* platform)
    : local_client_(ValueOrDie(ClientLibrary::GetOrCreateLocalClient(platform))),
      stream_executor_(local_client_->backend().default_stream_executor()),
      transfer_manager_(local_client_->backend().transfer_manager()),
      thread_pool_wrapper_(std::make_unique<EigenThreadPoolWrapper>()) {
  GetOrCreateAllocator(local_client_->platform());
}

LocalClientTestBase::~LocalClientTestBase() = default;

std::string LocalClientTestBase::TestName() const {
  return ::testing::UnitTest::GetInstance()->current_test_info()->name();
}

ScopedShapedBuffer LocalClientTestBase::LiteralToShapedBuffer(const Literal& literal) {
  return ValueOrDie(local_client_->LiteralToShapedBuffer(
      literal, local_client_->default_device_ordinal(), allocator_));
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
  options.set_intra_op_thread_pool(&thread_pool_wrapper_->device);
  options.set_allocator(allocator_);
  return options;
}

}  // namespace xla

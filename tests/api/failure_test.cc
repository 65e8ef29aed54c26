// Runs of the local client that fail: afterwards it works as before, and no memory is gone.
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"
#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"
#include "xla/stream_executor/device_address_allocator.h"

namespace xla {
namespace {

// Another allocator's memory, as long as there is not too much of it.
class LimitedAllocator : public stream_executor::DeviceAddressAllocator {
 public:
  LimitedAllocator(stream_executor::DeviceAddressAllocator& from, uint64_t limit)
      : DeviceAddressAllocator(from.platform()), from_(from), limit_(limit) {}
  int64_t in_use() const { return in_use_; }

  using DeviceAddressAllocator::Allocate;
  absl::StatusOr<stream_executor::OwningDeviceAddress> Allocate(int device, uint64_t size,
                                                                bool retry_on_failure,
                                                                int64_t memory_space) override {
    if (size > limit_) return absl::ResourceExhaustedError("more than the limit");
    auto memory = from_.Allocate(device, size, retry_on_failure, memory_space);
    if (!memory.ok()) return memory.status();
    in_use_ += static_cast<int64_t>(size);
    return stream_executor::OwningDeviceAddress(memory->Release(), device, this);
  }
  absl::Status Deallocate(int device, stream_executor::DeviceAddressBase memory) override {
    in_use_ -= static_cast<int64_t>(memory.size());
    return from_.Deallocate(device, memory);
  }
  absl::StatusOr<stream_executor::Stream*> GetStream(int device) override {
    return from_.GetStream(device);
  }

 private:
  stream_executor::DeviceAddressAllocator& from_;
  const uint64_t limit_;
  std::atomic<int64_t> in_use_ = 0;
};

constexpr char kNegate[] =
    "HloModule m ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)"
    "  ROOT r = f32[4] negate(x) }";

class LocalFailureTest : public ::testing::Test {
 protected:
  Literal Four() { return LiteralUtil::CreateR1<float>({1, 2, 3, 4}); }

  std::unique_ptr<LocalExecutable> Compile(const char* text) {
    const XlaComputation computation(ParseAndReturnUnverifiedModule(text).value()->ToProto());
    const Shape shape = Four().shape();
    return std::move(
        client_.Compile(computation, {&shape, &shape}, ExecutableBuildOptions()).value()[0]);
  }

  // Runs with one argument lent and one donated.
  void ExpectFailure(const char* text, absl::StatusCode code) {
    LimitedAllocator allocator(*client_.mutable_backend()->memory_allocator(), 1000);
    const std::unique_ptr<LocalExecutable> executable = Compile(text);
    const ScopedShapedBuffer x = client_.LiteralToShapedBuffer(Four(), 0, &allocator).value();
    const int64_t before = allocator.in_use();
    ExecutableRunOptions options;
    options.set_allocator(&allocator);
    for (const bool waits : {true, false, true}) {
      std::vector<ExecutionInput> arguments;
      arguments.emplace_back(x);
      arguments.emplace_back(client_.LiteralToShapedBuffer(Four(), 0, &allocator).value());
      absl::Status status;
      if (waits) {
        status = executable->Run(std::move(arguments), options).status();
      } else {
        // The error comes with the result, or at once.
        absl::StatusOr<ExecutionOutput> output =
            executable->RunAsync(std::move(arguments), options);
        status = output.ok() ? output->Result().Await() : output.status();
      }
      EXPECT_EQ(status.code(), code) << status;
      EXPECT_EQ(allocator.in_use(), before);
    }
    EXPECT_EQ(client_.ShapedBufferToLiteral(x).value(), Four());
    const ScopedShapedBuffer result =
        Compile(kNegate)->RunAsync(std::vector<const ShapedBuffer*>{&x, &x}, options).value();
    EXPECT_EQ(client_.ShapedBufferToLiteral(result).value(),
              LiteralUtil::CreateR1<float>({-1, -2, -3, -4}));
  }

  LocalClient& client_ = *ClientLibrary::LocalClientOrDie();
};

TEST_F(LocalFailureTest, ResultLargerThanTheLimit) {
  ExpectFailure(R"(
HloModule m
ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)
  b = f32[4,1000] broadcast(x), dimensions={0}  ROOT r = (f32[4], f32[4,1000]) tuple(y, b) })",
                absl::StatusCode::kResourceExhausted);
}

// 1 TiB.
TEST_F(LocalFailureTest, TemporariesLargerThanMemory) {
  ExpectFailure(R"(
HloModule m
ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)  s = f32[1] slice(x), slice={[0:1]}
  t = f32[] reshape(s)  i = f32[274877906944] iota(), iota_dimension=0
  b = f32[274877906944] broadcast(t), dimensions={}  p = f32[274877906944] multiply(i, b)
  ROOT first = f32[4] custom-call(p), custom_call_target="local_failure_test",
    api_version=API_VERSION_STATUS_RETURNING })",
                absl::StatusCode::kResourceExhausted);
}

void Fail(void*, const void**, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, "not today", 9);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("local_failure_test", Fail);

TEST_F(LocalFailureTest, CustomCallFails) {
  ExpectFailure(R"(
HloModule m, input_output_alias={ {1}: (1, {}, may-alias) }
ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)
  c = f32[4] custom-call(x), custom_call_target="local_failure_test",
    api_version=API_VERSION_STATUS_RETURNING
  n = f32[4] negate(y)  ROOT r = (f32[4], f32[4]) tuple(c, n) })",
                absl::StatusCode::kInternal);
}

// What a run reads must be there; here it fails, and so does what reads its result.
TEST_F(LocalFailureTest, ErrorsAreHandedOn) {
  const ScopedShapedBuffer x = client_.LiteralToShapedBuffer(Four(), 0).value();
  const std::unique_ptr<LocalExecutable> failing = Compile(R"(
HloModule m
ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)
  ROOT c = f32[4] custom-call(x), custom_call_target="local_failure_test",
    api_version=API_VERSION_STATUS_RETURNING })");
  const std::unique_ptr<LocalExecutable> negate = Compile(kNegate);
  const std::vector<const ShapedBuffer*> first = {&x, &x};
  const ScopedShapedBuffer bad = failing->RunAsync(first, ExecutableRunOptions()).value();
  const std::vector<const ShapedBuffer*> second = {&bad, &x};
  const ScopedShapedBuffer next = negate->RunAsync(second, ExecutableRunOptions()).value();
  EXPECT_TRUE(absl::IsInternal(next.Await())) << next.Await();
  EXPECT_TRUE(absl::IsInternal(client_.ShapedBufferToLiteral(bad).status()));
}

}  // namespace
}  // namespace xla

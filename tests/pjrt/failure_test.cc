// Executions that fail: afterwards the client works as before, and no buffer is gone but those that
// were donated.
#include <atomic>
#include <cstdlib>

#include "tests/pjrt/pjrt_testing.h"
#include "xla/ffi/ffi.h"
#include "xla/ffi/ffi_api.h"
#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

constexpr char kIncrement[] = R"(
HloModule increment, input_output_alias={ {}: 0 }
ENTRY e { p = f32[4] parameter(0)  one = f32[] constant(1)
  ones = f32[4] broadcast(one), dimensions={}  ROOT r = f32[4] add(p, ones) })";

Literal Four() { return LiteralUtil::CreateR1<float>({1, 2, 3, 4}); }

// Runs a program that fails with x lent and y donated, and looks at what is left.
class FailureTest : public ::testing::Test {
 protected:
  void ExpectFailure(absl::string_view text, absl::StatusCode code) {
    const auto executable = CompileText(*client_, text);
    const auto x = Put(*client_, Four());
    const int64_t bytes = BytesInUse(*client_);
    for (const bool wants_future : {true, false}) {
      auto y = Put(*client_, Four());
      std::optional<std::vector<Future<>>> futures;
      if (wants_future) futures.emplace();
      auto results = executable->Execute({{x.get(), y.get()}}, {}, futures);
      ASSERT_TRUE(results.ok()) << results.status();
      EXPECT_TRUE(y->IsDeleted());
      if (wants_future) {
        EXPECT_EQ((*futures)[0].Await().code(), code) << (*futures)[0].Await();
      }
      for (const auto& result : (*results)[0]) {
        EXPECT_EQ(result->GetReadyFuture().Await().code(), code);
        EXPECT_EQ(result->ToLiteralSync().status().code(), code);
      }
      // What uses the results fails likewise.
      const auto next = RunProgram(*increment_, {(*results)[0].back().get()}).value();
      EXPECT_EQ(next[0]->ToLiteralSync().status().code(), code);
    }
    EXPECT_EQ(BytesInUseInTheEnd(*client_, bytes), bytes);
    EXPECT_EQ(*x->ToLiteralSync().value(), Four());
    ExpectThatItWorks();
  }

  void ExpectThatItWorks() {
    const auto x = Put(*client_, Four());
    const auto results = RunProgram(*increment_, {x.get()}).value();
    EXPECT_EQ(*results[0]->ToLiteralSync().value(), LiteralUtil::CreateR1<float>({2, 3, 4, 5}));
  }

  const std::unique_ptr<PjRtClient> client_ = MakeClient();
  const std::unique_ptr<PjRtLoadedExecutable> increment_ = CompileText(*client_, kIncrement);
};

// 1 TiB each.
TEST_F(FailureTest, ResultLargerThanMemory) {
  ExpectFailure(R"(
HloModule m, input_output_alias={ {1}: 1 }
ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)  s = f32[1] slice(x), slice={[0:1]}
  t = f32[] reshape(s)  large = f32[274877906944] broadcast(t), dimensions={}
  n = f32[4] negate(y)  ROOT r = (f32[274877906944], f32[4]) tuple(large, n) })",
                absl::StatusCode::kResourceExhausted);
}

TEST_F(FailureTest, TemporariesLargerThanMemory) {
  ExpectFailure(R"(
HloModule m, input_output_alias={ {1}: 1 }
ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)  s = f32[1] slice(x), slice={[0:1]}
  t = f32[] reshape(s)  i = f32[274877906944] iota(), iota_dimension=0
  b = f32[274877906944] broadcast(t), dimensions={}  p = f32[274877906944] multiply(i, b)
  first = f32[4] custom-call(p), custom_call_target="failure_test_always",
    api_version=API_VERSION_STATUS_RETURNING
  n = f32[4] negate(y)
  ROOT r = (f32[4], f32[4]) tuple(first, n) })",
                absl::StatusCode::kResourceExhausted);
}

void AlwaysFails(void* out, const void** in, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, "not today", 9);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("failure_test_always", AlwaysFails);

TEST_F(FailureTest, CustomCallFails) {
  ExpectFailure(R"(
HloModule m, input_output_alias={ {1}: 1 }
ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)
  c = f32[4] custom-call(x), custom_call_target="failure_test_always",
    api_version=API_VERSION_STATUS_RETURNING
  n = f32[4] negate(y)  ROOT r = (f32[4], f32[4]) tuple(c, n) })",
                absl::StatusCode::kInternal);
}

absl::Status Refuse(ffi::AnyBuffer, ffi::Result<ffi::AnyBuffer>) {
  return absl::FailedPreconditionError("the handler refuses");
}
XLA_FFI_DEFINE_HANDLER(kRefuse, Refuse,
                       ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "failure_test_refuse", "Host", kRefuse);

TEST_F(FailureTest, HandlerFails) {
  ExpectFailure(R"(
HloModule m, input_output_alias={ {1}: 1 }
ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)
  c = f32[4] custom-call(x), custom_call_target="failure_test_refuse",
    api_version=API_VERSION_TYPED_FFI
  n = f32[4] negate(y)  ROOT r = (f32[4], f32[4]) tuple(c, n) })",
                absl::StatusCode::kFailedPrecondition);
}

TEST_F(FailureTest, ArgumentIsAnError) {
  auto x = client_
               ->CreateErrorBuffer(absl::DataLossError("it burned"), ShapeUtil::MakeShape(F32, {4}),
                                   SpaceOf(*client_))
               .value();
  auto y = Put(*client_, Four());
  const auto add = CompileText(*client_, R"(
HloModule m, input_output_alias={ {}: 1 }
ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)  ROOT r = f32[4] add(x, y) })");
  {
    const auto results = RunProgram(*add, {x.get(), y.get()}).value();
    EXPECT_TRUE(absl::IsDataLoss(results[0]->ToLiteralSync().status()));
    EXPECT_TRUE(y->IsDeleted());
    EXPECT_FALSE(x->IsDeleted());
  }
  EXPECT_EQ(BytesInUseInTheEnd(*client_, 0), 0);
  // A call that is wrong takes nothing.
  y = Put(*client_, Four());
  const auto other = Put(*client_, LiteralUtil::CreateR1<float>({1}));
  EXPECT_TRUE(absl::IsInvalidArgument(RunProgram(*add, {other.get(), y.get()}).status()));
  EXPECT_FALSE(y->IsDeleted());
  EXPECT_EQ(*y->ToLiteralSync().value(), Four());
  ExpectThatItWorks();
}

TEST_F(FailureTest, NobodyWaits) {
  const auto x = Put(*client_, Four());
  const int64_t bytes = BytesInUse(*client_);
  const auto slow = CompileText(*client_, R"(
HloModule m
ENTRY e { x = f32[4] parameter(0)  b = f32[4,300,300] broadcast(x), dimensions={0}
  d = f32[4,300,300] dot(b, b), lhs_batch_dims={0}, rhs_batch_dims={0},
    lhs_contracting_dims={2}, rhs_contracting_dims={1}
  ROOT r = f32[4,300,300] tanh(d) })");
  for (int i = 0; i < 10; ++i) {
    std::optional<std::vector<Future<>>> futures;
    if (i % 2 == 0) futures.emplace();
    ASSERT_TRUE(slow->Execute({{x.get()}}, {}, futures).ok());
  }
  EXPECT_EQ(BytesInUseInTheEnd(*client_, bytes), bytes);
  ExpectThatItWorks();
}

// Memory of at most so many bytes.
class Budget : public std::enable_shared_from_this<Budget> {
 public:
  explicit Budget(int64_t bytes) : left_(bytes) {}
  int64_t left() const { return left_; }
  absl::StatusOr<std::unique_ptr<CpuMemory>> Allocate(size_t size, size_t alignment) {
    if (left_.fetch_sub(size) < static_cast<int64_t>(size)) {
      left_ += size;
      return absl::ResourceExhaustedError("the budget is spent");
    }
    return std::make_unique<Block>(shared_from_this(), size, alignment);
  }

 private:
  class Block : public CpuMemory {
   public:
    Block(std::shared_ptr<Budget> budget, size_t size, size_t alignment)
        : budget_(std::move(budget)),
          base_(std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)),
          size_(size) {}
    ~Block() override {
      std::free(base_);
      budget_->left_ += size_;
    }
    void* base() const override { return base_; }
    size_t size_bytes() const override { return size_; }

   private:
    const std::shared_ptr<Budget> budget_;
    void* const base_;
    const size_t size_;
  };

  std::atomic<int64_t> left_;
};

std::unique_ptr<PjRtClient> ClientWith(const std::shared_ptr<Budget>& budget) {
  CpuClientOptions options;
  options.cpu_device_count = 1;
  options.allocator = [budget](size_t size, size_t alignment) {
    return budget->Allocate(size, alignment);
  };
  return GetPjRtCpuClient(options).value();
}

TEST(AllocatorTest, TheClientSetsALimit) {
  constexpr int64_t kLimit = 10000;
  const auto budget = std::make_shared<Budget>(kLimit);
  std::unique_ptr<PjRtClient> client = ClientWith(budget);
  const auto grow = CompileText(*client, R"(
HloModule m
ENTRY e { x = f32[4] parameter(0)  ROOT r = f32[4,1000] broadcast(x), dimensions={0} })");
  const auto increment = CompileText(*client, kIncrement);
  auto x = Put(*client, Four());
  EXPECT_EQ(budget->left(), kLimit - 16);
  EXPECT_EQ(BytesInUse(*client), 16);
  for (int i = 0; i < 3; ++i) {
    const absl::Status status = RunProgram(*grow, {x.get()}).value()[0]->GetReadyFuture().Await();
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_THAT(Message(status), HasSubstr("the budget is spent"));
  }
  Literal large(ShapeUtil::MakeShape(F32, {4000}));
  EXPECT_TRUE(
      absl::IsResourceExhausted(client->BufferFromHostLiteral(large, SpaceOf(*client)).status()));
  EXPECT_TRUE(absl::IsResourceExhausted(
      client->CreateUninitializedBuffer(large.shape(), SpaceOf(*client)).status()));
  // Donated memory stays where it is.
  for (int i = 0; i < 3; ++i) x = std::move(RunProgram(*increment, {x.get()}).value()[0]);
  EXPECT_EQ(*x->ToLiteralSync().value(), LiteralUtil::CreateR1<float>({4, 5, 6, 7}));
  EXPECT_EQ(budget->left(), kLimit - 16);
  // Buffers may go after their client.
  client.reset();
  x.reset();
  EXPECT_EQ(budget->left(), kLimit);
}

TEST(AllocatorTest, GivesTooLittle) {
  CpuClientOptions options;
  options.cpu_device_count = 1;
  const auto budget = std::make_shared<Budget>(1 << 20);
  options.allocator = [budget](size_t, size_t alignment) { return budget->Allocate(1, alignment); };
  const std::unique_ptr<PjRtClient> client = GetPjRtCpuClient(options).value();
  EXPECT_TRUE(absl::IsInternal(client->BufferFromHostLiteral(Four(), SpaceOf(*client)).status()));
  EXPECT_EQ(budget->left(), 1 << 20);
}

// The client goes while executions run, wait in the queue, wait for arguments, and wait for other
// devices.
TEST(CancellationTest, TheClientGoesWhileWorkIsQueued) {
  const auto budget = std::make_shared<Budget>(1 << 30);
  for (int round = 0; round < 5; ++round) {
    std::unique_ptr<PjRtClient> client = ClientWith(budget);
    const auto slow = CompileText(*client, R"(
HloModule m
ENTRY e { x = f32[4] parameter(0)  b = f32[4,100,100] broadcast(x), dimensions={0}
  d = f32[4,100,100] dot(b, b), lhs_batch_dims={0}, rhs_batch_dims={0},
    lhs_contracting_dims={2}, rhs_contracting_dims={1}
  ROOT r = f32[4,100,100] tanh(d) })");
    const auto increment = CompileText(*client, kIncrement);
    auto x = Put(*client, Four());
    std::vector<std::unique_ptr<PjRtBuffer>> results;
    std::vector<Future<>> futures;
    for (int i = 0; i < 50; ++i) {
      results.push_back(std::move(RunProgram(*slow, {x.get()}).value()[0]));
      futures.push_back(results.back()->GetReadyFuture());
      if (i % 3 == 0) results.pop_back();
    }
    auto manager =
        client
            ->CreateBuffersForAsyncHostToDevice({ShapeUtil::MakeShape(F32, {4})}, SpaceOf(*client))
            .value();
    auto late = manager->RetrieveBuffer(0);
    for (int i = 0; i < 10; ++i) {
      late = std::move(RunProgram(*increment, {late.get()}).value()[0]);
      futures.push_back(late->GetReadyFuture());
    }
    const Future<std::shared_ptr<Literal>> copy = late->ToLiteral();
    client.reset();
    for (const Future<>& future : futures) {
      const absl::Status status = future.Await();
      EXPECT_TRUE(status.ok() || absl::IsCancelled(status)) << status;
    }
    EXPECT_TRUE(absl::IsCancelled(copy.Await().status()));
    manager.reset();
  }
  EXPECT_EQ(budget->left(), 1 << 30);
}

}  // namespace
}  // namespace xla

// The local client as programs use it: buffers, streams, devices, options, asynchronous runs,
// donation.
#include "xla/client/local_client.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/client/client_library.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"
#include "xla/service/computation_placer.h"
#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"
#include "xla/service/platform_util.h"
#include "xla/stream_executor/stream_executor_address_allocator.h"
#include "xla/tsl/platform/env.h"

namespace xla {
namespace {

using ::absl_testing::StatusIs;
using ::testing::HasSubstr;

LocalClient& Client() { return *ClientLibrary::LocalClientOrDie(); }

XlaComputation Computation(const std::string& text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module.status());
  return XlaComputation((*module)->ToProto());
}

std::unique_ptr<LocalExecutable> Compile(const XlaComputation& computation,
                                         const ExecutableBuildOptions& options = {}) {
  const ProgramShape shape = computation.GetProgramShape().value();
  std::vector<const Shape*> arguments;
  for (const Shape& parameter : shape.parameters()) arguments.push_back(&parameter);
  auto executables = Client().Compile(computation, arguments, options);
  EXPECT_OK(executables.status());
  return std::move(executables->front());
}

ScopedShapedBuffer OnDevice(const Literal& literal, int device = 0) {
  return Client().LiteralToShapedBuffer(literal, device).value();
}
Literal FromDevice(const ShapedBuffer& buffer) {
  return Client().ShapedBufferToLiteral(buffer).value();
}

const XlaComputation& Increment() {
  static const auto* const computation = new XlaComputation(
      Computation("ENTRY e { x = s32[3] parameter(0)  one = s32[] constant(1)  "
                  "ones = s32[3] broadcast(one), dimensions={}  ROOT y = s32[3] add(x, ones) }"));
  return *computation;
}

Literal Vector(int32_t a, int32_t b, int32_t c) {
  return LiteralUtil::CreateR1<int32_t>({a, b, c});
}

// Several devices for a while.
class ManyDevices {
 public:
  explicit ManyDevices(int count) {
    tsl::setenv("XLA_FLAGS", absl::StrCat("--xla_force_host_platform_device_count=", count).c_str(),
                1);
    Restart();
  }
  ~ManyDevices() {
    tsl::unsetenv("XLA_FLAGS");
    Restart();
  }

 private:
  static void Restart() { ClientLibrary::DestroyLocalInstances(); }
};

// ---- Buffers

TEST(LocalClientTest, ValuesOfAnyShapeGoThereAndBack) {
  Literal dynamic(ShapeUtil::MakeShape(S32, {4}, {true}));
  dynamic.SetDynamicSize(0, 2);
  dynamic.Set<int32_t>({0}, 7);
  dynamic.Set<int32_t>({1}, 8);
  for (const Literal* value : std::initializer_list<const Literal*>{
           new Literal(LiteralUtil::CreateR0<bool>(true)),
           new Literal(LiteralUtil::CreateR2WithLayout<float>({{1, 2, 3}, {4, 5, 6}},
                                                              LayoutUtil::MakeLayout({0, 1}))),
           new Literal(LiteralUtil::CreateR1<double>({})), new Literal(LiteralUtil::MakeTuple({})),
           new Literal(LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<int8_t>(3),
                                                   LiteralUtil::MakeTupleOwned(Vector(1, 2, 3)))),
           new Literal(std::move(dynamic))}) {
    const std::unique_ptr<const Literal> owned(value);
    EXPECT_EQ(FromDevice(OnDevice(*value)), *value) << value->ToString();
  }
}

TEST(LocalClientTest, ResultsHaveTheSizesThatTheyGot) {
  const auto executable =
      Compile(Computation("ENTRY e { x = s32[3] parameter(0)  n = s32[] parameter(1)  "
                          "ROOT y = s32[<=3] set-dimension-size(x, n), dimensions={0} }"));
  const ScopedShapedBuffer x = OnDevice(Vector(1, 2, 3));
  const ScopedShapedBuffer n = OnDevice(LiteralUtil::CreateR0<int32_t>(2));
  const std::vector<const ShapedBuffer*> arguments = {&x, &n};
  const auto result = executable->Run(arguments, {});
  ASSERT_OK(result.status());
  EXPECT_EQ(FromDevice(*result).ToStatic(), LiteralUtil::CreateR1<int32_t>({1, 2}));
  Shape shape = result->on_device_shape();
  auto stream = Client().mutable_backend()->BorrowStream(0).value();
  ASSERT_OK(
      Client().backend().transfer_manager()->ReadDynamicShapes(stream.get(), &*result, &shape));
  EXPECT_EQ(shape.ToString(), "s32[2]");
}

TEST(LocalClientTest, LayoutsOfArgumentsAndResult) {
  const auto computation =
      Computation("ENTRY e { x = f32[2,3] parameter(0)  ROOT y = f32[2,3] negate(x) }");
  ExecutableBuildOptions options;
  options.set_result_layout(ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1}));
  const auto executable = Compile(computation, options);
  for (const auto& minor_to_major : {std::vector<int64_t>{0, 1}, std::vector<int64_t>{1, 0}}) {
    const ScopedShapedBuffer x = OnDevice(LiteralUtil::CreateR2WithLayout<float>(
        {{1, 2, 3}, {4, 5, 6}}, LayoutUtil::MakeLayout(minor_to_major)));
    const auto result = executable->Run({&x}, {});
    ASSERT_OK(result.status());
    EXPECT_EQ(result->on_device_shape().layout().minor_to_major()[0], 0);
    EXPECT_EQ(static_cast<const float*>(result->root_buffer().opaque())[1], -4);
    EXPECT_EQ(FromDevice(*result), LiteralUtil::CreateR2<float>({{-1, -2, -3}, {-4, -5, -6}}));
  }
}

// Memory of malloc, which is not aligned as programs want it.
class MallocAllocator : public se::DeviceAddressAllocator {
 public:
  MallocAllocator() : DeviceAddressAllocator(Client().platform()) {}
  using DeviceAddressAllocator::Allocate;
  absl::StatusOr<se::OwningDeviceAddress> Allocate(int device, uint64_t size, bool,
                                                   int64_t) override {
    ++live;
    char* const memory = static_cast<char*>(std::malloc(size + 100));
    // Neither aligned nor at its beginning.
    char* const shifted = memory + 64 - reinterpret_cast<uintptr_t>(memory) % 64 + 4;
    reinterpret_cast<char*&>(begin_[shifted]) = memory;
    return se::OwningDeviceAddress(se::DeviceAddressBase(shifted, size), device, this);
  }
  absl::Status Deallocate(int, se::DeviceAddressBase memory) override {
    if (memory.is_null()) return absl::OkStatus();
    --live;
    std::free(begin_[memory.opaque()]);
    begin_.erase(memory.opaque());
    return absl::OkStatus();
  }
  absl::StatusOr<se::Stream*> GetStream(int) override { return absl::UnimplementedError(""); }

  int live = 0;

 private:
  std::map<void*, char*> begin_;
};

TEST(LocalClientTest, MemoryOfTheClientsOwnAllocator) {
  MallocAllocator allocator;
  {
    ExecutableRunOptions options;
    options.set_allocator(&allocator);
    ScopedShapedBuffer x = Client().LiteralToShapedBuffer(Vector(1, 2, 3), 0, &allocator).value();
    EXPECT_EQ(x.memory_allocator(), &allocator);
    const auto executable = Compile(Increment());
    const auto y = executable->Run({&x}, options);
    ASSERT_OK(y.status());
    EXPECT_EQ(y->memory_allocator(), &allocator);
    EXPECT_EQ(FromDevice(*y), Vector(2, 3, 4));
    EXPECT_EQ(allocator.live, 2);
    std::vector<ExecutionInput> donated;
    donated.emplace_back(std::move(x));
    ASSERT_OK(executable->Run(std::move(donated), options).status());
    EXPECT_EQ(allocator.live, 1);
  }
  EXPECT_EQ(allocator.live, 0);
}

TEST(LocalClientTest, AllocatedBuffersHaveMemoryForEachArray) {
  const Shape shape = ShapeUtil::MakeTupleShape(
      {ShapeUtil::MakeShape(S32, {3}), ShapeUtil::MakeShape(F64, {2}, {true})});
  const auto buffer = Client().AllocateShapedBuffer(shape, 0);
  ASSERT_OK(buffer.status());
  EXPECT_TRUE(buffer->root_buffer().is_null());
  EXPECT_EQ(buffer->buffer({0}).size(), 12);
  EXPECT_EQ(buffer->buffer({1}).size(), 2 * 8 + 4);
  EXPECT_THAT(buffer->ToString(), HasSubstr("{0}"));
}

TEST(LocalClientTest, WrongMemoryOfArgumentsIsAnError) {
  const auto executable = Compile(Increment());
  const ShapedBuffer without_memory(ShapeUtil::MakeShape(S32, {3}), 0);
  EXPECT_THAT(executable->Run({&without_memory}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("argument 0 has 0 bytes of memory at {}, but s32[3] takes 12")));
  const ScopedShapedBuffer other = OnDevice(LiteralUtil::CreateR1<int32_t>({1, 2}));
  EXPECT_THAT(executable->Run({&other}, {}), StatusIs(absl::StatusCode::kInvalidArgument));
  const std::vector<const ShapedBuffer*> none;
  EXPECT_THAT(executable->Run(none, {}), StatusIs(absl::StatusCode::kInvalidArgument));
}

// ---- Donation

TEST(LocalClientTest, MemoryIsNotDonatedTwiceInACall) {
  const auto executable = Compile(Computation(
      "ENTRY e { x = s32[3] parameter(0)  y = s32[3] parameter(1)  ROOT z = s32[3] add(x, y) }"));
  for (const bool second_is_donated : {true, false}) {
    ScopedShapedBuffer x = OnDevice(Vector(1, 2, 3));
    const se::DeviceAddressBase memory = x.root_buffer();
    std::vector<ExecutionInput> inputs;
    inputs.emplace_back(std::move(x));
    ExecutionInput again(inputs[0].shape());
    again.SetBuffer({}, MaybeOwningDeviceAddress(memory));
    if (second_is_donated) {
      again.SetBuffer({}, MaybeOwningDeviceAddress(se::OwningDeviceAddress(
                              memory, 0, Client().backend().memory_allocator())));
      again.SetUnownedIndex({});
    }
    inputs.push_back(std::move(again));
    EXPECT_THAT(executable->Run(std::move(inputs), {}),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("the memory of argument 0 at {} is donated, but is also that of "
                                   "argument 1 at {}")));
  }
}

// What is read in another order than it is written is not overwritten while it is needed.
TEST(LocalClientTest, ResultsTakeThePlaceOfArgumentsThatAreStillRead) {
  const auto executable = Compile(Computation(
      "HloModule m, input_output_alias={ {}: (0, {}, must-alias) } "
      "ENTRY e { x = s32[1000] parameter(0)  ROOT y = s32[1000] reverse(x), dimensions={0} }"));
  std::vector<int32_t> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  ScopedShapedBuffer x = OnDevice(LiteralUtil::CreateR1<int32_t>(numbers));
  const void* const address = x.root_buffer().opaque();
  std::vector<ExecutionInput> donated;
  donated.emplace_back(std::move(x));
  const auto output = executable->Run(std::move(donated), {});
  ASSERT_OK(output.status());
  EXPECT_EQ(output->Result().root_buffer().opaque(), address);
  EXPECT_TRUE(x.root_buffer().is_null());
  std::reverse(numbers.begin(), numbers.end());
  EXPECT_EQ(FromDevice(output->Result()), LiteralUtil::CreateR1<int32_t>(numbers));
}

// ---- Streams and asynchronous runs

std::atomic<bool> gate_is_open;
std::atomic<int> waiting_at_gate;

// Waits until the test goes on.
void Gate(void* out, const void** in) {
  ++waiting_at_gate;
  while (!gate_is_open) std::this_thread::yield();
  --waiting_at_gate;
  for (int i = 0; i < 3; ++i)
    static_cast<int32_t*>(out)[i] = static_cast<const int32_t*>(in[0])[i] * 10;
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("local_client_test_gate", Gate);

const XlaComputation& Gated() {
  static const auto* const computation = new XlaComputation(Computation(
      "ENTRY e { x = s32[3] parameter(0)  "
      "ROOT y = s32[3] custom-call(x), custom_call_target=\"local_client_test_gate\" }"));
  return *computation;
}

TEST(LocalClientTest, RunAsyncReturnsBeforeTheRunIsOver) {
  const auto gated = Compile(Gated()), increment = Compile(Increment());
  gate_is_open = false;
  const ScopedShapedBuffer x = OnDevice(Vector(1, 2, 3));
  const auto y = gated->RunAsync({&x}, {});
  ASSERT_OK(y.status());
  // Another run that needs the result, which is donated to it, and a transfer.
  const auto z = increment->RunAsync({&*y}, {});
  ASSERT_OK(z.status());
  EXPECT_FALSE(Client().backend().transfer_manager()->CanShapedBufferBeAccessedNow(nullptr, *z));
  gate_is_open = true;
  EXPECT_EQ(FromDevice(*z), Vector(11, 21, 31));
  EXPECT_EQ(FromDevice(*y), Vector(10, 20, 30));
}

TEST(LocalClientTest, ResultsMayGoWhileTheyAreComputed) {
  const auto gated = Compile(Gated());
  gate_is_open = false;
  const ScopedShapedBuffer x = OnDevice(Vector(1, 2, 3));
  std::thread opener;
  {
    const auto y = gated->RunAsync({&x}, {});
    ASSERT_OK(y.status());
    while (waiting_at_gate == 0) std::this_thread::yield();
    opener = std::thread([] { gate_is_open = true; });
  }
  opener.join();
}

TEST(LocalClientTest, StreamsKeepTheOrder) {
  const auto gated = Compile(Gated()), increment = Compile(Increment());
  auto stream = Client().backend().default_stream_executor()->CreateStream().value();
  ExecutableRunOptions options;
  options.set_stream(stream.get());
  gate_is_open = false;
  ScopedShapedBuffer x = OnDevice(Vector(1, 2, 3));
  std::vector<ExecutionInput> donated;
  donated.emplace_back(std::move(x));
  auto y = gated->RunAsync(std::move(donated), options);
  ASSERT_OK(y.status());
  bool reached = false;
  ASSERT_OK(stream->DoHostCallback([&] { reached = true; }));
  EXPECT_FALSE(reached);
  gate_is_open = true;
  const auto z = increment->Run({&y->Result()}, options);
  ASSERT_OK(z.status());
  EXPECT_TRUE(reached);
  EXPECT_EQ(FromDevice(*z), Vector(11, 21, 31));
  int32_t copy[3];
  ASSERT_OK(stream->Memcpy(copy, z->root_buffer(), sizeof(copy)));
  ASSERT_OK(stream->BlockHostUntilDone());
  EXPECT_EQ(copy[2], 31);
}

TEST(LocalClientTest, StreamsWaitForEachOther) {
  se::StreamExecutor& device = *Client().backend().default_stream_executor();
  auto first = device.CreateStream().value(), second = device.CreateStream().value();
  absl::Notification go;
  std::vector<int> order;
  ASSERT_OK(first->DoHostCallback([&] {
    go.WaitForNotification();
    order.push_back(1);
  }));
  ASSERT_OK(second->WaitFor(first.get()));
  ASSERT_OK(second->DoHostCallback([&] { order.push_back(2); }));
  go.Notify();
  ASSERT_OK(second->BlockHostUntilDone());
  EXPECT_THAT(order, ::testing::ElementsAre(1, 2));
  ASSERT_OK(first->DoHostCallbackWithStatus([] { return absl::DataLossError("lost"); }));
  EXPECT_THAT(first->BlockHostUntilDone(), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_FALSE(first->ok());
  EXPECT_THAT(first->RunAndWait([] { return absl::OkStatus(); }),
              StatusIs(absl::StatusCode::kDataLoss));
}

void Fail(void*, const void**, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, "on purpose", 10);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("local_client_test_fail", Fail);

TEST(LocalClientTest, ErrorsOfAsynchronousRunsReachWhoeverUsesTheResult) {
  const auto fail = Compile(Computation(
      "ENTRY e { x = s32[3] parameter(0)  ROOT y = s32[3] custom-call(x), "
      "custom_call_target=\"local_client_test_fail\", api_version=API_VERSION_STATUS_RETURNING }"));
  const auto increment = Compile(Increment());
  const ScopedShapedBuffer x = OnDevice(Vector(1, 2, 3));
  const auto y = fail->RunAsync({&x}, {});
  ASSERT_OK(y.status());
  const auto z = increment->RunAsync({&*y}, {});
  ASSERT_OK(z.status());
  EXPECT_THAT(Client().ShapedBufferToLiteral(*z).status().message(), HasSubstr("on purpose"));
  EXPECT_THAT(y->Await().message(), HasSubstr("on purpose"));
  EXPECT_THAT(increment->Run({&*y}, {}).status().message(), HasSubstr("on purpose"));
  // The client goes on.
  EXPECT_EQ(FromDevice(*increment->Run({&x}, {})), Vector(2, 3, 4));
}

// ---- Options

TEST(LocalClientTest, InvalidDevicesAreErrors) {
  ExecutableBuildOptions build;
  build.set_device_ordinal(1);
  const Shape shape = ShapeUtil::MakeShape(S32, {3});
  EXPECT_THAT(Client().Compile(Increment(), {&shape}, build),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("device ordinal value 1")));
  const ScopedShapedBuffer x = OnDevice(Vector(1, 2, 3));
  ExecutableRunOptions run;
  run.set_device_ordinal(5);
  EXPECT_THAT(Compile(Increment())->Run({&x}, run),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("device ordinal value 5")));
  EXPECT_THAT(Client().LiteralToShapedBuffer(Vector(1, 2, 3), 7),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ClientLibrary::GetOrCreateLocalClient(
                  LocalClientOptions(PlatformUtil::GetDefaultPlatform().value()))
                  .value(),
              &Client());
}

TEST(LocalClientTest, ResultLayoutOfAnotherShapeIsAnError) {
  ExecutableBuildOptions options;
  options.set_result_layout(ShapeUtil::MakeShapeWithDenseLayout(F32, {2}, {0}));
  const Shape shape = ShapeUtil::MakeShape(S32, {3});
  EXPECT_THAT(Client().Compile(Increment(), {&shape}, options),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("not compatible with result shape s32[3]")));
}

TEST(LocalClientTest, ProfileSaysHowLongItTook) {
  ExecutionProfile profile;
  const ScopedShapedBuffer x = OnDevice(Vector(1, 2, 3));
  ASSERT_OK(Compile(Increment())
                ->Run({&x}, ExecutableRunOptions().set_execution_profile(&profile))
                .status());
  EXPECT_GT(profile.compute_time_ns(), 0);
}

TEST(LocalClientTest, SeedsOfRuns) {
  const auto executable =
      Compile(Computation("ENTRY e { low = s32[] constant(0)  high = s32[] constant(1000000000)  "
                          "ROOT r = s32[8] rng(low, high), distribution=rng_uniform }"));
  const std::vector<const ShapedBuffer*> none;
  const auto draw = [&](int seed) {
    return FromDevice(*executable->Run(none, ExecutableRunOptions().set_rng_seed(seed)));
  };
  EXPECT_EQ(draw(3), draw(3));
  EXPECT_NE(draw(3), draw(4));
  EXPECT_NE(draw(0), draw(0));
}

TEST(LocalClientTest, ProgramsAskForTheSeedOfTheRun) {
  const auto executable = Compile(Computation(
      R"(ENTRY e { ROOT s = u64[] custom-call(), custom_call_target="GetRngSeed" })"));
  const std::vector<const ShapedBuffer*> none;
  const auto seed = [&](int option) {
    return FromDevice(*executable->Run(none, ExecutableRunOptions().set_rng_seed(option)))
        .Get<uint64_t>({});
  };
  EXPECT_EQ(seed(42), 42);
  EXPECT_NE(seed(0), seed(0));
}

TEST(LocalClientTest, ConfigurationOfTheModule) {
  ExecutableBuildOptions options;
  options.set_device_memory_size(1 << 20);
  options.set_fdo_profile("profile");
  options.set_optimization_level(ExecutionOptions::EFFORT_O1);
  const auto executable = Compile(Increment(), options);
  const HloModuleConfig& config = executable->executable()->module_config();
  EXPECT_EQ(config.device_memory_size(), 1 << 20);
  EXPECT_EQ(config.fdo_profile(), "profile");
  EXPECT_EQ(config.optimization_level(), ExecutionOptions::EFFORT_O1);
  EXPECT_EQ(executable->executable()->SizeOfGeneratedCodeInBytes() >= 0, true);
}

// ---- Several devices

TEST(LocalClientTest, DevicesOfAProgramMeet) {
  const ManyDevices devices(3);
  ASSERT_EQ(Client().device_count(), 3);
  ExecutableBuildOptions options;
  options.set_num_replicas(2);
  const auto executable = Compile(
      Computation("add { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = s32[] add(a, b) }"
                  "ENTRY e { x = s32[3] parameter(0)  "
                  "ROOT y = s32[3] all-reduce(x), replica_groups={}, to_apply=add }"),
      options);
  DeviceAssignment assignment(2, 1);
  assignment(0, 0) = 2;
  assignment(1, 0) = 1;
  ExecutableRunOptions run;
  run.set_device_assignment(&assignment).set_run_id(RunId::CreateUniqueId());
  const ScopedShapedBuffer x = OnDevice(Vector(1, 2, 3), 2), y = OnDevice(Vector(10, 20, 30), 1);
  const auto first = executable->RunAsync({&x}, run.set_device_ordinal(2));
  const auto second = executable->RunAsync({&y}, run.set_device_ordinal(1));
  ASSERT_OK(first.status());
  ASSERT_OK(second.status());
  EXPECT_EQ(FromDevice(*first), Vector(11, 22, 33));
  EXPECT_EQ(FromDevice(*second), Vector(11, 22, 33));
  EXPECT_EQ(second->device_ordinal(), 1);
  // Device 0 has no part in it, and device 1 alone does not wait forever.
  EXPECT_FALSE(executable->Run({&x}, run.set_device_ordinal(0)).ok());
  Client().set_transfer_timeout(absl::Milliseconds(20));
  EXPECT_THAT(executable->Run({&x}, run.set_device_ordinal(1)),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("devices 0")));
  Client().set_transfer_timeout(absl::Minutes(1));
}

TEST(LocalClientTest, ReplicasThatDoNotMeetRunAlone) {
  const ManyDevices devices(2);
  ExecutableBuildOptions options;
  options.set_num_replicas(2);
  const auto executable = Compile(Computation("ENTRY e { ROOT id = u32[] replica-id() }"), options);
  const std::vector<const ShapedBuffer*> none;
  for (int device = 0; device < 2; ++device) {
    const auto id = executable->Run(none, ExecutableRunOptions().set_device_ordinal(device));
    ASSERT_OK(id.status());
    EXPECT_EQ(FromDevice(*id), LiteralUtil::CreateR0<uint32_t>(device));
  }
}

TEST(LocalClientTest, EachDeviceHasItsFeeds) {
  const ManyDevices devices(2);
  const auto executable = Compile(Computation(
      "ENTRY e { t = token[] after-all()  in = (s32[], token[]) infeed(t)  "
      "x = s32[] get-tuple-element(in), index=0  after = token[] get-tuple-element(in), index=1  "
      "out = token[] outfeed(x, after), outfeed_shape=s32[]  ROOT y = s32[] negate(x) }"));
  const std::vector<const ShapedBuffer*> none;
  for (int device = 0; device < 2; ++device) {
    ASSERT_OK(Client().TransferToInfeedLocal(LiteralUtil::CreateR0<int32_t>(device + 5), device));
  }
  for (const int device : {1, 0}) {
    const auto result = executable->Run(none, ExecutableRunOptions().set_device_ordinal(device));
    ASSERT_OK(result.status());
    EXPECT_EQ(FromDevice(*result), LiteralUtil::CreateR0<int32_t>(-device - 5));
  }
  Literal out(ShapeUtil::MakeShape(S32, {}));
  for (int device = 0; device < 2; ++device) {
    ASSERT_OK(Client().TransferFromOutfeedLocal(device, MutableBorrowingLiteral(&out)));
    EXPECT_EQ(out, LiteralUtil::CreateR0<int32_t>(device + 5));
  }
}

TEST(LocalClientTest, AnExecutableForEachPartition) {
  const ManyDevices devices(2);
  ExecutableBuildOptions options;
  options.set_num_partitions(2);
  const auto computation = Computation("ENTRY e { ROOT id = u32[] partition-id() }");
  const auto executables = Client().Compile(computation, {}, options);
  ASSERT_OK(executables.status());
  ASSERT_EQ(executables->size(), 2);
  const std::vector<const ShapedBuffer*> none;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(FromDevice(*(*executables)[i]->Run(none, {})), LiteralUtil::CreateR0<uint32_t>(i));
}

TEST(LocalClientTest, OnlyAllowedDevicesAreUsed) {
  const ManyDevices devices(3);
  const auto client = ClientLibrary::GetOrCreateLocalClient(nullptr, std::set<int>{1});
  ASSERT_OK(client.status());
  EXPECT_EQ((*client)->default_device_ordinal(), 1);
  EXPECT_TRUE((*client)->device_ordinal_supported(1));
  EXPECT_FALSE((*client)->device_ordinal_supported(0));
  EXPECT_THAT(
      (*client)->LiteralToShapedBuffer(Vector(1, 2, 3), 0),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("device Host:0 is not supported")));
}

}  // namespace
}  // namespace xla

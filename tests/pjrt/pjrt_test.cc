// Buffers and executables as clients use them.
#include <atomic>
#include <cstring>
#include <numeric>

#include "google/protobuf/util/message_differencer.h"
#include "tests/pjrt/pjrt_testing.h"
#include "xla/layout_util.h"
#include "xla/pjrt/interpreter/interpreter_client.h"
#include "xla/service/custom_call_target_registry.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Semantics = PjRtClient::HostBufferSemantics;

constexpr char kAdd[] = R"(
HloModule add
ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)  ROOT z = f32[4] add(x, y) })";

constexpr char kIncrement[] = R"(
HloModule increment, input_output_alias={ {}: 0 }
ENTRY e { p = f32[10] parameter(0)  one = f32[] constant(1)
  ones = f32[10] broadcast(one), dimensions={}  ROOT r = f32[10] add(p, ones) })";

Literal Iota(int64_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return LiteralUtil::CreateR1<float>(values);
}

struct alignas(64) Aligned {
  float values[16];
};

TEST(PjRtTest, DevicesAndMemories) {
  const std::unique_ptr<PjRtClient> client = MakeClient(3);
  EXPECT_EQ(client->platform_name(), "cpu");
  EXPECT_EQ(client->platform_id(), CpuId());
  EXPECT_EQ(client->device_count(), 3);
  EXPECT_EQ(client->addressable_devices().size(), 3);
  PjRtDevice* device = client->LookupDevice(GlobalDeviceId(2)).value();
  EXPECT_EQ(device, client->devices()[2]);
  EXPECT_EQ(device->id(), 2);
  EXPECT_EQ(device->device_kind(), "cpu");
  EXPECT_TRUE(device->IsAddressable());
  std::vector<std::string> kinds;
  for (PjRtMemorySpace* space : device->memory_spaces()) kinds.emplace_back(space->kind());
  EXPECT_THAT(kinds, ElementsAre("device", "pinned_host", "unpinned_host"));
  EXPECT_EQ(device->default_memory_space().value()->devices()[0], device);
  EXPECT_FALSE(device->memory_space_by_kind("nowhere").ok());
  EXPECT_FALSE(client->LookupDevice(GlobalDeviceId(3)).ok());
  EXPECT_EQ(client->GetDefaultDeviceAssignment(3, 1).value()(2, 0), 2);
  EXPECT_FALSE(client->GetDefaultDeviceAssignment(2, 2).ok());
  CpuClientOptions none;
  none.cpu_device_count = 0;
  EXPECT_FALSE(GetPjRtCpuClient(none).ok());
}

TEST(PjRtTest, RunsAProgram) {
  for (const bool asynchronous : {false, true}) {
    const std::unique_ptr<PjRtClient> client = MakeClient(1, asynchronous);
    const auto executable = CompileText(*client, kAdd);
    const auto x = Put(*client, Iota(4)), y = Put(*client, Iota(4));
    for (int i = 0; i < 3; ++i) {
      auto results = RunProgram(*executable, {x.get(), y.get()}).value();
      ASSERT_EQ(results.size(), 1);
      EXPECT_EQ(*results[0]->ToLiteralSync().value(), LiteralUtil::CreateR1<float>({0, 2, 4, 6}));
    }
  }
}

TEST(PjRtTest, TuplesAreGivenAsTheirElements) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto executable = CompileText(*client, R"(
HloModule m
ENTRY e { p = (f32[2], s32[]) parameter(0)  a = f32[2] get-tuple-element(p), index=0
  b = s32[] get-tuple-element(p), index=1  t = token[] after-all()
  n = f32[2] negate(a)  ROOT r = (s32[], f32[2], token[]) tuple(b, n, t) })");
  const auto a = Put(*client, LiteralUtil::CreateR1<float>({1, 2}));
  const auto b = Put(*client, LiteralUtil::CreateR0<int32_t>(7));
  const auto results = RunProgram(*executable, {a.get(), b.get()}).value();
  ASSERT_EQ(results.size(), 3);
  EXPECT_EQ(*results[0]->ToLiteralSync().value(), LiteralUtil::CreateR0<int32_t>(7));
  EXPECT_EQ(*results[1]->ToLiteralSync().value(), LiteralUtil::CreateR1<float>({-1, -2}));
  EXPECT_EQ(results[2]->element_type(), TOKEN);
  EXPECT_TRUE(results[2]->GetReadyFuture().Await().ok());
}

TEST(PjRtTest, WrongArguments) {
  const std::unique_ptr<PjRtClient> client = MakeClient(2);
  const auto executable = CompileText(*client, kAdd);
  const auto x = Put(*client, Iota(4)), wrong = Put(*client, Iota(5)),
             elsewhere = Put(*client, Iota(4), 1);
  EXPECT_THAT(Message(RunProgram(*executable, {x.get()}).status()), HasSubstr("takes 2 arguments"));
  EXPECT_THAT(Message(RunProgram(*executable, {x.get(), wrong.get()}).status()),
              HasSubstr("argument 1 has shape f32[5]"));
  EXPECT_THAT(Message(RunProgram(*executable, {x.get(), nullptr}).status()), HasSubstr("is null"));
  EXPECT_THAT(Message(RunProgram(*executable, {x.get(), elsewhere.get()}).status()),
              HasSubstr("is on device"));
  x->Delete();
  EXPECT_THAT(Message(RunProgram(*executable, {x.get(), x.get()}).status()),
              HasSubstr("argument 0 has been deleted or donated"));
}

TEST(PjRtTest, HostBuffersWithStridesAndLayouts) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const std::vector<int32_t> values = {1, 2, 3, 4, 5, 6};
  // Columns first, then rows backwards.
  const std::vector<int64_t> columns = {4, 8}, backwards = {-12, 4};
  const auto put = [&](const int32_t* data, std::vector<int64_t> dims,
                       const std::vector<int64_t>& strides, const Layout* layout) {
    return client
        ->BufferFromHostBuffer(data, S32, dims, absl::MakeConstSpan(strides),
                               Semantics::kImmutableOnlyDuringCall, nullptr, SpaceOf(*client),
                               layout)
        .value();
  };
  EXPECT_EQ(*put(values.data(), {2, 3}, columns, nullptr)->ToLiteralSync().value(),
            LiteralUtil::CreateR2<int32_t>({{1, 3, 5}, {2, 4, 6}}));
  EXPECT_EQ(*put(values.data() + 3, {2, 3}, backwards, nullptr)->ToLiteralSync().value(),
            LiteralUtil::CreateR2<int32_t>({{4, 5, 6}, {1, 2, 3}}));
  const Layout column_major = LayoutUtil::MakeLayout({0, 1});
  const auto laid_out = put(values.data(), {2, 3}, {12, 4}, &column_major);
  EXPECT_EQ(laid_out->layout()->ToString(), "{0,1}");
  EXPECT_EQ(*laid_out->ToLiteralSync().value(),
            LiteralUtil::CreateR2<int32_t>({{1, 2, 3}, {4, 5, 6}}));
  std::vector<int32_t> raw(6);
  ASSERT_TRUE(laid_out->CopyRawToHost(raw.data(), 0, 24).Await().ok());
  EXPECT_THAT(raw, ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_FALSE(laid_out->CopyRawToHost(raw.data(), 8, 24).Await().ok());
  // A program takes any layout.
  const auto executable = CompileText(
      *client, "HloModule m ENTRY e { x = s32[2,3] parameter(0)  ROOT y = s32[2,3] negate(x) }");
  EXPECT_EQ(*RunProgram(*executable, {laid_out.get()}).value()[0]->ToLiteralSync().value(),
            LiteralUtil::CreateR2<int32_t>({{-1, -2, -3}, {-4, -5, -6}}));
}

TEST(PjRtTest, AlignedHostMemoryIsNotCopied) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  Aligned host = {};
  std::atomic<int> done = 0;
  const auto put = [&](const float* data, Semantics semantics) {
    return client
        ->BufferFromHostBuffer(
            data, F32, {8}, std::nullopt, semantics, [&] { ++done; }, SpaceOf(*client), nullptr)
        .value();
  };
  auto zero_copy = put(host.values, Semantics::kImmutableZeroCopy);
  EXPECT_EQ(client->UnsafeBufferPointer(zero_copy.get()).value(),
            reinterpret_cast<std::uintptr_t>(host.values));
  EXPECT_EQ(done, 0);
  zero_copy.reset();
  EXPECT_EQ(done, 1);
  auto copied = put(host.values + 1, Semantics::kImmutableZeroCopy);
  EXPECT_EQ(done, 2);
  copied = put(host.values, Semantics::kImmutableOnlyDuringCall);
  EXPECT_EQ(done, 3);
  host.values[0] = 5;
  EXPECT_EQ(copied->ToLiteralSync().value()->Get<float>({0}), 0);
}

TEST(PjRtTest, ImmutableMemoryIsNotWritten) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto executable = CompileText(*client, kIncrement);
  Aligned host = {};
  for (const bool is_mutable : {false, true}) {
    auto buffer = client
                      ->BufferFromHostBuffer(
                          host.values, F32, {10}, std::nullopt,
                          is_mutable ? Semantics::kMutableZeroCopy : Semantics::kImmutableZeroCopy,
                          nullptr, SpaceOf(*client), nullptr)
                      .value();
    auto results = RunProgram(*executable, {buffer.get()}).value();
    EXPECT_EQ(results[0]->ToLiteralSync().value()->Get<float>({3}), 1);
    EXPECT_TRUE(buffer->IsDeleted());
    EXPECT_EQ(host.values[3], is_mutable ? 1 : 0);
  }
}

TEST(PjRtTest, IncrementTakesThePlaceOfItsArgument) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto executable = CompileText(*client, kIncrement);
  const CompiledMemoryStats stats = executable->GetCompiledMemoryStats().value();
  EXPECT_EQ(stats.argument_size_in_bytes, 40);
  EXPECT_EQ(stats.output_size_in_bytes, 40);
  EXPECT_EQ(stats.alias_size_in_bytes, 40);
  EXPECT_EQ(stats.temp_size_in_bytes, 0);
  EXPECT_EQ(stats.peak_memory_in_bytes, 40);
  std::unique_ptr<PjRtBuffer> state = Put(*client, Iota(10));
  const std::uintptr_t address = client->UnsafeBufferPointer(state.get()).value();
  for (int i = 0; i < 20; ++i) {
    auto results = RunProgram(*executable, {state.get()}).value();
    EXPECT_TRUE(state->IsDeleted());
    EXPECT_THAT(Message(state->GetReadyFuture().Await()), HasSubstr("deleted or donated"));
    EXPECT_THAT(Message(RunProgram(*executable, {state.get()}).status()),
                HasSubstr("argument 0 has been deleted or donated"));
    state = std::move(results[0]);
    EXPECT_EQ(client->UnsafeBufferPointer(state.get()).value(), address);
  }
  EXPECT_EQ(state->ToLiteralSync().value()->Get<float>({9}), 29);
}

TEST(PjRtTest, WhatIsNotToBeDonatedIsCopied) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto executable = CompileText(*client, kIncrement);
  const auto lent = Put(*client, Iota(10));
  ExecuteOptions options;
  options.non_donatable_input_indices = {0};
  const auto results = RunProgram(*executable, {lent.get()}, options).value();
  EXPECT_FALSE(lent->IsDeleted());
  EXPECT_EQ(results[0]->ToLiteralSync().value()->Get<float>({1}), 2);
  EXPECT_EQ(*lent->ToLiteralSync().value(), Iota(10));
  // Nor what somebody else refers to.
  const auto reference = lent->AcquireExternalReference().value();
  const auto more = RunProgram(*executable, {lent.get()}).value();
  EXPECT_TRUE(lent->IsDeleted());
  EXPECT_EQ(more[0]->ToLiteralSync().value()->Get<float>({1}), 2);
  EXPECT_EQ(static_cast<const float*>(reference->OpaqueDeviceMemoryDataPointer())[1], 1);
}

TEST(PjRtTest, ABufferIsDonatedOnce) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto executable = CompileText(*client, R"(
HloModule m, input_output_alias={ {}: 1 }
ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)  ROOT z = f32[4] add(x, y) })");
  const auto x = Put(*client, Iota(4));
  EXPECT_THAT(Message(RunProgram(*executable, {x.get(), x.get()}).status()),
              HasSubstr("argument 1 is the same buffer as argument 0"));
  EXPECT_FALSE(x->IsDeleted());
  const auto both = CompileText(*client, R"(
HloModule m, input_output_alias={ {0}: 0, {1}: 1 }
ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)  a = f32[4] add(x, y)
  b = f32[4] multiply(x, y)  ROOT r = (f32[4], f32[4]) tuple(a, b) })");
  EXPECT_THAT(Message(RunProgram(*both, {x.get(), x.get()}).status()),
              HasSubstr("both are donated"));
  const auto y = Put(*client, Iota(5));
  EXPECT_FALSE(RunProgram(*both, {x.get(), y.get()}).ok());
  EXPECT_FALSE(x->IsDeleted());  // a call that fails donates nothing
  const auto z = Put(*client, Iota(4));
  auto results = RunProgram(*both, {x.get(), z.get()}).value();
  EXPECT_EQ(*results[0]->ToLiteralSync().value(), LiteralUtil::CreateR1<float>({0, 2, 4, 6}));
  EXPECT_EQ(*results[1]->ToLiteralSync().value(), LiteralUtil::CreateR1<float>({0, 1, 4, 9}));
}

// The results change places.
TEST(PjRtTest, DonatedBuffersThatChangePlaces) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  for (const int64_t count : {4, 1000}) {
    const std::string type = "f32[" + std::to_string(count) + "]";
    const auto swap =
        CompileText(*client,
                    "HloModule m, input_output_alias={ {0}: 0, {1}: 1 }\n"
                    "ENTRY e { x = " +
                        type + " parameter(0)  y = " + type + " parameter(1)  ROOT r = (" + type +
                        ", " + type + ") tuple(y, x) }");
    const Literal negative = Iota(count).Clone();
    auto x = Put(*client, Iota(count));
    auto y = Put(*client, LiteralUtil::CreateR1<float>(std::vector<float>(count, 7)));
    auto results = RunProgram(*swap, {x.get(), y.get()}).value();
    EXPECT_EQ(*results[1]->ToLiteralSync().value(), negative);
    EXPECT_EQ(results[0]->ToLiteralSync().value()->Get<float>({count - 1}), 7);
  }
}

TEST(PjRtTest, ErrorsTravelWithBuffers) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto executable = CompileText(*client, kAdd);
  const auto good = Put(*client, Iota(4));
  const auto bad = client
                       ->CreateErrorBuffer(absl::DataLossError("it burned"),
                                           ShapeUtil::MakeShape(F32, {4}), SpaceOf(*client))
                       .value();
  std::optional<std::vector<Future<>>> futures(std::in_place);
  auto results = executable->Execute({{good.get(), bad.get()}}, {}, futures).value();
  EXPECT_TRUE(absl::IsDataLoss((*futures)[0].Await()));
  EXPECT_TRUE(absl::IsDataLoss(results[0][0]->GetReadyFuture().Await()));
  EXPECT_TRUE(absl::IsDataLoss(results[0][0]->ToLiteralSync().status()));
  auto more = RunProgram(*executable, {results[0][0].get(), good.get()}).value();
  EXPECT_THAT(Message(more[0]->ToLiteralSync().status()), HasSubstr("it burned"));
  EXPECT_EQ(*good->ToLiteralSync().value(), Iota(4));
}

TEST(PjRtTest, AsynchronousTransfers) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto executable = CompileText(*client, kAdd);
  const std::vector<Shape> shapes = {ShapeUtil::MakeShape(F32, {4}),
                                     ShapeUtil::MakeShape(F32, {4})};
  auto manager = client->CreateBuffersForAsyncHostToDevice(shapes, SpaceOf(*client)).value();
  EXPECT_EQ(manager->buffer_count(), 2);
  EXPECT_EQ(manager->buffer_size(0), 16);
  const auto x = manager->RetrieveBuffer(0), y = manager->RetrieveBuffer(1);
  EXPECT_EQ(manager->RetrieveBuffer(1), nullptr);
  // Nothing waits for values that are not there.
  auto sum = RunProgram(*executable, {x.get(), y.get()}).value();
  auto more = RunProgram(*executable, {sum[0].get(), x.get()}).value();
  EXPECT_FALSE(more[0]->GetReadyFuture().IsReady());
  const float values[] = {1, 2, 3, 4};
  ASSERT_TRUE(manager->TransferRawDataToSubBuffer(0, values + 2, 8, 8, false, nullptr).ok());
  EXPECT_FALSE(manager->TransferRawDataToSubBuffer(0, values, 12, 8, false, nullptr).ok());
  ASSERT_TRUE(manager->TransferRawDataToSubBuffer(0, values, 0, 8, true, nullptr).ok());
  EXPECT_FALSE(manager->TransferRawDataToSubBuffer(0, values, 0, 8, true, nullptr).ok());
  ASSERT_TRUE(manager->TransferLiteralToBuffer(1, Iota(4), nullptr).ok());
  EXPECT_EQ(*more[0]->ToLiteralSync().value(), LiteralUtil::CreateR1<float>({2, 5, 8, 11}));
  auto other = client->CreateBuffersForAsyncHostToDevice(shapes, SpaceOf(*client)).value();
  const auto failed = other->RetrieveBuffer(0), dropped = other->RetrieveBuffer(1);
  other->SetBufferError(0, absl::UnavailableError("no more"));
  other.reset();
  EXPECT_TRUE(absl::IsUnavailable(failed->GetReadyFuture().Await()));
  EXPECT_TRUE(absl::IsCancelled(dropped->GetReadyFuture().Await()));
}

TEST(PjRtTest, DeletionDoesNotDisturbWhatHasBegun) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto executable = CompileText(*client, kAdd);
  auto manager =
      client->CreateBuffersForAsyncHostToDevice({ShapeUtil::MakeShape(F32, {4})}, SpaceOf(*client))
          .value();
  auto x = manager->RetrieveBuffer(0);
  auto results = RunProgram(*executable, {x.get(), x.get()}).value();
  auto literal = results[0]->ToLiteral();
  x->Delete();
  EXPECT_TRUE(x->IsDeleted());
  EXPECT_FALSE(x->ToLiteralSync().ok());
  results[0].reset();
  ASSERT_TRUE(manager->TransferLiteralToBuffer(0, Iota(4), nullptr).ok());
  EXPECT_EQ(*literal.Await().value(), LiteralUtil::CreateR1<float>({0, 2, 4, 6}));
}

TEST(PjRtTest, DonationWaitsForReaders) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto add = CompileText(*client, R"(
HloModule m ENTRY e { x = f32[10] parameter(0)  y = f32[10] parameter(1)
  ROOT z = f32[10] add(x, y) })");
  const auto increment = CompileText(*client, kIncrement);
  auto manager =
      client->CreateBuffersForAsyncHostToDevice({ShapeUtil::MakeShape(F32, {10})}, SpaceOf(*client))
          .value();
  const auto late = manager->RetrieveBuffer(0);
  const auto x = Put(*client, Iota(10));
  auto sum = RunProgram(*add, {x.get(), late.get()}).value();
  auto next = RunProgram(*increment, {x.get()}).value();
  EXPECT_FALSE(next[0]->GetReadyFuture().IsReady());
  ASSERT_TRUE(manager->TransferLiteralToBuffer(0, Iota(10), nullptr).ok());
  EXPECT_EQ(sum[0]->ToLiteralSync().value()->Get<float>({4}), 8);
  EXPECT_EQ(next[0]->ToLiteralSync().value()->Get<float>({4}), 5);
}

TEST(PjRtTest, TheClientCancelsWhatHasNotBegun) {
  std::unique_ptr<PjRtClient> client = MakeClient();
  std::vector<std::unique_ptr<PjRtBuffer>> results;
  std::vector<Future<>> futures;
  auto manager =
      client->CreateBuffersForAsyncHostToDevice({ShapeUtil::MakeShape(F32, {4})}, SpaceOf(*client))
          .value();
  auto x = manager->RetrieveBuffer(0);
  {
    const auto executable = CompileText(*client, kAdd);
    const auto waits = CompileText(*client, R"(
HloModule m ENTRY e { t = token[] after-all()  i = (f32[4], token[]) infeed(t)
  ROOT r = f32[4] get-tuple-element(i), index=0 })");
    results = RunProgram(*executable, {x.get(), x.get()}).value();
    futures.push_back(results[0]->GetReadyFuture());
    auto more = RunProgram(*executable, {results[0].get(), x.get()}).value();
    futures.push_back(more[0]->GetReadyFuture());
    auto fed = RunProgram(*waits, {}).value();
    futures.push_back(fed[0]->GetReadyFuture());
  }
  client.reset();
  for (const Future<>& future : futures) EXPECT_TRUE(absl::IsCancelled(future.Await()));
}

TEST(PjRtTest, InfeedAndOutfeedInOrder) {
  const std::unique_ptr<PjRtClient> client = MakeClient(2);
  CompileOptions options;
  options.executable_build_options.set_device_ordinal(1);
  const auto executable = client
                              ->CompileAndLoad(Parse(R"(
HloModule m ENTRY e { t = token[] after-all()  i = (f32[], token[]) infeed(t)
  x = f32[] get-tuple-element(i), index=0  u = token[] get-tuple-element(i), index=1
  y = f32[] negate(x)  o = token[] outfeed(y, u)  ROOT r = f32[] copy(x) })"),
                                               options)
                              .value();
  PjRtDevice* device = client->devices()[1];
  std::vector<std::unique_ptr<PjRtBuffer>> results;
  for (int i = 0; i < 10; ++i) results.push_back(std::move(RunProgram(*executable, {}).value()[0]));
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(device->TransferToInfeed(LiteralUtil::CreateR0<float>(i)).ok());
  for (int i = 0; i < 10; ++i) {
    Literal value(ShapeUtil::MakeShape(F32, {}));
    ASSERT_TRUE(device->TransferFromOutfeed(MutableBorrowingLiteral(&value)).ok());
    EXPECT_EQ(value.GetFirstElement<float>(), -i);
    EXPECT_EQ(results[i]->ToLiteralSync().value()->GetFirstElement<float>(), i);
  }
}

constexpr char kAllReduce[] = R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[2] parameter(0)  ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=add })";

TEST(PjRtTest, SeveralDevices) {
  const std::unique_ptr<PjRtClient> client = MakeClient(4);
  const auto executable = CompileText(*client, kAllReduce, 4);
  EXPECT_EQ(executable->addressable_devices().size(), 4);
  std::vector<std::unique_ptr<PjRtBuffer>> owned;
  std::vector<std::vector<PjRtBuffer*>> arguments;
  for (int i = 0; i < 4; ++i) {
    owned.push_back(Put(*client, LiteralUtil::CreateR1<float>({float(i), 1}), i));
    arguments.push_back({owned.back().get()});
  }
  for (int round = 0; round < 20; ++round) {
    auto results = executable->Execute(arguments, {}).value();
    ASSERT_EQ(results.size(), 4);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(results[i][0]->device(), client->devices()[i]);
      EXPECT_EQ(*results[i][0]->ToLiteralSync().value(), LiteralUtil::CreateR1<float>({6, 4}));
    }
  }
  // One at a time: it begins with the last.
  std::vector<std::unique_ptr<PjRtBuffer>> sharded;
  for (int i = 0; i < 4; ++i) {
    auto results = executable->ExecuteSharded(arguments[i], client->devices()[i], {}).value();
    sharded.push_back(std::move(results[0]));
    if (i < 3) EXPECT_FALSE(sharded.back()->GetReadyFuture().IsReady());
  }
  EXPECT_EQ(*sharded[2]->ToLiteralSync().value(), LiteralUtil::CreateR1<float>({6, 4}));
  EXPECT_FALSE(executable->ExecutePortable(arguments[0], client->devices()[0], {}).ok());
}

TEST(PjRtTest, OneDeviceOfSeveralFails) {
  const std::unique_ptr<PjRtClient> client = MakeClient(2);
  const auto executable = CompileText(*client, kAllReduce, 2);
  const auto good = Put(*client, LiteralUtil::CreateR1<float>({1, 2}), 0);
  const auto bad = client
                       ->CreateErrorBuffer(absl::DataLossError("it burned"),
                                           ShapeUtil::MakeShape(F32, {2}), SpaceOf(*client, 1))
                       .value();
  const auto results = executable->Execute({{good.get()}, {bad.get()}}, {}).value();
  EXPECT_TRUE(absl::IsDataLoss(results[1][0]->GetReadyFuture().Await()));
  EXPECT_FALSE(results[0][0]->GetReadyFuture().Await().ok());
}

TEST(PjRtTest, PortableExecutables) {
  const std::unique_ptr<PjRtClient> client = MakeClient(2);
  CompileOptions options;
  options.compile_portable_executable = true;
  const auto executable = client->CompileAndLoad(Parse(kAdd), options).value();
  EXPECT_EQ(executable->addressable_devices().size(), 0);
  for (int i = 0; i < 2; ++i) {
    const auto x = Put(*client, Iota(4), i);
    const auto results =
        executable->ExecutePortable({x.get(), x.get()}, client->devices()[i], {}).value();
    EXPECT_EQ(results[0]->device(), client->devices()[i]);
    EXPECT_EQ(results[0]->ToLiteralSync().value()->Get<float>({3}), 6);
  }
}

TEST(PjRtTest, DynamicShapes) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto executable = CompileText(*client, R"(
HloModule m
ENTRY e { x = f32[8] parameter(0)  n = s32[] parameter(1)
  ROOT y = f32[<=8] set-dimension-size(x, n), dimensions={0} })");
  const auto x = Put(*client, Iota(8)), n = Put(*client, LiteralUtil::CreateR0<int32_t>(3));
  const auto results = RunProgram(*executable, {x.get(), n.get()}).value();
  EXPECT_TRUE(results[0]->has_dynamic_dimensions());
  EXPECT_THAT(results[0]->logical_dimensions().value(), ElementsAre(3));
  EXPECT_EQ(results[0]->dimensions()[0], 8);
  EXPECT_EQ(results[0]->ToLiteralSync().value()->ToStatic(),
            LiteralUtil::CreateR1<float>({0, 1, 2}));
  const auto sum = CompileText(*client, R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[<=8] parameter(0)  z = f32[] constant(0)
  ROOT s = f32[] reduce(x, z), dimensions={0}, to_apply=add })");
  EXPECT_EQ(RunProgram(*sum, {results[0].get()})
                .value()[0]
                ->ToLiteralSync()
                .value()
                ->GetFirstElement<float>(),
            3);
  const auto four = Put(*client, Iota(4));
  EXPECT_EQ(
      RunProgram(*sum, {four.get()}).value()[0]->ToLiteralSync().value()->GetFirstElement<float>(),
      6);
}

TEST(PjRtTest, SavedExecutables) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto executable = CompileText(*client, kIncrement);
  const std::string bytes = executable->SerializeExecutable().value();
  const auto loaded = client->LoadSerializedExecutable(bytes, std::nullopt, {}).value();
  EXPECT_EQ(loaded->name(), "increment");
  const auto x = Put(*client, Iota(10));
  const auto results = RunProgram(*loaded, {x.get()}).value();
  EXPECT_EQ(results[0]->ToLiteralSync().value()->Get<float>({9}), 10);
  EXPECT_TRUE(x->IsDeleted());
  EXPECT_EQ(loaded->SerializeExecutable().value(), bytes);
  EXPECT_FALSE(client->LoadSerializedExecutable("nonsense", std::nullopt, {}).ok());
  EXPECT_FALSE(
      GetInterpreterClient().value()->LoadSerializedExecutable(bytes, std::nullopt, {}).ok());
  EXPECT_EQ(executable->FingerprintExecutable().value(),
            CompileText(*client, kIncrement)->FingerprintExecutable().value());
  EXPECT_NE(executable->FingerprintExecutable().value(),
            CompileText(*client, kAdd)->FingerprintExecutable().value());
}

TEST(PjRtTest, WhatExecutablesTell) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto executable = CompileText(*client, R"(
HloModule m, entry_computation_layout={(f32[2,3]{1,0})->(f32[2,3]{0,1}, s32[])}
ENTRY e { x = f32[2,3] parameter(0)  c = s32[] constant(1)  y = f32[2,3] add(x, x)
  ROOT r = (f32[2,3], s32[]) tuple(y, c) })");
  EXPECT_EQ(executable->name(), "m");
  EXPECT_EQ(executable->num_replicas(), 1);
  EXPECT_THAT(executable->GetOutputElementTypes().value()[0], ElementsAre(F32, S32));
  EXPECT_THAT(executable->GetOutputDimensions().value()[0][0], ElementsAre(2, 3));
  EXPECT_EQ(executable->GetOutputLayouts().value()[0]->ToString(), "{0,1}");
  EXPECT_EQ(executable->GetParameterLayouts().value()[0]->ToString(), "{1,0}");
  EXPECT_THAT(executable->GetOutputMemoryKinds().value()[0], ElementsAre("device", "device"));
  EXPECT_EQ(std::get<float>(executable->GetCostAnalysis().value().at("flops")), 6);
  EXPECT_EQ(executable->GetHloModules().value()[0]->name(), "m");
  const auto x = Put(*client, LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}}));
  const auto results = RunProgram(*executable, {x.get()}).value();
  EXPECT_EQ(results[0]->layout()->ToString(), "{0,1}");
  float raw[6];
  ASSERT_TRUE(results[0]->CopyRawToHost(raw, 0, 24).Await().ok());
  EXPECT_THAT(raw, ElementsAre(2, 8, 4, 10, 6, 12));
  executable->Delete();
  EXPECT_TRUE(executable->IsDeleted());
  EXPECT_THAT(Message(RunProgram(*executable, {x.get()}).status()), HasSubstr("has been deleted"));
}

TEST(PjRtTest, OptionsAsMessages) {
  CompileOptions options;
  options.argument_layouts = {ShapeUtil::MakeShape(F32, {2})};
  options.executable_build_options.set_num_replicas(2).set_device_ordinal(3);
  options.env_option_overrides = {{"xla_backend_optimization_level", int64_t{1}},
                                  {"xla_dump_to", std::string("folder")}};
  const CompileOptions copy = CompileOptions::FromProto(options.ToProto().value()).value();
  EXPECT_EQ(copy.executable_build_options.num_replicas(), 2);
  EXPECT_EQ(copy.executable_build_options.device_ordinal(), 3);
  // Maps are serialised in any order.
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(copy.ToProto().value(),
                                                                 options.ToProto().value()));
  ASSERT_TRUE(options.ApplyAllOptionOverrides().ok());
  EXPECT_EQ(options.executable_build_options.debug_options().xla_backend_optimization_level(), 1);
  EXPECT_FALSE(options.ApplyOption("no_such_option", true).ok());
  const Layout layout = LayoutUtil::MakeLayout({0, 2, 1});
  EXPECT_EQ(PjRtLayout::Deserialize(PjRtLayout(layout).Serialize()).value()->xla_layout(), layout);
  EXPECT_FALSE(PjRtLayout::Deserialize("{1,").ok());
}

TEST(PjRtTest, CopiesAndViews) {
  const std::unique_ptr<PjRtClient> client = MakeClient(2);
  const auto x = Put(*client, Iota(4));
  const auto copy = x->CopyToMemorySpace(SpaceOf(*client, 1)).value();
  EXPECT_EQ(copy->device(), client->devices()[1]);
  EXPECT_EQ(*copy->ToLiteralSync().value(), Iota(4));
  const auto bits = copy->Bitcast(S32, {2, 2}, nullptr).value();
  EXPECT_TRUE(copy->IsDeleted());
  EXPECT_EQ(bits->ToLiteralSync().value()->Get<int32_t>({0, 1}), 0x3f800000);
  auto [promise, ready] = MakePromise<>();
  const auto later = x->DonateWithControlDependency(ready).value();
  EXPECT_TRUE(x->IsDeleted());
  EXPECT_FALSE(later->GetReadyFuture().IsReady());
  promise.Set(absl::OkStatus());
  EXPECT_EQ(*later->ToLiteralSync().value(), Iota(4));
  Aligned host = {{9}};
  bool is_deleted = false;
  auto view = client
                  ->CreateViewOfDeviceBuffer(host.values, ShapeUtil::MakeShape(F32, {2}),
                                             SpaceOf(*client), [&] { is_deleted = true; })
                  .value();
  EXPECT_EQ(view->ToLiteralSync().value()->Get<float>({0}), 9);
  view->Delete();
  EXPECT_TRUE(is_deleted);
  auto [alias, fulfill] =
      client->CreateAliasBuffer(ShapeUtil::MakeShape(F32, {4}), SpaceOf(*client)).value();
  EXPECT_FALSE(alias->GetReadyFuture().IsReady());
  ASSERT_TRUE(std::move(fulfill)(later.get()).ok());
  EXPECT_EQ(*alias->ToLiteralSync().value(), Iota(4));
}

TEST(PjRtTest, TheInterpreterAsAClient) {
  const std::unique_ptr<PjRtClient> client = GetInterpreterClient().value();
  EXPECT_EQ(client->platform_name(), "interpreter");
  const auto executable = CompileText(*client, kIncrement);
  const auto x = Put(*client, Iota(10));
  EXPECT_EQ(RunProgram(*executable, {x.get()}).value()[0]->ToLiteralSync().value()->Get<float>({1}),
            2);
  EXPECT_TRUE(x->IsDeleted());
}

}  // namespace
}  // namespace xla

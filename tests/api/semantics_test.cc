// The worked examples of the operation semantics that are about what a client sees at run time,
// each test named by its id. The others are in tests/semantics and tests/builder.
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/substitute.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/service/custom_call_target_registry.h"
#include "xla/shape_util.h"

// The first element of a 3x3 array becomes the sum of the last of a vector of two and the first of
// the second row of a 2x3 array. The others stay as they are.
extern "C" void add_last_and_first(void* out, void** in) {
  const float* vector = static_cast<const float*>(in[0]);
  const float* array = static_cast<const float*>(in[1]);
  EXPECT_THAT(std::vector<float>(vector, vector + 2), testing::ElementsAre(1, 2));
  EXPECT_THAT(std::vector<float>(array, array + 6), testing::ElementsAre(10, 20, 30, 40, 50, 60));
  *static_cast<float*>(out) = vector[1] + array[3];
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(add_last_and_first);

namespace xla {
namespace {

using ::testing::HasSubstr;

TEST(Semantics, EX_customcall_1) {
  XlaBuilder b("do_it");
  const XlaOp x = ConstantR1<float>(&b, {1, 2});
  const XlaOp y = ConstantR2<float>(&b, {{10, 20, 30}, {40, 50, 60}});
  CustomCall(&b, "add_last_and_first", {x, y}, ShapeUtil::MakeShape(F32, {3, 3}));
  const absl::StatusOr<Literal> result =
      ClientLibrary::LocalClientOrDie()->ExecuteAndTransfer(b.Build().value(), {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->Get<float>({0, 0}), 42);
}

// ---- Send and receive: computations that run at the same time

XlaComputation Sender(const ChannelHandle& channel) {
  XlaBuilder b("sender");
  Send(ConstantR1<float>(&b, {1, 2}), channel);
  return b.Build().value();
}

XlaComputation Receiver(const ChannelHandle& channel) {
  XlaBuilder b("receiver");
  Recv(&b, ShapeUtil::MakeShape(F32, {2}), channel);
  return b.Build().value();
}

// Receives over one channel and only then sends over the other.
XlaComputation ReceiveThenSend(const ChannelHandle& from, const ChannelHandle& to) {
  XlaBuilder b("both");
  const XlaOp received = RecvWithToken(CreateToken(&b), ShapeUtil::MakeShape(F32, {}), from);
  SendWithToken(GetTupleElement(received, 0), GetTupleElement(received, 1), to);
  return b.Build().value();
}

// What two computations give that run at the same time.
std::vector<absl::StatusOr<Literal>> RunBoth(LocalClient& client, const XlaComputation& first,
                                             const XlaComputation& second) {
  std::vector<absl::StatusOr<Literal>> results(2);
  std::thread other([&] { results[1] = client.ExecuteAndTransfer(second, {}); });
  results[0] = client.ExecuteAndTransfer(first, {});
  other.join();
  return results;
}

TEST(Semantics, DX_sendrecv_1) {
  LocalClient& client = *ClientLibrary::LocalClientOrDie();
  const ChannelHandle channel = client.CreateChannelHandle().value();
  const auto results = RunBoth(client, Sender(channel), Receiver(channel));
  EXPECT_TRUE(results[0].ok()) << results[0].status();
  ASSERT_TRUE(results[1].ok()) << results[1].status();
  EXPECT_EQ(*results[1], LiteralUtil::CreateR1<float>({1, 2}));
}

// The client, which gives up soon for a while.
class ImpatientClient {
 public:
  explicit ImpatientClient(absl::Duration timeout) { set_timeout(timeout); }
  ~ImpatientClient() { set_timeout(absl::Minutes(1)); }
  void set_timeout(absl::Duration timeout) { get().set_transfer_timeout(timeout); }
  LocalClient& get() { return *ClientLibrary::LocalClientOrDie(); }
};

TEST(Semantics, DX_sendrecv_2) {
  ImpatientClient impatient(absl::Milliseconds(50));
  LocalClient& client = impatient.get();
  const ChannelHandle one = client.CreateChannelHandle().value();
  const ChannelHandle two = client.CreateChannelHandle().value();
  for (const auto& result : RunBoth(client, ReceiveThenSend(one, two), ReceiveThenSend(two, one))) {
    EXPECT_EQ(result.status().code(), absl::StatusCode::kDeadlineExceeded) << result.status();
    EXPECT_THAT(std::string(result.status().message()), HasSubstr("there is no value in channel"));
  }
}

// ---- Infeed and outfeed of the client

TEST(ClientTest, InfeedAndOutfeed) {
  ImpatientClient impatient(absl::Minutes(1));
  LocalClient& client = impatient.get();
  XlaBuilder b("feeds");
  const Shape shape = ShapeUtil::MakeShape(S32, {2});
  const XlaOp first = InfeedWithToken(CreateToken(&b), shape);
  const XlaOp second = InfeedWithToken(GetTupleElement(first, 1), shape);
  const XlaOp sum = Add(GetTupleElement(first, 0), GetTupleElement(second, 0));
  OutfeedWithToken(sum, AfterAll(&b, {GetTupleElement(second, 1), AfterAll(&b, {})}), shape, "");
  Neg(sum);
  const XlaComputation computation = b.Build().value();

  ASSERT_TRUE(client.TransferToInfeed(LiteralUtil::CreateR1<int32_t>({1, 2})).ok());
  ASSERT_TRUE(client.TransferToInfeedLocal(LiteralUtil::CreateR1<int32_t>({10, 20}), 0).ok());
  const auto result = client.ExecuteAndTransfer(computation, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, LiteralUtil::CreateR1<int32_t>({-11, -22}));
  EXPECT_EQ(client.TransferFromOutfeed(&shape).value(), LiteralUtil::CreateR1<int32_t>({11, 22}));

  impatient.set_timeout(absl::Milliseconds(1));
  EXPECT_EQ(client.TransferFromOutfeed(nullptr).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(client.ExecuteAndTransfer(computation, {}).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(client.TransferToInfeed(LiteralUtil::CreateR0<int32_t>(1), 1).ok());
  Literal wrong(ShapeUtil::MakeShape(S32, {3}));
  ASSERT_TRUE(client.TransferToInfeed(LiteralUtil::CreateR1<int32_t>({1, 2})).ok());
  ASSERT_TRUE(client.ResetDevice().ok());
  EXPECT_FALSE(client.TransferFromOutfeedLocal(0, MutableBorrowingLiteral(&wrong)).ok());
}

// ---- Aliases

constexpr char kIncrement[] = R"(
HloModule increment$0

ENTRY entry {
  %p = f32[] parameter(0)
  %c = f32[] constant(1)
  ROOT %out = f32[] add(%p, %c)
})";

XlaComputation ParsedComputation(const std::string& alias) {
  auto module = ParseAndReturnUnverifiedModule(absl::Substitute(kIncrement, alias));
  EXPECT_TRUE(module.ok()) << module.status();
  return XlaComputation((*module)->ToProto());
}

std::unique_ptr<LocalExecutable> Compiled(const XlaComputation& computation) {
  const Shape scalar = ShapeUtil::MakeShape(F32, {});
  auto executables = ClientLibrary::LocalClientOrDie()->Compile(computation, {&scalar}, {});
  EXPECT_TRUE(executables.ok()) << executables.status();
  return std::move(executables->front());
}

ScopedShapedBuffer FortyOne() {
  return ClientLibrary::LocalClientOrDie()
      ->LiteralToShapedBuffer(LiteralUtil::CreateR0<float>(41), 0)
      .value();
}

float ValueOf(const ShapedBuffer& buffer) {
  EXPECT_EQ(buffer.root_buffer().size(), 4u);
  return *static_cast<const float*>(buffer.root_buffer().opaque());
}

// Neither program touches what is only lent.
void ExpectCopyProtection(const XlaComputation& computation) {
  const ScopedShapedBuffer argument = FortyOne();
  const auto result = Compiled(computation)->RunAsync({&argument}, ExecutableRunOptions());
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_TRUE(result->Await().ok());
  EXPECT_EQ(ValueOf(*result), 42);
  EXPECT_EQ(ValueOf(argument), 41);
  EXPECT_NE(result->root_buffer().opaque(), argument.root_buffer().opaque());
}

void ExpectInPlace(const XlaComputation& computation) {
  ScopedShapedBuffer argument = FortyOne();
  const void* address = argument.root_buffer().opaque();
  std::vector<ExecutionInput> inputs;
  inputs.emplace_back(std::move(argument));
  auto output = Compiled(computation)->RunAsync(std::move(inputs), ExecutableRunOptions());
  ASSERT_TRUE(output.ok()) << output.status();
  const ScopedShapedBuffer result = output->ConsumeResult();
  ASSERT_TRUE(result.Await().ok());
  EXPECT_EQ(ValueOf(result), 42);
  EXPECT_EQ(result.root_buffer().opaque(), address);
  EXPECT_TRUE(argument.root_buffer().is_null());
}

XlaComputation BuiltIncrement() {
  XlaBuilder b("increment");
  Add(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {}), "p"), ConstantR0<float>(&b, 1));
  b.SetUpAlias({}, 0, {});
  return b.Build().value();
}

TEST(Semantics, EX_alias_1) { ExpectCopyProtection(ParsedComputation("")); }

TEST(Semantics, EX_alias_2) { ExpectInPlace(ParsedComputation(", input_output_alias={ {}: 0 }")); }

TEST(Semantics, EX_alias_3) {
  ExpectCopyProtection(ParsedComputation(", input_output_alias={ {}: 0 }"));
}

TEST(Semantics, EX_alias_4) {
  ExpectInPlace(BuiltIncrement());
  ExpectCopyProtection(BuiltIncrement());
  const auto config =
      HloModule::CreateModuleConfigFromProto(BuiltIncrement().proto(), DebugOptions());
  const auto module = HloModule::CreateFromProto(BuiltIncrement().proto(), config.value());
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string text = (*module)->ToString();
  EXPECT_THAT(text, HasSubstr("input_output_alias={ {}: (0, {}, may-alias) }"));
  const auto parsed = ParseAndReturnUnverifiedModule(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ((*parsed)->input_output_alias_config(), (*module)->input_output_alias_config());
  const auto again = ParseAndReturnUnverifiedModule((*parsed)->ToString());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ((*again)->ToString(), (*parsed)->ToString());
  const auto in_short = ParseAndReturnUnverifiedModule(
      absl::Substitute(kIncrement, ", input_output_alias={ {}: 0 }"));
  EXPECT_EQ((*in_short)->input_output_alias_config(), (*module)->input_output_alias_config());
}

// Parts of a tuple are donated one by one.
TEST(ClientTest, DonatesPartsOfArguments) {
  XlaBuilder b("parts");
  const Shape vector = ShapeUtil::MakeShape(S32, {2});
  const Shape shape = ShapeUtil::MakeTupleShape({vector, vector});
  const XlaOp p = Parameter(&b, 0, shape, "p");
  Tuple(&b, {Neg(GetTupleElement(p, 1)), Neg(GetTupleElement(p, 0))});
  b.SetUpAlias({0}, 0, {0});
  b.SetUpAlias({1}, 0, {1}, HloInputOutputAliasConfig::kMustAlias);
  LocalClient& client = *ClientLibrary::LocalClientOrDie();
  auto executables = client.Compile(b.Build().value(), {&shape}, {});
  ASSERT_TRUE(executables.ok()) << executables.status();

  const Literal value = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<int32_t>({1, 2}),
                                                    LiteralUtil::CreateR1<int32_t>({3, 4}));
  ScopedShapedBuffer argument = client.LiteralToShapedBuffer(value, 0).value();
  EXPECT_THAT(std::string(executables->front()->Run({&argument}, {}).status().message()),
              HasSubstr("argument 0 at {1} must be donated"));

  const void* first = argument.buffer({0}).opaque();
  const void* second = argument.buffer({1}).opaque();
  ScopedShapedBuffer donated = argument.TakeSubTree({1});
  std::vector<ExecutionInput> inputs;
  inputs.emplace_back(argument);
  const se::DeviceAddressBase memory = donated.release().root_buffer();
  inputs[0].SetBuffer({1}, MaybeOwningDeviceAddress(se::OwningDeviceAddress(
                               memory, 0, client.backend().memory_allocator())));
  auto output = executables->front()->Run(std::move(inputs), {});
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(client.ShapedBufferToLiteral(output->Result()).value(),
            LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<int32_t>({-3, -4}),
                                        LiteralUtil::CreateR1<int32_t>({-1, -2})));
  EXPECT_NE(output->Result().buffer({0}).opaque(), first);
  EXPECT_EQ(output->Result().buffer({1}).opaque(), second);
  EXPECT_EQ(client.ShapedBufferToLiteral(argument.SubShapedBuffer({0}).value()).value(),
            LiteralUtil::CreateR1<int32_t>({1, 2}));
}

}  // namespace
}  // namespace xla

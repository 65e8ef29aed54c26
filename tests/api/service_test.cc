// Values and programs that the service keeps, through the client.
#include "xla/service/service.h"

#include <memory>
#include <vector>

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/client/client_library.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/literal_util.h"
#include "xla/service/compilation_environments.h"
#include "xla/service/gpu_topology.h"
#include "xla/service/test_compilation_environment.pb.h"

namespace xla {
namespace {

using ::absl_testing::StatusIs;
using ::testing::HasSubstr;

LocalClient& TheClient() { return *ClientLibrary::LocalClientOrDie(); }

XlaComputation Product() {
  XlaBuilder b("product");
  const Shape scalar = ShapeUtil::MakeShape(F32, {});
  Mul(Parameter(&b, 0, scalar, "x"), Parameter(&b, 1, scalar, "y"));
  return b.Build().value();
}

std::unique_ptr<GlobalData> Scalar(float value) {
  return TheClient().TransferToServer(LiteralUtil::CreateR0<float>(value)).value();
}

TEST(ServiceTest, ValuesStayUntilTheyAreUnregistered) {
  Client& client = TheClient();
  const auto x = Scalar(6), y = Scalar(7);
  const auto product = client.Execute(Product(), {x.get(), y.get()});
  ASSERT_OK(product.status());
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(client.Transfer(**product).value(), LiteralUtil::CreateR0<float>(42));
  EXPECT_EQ(client.GetShape(**product).value().ToString(), "f32[]");
  ASSERT_OK(client.Unregister(**product));
  EXPECT_THAT(client.Transfer(**product),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("was previously deallocated")));
  EXPECT_THAT(client.Unregister(**product), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(client.Execute(Product(), {x.get(), product->get()}),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST(ServiceTest, ProgramsAreCompiledOnceAndRunOften) {
  Client& client = TheClient();
  const Shape scalar = ShapeUtil::MakeShape(F32, {});
  const auto handle = client.Compile(Product(), {scalar, scalar});
  ASSERT_OK(handle.status());
  const auto two = Scalar(2);
  std::unique_ptr<GlobalData> power = Scalar(1);
  for (int i = 0; i < 10; ++i) {
    ExecutionProfile profile;
    power = client.Execute(*handle, {power.get(), two.get()}, &profile).value();
    EXPECT_GT(profile.compute_time_ns(), 0);
  }
  EXPECT_EQ(client.Transfer(*power).value(), LiteralUtil::CreateR0<float>(1024));
  EXPECT_THAT(client.Compile(Product(), {scalar}), StatusIs(absl::StatusCode::kInvalidArgument));
  ExecutionHandle unknown;
  unknown.set_handle(987654);
  EXPECT_THAT(client.Execute(unknown, {}), StatusIs(absl::StatusCode::kNotFound));
}

TEST(ServiceTest, ElementsOutliveTheirTuple) {
  Client& client = TheClient();
  auto tuple = client.TransferToServer(LiteralUtil::MakeTupleOwned(
      LiteralUtil::CreateR1<int32_t>({1, 2}), LiteralUtil::CreateR0<float>(3)));
  ASSERT_OK(tuple.status());
  auto elements = client.DeconstructTuple(**tuple);
  ASSERT_OK(elements.status());
  ASSERT_EQ(elements->size(), 2);
  EXPECT_THAT(client.DeconstructTuple(*(*elements)[0]),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is not a tuple")));
  tuple->reset();
  ASSERT_OK(client.Unregister(*(*elements)[1]));
  EXPECT_EQ(client.Transfer(*(*elements)[0]).value(), LiteralUtil::CreateR1<int32_t>({1, 2}));
  const auto nested =
      client.TransferToServer(LiteralUtil::MakeTupleOwned(LiteralUtil::MakeTuple({}))).value();
  EXPECT_THAT(client.DeconstructTuple(*nested), StatusIs(absl::StatusCode::kUnimplemented));
}

TEST(ServiceTest, LayoutsOfTransfersAndConstants) {
  Client& client = TheClient();
  const auto data = client.TransferToServer(LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}})).value();
  const Shape column_major = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 2}, {0, 1});
  EXPECT_EQ(client.Transfer(*data, &column_major).value().data<float>()[1], 3);
  const Shape other = ShapeUtil::MakeShape(F32, {4});
  EXPECT_THAT(client.Transfer(*data, &other), StatusIs(absl::StatusCode::kInvalidArgument));
  XlaBuilder b("constant");
  Neg(ConstantR2<float>(&b, {{1, 2}, {3, 4}}));
  const XlaComputation computation = b.Build().value();
  const Layout layout = LayoutUtil::MakeLayout({0, 1});
  EXPECT_EQ(client.ComputeConstant(computation, &layout).value().data<float>()[1], -3);
  const Layout wrong = LayoutUtil::MakeLayout({0});
  EXPECT_THAT(client.ComputeConstant(computation, &wrong),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(client.ComputeConstant(Product()), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ServiceTest, ComputationsRunAtTheSameTime) {
  Client& client = TheClient();
  const ChannelHandle channel = client.CreateChannelHandle().value();
  XlaBuilder sender("sender"), receiver("receiver");
  Send(ConstantR0<float>(&sender, 5), channel);
  Neg(Recv(&receiver, ShapeUtil::MakeShape(F32, {}), channel));
  const XlaComputation first = sender.Build().value(), second = receiver.Build().value();
  const auto results = client.ExecuteParallel(
      {{first, {}, ExecutionOptions(), nullptr}, {second, {}, ExecutionOptions(), nullptr}});
  ASSERT_OK(results.status());
  EXPECT_EQ(client.Transfer(*(*results)[1]).value(), LiteralUtil::CreateR0<float>(-5));
}

TEST(ServiceTest, DevicesAndSnapshots) {
  Client& client = TheClient();
  const auto handles = client.GetDeviceHandles(1);
  ASSERT_OK(handles.status());
  EXPECT_EQ((*handles)[0].handle(), 0);
  EXPECT_THAT(client.GetDeviceHandles(1000), StatusIs(absl::StatusCode::kResourceExhausted));
  const auto snapshot = Product().Snapshot().value();
  const XlaComputation again = client.LoadSnapshot(*snapshot).value();
  EXPECT_EQ(client.GetComputationShape(again).value()->ToString(),
            client.GetComputationShape(Product()).value()->ToString());
  EXPECT_THAT(client.LoadSnapshot(HloSnapshot()), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(CompilationEnvironmentsTest, AreKeptByType) {
  using Flags = test::TestCompilationEnvironment1;
  CompilationEnvironments::RegisterProcessNewEnvFn(
      Flags::descriptor(), [](std::unique_ptr<google::protobuf::Message> given) {
        if (given != nullptr) return given;
        auto flags = std::make_unique<Flags>();
        flags->set_some_flag(100);
        return std::unique_ptr<google::protobuf::Message>(std::move(flags));
      });
  CompilationEnvironments environments;
  EXPECT_FALSE(environments.HasEnv<Flags>());
  EXPECT_EQ(environments.GetEnv<Flags>().some_flag(), 100);
  environments.GetMutableEnv<Flags>().set_some_flag(7);
  const CompilationEnvironments copy = environments;
  EXPECT_THAT(environments.AddEnv(std::make_unique<Flags>()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("already")));
  EXPECT_THAT(environments.AddEnv(std::make_unique<test::TestCompilationEnvironment2>()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no function")));
  const auto read = CompilationEnvironments::CreateFromProto(copy.ToProto());
  ASSERT_OK(read.status());
  EXPECT_EQ((*read)->GetEnv<Flags>().some_flag(), 7);
  CompilationEnvironmentsProto unknown;
  unknown.add_environments()->set_type_url("type.googleapis.com/no.Such");
  EXPECT_THAT(CompilationEnvironments::CreateFromProto(unknown),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(GpuTopologyTest, ThereAndBack) {
  const GpuTopology topology("kind", 2, 3, 4);
  EXPECT_EQ(topology.number_of_devices(), 24);
  EXPECT_EQ(GpuTopology::FromProto(topology.ToProto()).value(), topology);
  GpuTopologyProto negative;
  negative.set_num_partitions(-1);
  EXPECT_FALSE(GpuTopology::FromProto(negative).ok());
}

}  // namespace
}  // namespace xla

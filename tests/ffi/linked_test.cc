// Handlers made with the header for code that is linked with XLA.
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/blocking_counter.h"
#include "tests/ffi/run.h"
#include "xla/backends/cpu/ffi.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/executable_run_options.h"
#include "xla/ffi/execution_context.h"
#include "xla/ffi/ffi.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/literal_util.h"

#define EIGEN_USE_THREADS
#include "unsupported/Eigen/CXX11/Tensor"

enum class Color : int16_t { kRed = -1, kBlue = 7 };
XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Color);

namespace xla {
namespace {

using ::testing::HasSubstr;
using Linked = BackEndTest;
HILO_ON_BOTH_BACK_ENDS(Linked);

absl::Status Paint(ffi::BufferR1<F32> x, Color color, absl::Span<const float> weights,
                   absl::string_view name, ffi::Result<ffi::Buffer<F32>> y) {
  if (x.dimensions() != y->dimensions())
    return absl::FailedPreconditionError(absl::StrCat(name, ": sizes differ"));
  for (size_t i = 0; i < x.element_count(); ++i)
    y->typed_data()[i] = x.typed_data()[i] * weights[i] + static_cast<float>(color);
  return absl::OkStatus();
}
XLA_FFI_DEFINE_HANDLER(kPaint, Paint,
                       ffi::Ffi::Bind()
                           .Arg<ffi::BufferR1<F32>>()
                           .Attr<Color>("color")
                           .Attr<absl::Span<const float>>("weights")
                           .Attr<absl::string_view>("name")
                           .Ret<ffi::Buffer<F32>>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "linked.paint", "Host", kPaint);

constexpr char kPainted[] =
    "{color = -1 : i16, weights = array<f32: 1.0, 10.0>, name = \"canvas\"}";

TEST_P(Linked, TypesAreThoseOfXla) {
  std::vector<Literal> arguments;
  arguments.push_back(LiteralUtil::CreateR1<float>({3, 4}));
  absl::StatusOr<Literal> result =
      RunOn(GetParam(), Module("f32[2]", {"f32[2]"}, "linked.paint", kPainted), arguments);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, LiteralUtil::CreateR1<float>({2, 39}));
  const absl::Status status =
      RunOn(GetParam(), Module("f32[3]", {"f32[2]"}, "linked.paint", kPainted), arguments).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("custom-call call: canvas: sizes differ"));
}

struct Sum {
  explicit Sum(float value) : value(value) {}
  float value;
};
absl::StatusOr<std::unique_ptr<Sum>> MakeSum(float start) { return std::make_unique<Sum>(start); }
absl::Status AddToSum(float, Sum* sum, ffi::Result<ffi::BufferR0<F32>> y) {
  *y->typed_data() = ++sum->value;
  return absl::OkStatus();
}
XLA_FFI_DEFINE_HANDLER(kMakeSum, MakeSum, ffi::Ffi::BindInstantiate().Attr<float>("start"));
XLA_FFI_DEFINE_HANDLER(
    kAddToSum, AddToSum,
    ffi::Ffi::Bind().Attr<float>("start").Ctx<ffi::State<Sum>>().Ret<ffi::BufferR0<F32>>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "linked.sum", "Host",
                         {kMakeSum, nullptr, nullptr, kAddToSum});

TEST_P(Linked, StatesNeedNoRegistration) {
  absl::StatusOr<std::unique_ptr<CompiledModule>> module =
      Compile(GetParam(), Module("f32[]", {}, "linked.sum", "{start = 40.0 : f32}"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->Run({})->Get<float>({}), 41);
  EXPECT_EQ((*module)->Run({})->Get<float>({}), 42);
}

absl::Status UseThreads(const Eigen::ThreadPoolDevice* device, ffi::Result<ffi::AnyBuffer> y) {
  if (device->numThreads() < 1) return absl::InternalError("no threads");
  absl::BlockingCounter begun(1), done(1);
  // Another thread than this one, which waits.
  device->getPool()->Schedule([&] {
    begun.Wait();
    done.DecrementCount();
  });
  begun.DecrementCount();
  done.Wait();
  *static_cast<float*>(y->untyped_data()) = 5;
  return absl::OkStatus();
}
XLA_FFI_DEFINE_HANDLER(kUseThreads, UseThreads,
                       ffi::Ffi::Bind().Ctx<ffi::IntraOpThreadPool>().Ret<ffi::AnyBuffer>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "linked.threads", "cpu", kUseThreads);

TEST_P(Linked, ThreadsAsEigenSeesThem) {
  absl::StatusOr<Literal> result = RunOn(GetParam(), Module("f32[]", {}, "linked.threads"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->Get<float>({}), 5);
}

// What the caller gives, by way of the local client.
struct Wish {
  int number;
  bool was_seen = false;
};
absl::Status SeeWish(Wish* wish, ffi::Result<ffi::BufferR0<S32>> y) {
  wish->was_seen = true;
  *y->typed_data() = wish->number;
  return absl::OkStatus();
}
XLA_FFI_DEFINE_HANDLER(kSeeWish, SeeWish,
                       ffi::Ffi::Bind().Ctx<ffi::UserData<Wish>>().Ret<ffi::BufferR0<S32>>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "linked.wish", "Host", kSeeWish);

TEST(LocalClientTest, PassesTheExecutionContext) {
  XlaBuilder builder("wish");
  CustomCall(&builder, "linked.wish", {}, ShapeUtil::MakeShape(S32, {}), /*opaque=*/"",
             /*has_side_effect=*/false, /*output_operand_aliasing=*/{}, /*literal=*/nullptr,
             CustomCallSchedule::SCHEDULE_NONE, CustomCallApiVersion::API_VERSION_TYPED_FFI);
  absl::StatusOr<XlaComputation> computation = builder.Build();
  ASSERT_TRUE(computation.ok()) << computation.status();
  LocalClient* const client = *ClientLibrary::GetOrCreateLocalClient();
  auto executables = client->Compile(*computation, {}, ExecutableBuildOptions());
  ASSERT_TRUE(executables.ok()) << executables.status();
  ffi::ExecutionContext context;
  Wish wish = {21};
  ASSERT_TRUE(context.Insert(&wish).ok());
  ExecutableRunOptions options;
  options.set_ffi_execution_context(&context);
  auto result = (*executables)[0]->Run(absl::Span<const ShapedBuffer* const>(), options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(wish.was_seen);
  EXPECT_EQ(*context.Lookup<Wish>(), &wish);
  EXPECT_EQ(context.Lookup<Sum>().status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace xla

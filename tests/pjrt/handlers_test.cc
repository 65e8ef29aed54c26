// What executions hand to the handlers of custom calls.
#include "tests/pjrt/pjrt_testing.h"
#include "xla/ffi/execution_context.h"
#include "xla/ffi/ffi.h"

namespace xla {
namespace {

struct Factor {
  explicit Factor(float factor) : value(factor) {}
  float value;
};

absl::Status MultiplyByFactor(ffi::BufferR1<F32> x, Factor* factor,
                              ffi::Result<ffi::BufferR1<F32>> y) {
  for (size_t i = 0; i < x.element_count(); ++i)
    y->typed_data()[i] = factor->value * x.typed_data()[i];
  return absl::OkStatus();
}
XLA_FFI_DEFINE_HANDLER(kMultiplyByFactor, MultiplyByFactor,
                       ffi::Ffi::Bind()
                           .Arg<ffi::BufferR1<F32>>()
                           .Ctx<ffi::UserData<Factor>>()
                           .Ret<ffi::BufferR1<F32>>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "handlers_test_multiply", "Host", kMultiplyByFactor);

TEST(HandlersTest, ContextOfTheExecution) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  const auto executable = CompileText(*client, R"(
HloModule m
ENTRY e { x = f32[2] parameter(0)
  ROOT y = f32[2] custom-call(x), custom_call_target="handlers_test_multiply",
    api_version=API_VERSION_TYPED_FFI })");
  const auto x = Put(*client, LiteralUtil::CreateR1<float>({1, 2}));
  for (const float factor : {3.0f, 5.0f}) {
    ExecuteContext context;
    ASSERT_TRUE(context.ffi_context().Emplace<Factor>(factor).ok());
    ExecuteOptions options;
    options.context = &context;
    const auto results = RunProgram(*executable, {x.get()}, options).value();
    EXPECT_EQ(*results[0]->ToLiteralSync().value(),
              LiteralUtil::CreateR1<float>({factor, 2 * factor}));
  }
  EXPECT_FALSE(RunProgram(*executable, {x.get()}).value()[0]->GetReadyFuture().Await().ok());
}

}  // namespace
}  // namespace xla

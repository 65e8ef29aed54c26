// What the local client costs around a program.
#include <memory>
#include <utility>
#include <vector>

#include "bench/time_to_return.h"
#include "benchmark/benchmark.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// A program of one parameter.
struct Compiled {
  explicit Compiled(const char* text, const Literal& argument)
      : executable(std::move(
            client
                .Compile(XlaComputation(ParseAndReturnUnverifiedModule(text).value()->ToProto()),
                         {&argument.shape()}, ExecutableBuildOptions())
                .value()[0])),
        x(client.LiteralToShapedBuffer(argument, 0).value()) {}

  LocalClient& client = *ClientLibrary::LocalClientOrDie();
  std::unique_ptr<LocalExecutable> executable;
  ScopedShapedBuffer x;
  const std::vector<const ShapedBuffer*> arguments = {&x};
};

constexpr char kCopy[] = "HloModule m ENTRY e { x = f32[] parameter(0)  ROOT y = f32[] copy(x) }";

void BM_LocalRunEmptyProgram(benchmark::State& state) {
  const Compiled program(kCopy, LiteralUtil::CreateR0<float>(1));
  for (auto _ : state) {
    auto result = program.executable->Run(program.arguments, ExecutableRunOptions()).value();
    benchmark::DoNotOptimize(result.root_buffer().opaque());
  }
}
BENCHMARK(BM_LocalRunEmptyProgram);

// Until the result is there.
void BM_LocalRunAsyncEmptyProgram(benchmark::State& state) {
  const Compiled program(kCopy, LiteralUtil::CreateR0<float>(1));
  for (auto _ : state) {
    auto result = program.executable->RunAsync(program.arguments, ExecutableRunOptions()).value();
    benchmark::DoNotOptimize(result.Await());
  }
}
BENCHMARK(BM_LocalRunAsyncEmptyProgram)->UseRealTime();

// Until RunAsync of a program that takes about 10 ms has returned.
void BM_LocalRunAsyncReturns(benchmark::State& state) {
  const Compiled program(R"(
HloModule m
ENTRY e { x = f32[512,512] parameter(0)
  y = f32[512,512] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT z = f32[512,512] dot(y, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} })",
                         Literal(ShapeUtil::MakeShape(F32, {512, 512})));
  MeasureTimeToReturn(
      state,
      [&] { return program.executable->RunAsync(program.arguments, ExecutableRunOptions()); },
      [](const absl::StatusOr<ScopedShapedBuffer>& result) {
        benchmark::DoNotOptimize(result->Await());
      });
}
BENCHMARK(BM_LocalRunAsyncReturns)->UseManualTime();

}  // namespace
}  // namespace xla

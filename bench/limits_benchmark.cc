// How close compiled programs come to what the machine can do. The limits are measured in the same
// run: memory bandwidth by the triad of STREAM, arithmetic by fused multiply-adds on registers.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/log/check.h"
#include "absl/strings/str_format.h"
#include "api/backend.h"
#include "benchmark/benchmark.h"
#include "tools/fake_inputs.h"
#include "tools/machine_limits.h"
#include "tools/repeated_run.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

constexpr int64_t kElements = int64_t{1} << 25;

void CountBytes(benchmark::State& state, double bytes) {
  state.counters["bytes"] =
      benchmark::Counter(bytes, benchmark::Counter::kIsIterationInvariantRate);
}

void CountOperations(benchmark::State& state, double operations) {
  state.counters["flops"] =
      benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate);
}

// ---- Limits

void StreamTriad(benchmark::State& state) {
  Triad triad;
  double bytes = 0;
  for (auto _ : state) {
    bytes = triad.Run();
    benchmark::ClobberMemory();
  }
  CountBytes(state, bytes);
}
BENCHMARK(StreamTriad)->UseRealTime()->Unit(benchmark::kMillisecond);

void MultiplyAddPeak(benchmark::State& state) {
  double operations = 0;
  for (auto _ : state) operations = RunMultiplyAdds();
  CountOperations(state, operations);
}
BENCHMARK(MultiplyAddPeak)->UseRealTime()->Unit(benchmark::kMillisecond);

// ---- Programs

// Runs a program on made-up inputs.
void RunProgram(benchmark::State& state, const std::string& text) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
  CHECK_OK(module.status());
  absl::StatusOr<std::vector<Literal>> inputs = MakeFakeInputs(**module);
  CHECK_OK(inputs.status());
  absl::StatusOr<std::unique_ptr<CompiledModule>> compiled =
      DefaultBackend().Compile(*std::move(module));
  CHECK_OK(compiled.status());
  absl::StatusOr<RepeatedRun> run = RepeatedRun::Make(**compiled, *std::move(inputs));
  CHECK_OK(run.status());
  for (auto _ : state) CHECK_OK(run->Run());
}

void EmptyCall(benchmark::State& state) {
  RunProgram(state, R"(HloModule empty
ENTRY main {
  ROOT x = f32[] parameter(0)
})");
}
BENCHMARK(EmptyCall)->Unit(benchmark::kMicrosecond);

void TinySteps(benchmark::State& state) {
  constexpr int kTurns = 1000000;
  RunProgram(state, absl::StrFormat(R"(HloModule steps
goes_on {
  state = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  limit = s32[] constant(%d)
  ROOT less = pred[] compare(i, limit), direction=LT
}
step {
  state = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  x = f32[] get-tuple-element(state), index=1
  one = s32[] constant(1)
  half = f32[] constant(0.5)
  next = s32[] add(i, one)
  product = f32[] multiply(x, half)
  sum = f32[] add(product, half)
  ROOT both = (s32[], f32[]) tuple(next, sum)
}
ENTRY main {
  zero = s32[] constant(0)
  x = f32[] parameter(0)
  start = (s32[], f32[]) tuple(zero, x)
  ROOT end = (s32[], f32[]) while(start), condition=goes_on, body=step
})",
                                    kTurns));
  state.counters["steps"] =
      benchmark::Counter(kTurns, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(TinySteps)->UseRealTime()->Unit(benchmark::kMillisecond);

void ElementWise(benchmark::State& state) {
  RunProgram(state, absl::StrFormat(R"(HloModule add
ENTRY main {
  x = f32[%1$d] parameter(0)
  y = f32[%1$d] parameter(1)
  three = f32[] constant(3)
  threes = f32[%1$d] broadcast(three), dimensions={}
  product = f32[%1$d] multiply(y, threes)
  ROOT sum = f32[%1$d] add(x, product)
})",
                                    kElements));
  CountBytes(state, 3.0 * sizeof(float) * kElements);
}
BENCHMARK(ElementWise)->UseRealTime()->Unit(benchmark::kMillisecond);

void Softmax(benchmark::State& state) {
  const int64_t columns = state.range(0);
  RunProgram(state, absl::StrFormat(R"(HloModule softmax
larger {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT larger = f32[] maximum(x, y)
}
sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
}
ENTRY main {
  x = f32[%1$d,%2$d] parameter(0)
  least = f32[] constant(-inf)
  zero = f32[] constant(0)
  largest = f32[%1$d] reduce(x, least), dimensions={1}, to_apply=larger
  all_largest = f32[%1$d,%2$d] broadcast(largest), dimensions={0}
  shifted = f32[%1$d,%2$d] subtract(x, all_largest)
  powers = f32[%1$d,%2$d] exponential(shifted)
  sums = f32[%1$d] reduce(powers, zero), dimensions={1}, to_apply=sum
  all_sums = f32[%1$d,%2$d] broadcast(sums), dimensions={0}
  ROOT softmax = f32[%1$d,%2$d] divide(powers, all_sums)
})",
                                    kElements / columns, columns));
  CountBytes(state, 2.0 * sizeof(float) * kElements);
}
BENCHMARK(Softmax)->Arg(1024)->UseRealTime()->Unit(benchmark::kMillisecond);

void Product(benchmark::State& state) {
  const int64_t n = state.range(0);
  RunProgram(state, absl::StrFormat(R"(HloModule product
ENTRY main {
  x = f32[%1$d,%1$d] parameter(0)
  y = f32[%1$d,%1$d] parameter(1)
  ROOT xy = f32[%1$d,%1$d] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                                    n));
  CountOperations(state, 2.0 * static_cast<double>(n * n * n));
}
BENCHMARK(Product)->Arg(1024)->Arg(2048)->UseRealTime()->Unit(benchmark::kMillisecond);

// A layer of ResNet-50: size of the image, channels in and out, window, stride.
void Convolution(benchmark::State& state) {
  const int64_t size = state.range(0), in = state.range(1), out = state.range(2);
  const int64_t window = state.range(3), stride = state.range(4), pad = window / 2;
  const int64_t end = (size + 2 * pad - window) / stride + 1;
  RunProgram(state, absl::StrFormat(R"(HloModule convolution
ENTRY main {
  x = f32[8,%1$d,%1$d,%2$d] parameter(0)
  w = f32[%4$d,%4$d,%2$d,%3$d] parameter(1)
  ROOT y = f32[8,%6$d,%6$d,%3$d] convolution(x, w), window={size=%4$dx%4$d stride=%5$dx%5$d pad=%7$d_%7$dx%7$d_%7$d}, dim_labels=b01f_01io->b01f
})",
                                    size, in, out, window, stride, end, pad));
  CountOperations(state, 2.0 * 8 * static_cast<double>(end * end * window * window * in * out));
}
BENCHMARK(Convolution)
    ->Args({224, 3, 64, 7, 2})
    ->Args({56, 64, 64, 3, 1})
    ->Args({28, 128, 512, 1, 1})
    ->Args({14, 256, 256, 3, 1})
    ->Args({7, 512, 2048, 1, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace xla

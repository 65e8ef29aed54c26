// What PJRT costs around a program.
#include <memory>
#include <vector>

#include "bench/time_to_return.h"
#include "benchmark/benchmark.h"
#include "xla/client/client_library.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"
#include "xla/pjrt/cpu/cpu_client.h"

namespace xla {
namespace {

constexpr char kEmpty[] = "HloModule m ENTRY e { x = f32[] parameter(0)  ROOT y = f32[] copy(x) }";

struct alignas(64) Host {
  float values[1024];
};

PjRtClient& Client() {
  static PjRtClient* const client = [] {
    CpuClientOptions options;
    options.cpu_device_count = 1;
    return GetPjRtCpuClient(options).value().release();
  }();
  return *client;
}

PjRtMemorySpace* Memory() { return Client().devices()[0]->default_memory_space().value(); }

// Buffers that live while something else is measured.
std::vector<std::unique_ptr<PjRtBuffer>> LiveBuffers(int64_t count) {
  std::vector<std::unique_ptr<PjRtBuffer>> buffers;
  for (int64_t i = 0; i < count; ++i) {
    buffers.push_back(
        Client().BufferFromHostLiteral(LiteralUtil::CreateR0<float>(1), Memory()).value());
  }
  return buffers;
}

void BM_ExecuteEmptyProgram(benchmark::State& state) {
  const auto live = LiveBuffers(state.range(0));
  const auto executable =
      Client()
          .CompileAndLoad(XlaComputation(ParseAndReturnUnverifiedModule(kEmpty).value()->ToProto()),
                          {})
          .value();
  const auto x = Client().BufferFromHostLiteral(LiteralUtil::CreateR0<float>(1), Memory()).value();
  const std::vector<std::vector<PjRtBuffer*>> arguments = {{x.get()}};
  const ExecuteOptions options;
  for (auto _ : state) {
    auto results = executable->Execute(arguments, options).value();
    benchmark::DoNotOptimize(results[0][0]->GetReadyFuture().IsReady());
  }
}
BENCHMARK(BM_ExecuteEmptyProgram)->Arg(0)->Arg(10000);

void BM_BufferFromAlignedHostMemory(benchmark::State& state) {
  const auto live = LiveBuffers(state.range(0));
  const auto host = std::make_unique<Host>();
  for (auto _ : state) {
    auto buffer = Client()
                      .BufferFromHostBuffer(host->values, F32, {1024}, std::nullopt,
                                            PjRtClient::HostBufferSemantics::kImmutableZeroCopy,
                                            nullptr, Memory(), nullptr)
                      .value();
    benchmark::DoNotOptimize(buffer.get());
  }
}
BENCHMARK(BM_BufferFromAlignedHostMemory)->Arg(0)->Arg(10000);

// Until Execute of a program that takes about 10 ms has returned.
void BM_ExecuteReturns(benchmark::State& state) {
  const auto executable = Client()
                              .CompileAndLoad(XlaComputation(ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e { x = f32[512,512] parameter(0)
  y = f32[512,512] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT z = f32[512,512] dot(y, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} })")
                                                                 .value()
                                                                 ->ToProto()),
                                              {})
                              .value();
  Literal ones(ShapeUtil::MakeShape(F32, {512, 512}));
  const auto x = Client().BufferFromHostLiteral(ones, Memory()).value();
  const std::vector<std::vector<PjRtBuffer*>> arguments = {{x.get()}};
  MeasureTimeToReturn(
      state, [&] { return executable->Execute(arguments, {}).value(); },
      [](const std::vector<std::vector<std::unique_ptr<PjRtBuffer>>>& results) {
        benchmark::DoNotOptimize(results[0][0]->GetReadyFuture().Await());
      });
}
BENCHMARK(BM_ExecuteReturns)->UseManualTime();

}  // namespace
}  // namespace xla

// How long it takes to divide modules of about 10,000 instructions among eight devices.
#include <memory>
#include <string>

#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "benchmark/benchmark.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

constexpr int kInstructions = 10000;

// What is repeated, # being the number of the repetition and @ the next one's, and what stands
// around it.
struct Program {
  absl::string_view parameters;  // $ is the number of the first
  int parameter_count;           // in `parameters`
  absl::string_view steps;
  int size;  // instructions in both
  absl::string_view shape;
  absl::string_view sharding;  // of the first parameter
};

// Layers of a network whose weights are divided in two ways, each behind a normalisation.
constexpr Program kLayers = {
    R"(
  up_# = f32[256,1024] parameter($), sharding={devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}
  down_# = f32[1024,256] parameter($1), sharding={devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}
)", 2, R"(
  squares_# = f32[512,256] multiply(x_#, x_#)
  sums_# = f32[512] reduce(squares_#, zero), dimensions={1}, to_apply=sum
  scales_# = f32[512] rsqrt(sums_#)
  scaling_# = f32[512,256] broadcast(scales_#), dimensions={0}
  normal_# = f32[512,256] multiply(x_#, scaling_#)
  wide_# = f32[512,1024] dot(normal_#, up_#), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  bent_# = f32[512,1024] tanh(wide_#)
  narrow_# = f32[512,256] dot(bent_#, down_#), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  x_@ = f32[512,256] add(x_#, narrow_#)
)", 11, "[512,256]", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"};

constexpr Program kElementwise = {"", 0, R"(
  a_# = f32[64,1024] tanh(x_#)
  b_# = f32[64,1024] multiply(x_#, a_#)
  c_# = f32[64,1024] subtract(b_#, x_0)
  x_@ = f32[64,1024] add(c_#, a_#)
)", 4, "[64,1024]", "{devices=[2,4]<=[8]}"};

// With halos along the rows.
constexpr Program kConvolutions = {"\n  kernel_# = f32[3,3,8,8] parameter($)\n",
                                   1,
                                   R"(
  sums_# = f32[16,32,32,8] convolution(x_#, kernel_#), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  bent_# = f32[16,32,32,8] tanh(sums_#)
  x_@ = f32[16,32,32,8] add(bent_#, x_#)
)",
                                   4,
                                   "[16,32,32,8]",
                                   "{devices=[2,4,1,1]<=[8]}"};

constexpr Program kLoops = {"", 0, R"(
  pair_# = (s32[], f32[64,1024]) tuple(start, x_#)
  loop_# = (s32[], f32[64,1024]) while(pair_#), condition=goes_on, body=step
  x_@ = f32[64,1024] get-tuple-element(loop_#), index=1
)", 13, "[64,1024]", "{devices=[2,4]<=[8]}"};

std::string TextOf(const Program& program) {
  std::string text = R"(HloModule program, num_partitions=8
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
goes_on {
  state = (s32[], f32[64,1024]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  count = s32[] constant(10)
  ROOT is_less = pred[] compare(i, count), direction=LT
}
step {
  state = (s32[], f32[64,1024]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[64,1024] get-tuple-element(state), index=1
  ROOT result = (s32[], f32[64,1024]) tuple(next, x)
}
ENTRY main {
  zero = f32[] constant(0)
  start = s32[] constant(0)
)";
  absl::StrAppend(&text, "  x_0 = f32", program.shape, " parameter(0), sharding=", program.sharding,
                  "\n");
  const int repetitions = kInstructions / program.size;
  std::string steps;
  for (int i = 0; i < repetitions; ++i) {
    const int parameter = 1 + i * program.parameter_count;
    const auto number = [&](absl::string_view of) {
      return absl::StrReplaceAll(of, {{"#", absl::StrCat(i)},
                                      {"@", absl::StrCat(i + 1)},
                                      {"$1", absl::StrCat(parameter + 1)},
                                      {"$", absl::StrCat(parameter)}});
    };
    absl::StrAppend(&text, number(program.parameters));
    absl::StrAppend(&steps, number(program.steps));
  }
  return absl::StrCat(text, steps, "  ROOT result = f32", program.shape, " copy(x_", repetitions,
                      ")\n}\n");
}

void DivideModule(benchmark::State& state, const Program& program) {
  absl::StatusOr<std::unique_ptr<HloModule>> module =
      ParseAndReturnUnverifiedModule(TextOf(program));
  CHECK_OK(module.status());
  (*module)->mutable_config().set_use_spmd_partitioning(true);
  for (auto _ : state) {
    state.PauseTiming();
    std::unique_ptr<HloModule> divided = (*module)->Clone("");
    state.ResumeTiming();
    CHECK_OK(passes::Partition(*divided).status());
    state.PauseTiming();
    divided.reset();
    state.ResumeTiming();
  }
}
BENCHMARK_CAPTURE(DivideModule, layers, kLayers)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(DivideModule, elementwise, kElementwise)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(DivideModule, convolutions, kConvolutions)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(DivideModule, loops, kLoops)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace xla

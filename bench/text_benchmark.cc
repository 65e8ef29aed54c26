// How fast HLO text is read and printed.
#include <memory>
#include <string>

#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "benchmark/benchmark.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

// One attention-and-feed-forward layer as JAX lowers it, with names and metadata of realistic length. # is its number.
constexpr absl::string_view kLayer = R"(
  %convert_# = f32[8,128,512]{2,1,0} convert(%x_#), metadata={op_name="jit(forward)/jit(main)/layers_#/attention_norm/convert_element_type" source_file="/home/user/model/transformer/layers.py" source_line=41}
  %square_# = f32[8,128,512]{2,1,0} multiply(%convert_#, %convert_#), metadata={op_name="jit(forward)/jit(main)/layers_#/attention_norm/square" source_file="/home/user/model/transformer/layers.py" source_line=42}
  %mean_# = f32[8,128]{1,0} reduce(%square_#, %zero), dimensions={2}, to_apply=%sum, metadata={op_name="jit(forward)/jit(main)/layers_#/attention_norm/reduce_sum" source_file="/home/user/model/transformer/layers.py" source_line=42}
  %scale_# = f32[8,128]{1,0} rsqrt(%mean_#), metadata={op_name="jit(forward)/jit(main)/layers_#/attention_norm/rsqrt"}
  %scales_# = f32[8,128,512]{2,1,0} broadcast(%scale_#), dimensions={0,1}, metadata={op_name="jit(forward)/jit(main)/layers_#/attention_norm/mul"}
  %normal_# = f32[8,128,512]{2,1,0} multiply(%convert_#, %scales_#), metadata={op_name="jit(forward)/jit(main)/layers_#/attention_norm/mul"}
  %weight_# = f32[512,8,64]{2,1,0} constant({...})
  %query_# = f32[8,128,8,64]{3,2,1,0} dot(%normal_#, %weight_#), lhs_contracting_dims={2}, rhs_contracting_dims={0}, metadata={op_name="jit(forward)/jit(main)/layers_#/attention/q_einsum/dot_general" source_file="/home/user/model/transformer/attention.py" source_line=117}
  %heads_# = f32[8,8,128,64]{3,2,1,0} transpose(%query_#), dimensions={0,2,1,3}, metadata={op_name="jit(forward)/jit(main)/layers_#/attention/transpose"}
  %scores_# = f32[8,8,128,128]{3,2,1,0} dot(%heads_#, %heads_#), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={3}
  %slice_# = f32[8,8,128,64]{3,2,1,0} slice(%scores_#), slice={[0:8], [0:8], [0:128], [0:64]}
  %joined_# = f32[8,128,512]{2,1,0} reshape(%slice_#), metadata={op_name="jit(forward)/jit(main)/layers_#/attention/reshape"}
  %compare_# = pred[8,128,512]{2,1,0} compare(%joined_#, %normal_#), direction=GT
  %select_# = f32[8,128,512]{2,1,0} select(%compare_#, %joined_#, %convert_#)
  %x_@ = bf16[8,128,512]{2,1,0} convert(%select_#), metadata={op_name="jit(forward)/jit(main)/layers_#/convert_element_type"}
)";

std::string TransformerText(size_t bytes) {
  std::string text = R"(HloModule transformer
%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add = f32[] add(%a, %b)
}
ENTRY %main (x: bf16[8,128,512]) -> bf16[8,128,512] {
  %x_0 = bf16[8,128,512]{2,1,0} parameter(0)
  %zero = f32[] constant(0)
)";
  int layer = 0;
  for (; text.size() < bytes; ++layer) {
    text += absl::StrReplaceAll(
        kLayer, {{"#", absl::StrCat(layer)}, {"@", absl::StrCat(layer + 1)}});
  }
  return absl::StrCat(text, "  ROOT %copy = bf16[8,128,512]{2,1,0} copy(%x_", layer, ")\n}\n");
}

// Constants are replaced, so that this measures reading text and not filling memory.
void ParseModule(benchmark::State& state) {
  const std::string text = absl::StrReplaceAll(TransformerText(state.range(0) << 20),
                                               {{"constant({...})", "iota(), iota_dimension=0"}});
  for (auto _ : state) {
    absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
    CHECK_OK(module.status());
    benchmark::DoNotOptimize(module);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(ParseModule)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);

void PrintModule(benchmark::State& state) {
  const std::string text = absl::StrReplaceAll(TransformerText(state.range(0) << 20),
                                               {{"constant({...})", "iota(), iota_dimension=0"}});
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
  CHECK_OK(module.status());
  for (auto _ : state) benchmark::DoNotOptimize((*module)->ToString(HloPrintOptions::Default()));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(PrintModule)->Arg(4)->Unit(benchmark::kMillisecond);

// A constant of a million numbers.
void ParseConstant(benchmark::State& state) {
  std::string text = "HloModule m\nENTRY e { ROOT c = f32[1000000] constant({0.125";
  for (int i = 1; i < 1000000; ++i) absl::StrAppend(&text, ", ", i * 0.37);
  text += "}) }";
  for (auto _ : state) {
    absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
    CHECK_OK(module.status());
    benchmark::DoNotOptimize(module);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(ParseConstant)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace xla

// Sparse convolutions that no verifier has seen.
#include "gtest/gtest.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

TEST(SparseConvolutionTest, BlocksThatReachBeyondTheInputAreErrors) {
  const auto module = ParseAndReturnUnverifiedModule(R"(
ENTRY e {
  x = f32[2,3] parameter(0)
  elements = f32[1,2] parameter(1)
  places = s32[1,2] parameter(2)
  kernel = (f32[1,2], s32[1,2]) tuple(elements, places)
  ROOT r = f32[2,2] convolution(x, kernel), dim_labels=bf_io->bf,
      sparsity_config={rhs={sparsity=1x700000000 dimension=0 stride=1}}
})");
  ASSERT_TRUE(module.ok()) << module.status();
  const Literal x = LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}});
  const Literal elements = LiteralUtil::CreateR2<float>({{7, 8}});
  const Literal places = LiteralUtil::CreateR2<int32_t>({{0, 2}});
  HloEvaluator evaluator;
  EXPECT_EQ(
      evaluator.Evaluate(*(*module)->entry_computation(), {&x, &elements, &places}).status().code(),
      absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace xla

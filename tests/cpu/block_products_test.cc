// Products in blocks give the same numbers, bit for bit where the evaluator computes both.
#include "cpu/plan/block_products.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "api/backend.h"
#include "gtest/gtest.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal_util.h"

namespace xla::cpu {
namespace {

constexpr char kFunctions[] = R"(
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
most { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] maximum(x, y) }
least {
  x = f32[] parameter(0)
  i = s32[] parameter(1)
  y = f32[] parameter(2)
  j = s32[] parameter(3)
  c = pred[] compare(x, y), direction=LE
  z = f32[] select(c, x, y)
  k = s32[] select(c, i, j)
  ROOT t = (f32[], s32[]) tuple(z, k)
}
before {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT c = pred[] compare(x, y), direction=LT
}
)";

// Queries, keys and values of an attention, and a bias that is masked above the diagonal.
constexpr char kScores[] = R"(
  q = f32[2,3,17,2] parameter(0)
  k = f32[2,3,20,2] parameter(1)
  v = f32[2,3,20,2] parameter(2)
  bias = f32[3,20] parameter(3)
  dot = f32[2,3,17,20] dot(q, k), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_contracting_dims={3}
  biases = f32[2,3,17,20] broadcast(bias), dimensions={1,3}
  rows = s32[2,3,17,20] iota(), iota_dimension=2
  columns = s32[2,3,17,20] iota(), iota_dimension=3
  seen = pred[2,3,17,20] compare(rows, columns), direction=GE
  off = f32[] constant(-1000)
  offs = f32[2,3,17,20] broadcast(off), dimensions={}
  biased = f32[2,3,17,20] add(dot, biases)
  s = f32[2,3,17,20] select(seen, biased, offs)
  zero = f32[] constant(0)
  lowest = f32[] constant(-inf)
)";
constexpr char kSoftmax[] = R"(
  m = f32[2,3,17] reduce(s, lowest), dimensions={3}, to_apply=most
  ms = f32[2,3,17,20] broadcast(m), dimensions={0,1,2}
  d = f32[2,3,17,20] subtract(s, ms)
  e = f32[2,3,17,20] exponential(d)
  sum = f32[2,3,17] reduce(e, zero), dimensions={3}, to_apply=add
  sums = f32[2,3,17,20] broadcast(sum), dimensions={0,1,2}
  p = f32[2,3,17,20] divide(e, sums)
  o = f32[2,3,17,2] dot(p, v), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_contracting_dims={2}
)";

struct Case {
  std::string name, instructions;
  int loops;  // how many there are
};

std::vector<Case> Cases() {
  const std::string scores = kScores, softmax = absl::StrCat(kScores, kSoftmax);
  return {
      {"Attention",
       absl::StrCat(softmax, "ROOT r = f32[2,17,3,2] transpose(o), dimensions={0,2,1,3}"), 3},
      // Two results; one of them is needed outside.
      {"SumsOfAttention",
       absl::StrCat(softmax, "l = f32[2,3,17] log(sum)\n",
                    "ROOT r = (f32[2,3,17], f32[2,3,17,2]) tuple(l, o)"),
       3},
      // Batches as one dimension between others, and as one that becomes two, of which the first
      // is divided before the other one is.
      {"MergedBatches", absl::StrCat(scores, R"(
  x = f32[6,17,20] reshape(s)
  two = f32[6,17,20] add(x, x)
  y = f32[2,3,17,20] reshape(two)
  ROOT r = f32[2,3,17] reduce(y, lowest), dimensions={3}, to_apply=most)"),
       3},
      {"SplitBatches", R"(
  x = f32[6,17,2] parameter(0)
  y = f32[6,20,2] parameter(1)
  bias = f32[3,20] parameter(2)
  dot = f32[6,17,20] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  heads = f32[2,3,17,20] reshape(dot)
  biases = f32[2,3,17,20] broadcast(bias), dimensions={1,3}
  s = f32[2,3,17,20] multiply(heads, biases)
  zero = f32[] constant(0)
  ROOT r = f32[2,3,17] reduce(s, zero), dimensions={3}, to_apply=add)",
       3},
      // The index of the least of each row: a reduction to a tuple.
      {"LeastOfRows", absl::StrCat(scores, R"(
  first = s32[] constant(0)
  t = (f32[2,3,17], s32[2,3,17]) reduce(s, columns, lowest, first), dimensions={3}, to_apply=least
  ROOT r = s32[2,3,17] get-tuple-element(t), index=1)"),
       3},
      {"SortedRows", absl::StrCat(scores, R"(
  sorted = f32[2,3,17,20] sort(s), dimensions={3}, to_apply=before
  w = f32[20] parameter(4)
  ROOT r = f32[2,3,17] dot(sorted, w), lhs_contracting_dims={3}, rhs_contracting_dims={0})"),
       3},
      // Columns cannot be divided where rows are added up, nor rows where columns are.
      {"SumsOfColumns",
       absl::StrCat(scores, "ROOT r = f32[2,3,20] reduce(s, zero), dimensions={2}, to_apply=add"),
       3},
      {"SumsOfAll",
       absl::StrCat(scores, "ROOT r = f32[2,3] reduce(s, zero), dimensions={2,3}, to_apply=add"),
       2},
      {"SumsOfRowsAndColumns", absl::StrCat(scores, R"(
  a = f32[2,3,20] reduce(s, zero), dimensions={2}, to_apply=add
  b = f32[2,3,17] reduce(s, zero), dimensions={3}, to_apply=add
  ROOT r = (f32[2,3,20], f32[2,3,17]) tuple(a, b))"),
       2},
      // What is needed as a whole is not computed in blocks.
      {"ScoresAsResult",
       absl::StrCat(softmax, "ROOT r = (f32[2,3,17,2], f32[2,3,17,20]) tuple(o, s)"), 0},
      // The gradient of an attention multiplies scores by another product, which is made in the
      // same blocks. Sums of rows leave nothing to divide but batches.
      {"Gradient", absl::StrCat(scores, R"(
  g = f32[2,3,17,2] parameter(4)
  dp = f32[2,3,17,20] dot(g, v), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_contracting_dims={3}
  e = f32[2,3,17,20] exponential(s)
  ds = f32[2,3,17,20] multiply(e, dp)
  dq = f32[2,3,17,2] dot(ds, k), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_contracting_dims={2}
  dk = f32[2,3,20,2] dot(ds, q), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  ROOT r = (f32[2,3,17,2], f32[2,3,20,2]) tuple(dq, dk))"),
       2},
      // What nobody needs is no producer.
      {"DeadCode", absl::StrCat(scores, R"(
  unused = f32[2,3,17,20] negate(biases)
  ROOT r = f32[2,3,17] reduce(s, lowest), dimensions={3}, to_apply=most)"),
       3},
      // Each head's scores and its transposed ones: no dimension but batches is its own.
      {"Transposed", R"(
  x = f32[5,12,3] parameter(0)
  s = f32[5,12,12] dot(x, x), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  t = f32[5,12,12] transpose(s), dimensions={0,2,1}
  e = f32[5,12,12] exponential(s)
  p = f32[5,12,12] multiply(e, t)
  zero = f32[] constant(0)
  ROOT r = f32[5,12] reduce(p, zero), dimensions={2}, to_apply=add)",
       1},
      // Blocks of 7 of 20 rows: the last one has rows of the one before again.
      {"UnevenRows", R"(
  x = f32[20,3] parameter(0)
  y = f32[50,3] parameter(1)
  s = f32[20,50] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  n = f32[20,50] iota(), iota_dimension=0
  p = f32[20,50] multiply(s, n)
  zero = f32[] constant(0)
  ROOT r = f32[20] reduce(p, zero), dimensions={1}, to_apply=add)",
       1},
  };
}

int CountLoops(const HloModule& module) {
  int loops = 0;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions())
      loops += instruction->opcode() == HloOpcode::kWhile;
  }
  return loops;
}

void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

class BlockProductsTest : public ::testing::TestWithParam<Case> {};

TEST_P(BlockProductsTest, GivesTheSame) {
  const std::string text =
      absl::StrCat("HloModule m\n", kFunctions, "ENTRY e {", GetParam().instructions, "\n}");
  auto parsed = ParseAndReturnUnverifiedModule(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  std::unique_ptr<HloModule> module = *std::move(parsed);
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module->entry_computation()->parameter_instructions())
    arguments.push_back(MakeFakeLiteral(parameter->shape()).value());
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);

  std::unique_ptr<HloModule> blocked = module->Clone("");
  const BlockLimits limits = {/*large_bytes=*/1000, /*block_bytes=*/100, /*rows=*/8,
                              /*most_block_bytes=*/2000, /*least_rows=*/2};
  const absl::StatusOr<bool> changed = BlockProducts(*blocked, limits);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_EQ(*changed, GetParam().loops > 0);
  SCOPED_TRACE(blocked->ToString());
  EXPECT_EQ(CountLoops(*blocked), GetParam().loops);

  const auto run = [&](const char* backend, std::unique_ptr<HloModule> each) {
    return (*FindBackend(backend))->Compile(std::move(each)).value()->Run(pointers).value();
  };
  EXPECT_EQ(run("interpreter", blocked->Clone("")), run("interpreter", std::move(module)));
  // The verifier sees it, and so do all later passes.
  run("cpu", std::move(blocked));
}

INSTANTIATE_TEST_SUITE_P(All, BlockProductsTest, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace xla::cpu

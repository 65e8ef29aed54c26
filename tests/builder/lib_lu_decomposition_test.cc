// LU decompositions: against the matrix that they came from, and against LAPACK's numbers.
#include "tests/builder/builder_testing.h"
#include "tests/builder/matrix_testing.h"
#include "xla/hlo/builder/lib/lu_decomposition.h"

namespace xla {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LuDecompositionTest : public testing::TestWithParam<PrimitiveType> {
 protected:
  // Checks that L U has the rows of a, permuted, and that the pivots say how.
  void Check(Matrices a) {
    XlaBuilder b("main");
    const LuDecompositionResult op = LuDecomposition(ConstantMatrices(b, a, GetParam()));
    const Literal all = Evaluate(b, Tuple(&b, {op.lu, op.pivots, op.permutation}));
    const Matrices lu = MatricesOf(LiteralSlice(all, {0}).Clone());
    const std::vector<int32_t> pivots = ValuesOf<int32_t>(LiteralSlice(all, {1}).Clone());
    const std::vector<int32_t> permutation = ValuesOf<int32_t>(LiteralSlice(all, {2}).Clone());
    const int64_t p = std::min(a.rows, a.columns);
    Matrices l(a.count, a.rows, p), u(a.count, p, a.columns), permuted = a, swapped = a;
    for (int64_t k = 0; k < a.count; ++k) {
      for (int64_t i = 0; i < a.rows; ++i) {
        for (int64_t j = 0; j < a.columns; ++j) {
          if (j < i && j < p) l(k, i, j) = lu(k, i, j);
          if (j >= i) u(k, i, j) = lu(k, i, j);
          permuted(k, i, j) = a(k, permutation[k * a.rows + i], j);
        }
        if (i < p) l(k, i, i) = 1;
      }
      for (int64_t i = 0; i < p; ++i) {
        ASSERT_GE(pivots[k * p + i], i);
        for (int64_t j = 0; j < a.columns; ++j) {
          std::swap(swapped(k, i, j), swapped(k, pivots[k * p + i], j));
        }
      }
    }
    EXPECT_LE(Distance(Multiply(l, u), permuted), ToleranceFor(GetParam(), a.rows));
    EXPECT_EQ(Distance(swapped, permuted), 0);
    const double largest = primitive_util::IsComplexType(GetParam()) ? std::sqrt(2) : 1;
    for (const complex128& value : l.values) EXPECT_LE(std::abs(value), largest + 1e-6);
  }
};

TEST_P(LuDecompositionTest, GivesTheMatrixBack) {
  for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {4, 4}, {7, 3}, {3, 7}, {1, 5}, {5, 1}, {0, 0}, {4, 0}, {0, 4}, {33, 20}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << columns);
    Check(RandomMatrices(3, rows, columns, GetParam()));
  }
}

TEST_P(LuDecompositionTest, SingularMatrices) {
  Check(Matrices(2, 4, 3));  // zeros
  Matrices ones(1, 4, 4);
  std::fill(ones.values.begin(), ones.values.end(), 1);
  Check(ones);
}

INSTANTIATE_TEST_SUITE_P(Types, LuDecompositionTest, testing::Values(F32, F64, C64, C128),
                         [](const auto& info) { return PrimitiveType_Name(info.param); });

TEST(LuDecompositionTest, SameNumbersAsLapack) {
  XlaBuilder b("main");
  const LuDecompositionResult lu =
      LuDecomposition(ConstantR2<double>(&b, {{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}));
  const Literal all = Evaluate(b, Tuple(&b, {lu.lu, lu.pivots, lu.permutation}));
  ExpectClose(ValuesOf<double>(LiteralSlice(all, {0}).Clone()),
              {7, 8, 10, 1. / 7, 6. / 7, 11. / 7, 4. / 7, 0.5, -0.5}, 1e-14);
  EXPECT_THAT(ValuesOf<int32_t>(LiteralSlice(all, {1}).Clone()), ElementsAre(2, 2, 2));
  EXPECT_THAT(ValuesOf<int32_t>(LiteralSlice(all, {2}).Clone()), ElementsAre(2, 0, 1));
}

TEST(LuDecompositionTest, TextAndErrors) {
  XlaBuilder b("main");
  LuDecomposition(Broadcast(ConstantR0<float>(&b, 0), {2, 5, 3}));
  EXPECT_THAT(TextOf(b), HasSubstr("(f32[2,5,3], s32[2,3], s32[2,5]) custom-call("));
  XlaBuilder wrong("main");
  LuDecomposition(ConstantR1<float>(&wrong, {1}));
  EXPECT_THAT(ErrorOf(wrong), HasSubstr("lu decomposition: f32[1] has no matrices"));
}

}  // namespace
}  // namespace xla

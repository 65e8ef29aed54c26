// Tridiagonal systems: solutions multiplied by their matrices, and small ones by hand.
#include "tests/builder/builder_testing.h"
#include "tests/builder/matrix_testing.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/tridiagonal.h"

namespace xla {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tridiagonal::kThomas;
using tridiagonal::TridiagonalMatMul;
using tridiagonal::TridiagonalSolver;

XlaOp Valid(absl::StatusOr<XlaOp> op) {
  EXPECT_TRUE(op.ok()) << op.status();
  return op.value_or(XlaOp());
}

TEST(TridiagonalTest, SolvesByHand) {
  XlaBuilder b("main");
  // 2x + y = 4, x + 2y + z = 8, y + 2z = 8: what is outside of the matrix does not count.
  const XlaOp lower = ConstantR2<float>(&b, {{NAN, 1, 1}});
  const XlaOp main = ConstantR2<float>(&b, {{2, 2, 2}});
  const XlaOp upper = ConstantR2<float>(&b, {{1, 1, INFINITY}});
  const XlaOp rhs = ConstantR2<float>(&b, {{4, 8, 8}, {2, 0, -2}});
  const XlaOp x = Valid(TridiagonalSolver(kThomas, lower, main, upper, rhs));
  ExpectClose(
      [&] {
        const auto values = ValuesOf<float>(Evaluate(b, x));
        return std::vector<double>(values.begin(), values.end());
      }(),
      {1, 2, 3, 1, 0, -1}, 1e-6, 1);
}

TEST(TridiagonalTest, MultipliesByHand) {
  XlaBuilder b("main");
  const XlaOp upper = ConstantR2<int>(&b, {{1, 2, 99}});
  const XlaOp main = ConstantR2<int>(&b, {{3, 4, 5}});
  const XlaOp lower = ConstantR2<int>(&b, {{99, 6, 7}});
  const XlaOp rhs = ConstantR2<int>(&b, {{1, 10}, {2, 20}, {3, 30}});
  // (3+2, 6+8+6, 14+15)
  EXPECT_THAT(ValuesOf<int>(Evaluate(b, Valid(TridiagonalMatMul(upper, main, lower, rhs)))),
              ElementsAre(5, 50, 20, 200, 29, 290));
}

TEST(TridiagonalTest, SolutionsGiveTheRightSidesBack) {
  for (PrimitiveType type : {F32, F64, C64, C128}) {
    for (int64_t n : {0, 1, 2, 9}) {
      XlaBuilder b("main");
      Matrices diagonals = RandomMatrices(2, 3, n, type), rhs = RandomMatrices(2, n, 4, type);
      for (int64_t k = 0; k < 2; ++k) {
        for (int64_t i = 0; i < n; ++i) diagonals(k, 1, i) += 4;
      }
      const XlaOp d = ConstantMatrices(b, diagonals, type);
      const XlaOp right = ConstantMatrices(b, rhs, type);
      const XlaOp x = Valid(TridiagonalSolver(kThomas, d, right));
      const auto diagonal = [&](int64_t i) { return SliceInDim(d, i, i + 1, 1, 1); };
      const XlaOp product = Valid(TridiagonalMatMul(diagonal(0), diagonal(1), diagonal(2), x));
      EXPECT_LE(Distance(MatricesOf(Evaluate(b, product)), rhs), ToleranceFor(type, 1))
          << PrimitiveType_Name(type) << " " << n;
    }
  }
}

TEST(TridiagonalTest, Errors) {
  XlaBuilder b("main");
  const XlaOp row = ConstantR2<float>(&b, {{1, 2, 3}});
  const XlaOp rhs = ConstantR2<float>(&b, {{1, 2}});
  const auto message = [](const absl::StatusOr<XlaOp>& op) {
    EXPECT_EQ(op.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(op.status().message());
  };
  EXPECT_THAT(message(TridiagonalSolver(kThomas, row, row, row, rhs)),
              HasSubstr("tridiagonal solver: the lower diagonal f32[1,3] does not fit"));
  EXPECT_THAT(message(TridiagonalSolver(kThomas, row, rhs)), HasSubstr("has not three diagonals"));
  EXPECT_THAT(message(TridiagonalMatMul(row, row, row, rhs)),
              HasSubstr("tridiagonal product: the upper diagonal"));
  EXPECT_THAT(
      message(TridiagonalSolver(static_cast<tridiagonal::SolverAlgorithm>(7), row, row, row, row)),
      HasSubstr("there is no algorithm 7"));
  EXPECT_THAT(message(TridiagonalSolver(kThomas, row, ConvertElementType(row, F64), row, row)),
              HasSubstr("the main diagonal f64[1,3] does not fit"));
}

}  // namespace
}  // namespace xla

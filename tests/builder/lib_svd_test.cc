// Singular values and vectors: U diag(d) V^H against the matrix, and numbers from LAPACK.
#include "tests/builder/builder_testing.h"
#include "tests/builder/matrix_testing.h"
#include "xla/hlo/builder/lib/svd.h"

namespace xla {
namespace {

using testing::HasSubstr;

class SvdTest : public testing::TestWithParam<PrimitiveType> {
 protected:
  // The singular values.
  Matrices Check(Matrices a, double scale = 1) {
    XlaBuilder b("main");
    const SVDResult svd = SVD(ConstantMatrices(b, a, GetParam()));
    const Literal all = Evaluate(b, Tuple(&b, {svd.u, svd.d, svd.v}));
    const Matrices u = MatricesOf(LiteralSlice(all, {0}).Clone());
    const Matrices d = RowsOfLiteral(LiteralSlice(all, {1}).Clone());
    const Matrices v = MatricesOf(LiteralSlice(all, {2}).Clone());
    const double tolerance = ToleranceFor(GetParam(), std::max(a.rows, a.columns));
    EXPECT_LE(DistanceFromUnitary(u), tolerance);
    EXPECT_LE(DistanceFromUnitary(v), tolerance);
    EXPECT_LE(Distance(Multiply(u, Multiply(Diagonal(d, a.rows, a.columns), Adjoint(v))), a),
              tolerance * 4 * scale);
    for (int64_t k = 0; k < d.count; ++k) {
      for (int64_t i = 0; i < d.columns; ++i) {
        EXPECT_GE(d(k, 0, i).real(), 0);
        if (i > 0) EXPECT_GE(d(k, 0, i - 1).real(), d(k, 0, i).real());
      }
    }
    return d;
  }
};

TEST_P(SvdTest, GivesTheMatrixBack) {
  for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{{1, 1},
                                                                              {2, 2},
                                                                              {3, 3},
                                                                              {4, 4},
                                                                              {7, 3},
                                                                              {3, 7},
                                                                              {1, 5},
                                                                              {5, 1},
                                                                              {0, 0},
                                                                              {4, 0},
                                                                              {0, 4},
                                                                              {6, 5},
                                                                              {20, 12}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << columns);
    Check(RandomMatrices(2, rows, columns, GetParam()));
  }
}

TEST_P(SvdTest, MatricesThatLackRank) {
  Check(Matrices(2, 4, 3));  // zeros
  Check(Identity(1, 5));
  Matrices ones(1, 5, 4);
  std::fill(ones.values.begin(), ones.values.end(), 1);
  const Matrices d = Check(ones);
  EXPECT_NEAR(d(0, 0, 0).real(), std::sqrt(20.0), 1e-5);
  EXPECT_NEAR(d(0, 0, 1).real(), 0, 1e-6);
  // Of rank 3, with 8 rows and columns.
  Check(Multiply(RandomMatrices(1, 8, 3, GetParam()), RandomMatrices(1, 3, 8, GetParam())));
}

TEST_P(SvdTest, HugeAndTinyNumbers) {
  for (double scale : {1e30, 1e-30}) {
    Matrices a = RandomMatrices(1, 4, 3, GetParam());
    for (complex128& value : a.values) value *= scale;
    Check(a, scale);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SvdTest, testing::Values(F32, F64, C64, C128),
                         [](const auto& info) { return PrimitiveType_Name(info.param); });

TEST(SvdTest, SameNumbersAsLapack) {
  XlaBuilder b("main");
  const SVDResult svd = SVD(ConstantR2<double>(&b, {{1, 2}, {3, 4}, {5, 6}}));
  const Literal all = Evaluate(b, Tuple(&b, {svd.d, Abs(svd.u), Abs(svd.v)}));
  ExpectClose(ValuesOf<double>(LiteralSlice(all, {0}).Clone()),
              {9.525518091565107, 0.5143005806586443}, 1e-14);
  ExpectClose(ValuesOf<double>(LiteralSlice(all, {1}).Clone()),
              {0.22984769640007147, 0.8834610176985255, 0.4082482904638627,  //
               0.5247448187602937, 0.24078249213254635, 0.8164965809277263,  //
               0.8196419411205159, 0.4018960334334318, 0.40824829046386313},
              1e-13);
  ExpectClose(ValuesOf<double>(LiteralSlice(all, {2}).Clone()),
              {0.6196294838293404, 0.7848944532670524, 0.7848944532670524, 0.6196294838293404},
              1e-13);
}

// Many rotations one after the other must not add up their rounding errors.
TEST(SvdTest, LargerMatrix) {
  XlaBuilder b("main");
  Matrices a = RandomMatrices(1, 60, 50, F32);
  const SVDResult svd = SVD(ConstantMatrices(b, a, F32));
  const Literal both = Evaluate(b, Tuple(&b, {svd.u, svd.v}));
  EXPECT_LE(DistanceFromUnitary(MatricesOf(LiteralSlice(both, {0}).Clone())), 5e-7);
  EXPECT_LE(DistanceFromUnitary(MatricesOf(LiteralSlice(both, {1}).Clone())), 5e-7);
}

TEST(SvdTest, StopsAfterTheSweepsAllowed) {
  XlaBuilder b("main");
  Matrices a = RandomMatrices(1, 6, 6, F32);
  // Without any sweep V is what it was at the start.
  const SVDResult svd = SVD(ConstantMatrices(b, a, F32), /*max_iter=*/0);
  const Matrices v = MatricesOf(Evaluate(b, Abs(svd.v)));
  double sum = 0;
  for (const complex128& value : v.values) sum += value.real();
  EXPECT_EQ(sum, 6);
}

TEST(SvdTest, NarrowTypes) {
  XlaBuilder b("main");
  const XlaOp a = ConvertElementType(ConstantR2<float>(&b, {{0, 2}, {-3, 0}}), F16);
  const XlaOp d = ConvertElementType(SVD(a).d, F32);
  EXPECT_THAT(ValuesOf<float>(Evaluate(b, d)), testing::ElementsAre(3, 2));
}

TEST(SvdTest, SeveralBatchDimensionsAndNan) {
  XlaBuilder b("main");
  const XlaOp a = Reshape(ConstantR1<float>(&b, {1, 2, NAN, 4, 5, 12}), {3, 1, 1, 2});
  EXPECT_THAT(ValuesOf<float>(Evaluate(b, SVD(a).d)),
              testing::ElementsAre(testing::FloatNear(std::sqrt(5.0f), 1e-6), testing::IsNan(),
                                   testing::FloatNear(13, 1e-5)));
}

TEST(SvdTest, Errors) {
  XlaBuilder b("main");
  const SVDResult svd = SVD(ConstantR2<int>(&b, {{1}}));
  EXPECT_FALSE(svd.u.valid());
  EXPECT_THAT(ErrorOf(b), HasSubstr("svd: the elements of s32[1,1] are neither"));
}

}  // namespace
}  // namespace xla

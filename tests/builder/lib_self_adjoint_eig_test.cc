// Eigenvalues and eigenvectors: V diag(w) V^H against the matrix, and numbers from LAPACK.
#include "tests/builder/builder_testing.h"
#include "tests/builder/matrix_testing.h"
#include "xla/hlo/builder/lib/self_adjoint_eig.h"

namespace xla {
namespace {

using testing::HasSubstr;

// a + a^H
Matrices Hermitian(const Matrices& a) {
  Matrices result = Adjoint(a);
  for (size_t i = 0; i < a.values.size(); ++i) result.values[i] += a.values[i];
  return result;
}

class SelfAdjointEigTest : public testing::TestWithParam<PrimitiveType> {
 protected:
  // The eigenvalues, of matrices that may have anything in the triangle that is not asked for.
  Matrices Check(const Matrices& a, bool lower = true, bool sort = true) {
    Matrices operand = a;
    for (int64_t k = 0; k < a.count; ++k) {
      for (int64_t i = 0; i < a.rows; ++i) {
        for (int64_t j = 0; j < a.rows; ++j) {
          if (lower ? j > i : j < i) operand(k, i, j) = 1000;
        }
      }
    }
    XlaBuilder b("main");
    const SelfAdjointEigResult eig =
        SelfAdjointEig(ConstantMatrices(b, operand, GetParam()), lower, 100, 1e-6, sort);
    const Literal both = Evaluate(b, Tuple(&b, {eig.v, eig.w}));
    const Matrices v = MatricesOf(LiteralSlice(both, {0}).Clone());
    const Matrices w = RowsOfLiteral(LiteralSlice(both, {1}).Clone());
    const double tolerance = ToleranceFor(GetParam(), a.rows);
    EXPECT_LE(DistanceFromUnitary(v), tolerance);
    EXPECT_LE(Distance(Multiply(v, Multiply(Diagonal(w, a.rows, a.rows), Adjoint(v))), a),
              tolerance * 4);
    for (int64_t k = 0; sort && k < a.count; ++k) {
      for (int64_t i = 1; i < a.rows; ++i) EXPECT_LE(w(k, 0, i - 1).real(), w(k, 0, i).real());
    }
    return w;
  }
};

TEST_P(SelfAdjointEigTest, GivesTheMatrixBack) {
  for (int64_t n : {0, 1, 2, 3, 5, 8, 31}) {
    SCOPED_TRACE(n);
    const Matrices a = Hermitian(RandomMatrices(3, n, n, GetParam()));
    Check(a);
    Check(a, /*lower=*/false);
    Check(a, /*lower=*/true, /*sort=*/false);
  }
}

TEST_P(SelfAdjointEigTest, EqualEigenvalues) {
  Check(Matrices(2, 3, 3));  // zeros
  Check(Identity(1, 4));
  Matrices ones(1, 6, 6);
  std::fill(ones.values.begin(), ones.values.end(), 1);
  const Matrices w = Check(ones);
  EXPECT_NEAR(w(0, 0, 4).real(), 0, 1e-6);
  EXPECT_NEAR(w(0, 0, 5).real(), 6, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Types, SelfAdjointEigTest, testing::Values(F32, F64, C64, C128),
                         [](const auto& info) { return PrimitiveType_Name(info.param); });

TEST(SelfAdjointEigTest, SameNumbersAsLapack) {
  XlaBuilder b("main");
  const XlaOp real =
      SelfAdjointEig(ConstantR2<double>(&b, {{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}})).w;
  ExpectClose(ValuesOf<double>(Evaluate(b, real)), {0.5857864376269051, 2, 3.414213562373095},
              1e-15);
  const XlaOp complex =
      SelfAdjointEig(ConstantR2<complex128>(&b, {{{2, 0}, {0, 1}}, {{0, -1}, {3, 0}}})).w;
  ExpectClose(ValuesOf<double>(Evaluate(b, complex)), {1.381966011250105, 3.618033988749895},
              1e-15);
}

TEST(SelfAdjointEigTest, HugeTinyAndInfiniteNumbers) {
  for (double scale : {1e300, 1e-300}) {
    XlaBuilder b("main");
    const XlaOp w = SelfAdjointEig(ConstantR2<double>(&b, {{0, scale}, {scale, 0}})).w;
    ExpectClose(ValuesOf<double>(Evaluate(b, w)), {-scale, scale}, 1e-15);
  }
  XlaBuilder b("main");
  const XlaOp w = SelfAdjointEig(ConstantR2<float>(&b, {{1, 0}, {INFINITY, 1}})).w;
  EXPECT_THAT(ValuesOf<float>(Evaluate(b, w)),
              testing::ElementsAre(testing::IsNan(), testing::IsNan()));
}

TEST(SelfAdjointEigTest, NarrowTypes) {
  XlaBuilder b("main");
  const XlaOp a = ConvertElementType(ConstantR2<float>(&b, {{0, 2}, {2, 0}}), BF16);
  const XlaOp w = ConvertElementType(SelfAdjointEig(a).w, F32);
  EXPECT_THAT(ValuesOf<float>(Evaluate(b, w)), testing::ElementsAre(-2, 2));
}

TEST(SelfAdjointEigTest, TextAndErrors) {
  XlaBuilder b("main");
  SelfAdjointEig(Broadcast(ConstantR0<complex64>(&b, 0), {2, 3, 3}));
  const std::string text = TextOf(b);
  EXPECT_THAT(text, HasSubstr("(c64[2,3,3], f32[2,3]) custom-call("));
  EXPECT_THAT(text, HasSubstr("custom_call_target=\"Eigh\""));
  EXPECT_THAT(text, HasSubstr("backend_config=\"1,1,15,0.000010\""));
  XlaBuilder wrong("main");
  SelfAdjointEig(ConstantR2<float>(&wrong, {{1, 2}}));
  EXPECT_THAT(ErrorOf(wrong), HasSubstr("the matrices of f32[1,2] are not square"));
}

}  // namespace
}  // namespace xla

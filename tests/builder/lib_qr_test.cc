// QR decompositions: against the matrix that they came from, and against LAPACK's numbers.
#include "tests/builder/builder_testing.h"
#include "tests/builder/matrix_testing.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/qr.h"

namespace xla {
namespace {

using testing::HasSubstr;

struct Case {
  int64_t rows, columns;
};
constexpr Case kCases[] = {{1, 1}, {4, 4}, {7, 3}, {3, 7}, {1, 5},
                           {5, 1}, {0, 0}, {4, 0}, {0, 4}, {33, 20}};

class QrTest : public testing::TestWithParam<PrimitiveType> {
 protected:
  // Checks Q R == a, the shapes, that Q is unitary and R is an upper triangle.
  void Check(Matrices a, bool full) {
    XlaBuilder b("main");
    XlaOp q_op, r_op;
    QrExplicit(ConstantMatrices(b, a, GetParam()), full, q_op, r_op);
    const Literal both = Evaluate(b, Tuple(&b, {q_op, r_op}));
    const Matrices q = MatricesOf(LiteralSlice(both, {0}).Clone());
    const Matrices r = MatricesOf(LiteralSlice(both, {1}).Clone());
    const int64_t p = std::min(a.rows, a.columns), inner = full ? a.rows : p;
    ASSERT_EQ(q.rows, a.rows);
    ASSERT_EQ(q.columns, inner);
    ASSERT_EQ(r.rows, inner);
    ASSERT_EQ(r.columns, a.columns);
    const double tolerance = ToleranceFor(GetParam(), std::max(a.rows, a.columns));
    EXPECT_LE(Distance(Multiply(q, r), a), tolerance);
    EXPECT_LE(DistanceFromUnitary(q), tolerance);
    for (int64_t i = 0; i < r.rows; ++i) {
      for (int64_t j = 0; j < std::min(i, r.columns); ++j) EXPECT_EQ(r(0, i, j), complex128(0));
    }
  }
};

TEST_P(QrTest, GivesTheMatrixBack) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.rows << " x " << c.columns);
    for (bool full : {false, true}) Check(RandomMatrices(3, c.rows, c.columns, GetParam()), full);
  }
}

TEST_P(QrTest, MatricesThatLackRank) {
  Check(Matrices(2, 4, 3), true);  // zeros
  Matrices ones(1, 5, 4);
  std::fill(ones.values.begin(), ones.values.end(), 1);
  Check(ones, true);
  Check(ones, false);
}

INSTANTIATE_TEST_SUITE_P(Types, QrTest, testing::Values(F32, F64, C64, C128),
                         [](const auto& info) { return PrimitiveType_Name(info.param); });

TEST(QrTest, SameNumbersAsLapack) {
  XlaBuilder b("main");
  const QrDecomposition qr =
      Qr(ConstantR2<double>(&b, {{12, -51, 4}, {6, 167, -68}, {-4, 24, -41}}));
  const Literal both = Evaluate(b, Tuple(&b, {qr.q_and_r, qr.taus}));
  ExpectClose(ValuesOf<double>(LiteralSlice(both, {0}).Clone()),
              {-14, -21, 14, 3. / 13, -175, 70, -2. / 13, 1. / 18, -35}, 1e-14);
  ExpectClose(ValuesOf<double>(LiteralSlice(both, {1}).Clone()),
              {1.8571428571428572, 1.9938461538461538, 0}, 1e-14, 1);
}

TEST(QrTest, SameComplexNumbersAsLapack) {
  XlaBuilder b("main");
  const QrDecomposition qr = Qr(ConstantR2<complex128>(&b, {{{1, 2}, {2, 0}}, {{0, 3}, {4, -1}}}));
  const Literal both = Evaluate(b, Tuple(&b, {qr.q_and_r, qr.taus}));
  Matrices expected(1, 2, 2);
  expected.values = {{-3.741657386773941, 0},
                     {0.2672612419124245, 4.27617987059879},
                     {0.2265577421597138, 0.5371295958212164},
                     {-1.625686668105863, 0}};
  EXPECT_LE(Distance(MatricesOf(LiteralSlice(both, {0}).Clone()), expected), 1e-14);
  const std::vector<complex128> taus = ValuesOf<complex128>(LiteralSlice(both, {1}).Clone());
  EXPECT_LE(std::abs(taus[0] - complex128(1.2672612419124245, 0.5345224838248488)), 1e-14);
  EXPECT_LE(std::abs(taus[1] - complex128(1.8061650989538407, -0.5916906567022537)), 1e-14);
}

TEST(QrTest, HugeAndTinyNumbers) {
  for (double scale : {1e300, 1e-300}) {
    XlaBuilder b("main");
    XlaOp q, r;
    QrExplicit(ConstantR2<double>(&b, {{3 * scale}, {4 * scale}}), false, q, r);
    const Literal both = Evaluate(b, Tuple(&b, {q, r}));
    ExpectClose(ValuesOf<double>(LiteralSlice(both, {0}).Clone()), {-0.6, -0.8}, 1e-9);
    ExpectClose(ValuesOf<double>(LiteralSlice(both, {1}).Clone()), {-5 * scale}, 1e-9);
  }
}

TEST(QrTest, FewerReflectionsThanColumns) {
  XlaBuilder b("main");
  // H = 1 - 2 e e^T for e = (1, 0): only the first column changes its sign.
  const XlaOp q = ProductOfElementaryHouseholderReflectors(ConstantR2<float>(&b, {{9, 9}, {0, 9}}),
                                                           ConstantR1<float>(&b, {2}));
  EXPECT_THAT(ValuesOf<float>(Evaluate(b, q)), testing::ElementsAre(-1, 0, 0, 1));
}

TEST(QrTest, TextIsThatOfTheCustomCalls) {
  XlaBuilder b("main");
  const QrDecomposition qr = Qr(Zeros(&b, ShapeUtil::MakeShape(F32, {2, 5, 3})));
  ProductOfElementaryHouseholderReflectors(qr.q_and_r, qr.taus);
  const std::string text = TextOf(b);
  EXPECT_THAT(text, HasSubstr("(f32[2,5,3], f32[2,3]) custom-call("));
  EXPECT_THAT(text, HasSubstr("custom_call_target=\"Qr\""));
  EXPECT_THAT(text, HasSubstr("custom_call_target=\"ProductOfElementaryHouseholderReflectors\""));
}

// Another call of the same name is left to whoever registers it.
TEST(QrTest, CallsOfOtherShapesAreNotMeant) {
  XlaBuilder b("main");
  CustomCall(&b, "Qr", {Zeros(&b, ShapeUtil::MakeShape(F32, {5, 3}))},
             ShapeUtil::MakeShape(F32, {5, 3}));
  const XlaComputation computation = b.Build().value();
  const auto result = ClientLibrary::LocalClientOrDie()->ExecuteAndTransfer(computation, {});
  EXPECT_FALSE(result.ok());
}

TEST(QrTest, Errors) {
  {
    XlaBuilder b("main");
    Qr(ConstantR1<float>(&b, {1, 2}));
    EXPECT_THAT(ErrorOf(b), HasSubstr("qr: f32[2] has no matrices"));
  }
  {
    XlaBuilder b("main");
    XlaOp q, r;
    QrExplicit(ConstantR2<int>(&b, {{1, 2}}), true, q, r);
    EXPECT_FALSE(q.valid());
    EXPECT_FALSE(r.valid());
    EXPECT_THAT(ErrorOf(b), HasSubstr("neither floating point nor complex"));
  }
  {
    XlaBuilder b("main");
    ProductOfElementaryHouseholderReflectors(ConstantR2<float>(&b, {{1, 2}}),
                                             ConstantR1<float>(&b, {1}));
    EXPECT_THAT(ErrorOf(b), HasSubstr("have more columns than rows"));
  }
  {
    XlaBuilder b("main");
    ProductOfElementaryHouseholderReflectors(ConstantR2<float>(&b, {{1}, {2}}),
                                             ConstantR1<float>(&b, {1, 2}));
    EXPECT_THAT(ErrorOf(b), HasSubstr("f32[2] are no factors for the columns of f32[2,1]"));
  }
}

}  // namespace
}  // namespace xla

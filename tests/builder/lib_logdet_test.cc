// Logarithms of determinants, against numbers from numpy.
#include "tests/builder/builder_testing.h"
#include "tests/builder/lib_testing.h"
#include "xla/hlo/builder/lib/logdet.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::HasSubstr;

TEST(LogDetTest, Batch) {
  XlaBuilder b("main");
  // With the determinants -3, 1, -1 and 0.
  const XlaOp a =
      Reshape(ConstantR1<double>(&b, {1, 2, 3, 4, 5, 6, 7, 8, 10, 1, 0, 0, 0, 1, 0, 0, 0, 1,
                                      0, 1, 0, 1, 0, 0, 0, 0, 1,  1, 0, 0, 0, 0, 0, 0, 0, 1}),
              {2, 2, 3, 3});
  const SignAndLogDet det = SLogDet(a);
  const Literal all = Evaluate(b, Tuple(&b, {det.sign, det.logdet, LogDet(a)}));
  ExpectClose(ValuesOf<double>(LiteralSlice(all, {0}).Clone()), {-1, 1, -1, 0}, 1e-15, 1);
  ExpectClose(ValuesOf<double>(LiteralSlice(all, {1}).Clone()),
              {1.0986122886681096, 0, 0, -INFINITY}, 1e-14, 1);
  ExpectClose(ValuesOf<double>(LiteralSlice(all, {2}).Clone()), {NAN, 0, NAN, -INFINITY}, 1e-15, 1);
}

TEST(LogDetTest, Complex) {
  XlaBuilder b("main");
  const XlaOp a = ConstantR2<complex128>(&b, {{{1, 2}, {2, 0}}, {{0, 3}, {4, -1}}});
  const SignAndLogDet det = SLogDet(a);
  const Literal all = Evaluate(b, Tuple(&b, {det.sign, det.logdet, LogDet(a)}));
  const complex128 sign = {0.9863939238321437, 0.16439898730535707};
  EXPECT_LE(std::abs(ValuesOf<complex128>(LiteralSlice(all, {0}).Clone())[0] - sign), 1e-14);
  EXPECT_NEAR(ValuesOf<double>(LiteralSlice(all, {1}).Clone())[0], 1.8054589563221122, 1e-14);
  const complex128 log = {1.8054589563221122, std::arg(sign)};
  EXPECT_LE(std::abs(ValuesOf<complex128>(LiteralSlice(all, {2}).Clone())[0] - log), 1e-14);
}

TEST(LogDetTest, SmallestMatrices) {
  XlaBuilder b("main");
  const XlaOp none = Broadcast(ConstantR0<float>(&b, 1), {2, 0, 0});
  EXPECT_THAT(ValuesOf<float>(Evaluate(b, LogDet(none))), testing::ElementsAre(0, 0));
  const XlaOp one = Broadcast(ConstantR0<float>(&b, -2), {1, 1});
  const SignAndLogDet det = SLogDet(one);
  EXPECT_EQ(Evaluate(b, det.sign).Get<float>({}), -1);
}

TEST(LogDetTest, Errors) {
  XlaBuilder b("main");
  LogDet(ConstantR2<float>(&b, {{1, 2}}));
  EXPECT_THAT(ErrorOf(b), HasSubstr("log determinant: the matrices of f32[1,2] are not square"));
}

}  // namespace
}  // namespace xla

// Mathematical functions; expected values are those of SciPy 1.17, or of JAX 0.10 for derivatives;
// of erfc from 7.9 on those of its Taylor series in 900 decimal digits.
#include <complex>
#include <type_traits>
#include <vector>

#include "tests/builder/builder_testing.h"
#include "tests/builder/lib_testing.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/types.h"

namespace xla {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Rows = std::vector<std::vector<double>>;

template <typename Function>
XlaOp Apply(Function function, absl::Span<const XlaOp> x) {
  if constexpr (std::is_invocable_v<Function, XlaOp>) {
    return function(x[0]);
  } else if constexpr (std::is_invocable_v<Function, XlaOp, XlaOp>) {
    return function(x[0], x[1]);
  } else {
    return function(x[0], x[1], x[2]);
  }
}

template <typename Function>
std::vector<double> Compute(Function function, const Rows& arguments, PrimitiveType type) {
  XlaBuilder b("main");
  std::vector<XlaOp> operands;
  for (const std::vector<double>& row : arguments) {
    operands.push_back(ConvertElementType(ConstantR1<double>(&b, row), type));
  }
  const XlaOp result = ConvertElementType(Apply(function, operands), F64);
  return ValuesOf<double>(Evaluate(b, result));
}

// In F64 to `tolerance`, and in F32 to one unit in the last place of what F64 gives for the same
// arguments.
template <typename Function>
void Expect(Function function, const Rows& arguments, const std::vector<double>& expected,
            double tolerance, double small = 0) {
  ExpectClose(Compute(function, arguments, F64), expected, tolerance, small);
  Rows rounded = arguments;
  for (std::vector<double>& row : rounded) {
    for (double& x : row) x = static_cast<float>(x);
  }
  std::vector<double> wide = Compute(function, rounded, F64);
  for (double& x : wide) x = static_cast<float>(x);
  // Expansions in F32 itself have a few units.
  ExpectClose(Compute(function, rounded, F32), wide, 5e-7, 1e-37);
}

TEST(MathTest, Erfc) {
  Expect(
      &Erfc,
      {{-30, -6, -1.5, -1, -0.3, 0, 1e-20, 0.5, 1, 1.2, 3, 7.9, 8.1, 15, 26, 40, kInf, -kInf}},
      {2, 2, 1.9661051464753108, 1.8427007929497148, 1.3286267594591274, 1, 1, 0.4795001221869535,
       0.15729920705028516, 0.08968602177036462, 2.2090496998585445e-05, 5.5727180569525452e-29,
       2.216308572065754e-30, 7.2129941724512068e-100, 5.6631924088561432e-296, 0, 0, 2},
      2e-15);
}

TEST(MathTest, ErfInv) {
  Expect(&ErfInv,
         {{-1, -0.999999, -0.9, -0.5, -0.1, -0.0, 1e-30, 0.3, 0.5, 0.7, 0.99, 0.999999999,
           0.9999999999999999, 1}},
         {-kInf, -3.458910737275499, -1.1630871536766743, -0.4769362762044699, -0.08885599049425769,
          -0.0, 8.862269254527581e-31, 0.2724627147267544, 0.4769362762044699, 0.7328690779592169,
          1.8213863677184496, 4.320005388105362, 5.8635847487551676, kInf},
         2e-15);
  Expect(&ErfInv, {{1.5, -2, kNan}}, {kNan, kNan, kNan}, 0);
}

TEST(MathTest, Lgamma) {
  Expect(&Lgamma,
         {{-100.5, -2.5, -1e-05, 1e-30, 0.1, 0.5, 1.5, 3, 3.7, 10, 171.5, 100000, 1e+300, kInf,
           -kInf, 0, -3}},
         {-364.9009683094273, -0.05624371649767401, 11.512931237209125, 69.07755278982137,
          2.252712651734206, 0.5723649429247, -0.12078223763524526, 0.6931471805599453,
          1.428072326665388, 12.801827480081469, 709.1431630309283, 1051287.7089736569,
          6.897755278982137e+302, kInf, kInf, kInf, kInf},
         3e-15, 1);
  Expect(&Lgamma, {{1, 2, kNan}}, {0, 0, kNan}, 2e-15, 1);
}

// Values of mpmath in 40 decimal digits.
TEST(MathTest, LgammaNearItsZerosAndOfSubnormalNumbers) {
  ExpectClose(Compute(&Lgamma,
                      {{5e-324, -1e-320, 1e-310, 1.0000000009313226, 0.9999999, 1.9999999998835847,
                        2.0000001, 1.5, 2.5, 8.4, 8.6}},
                      F64),
              {744.4400719213812, 736.8272408909739, 713.8013788281542, -5.375739784311044e-10,
               5.772157468444193e-08, -4.921857442950446e-11, 4.227843666532498e-08,
               -0.12078223763524522, 0.2846828704729192, 9.341884976495052, 9.757897951599297},
              2e-15);
}

TEST(MathTest, DigammaNearItsZero) {
  ExpectClose(Compute(&Digamma,
                      {{1.4616321449683622, 1.4616321449683625, 1.4616, 1.47, 1.2, 0.999, 7.9, 8.1,
                        -7.9, -8.1}},
                      F64),
              {-9.241265521729427e-17, 1.2245374622004068e-16, -3.110625123034165e-05,
               0.008066489011364869, -0.2890398965921884, -0.5788618021086455, 2.002238487563571,
               2.0288674570805814, -7.540007224419479, 11.8211522376681},
              4e-15);
}

TEST(MathTest, SinhAndCoshOfFloatsAreRoundedOnce) {
  const auto sinh = [](XlaOp x) { return Sinh(x); };
  const auto cosh = [](XlaOp x) { return Cosh(x); };
  EXPECT_THAT(Compute(sinh, {{1.436195969581604, 89}}, F32),
              ElementsAre(1.9834198951721191, 2.2448063889081578e+38));
  EXPECT_THAT(Compute(cosh, {{4.851535797119141, -89.4000015258789}}, F32),
              ElementsAre(63.97227096557617, 3.3488627241070614e+38));
}

TEST(MathTest, Digamma) {
  Expect(&Digamma,
         {{-10.25, -2.5, -0.001, 1e-10, 0.1, 0.5, 1, 2, 3.7, 10, 171.5, 100000, 1e+300, kInf}},
         {5.516858419886274, 1.1031566406452433, 999.4211381978913, -10000000000.577215,
          -10.423754940411076, -1.9635100260214235, -0.5772156649015329, 0.42278433509846713,
          1.1671535393615113, 2.251752589066721, 5.141664981434, 11.512920464961896,
          690.7755278982137, kInf},
         5e-15, 1);
  Expect(&Digamma, {{0, -1, -30, -kInf, kNan}}, {kNan, kNan, kNan, kNan, kNan}, 0);
}

TEST(MathTest, Igamma) {
  Expect(&Igamma,
         {{0.1, 0.5, 1, 1, 2.5, 5, 10, 10, 100, 100, 100, 1000, 0.001, 3, 3},
          {0.05, 2, 0.5, 3, 2.5, 0.001, 5, 25, 80, 100, 130, 1000, 0.5, 0, kInf}},
         {0.7755386354510307, 0.9544997361036415, 0.3934693402873665, 0.950212931632136,
          0.584119813004492, 8.326391864211505e-18, 0.03182805730620481, 0.9997785233617512,
          0.0171083130351331, 0.5132987982791487, 0.9972495916326934, 0.5042052441802155,
          0.9994399333435291, 0, 1},
         5e-13);
}

TEST(MathTest, Igammac) {
  Expect(
      &Igammac,
      {{0.1, 0.5, 1, 1, 2.5, 5, 10, 10, 100, 100, 100, 1000, 0.001, 3, 3},
       {0.05, 2, 0.5, 3, 2.5, 0.001, 5, 25, 80, 100, 130, 1000, 0.5, 0, kInf}},
      {0.22446136454896942, 0.04550026389635857, 0.6065306597126334, 0.04978706836786395,
       0.4158801869955079, 1, 0.9681719426937951, 0.0002214766382487835, 0.9828916869648668,
       0.48670120172085135, 0.002750408367306518, 0.4957947558197845, 0.0005600666564707501, 1, 0},
      5e-13);
}

TEST(MathTest, IncompleteGammaAtTheEdges) {
  const Rows edges = {{0, -1, 2, kInf, kInf, 0, 0, kNan, 1}, {1, 1, -1, 1, kInf, 0, kInf, 1, kNan}};
  Expect(&Igamma, edges, {1, kNan, kNan, 0, 1, kNan, 1, kNan, kNan}, 0);
  Expect(&Igammac, edges, {0, kNan, kNan, 1, 0, kNan, 0, kNan, kNan}, 0);
}

TEST(MathTest, IgammaGradA) {
  Expect(&IgammaGradA, {{0.1, 0.5, 1, 2.5, 5, 10, 10, 50}, {0.05, 2, 0.5, 2.5, 1, 5, 25, 60}},
         {-2.0264226621003973, -0.13561933520399722, -0.48945757610237844, -0.26084496236866916,
          -0.006356470034184355, -0.025551997720828057, -0.00022661830393257986,
          -0.021284992786349568},
         1e-10);
}

TEST(MathTest, RandomGammaGrad) {
  Expect(&RandomGammaGrad, {{0.1, 0.5, 1, 2.5, 5, 10, 10, 50}, {0.05, 2, 0.5, 2.5, 1, 5, 25, 60}},
         {1.3672830678368921, 2.511889376362068, 0.806979116825318, 1.0686730199876298,
          0.414688247689627, 0.7045799223868382, 1.5522439909006016, 1.0975795857767303},
         1e-10);
}

TEST(MathTest, Polygamma) {
  Expect(&Polygamma, {{0, 1, 1, 2, 3, 5, 10, 1, 2}, {2.5, 1, 0.1, 2, 0.5, 10, 1.5, 30, 10000}},
         {0.7031566406452432, 1.6449340668482266, 101.43329915079275, -0.4041138063191886,
          97.40909103400242, 0.0003059451621172682, -42108.8587689755, 0.033895060357739946,
          -1.0001000050000002e-08},
         1e-13);
  // 9.37924664... = pi^2 / 2 + 4 + 4 / 9.
  Expect(&Polygamma, {{1, -1, 1.5, 2}, {-1.5, 1, 1, -1}}, {9.3792466449891238, kNan, kNan, kNan},
         1e-14);
}

TEST(MathTest, Zeta) {
  Expect(
      &Zeta, {{2, 3, 1.5, 10, 50, 1.001, 2, 3, 1}, {1, 2.5, 0.5, 0.1, 3, 1, 1000, 0.01, 2}},
      {1.6449340668482266, 0.11810202582086368, 4.776537947554834, 10000000000.386148,
       1.392956357970704e-24, 1000.5772884760117, 0.001000500166666633, 1000001.1701993386, kInf},
      1e-14);
  // Far on the left: pi^2 - zeta(2, 101.5).
  Expect(&Zeta, {{0.5, 2, 2, 2.5, 3, 2, kNan}, {1, 0, -100.5, -1.5, -1, -1.5, 1}},
         {kNan, kInf, 9.859703491870086, kNan, kNan, 9.3792466449891238, kNan}, 1e-14);
}

TEST(MathTest, Bessel) {
  Expect(&BesselI0e, {{-20, -8, -1, -1e-10, 0, 0.5, 3, 7.99, 8.01, 30, 700, 10000000000}},
         {0.089780311884826, 0.1434317818568503, 0.46575960759364043, 0.9999999998999998, 1,
          0.64503527044915, 0.24300035416182536, 0.14352476537933484, 0.1433389794111385,
          0.0731459464822373, 0.015081295651531355, 3.9894228040641945e-06},
         2e-15);
  Expect(&BesselI1e, {{-20, -8, -1, -1e-10, 0, 0.5, 3, 7.99, 8.01, 30, 700, 10000000000}},
         {-0.08750622218328867, -0.13414249329269812, -0.2079104153497085, -4.999999999500001e-11,
          0, 0.15642080318487173, 0.19682671329730084, 0.1342173395782809, 0.13406776900984482,
          0.07191633059864755, 0.015070519444716846, 3.989422803864723e-06},
         2e-15);
  Expect(&BesselI0e, {{kInf, kNan}}, {0, kNan}, 0);
  Expect(&BesselI1e, {{kInf, kNan}}, {0, kNan}, 0);
}

TEST(MathTest, RegularizedIncompleteBeta) {
  Expect(&RegularizedIncompleteBeta,
         {{0.1, 0.5, 1, 2, 5, 50, 100, 1, 3, 0.01},
          {0.2, 0.5, 1, 3, 1.5, 60, 2, 10, 4, 5},
          {0.3, 0.5, 0.7, 0.25, 0.9, 0.45, 0.95, 0.001, 1, 0.5}},
         {0.6228433547203176, 0.5000000000000001, 0.7, 0.26171875, 0.7761721343162159,
          0.4642352914306031, 0.03552317532200401, 0.009955119790251791, 1, 0.9998897842885545},
         2e-13);
  Expect(&RegularizedIncompleteBeta,
         {{0, 1, 1, 1, 1, kNan}, {1, -1, 1, 1, 1, 1}, {0.5, 0.5, 0, -0.5, 1.5, 0.5}},
         {kNan, kNan, 0, kNan, kNan, kNan}, 0);
}

TEST(MathTest, InverseTrigonometric) {
  Expect(
      [](XlaOp x) { return Asin(x); }, {{-0.95, -0.5, -1e-10, 0, 0.3, 0.99}},
      {-1.253235897503375, -0.5235987755982989, -1e-10, 0, 0.30469265401539747, 1.4292568534704693},
      1e-15);
  Expect([](XlaOp x) { return Acos(x); }, {{-0.95, -0.5, -1e-10, 0, 0.3, 0.99}},
         {2.824032224298272, 2.0943951023931957, 1.5707963268948966, 1.5707963267948966,
          1.2661036727794992, 0.1415394733244273},
         1e-15);
  Expect(
      [](XlaOp x) { return Atan(x); }, {{-0.95, -0.5, -1e-10, 0, 0.3, 0.99}},
      {-0.7597627548757708, -0.4636476090008061, -1e-10, 0, 0.2914567944778671, 0.7803730800666359},
      1e-15);
  Expect([](XlaOp x) { return Acos(x); }, {{1, -1, 1.5}}, {0, 3.141592653589793, kNan}, 1e-15);
  Expect([](XlaOp x) { return Asin(x); }, {{-0.0, -1, 1.5}}, {-0.0, -1.5707963267948966, kNan},
         1e-15);
}

TEST(MathTest, Hyperbolic) {
  Expect([](XlaOp x) { return Sinh(x); }, {{-700, -20, -1.5, -0.5, -1e-10, 0, 0.3, 5, 710}},
         {-5.0711602736750225e+303, -242582597.70489514, -2.1292794550948173, -0.5210953054937474,
          -1e-10, 0, 0.3045202934471426, 74.20321057778875, 1.1169973830808555e+308},
         2e-15);
  Expect([](XlaOp x) { return Cosh(x); }, {{-700, -20, -1.5, -0.5, -1e-10, 0, 0.3, 5, 710}},
         {5.0711602736750225e+303, 242582597.70489514, 2.352409615243247, 1.1276259652063807, 1, 1,
          1.0453385141288605, 74.20994852478785, 1.1169973830808555e+308},
         2e-15);
  Expect([](XlaOp x) { return Sinh(x); }, {{-0.0, -kInf, 1000}}, {-0.0, -kInf, kInf}, 0);
  Expect([](XlaOp x) { return Cosh(x); }, {{-kInf, 1000, kNan}}, {kInf, kInf, kNan}, 0);
}

TEST(MathTest, InverseHyperbolic) {
  Expect([](XlaOp x) { return Asinh(x); }, {{-700, -20, -1.5, -0.5, -1e-10, 0, 0.3, 5, 710}},
         {-7.2442280258070415, -3.6895038689889055, -1.1947632172871092, -0.48121182505960347,
          -1e-10, 0, 0.29567304756342244, 2.3124383412727525, 7.258412646528284},
         1e-15);
  Expect([](XlaOp x) { return Acosh(x); },
         {{1, 1.0000000000009095, 1.5, 3, 100, 1000000000000, 1e+300}},
         {0, 1.3486991523485068e-06, 0.9624236501192069, 1.762747174039086, 5.298292365610485,
          28.324168296488494, 691.4686750787737},
         1e-15);
  Expect(
      [](XlaOp x) { return Atanh(x); }, {{-0.95, -0.5, -1e-10, 0, 0.3, 0.99}},
      {-1.8317808230648227, -0.5493061443340549, -1e-10, 0, 0.3095196042031117, 2.6466524123622457},
      1e-15);
  Expect([](XlaOp x) { return Asinh(x); }, {{-0.0, -kInf, 1e300}},
         {-0.0, -kInf, 691.46867507877369}, 1e-15);
  Expect([](XlaOp x) { return Acosh(x); }, {{0.5, -5, kInf}}, {kNan, kNan, kInf}, 0);
  Expect([](XlaOp x) { return Atanh(x); }, {{1, -1, 2}}, {kInf, -kInf, kNan}, 0);
}

TEST(MathTest, Classes) {
  XlaBuilder b("main");
  const XlaOp x = ConstantR1<double>(&b, {kInf, -kInf, kNan, 0.0, -0.0, 1.0});
  const XlaOp all =
      ConcatInDim(&b,
                  {IsPosInf(x), IsNegInf(x), IsInf(x), IsNan(x), IsNegZero(x),
                   IsNegZero(ConvertElementType(x, BF16)), IsInf(ConvertElementType(x, F8E4M3FN))},
                  0);
  EXPECT_EQ(Evaluate(b, Reshape(all, {7, 6})).ToString(), R"(pred[7,6] {
  { 1, 0, 0, 0, 0, 0 },
  { 0, 1, 0, 0, 0, 0 },
  { 1, 1, 0, 0, 0, 0 },
  { 0, 0, 1, 0, 0, 0 },
  { 0, 0, 0, 0, 1, 0 },
  { 0, 0, 0, 0, 1, 0 },
  { 0, 0, 0, 0, 0, 0 }
})");
}

TEST(MathTest, NextAfter) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  XlaBuilder b("main");
  const XlaOp from = ConstantR1<float>(&b, {1, 1, -1, 0, -0.0f, 1, 3e38f, NAN, 1, tiny});
  const XlaOp to = ConstantR1<float>(&b, {2, 0, 0, -1, 1, 1, INFINITY, 1, NAN, -1});
  const std::vector<float> next = ValuesOf<float>(Evaluate(b, NextAfter(from, to)));
  ASSERT_EQ(next.size(), 10);
  const std::vector<float> start = {1, 1, -1, 0, -0.0f, 1, 3e38f, NAN, 1, tiny};
  const std::vector<float> goal = {2, 0, 0, -1, 1, 1, INFINITY, 1, NAN, -1};
  for (int i = 0; i < 10; ++i) {
    const float expected = std::nextafterf(start[i], goal[i]);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(next[i])) << i;
    } else {
      EXPECT_EQ(next[i], expected) << i;
    }
  }
}

TEST(MathTest, SmallFunctions) {
  XlaBuilder b("main");
  const XlaOp x = ConstantR1<float>(&b, {-2.5f, 0.5f, 1.5f});
  const XlaOp rows = ConcatInDim(&b, {Square(x), Reciprocal(x), RoundToEven(x)}, 0);
  EXPECT_THAT(ValuesOf<float>(Evaluate(b, rows)),
              ElementsAre(6.25f, 0.25f, 2.25f, -0.4f, 2.0f, 1 / 1.5f, -2.0f, 0.0f, 2.0f));
}

TEST(MathTest, Complex) {
  XlaBuilder b("main");
  const XlaOp x = ConstantR1<complex64>(&b, {complex64(3, -4)});
  const XlaOp rows =
      ConcatInDim(&b, {MaybeConjugate(x, true), MaybeConjugate(x, false), Square(x), Sinh(x)}, 0);
  const std::vector<complex64> values = ValuesOf<complex64>(Evaluate(b, rows));
  ASSERT_EQ(values.size(), 4);
  EXPECT_EQ(values[0], complex64(3, 4));
  EXPECT_EQ(values[1], complex64(3, -4));
  EXPECT_EQ(values[2], complex64(-7, -24));
  EXPECT_NEAR(std::abs(values[3] - std::sinh(complex64(3, -4))), 0, 1e-5);
}

TEST(MathTest, OneOperationWhereNotExpanded) {
  XlaBuilder b("main");
  const XlaOp x = ConstantR0<float>(&b, 0.5f);
  Tuple(&b, {Acos(x, std::nullopt, /*expand=*/false), Cosh(x, std::nullopt, /*expand=*/false)});
  EXPECT_THAT(TextOf(b), testing::AllOf(HasSubstr(" acos("), HasSubstr(" cosh(")));
}

TEST(MathTest, WrongTypes) {
  const std::vector<XlaOp (*)(XlaOp)> functions = {&Lgamma, &IsNan, &Erfc, &RoundToEven};
  for (XlaOp (*function)(XlaOp) : functions) {
    XlaBuilder b("main");
    function(ConstantR0<int32_t>(&b, 1));
    EXPECT_THAT(ErrorOf(b), HasSubstr("takes floating point numbers, not s32[]"));
  }
  XlaBuilder b("main");
  Igamma(ConstantR0<float>(&b, 1), ConstantR1<float>(&b, {1, 2}));
  EXPECT_THAT(ErrorOf(b), HasSubstr("igamma takes arrays of one shape, not f32[] and f32[2]"));
}

}  // namespace
}  // namespace xla

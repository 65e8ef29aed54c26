// Modified Bessel functions.
#include <array>

#include "front/builder/lib/math_internal.h"
#include "xla/hlo/builder/lib/math.h"

namespace xla {
namespace {

using math_internal::InDouble;
using math_internal::K;

// Chebyshev coefficients of exp(-x) I0(x) and exp(-x) I1(x) / x on [0, 8] in the variable x / 4 -
// 1, and of exp(-x) sqrt(x) I(x) beyond in 16 / x - 1, from the power series and the asymptotic
// expansion in 100 decimal digits.
constexpr std::array<double, 30> kI0Small = {
    0.33839763720473803,     -0.3046826723431984,     0.17162090152220877,
    -0.094901097048047639,   0.049305284239670712,    -0.023737414805899471,
    0.010546460394594998,    -0.0043243099950505759,  0.0016394756169413357,
    -0.00057637557453858236, 0.00018850288509584165,  -5.754195010082104e-05,
    1.6448448070728896e-05,  -4.4167383584587505e-06, 1.1173875391201037e-06,
    -2.6707938539406119e-07, 6.0469950225419186e-08,  -1.300025009986248e-08,
    2.6598237246823866e-09,  -5.1897956016352627e-10, 9.675809035373237e-11,
    -1.7268262914415559e-11, 2.9550526631296399e-12,  -4.856446783111929e-13,
    7.6761854986049361e-14,  -1.1685332877993451e-14, 1.7153912855551331e-15,
    -2.4312798465479549e-16, 3.3307945188222384e-17,  -4.4153416464793395e-18};
constexpr std::array<double, 27> kI0Large = {
    0.40224520550705439,     0.0033691164782556943,   6.8897583469168245e-05,
    2.8913705208347567e-06,  2.0489185894690638e-07,  2.266668990498178e-08,
    3.3962320257083865e-09,  4.9406023882249701e-10,  1.1889147107846439e-11,
    -3.1499165279632416e-11, -1.3215811840447713e-11, -1.7941785315068062e-12,
    7.180124451383666e-13,   3.8527783827421426e-13,  1.54008621752141e-14,
    -4.1505693472872222e-14, -9.5548466988283073e-15, 3.8116806693526224e-15,
    1.7725601330565263e-15,  -3.425485619677219e-16,  -2.8276239805165836e-16,
    3.4612228676974612e-17,  4.4656214202967598e-17,  -4.8305044859441819e-18,
    -7.2331804878747538e-18, 9.9214754121736987e-19,  1.193650890845982e-18};
constexpr std::array<double, 30> kI1Small = {
    0.12629359322181682,     -0.17641651835783406,    0.10264365868984709,
    -0.052945981208094989,   0.024726449030626516,    -0.010564084894626197,
    0.0041564229443128882,   -0.0015135724506312532,  0.00051228595616857576,
    -0.00016176081582589674, 4.7815651075500542e-05,  -1.3273163656039436e-05,
    3.4702513081376785e-06,  -8.5687202646954547e-07, 2.0032947535521353e-07,
    -4.4450591287963281e-08, 9.3815373864957726e-09,  -1.8872497517228294e-09,
    3.6255902815521172e-10,  -6.6634897235020271e-11, 1.1736186298890901e-11,
    -1.9839743977649436e-12, 3.2237933659455748e-13,  -5.0421855047279118e-14,
    7.6006842947354077e-15,  -1.1055969477353862e-15, 1.5536319577362005e-16,
    -2.111421214358166e-17,  2.7779141127610464e-18,  -3.5415817725421362e-19};
constexpr std::array<double, 27> kI1Large = {
    0.38928811750914005,     -0.0097610974913614687,  -0.00011058893876262371,
    -3.8825648088776906e-06, -2.5122362378702088e-07, -2.6314688468895196e-08,
    -3.835380385964237e-09,  -5.5897434621965838e-10, -1.8974958123505413e-11,
    3.2526035830154884e-11,  1.4125807436613782e-11,  2.0356285441470896e-12,
    -7.1985517762459084e-13, -4.0835511110921974e-13, -2.1015418427726643e-14,
    4.272440016711951e-14,   1.0420276984128802e-14,  -3.8144030724370075e-15,
    -1.8803547755107825e-15, 3.3082023109209285e-16,  2.9626289976459501e-16,
    -3.2095259219934238e-17, -4.6503053684893586e-17, 4.4143483230717077e-18,
    7.5172963108421052e-18,  -9.3141788673268842e-19, -1.242193275194891e-18};

// The sum of coefficients[k] T_k(t), by Clenshaw's recurrence.
XlaOp Chebyshev(XlaOp t, absl::Span<const double> coefficients) {
  XlaOp last = ZerosLike(t);
  XlaOp before = last;
  for (size_t k = coefficients.size() - 1; k > 0; --k) {
    const XlaOp next = (t + t) * last - before + K(t, coefficients[k]);
    before = last;
    last = next;
  }
  return t * last - before + K(t, coefficients[0]);
}

struct Series {
  XlaOp small;
  XlaOp large;
};

Series Evaluate(XlaOp size, absl::Span<const double> small, absl::Span<const double> large) {
  const XlaOp below = Min(size, K(size, 8));
  const XlaOp above = Max(size, K(size, 8));
  return {Chebyshev(below * K(size, 0.25) - K(size, 1), small),
          Chebyshev(K(size, 16) / above - K(size, 1), large) / Sqrt(above)};
}

}  // namespace

XlaOp BesselI0e(XlaOp x) {
  return InDouble("bessel-i0e", {x}, [](absl::Span<const XlaOp> in) {
    const XlaOp size = Abs(in[0]);
    const Series series = Evaluate(size, kI0Small, kI0Large);
    return Select(Le(size, K(size, 8)), series.small, series.large);
  });
}

XlaOp BesselI1e(XlaOp x) {
  return InDouble("bessel-i1e", {x}, [](absl::Span<const XlaOp> in) {
    const XlaOp size = Abs(in[0]);
    const Series series = Evaluate(size, kI1Small, kI1Large);
    return Select(Le(size, K(size, 8)), in[0] * series.small, Sign(in[0]) * series.large);
  });
}

}  // namespace xla

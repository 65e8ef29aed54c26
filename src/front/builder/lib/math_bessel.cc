// Modified Bessel functions.
#include <array>

#include "front/builder/lib/math_internal.h"
#include "xla/hlo/builder/lib/math.h"

namespace xla {
namespace {

using math_internal::InDouble;
using math_internal::K;

// Where one expansion ends and the other begins.
constexpr double kBorder = 7.5;

// Chebyshev coefficients of exp(-x) I0(x) and exp(-x) I1(x) / x below the border in
// x / (kBorder / 2) - 1, and of exp(-x) sqrt(x) I(x) above it in 2 kBorder / x - 1: see
// scripts/fit_polynomials.py.
constexpr std::array<double, 30> kI0Small = {
    0.3465688717190262,      -0.3081154209090135,     0.17049519575782815,
    -0.09204507477417334,    0.04641686860100491,     -0.021579410194245113,
    0.009218071396133287,    -0.003620685770364283,   0.0013109990206707353,
    -0.000439070745186072,   0.0001365123181357677,   -3.954645833035837e-05,
    1.0712330792064666e-05,  -2.72247093864973e-06,   6.51201981672482e-07,
    -1.4703371102660917e-07, 3.142316957659343e-08,   -6.372509139203006e-09,
    1.2291711219903074e-09,  -2.2599274144757692e-10, 3.96850514069662e-11,
    -6.668328695622275e-12,  1.0740259129551956e-12,  -1.6608037613280767e-13,
    2.469325950856284e-14,   -3.5351079557023548e-15, 4.87932116442745e-16,
    -6.501012600836765e-17,  8.370802469492981e-18,   -1.042766867106843e-18};
constexpr std::array<double, 28> kI0Large = {
    0.4024807644154637,      0.003614965629507184,    7.989434849615765e-05,
    3.6723085579787957e-06,  2.9047249979295804e-07,  3.572986298342276e-08,
    5.496206433277458e-09,   6.375852652604571e-10,   -8.9467635526777e-11,
    -8.589018024286946e-11,  -2.3592452851493253e-11, 3.962362370312661e-13,
    2.496025587050405e-12,   5.841120341034275e-13,   -1.5900739205333122e-13,
    -1.0040234629571769e-13, 4.4817856274543086e-15,  1.393962781343318e-14,
    7.977058701710581e-16,   -1.948626124619807e-15,  -2.2027283818577277e-16,
    2.9460579474634674e-16,  3.6925551244513826e-17,  -4.887021979195771e-17,
    -4.4779059553502124e-18, 8.70014831767234e-18,    1.45513881906406e-19,
    -1.5914150370904381e-18};
constexpr std::array<double, 29> kI1Small = {
    0.13066063692005606,     -0.1791571615977085,     0.10161276446990777,
    -0.05084111522818892,    0.022933876564089878,    -0.009429363129083856,
    0.0035588664394049035,   -0.001239736767379673,   0.00040043501735047526,
    -0.00012041788467414527, 3.3838915940375985e-05,  -8.916364901779563e-06,
    2.209892542607433e-06,   -5.166903971507215e-07,  1.1427110311551332e-07,
    -2.396485075344224e-08,  4.77696864056624e-09,    -9.069942717688175e-10,
    1.6436161908675313e-10,  -2.8480582036619552e-11, 4.7271953143662936e-12,
    -7.52779200698978e-13,   1.1518554521340465e-13,  -1.6959353269251115e-14,
    2.405899052709717e-15,   -3.2926280471273545e-16, 4.3522400328424657e-17,
    -5.562444180278203e-18,  6.8809965613948845e-19};
constexpr std::array<double, 28> kI1Large = {
    0.38862003535602596,     -0.010445474582794222,  -0.0001278210702431606,
    -4.910010648742919e-06,  -3.543793511875199e-07, -4.137870969770798e-08,
    -6.236798177256202e-09,  -7.423008087449786e-10, 8.40085922164424e-11,
    9.057652551775546e-11,   2.5731861666240417e-11, -7.760098934200601e-14,
    -2.5956960471078523e-12, -6.408307942727855e-13, 1.566532593609323e-13,
    1.0623369062507246e-13,  -3.249686285179893e-15, -1.4490467677391727e-14,
    -1.0167904208708472e-15, 2.0044029267970092e-15, 2.5424759165678695e-16,
    -3.014722626418192e-16,  -4.212189131760929e-17, 4.9973434282812216e-17,
    5.276680967284132e-18,   -8.919487866983108e-18, -2.655446546479965e-19,
    1.6395552474873005e-18};

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
  const XlaOp border = K(size, kBorder);
  const XlaOp below = Min(size, border);
  const XlaOp above = Max(size, border);
  return {Chebyshev(below / K(size, kBorder / 2) - K(size, 1), small),
          Chebyshev(K(size, 2 * kBorder) / above - K(size, 1), large) / Sqrt(above)};
}

}  // namespace

XlaOp BesselI0e(XlaOp x) {
  return InDouble("bessel-i0e", {x}, [](absl::Span<const XlaOp> in) {
    const XlaOp size = Abs(in[0]);
    const Series series = Evaluate(size, kI0Small, kI0Large);
    return Select(Le(size, K(size, kBorder)), series.small, series.large);
  });
}

XlaOp BesselI1e(XlaOp x) {
  return InDouble("bessel-i1e", {x}, [](absl::Span<const XlaOp> in) {
    const XlaOp size = Abs(in[0]);
    const Series series = Evaluate(size, kI1Small, kI1Large);
    return Select(Le(size, K(size, kBorder)), in[0] * series.small, Sign(in[0]) * series.large);
  });
}

}  // namespace xla

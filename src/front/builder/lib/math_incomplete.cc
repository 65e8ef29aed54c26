// Incomplete gamma and beta functions: expansions summed in loops.
#include <limits>
#include <vector>

#include "base/status_macros.h"
#include "front/builder/lib/math_internal.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/lib/math.h"

namespace xla {
namespace {

using math_internal::DigammaOfDouble;
using math_internal::InDouble;
using math_internal::K;
using math_internal::kInfinity;
using math_internal::kNan;
using math_internal::LgammaOfDouble;
using math_internal::LogGammaDensityOfDouble;

using Values = absl::Span<const XlaOp>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Steps until no element goes on. The first two values are the number of the step, an F64 scalar
// that starts with 1, and the elements that go on.
absl::StatusOr<std::vector<XlaOp>> Repeat(absl::string_view name, double limit, XlaOp active,
                                          Values initial, const WhileLoopHelperBodyFunction& step) {
  XlaBuilder* builder = active.builder();
  std::vector<XlaOp> values = {ConstantR0<double>(builder, 1), active};
  values.insert(values.end(), initial.begin(), initial.end());
  const auto condition = [limit](Values state, XlaBuilder*) -> absl::StatusOr<XlaOp> {
    return And(Le(state[0], K(state[0], limit)), Any(state[1]));
  };
  const auto body = [&](Values state, XlaBuilder* b) -> absl::StatusOr<std::vector<XlaOp>> {
    HILO_ASSIGN_OR_RETURN(std::vector<XlaOp> next, step(state, b));
    next.insert(next.begin(), state[0] + K(state[0], 1));
    return next;
  };
  return WhileLoopHelper(condition, body, values, name, builder);
}

// A sum or a fraction as a function of a, with its derivative.
struct Expansion {
  XlaOp value;
  XlaOp derivative;
};

XlaOp StillChanges(XlaOp change, XlaOp value) {
  return Gt(Abs(change), K(value, kEpsilon) * Abs(value));
}

// 1 + x/(a+1) + x^2/((a+1)(a+2)) + ... where `active`.
absl::StatusOr<Expansion> GammaSeries(XlaOp active, XlaOp a, XlaOp x) {
  const auto step = [](Values state, XlaBuilder*) -> absl::StatusOr<std::vector<XlaOp>> {
    const XlaOp active = state[1], a = state[2], x = state[3];
    const XlaOp divisor = a + state[0];
    const XlaOp factor = x / divisor;
    const XlaOp term = state[4] * factor;
    const XlaOp term_derivative = state[5] * factor - term / divisor;
    const XlaOp sum = state[6] + term;
    const XlaOp sum_derivative = state[7] + term_derivative;
    const XlaOp goes_on =
        Or(StillChanges(term, sum), StillChanges(term_derivative, sum_derivative));
    return std::vector<XlaOp>{And(active, goes_on), a, x, term, term_derivative, sum,
                              sum_derivative};
  };
  const XlaOp one = FullLike(x, 1.0);
  const XlaOp zero = ZerosLike(x);
  HILO_ASSIGN_OR_RETURN(
      const std::vector<XlaOp> end,
      Repeat("gamma_series", 10000, active,
             {Select(active, a, one), Select(active, x, one), one, zero, one, zero}, step));
  return Expansion{end[6], end[7]};
}

// The fraction 1/(x+1-a- (1-a)/(x+3-a- 2(2-a)/(x+5-a- ...))) where `active`, by the recurrence of
// its convergents (numerator p, denominator q).
absl::StatusOr<Expansion> GammaFraction(XlaOp active, XlaOp a, XlaOp x) {
  // State: step, active, a, x, value, derivative, then p, q, p', q' of the last two convergents.
  const auto step = [](Values state, XlaBuilder*) -> absl::StatusOr<std::vector<XlaOp>> {
    const XlaOp n = state[0], active = state[1], a = state[2], x = state[3];
    const Values last = state.subspan(6, 4);
    const Values before = state.subspan(10, 4);
    const XlaOp b = x + K(x, 1) + (n + n) - a;
    const XlaOp c = n * (n - a);
    XlaOp p = b * last[0] - c * before[0];
    XlaOp q = b * last[1] - c * before[1];
    XlaOp dp = b * last[2] - last[0] - c * before[2] + n * before[0];
    XlaOp dq = b * last[3] - last[1] - c * before[3] + n * before[1];
    const XlaOp value = p / q;
    const XlaOp derivative = (dp - value * dq) / q;
    const XlaOp goes_on =
        Or(StillChanges(value - state[4], value), StillChanges(derivative - state[5], derivative));
    // Convergents stay what they are when all eight numbers are scaled.
    const XlaOp scale = Select(Gt(Abs(q), K(q, 1e100)), FullLike(q, 1e-100), FullLike(q, 1.0));
    std::vector<XlaOp> next = {And(active, goes_on), a, x, value, derivative};
    for (XlaOp number : {p, q, dp, dq, last[0], last[1], last[2], last[3]}) {
      next.push_back(number * scale);
    }
    return next;
  };
  const XlaOp one = FullLike(x, 1.0);
  const XlaOp zero = ZerosLike(x);
  const XlaOp safe_a = Select(active, a, one);
  const XlaOp safe_x = Select(active, x, FullLike(x, 2.0));
  HILO_ASSIGN_OR_RETURN(const std::vector<XlaOp> end,
                        Repeat("gamma_fraction", 10000, active,
                               {safe_a, safe_x, zero, zero, one, safe_x + one - safe_a, zero,
                                Neg(one), zero, one, zero, zero},
                               step));
  return Expansion{end[4], end[5]};
}

// Both expansions, each where it converges fast, for finite a > 0 and x > 0.
struct IncompleteGamma {
  XlaOp valid;
  XlaOp use_fraction;
  XlaOp a;  // 1 where not valid
  XlaOp x;
  Expansion series;
  Expansion fraction;

  // The logarithms of what the expansions are multiplied with.
  XlaOp SeriesScale() const { return LogGammaDensityOfDouble(a, x) - Log(a); }
  XlaOp FractionScale() const { return LogGammaDensityOfDouble(a, x); }
  // Their derivatives by a.
  XlaOp SeriesSlope() const { return Log(x) - DigammaOfDouble(a + K(a, 1)); }
  XlaOp FractionSlope() const { return Log(x) - DigammaOfDouble(a); }
};

absl::StatusOr<IncompleteGamma> ExpandIncompleteGamma(XlaOp a, XlaOp x) {
  IncompleteGamma result;
  const XlaOp zero = K(a, 0);
  result.valid = And(And(Gt(a, zero), IsFinite(a)), And(Gt(x, zero), IsFinite(x)));
  result.a = Select(result.valid, a, FullLike(a, 1.0));
  result.x = Select(result.valid, x, FullLike(x, 1.0));
  result.use_fraction = And(Gt(result.x, K(x, 1)), Gt(result.x, result.a));
  HILO_ASSIGN_OR_RETURN(
      result.series, GammaSeries(And(result.valid, Not(result.use_fraction)), result.a, result.x));
  HILO_ASSIGN_OR_RETURN(result.fraction,
                        GammaFraction(And(result.valid, result.use_fraction), result.a, result.x));
  return result;
}

// P or Q where an expansion does not give it.
XlaOp AtTheEdges(XlaOp a, XlaOp x, bool lower, XlaOp inside) {
  const XlaOp zero = K(a, 0);
  const XlaOp none = FullLike(a, lower ? 0.0 : 1.0);
  const XlaOp all = FullLike(a, lower ? 1.0 : 0.0);
  const XlaOp nan = FullLike(a, kNan);
  XlaOp result = Select(Eq(a, K(a, kInfinity)), none, inside);
  result = Select(Eq(x, zero), none, result);
  result = Select(Or(Eq(x, K(x, kInfinity)), Eq(a, zero)), all, result);
  result = Select(And(Eq(x, zero), Eq(a, zero)), nan, result);
  return Select(Or(Or(Lt(a, zero), Lt(x, zero)), Or(Ne(a, a), Ne(x, x))), nan, result);
}

absl::StatusOr<XlaOp> IgammaOfDouble(XlaOp a, XlaOp x, bool lower) {
  HILO_ASSIGN_OR_RETURN(const IncompleteGamma parts, ExpandIncompleteGamma(a, x));
  const XlaOp one = K(a, 1);
  const XlaOp p = Exp(parts.SeriesScale()) * parts.series.value;
  const XlaOp q = Exp(parts.FractionScale()) * parts.fraction.value;
  const XlaOp inside =
      lower ? Select(parts.use_fraction, one - q, p) : Select(parts.use_fraction, q, one - p);
  return AtTheEdges(a, x, lower, inside);
}

// NaN where a or x is negative or not finite, or a is zero; zero at x = 0.
XlaOp DerivativeAtTheEdges(XlaOp a, XlaOp x, XlaOp valid, XlaOp inside) {
  const XlaOp at_zero = And(Eq(x, K(x, 0)), And(Gt(a, K(a, 0)), IsFinite(a)));
  const XlaOp outside = Select(at_zero, ZerosLike(x), FullLike(x, kNan));
  return Select(valid, inside, outside);
}

absl::StatusOr<XlaOp> IgammaGradOfDouble(XlaOp a, XlaOp x) {
  HILO_ASSIGN_OR_RETURN(const IncompleteGamma parts, ExpandIncompleteGamma(a, x));
  const XlaOp by_series = Exp(parts.SeriesScale()) *
                          (parts.series.value * parts.SeriesSlope() + parts.series.derivative);
  const XlaOp by_fraction =
      Neg(Exp(parts.FractionScale()) *
          (parts.fraction.value * parts.FractionSlope() + parts.fraction.derivative));
  return DerivativeAtTheEdges(a, x, parts.valid,
                              Select(parts.use_fraction, by_fraction, by_series));
}

// The factor exp(...) of the derivative cancels against that of the density.
absl::StatusOr<XlaOp> RandomGammaGradOfDouble(XlaOp a, XlaOp x) {
  HILO_ASSIGN_OR_RETURN(const IncompleteGamma parts, ExpandIncompleteGamma(a, x));
  const XlaOp by_series =
      Neg(parts.series.value * parts.SeriesSlope() + parts.series.derivative) / parts.a;
  const XlaOp by_fraction =
      parts.fraction.value * parts.FractionSlope() + parts.fraction.derivative;
  return DerivativeAtTheEdges(a, x, parts.valid,
                              parts.x * Select(parts.use_fraction, by_fraction, by_series));
}

// A number that may divide.
XlaOp NotZero(XlaOp x) { return Select(Eq(x, K(x, 0)), FullLike(x, 1e-300), x); }

// The continued fraction of DLMF 8.17.22 where `active`: two terms in each step.
absl::StatusOr<XlaOp> BetaFraction(XlaOp active, XlaOp a, XlaOp b, XlaOp x) {
  const auto step = [](Values state, XlaBuilder*) -> absl::StatusOr<std::vector<XlaOp>> {
    const XlaOp m = state[0], active = state[1], a = state[2], b = state[3], x = state[4];
    const XlaOp one = K(a, 1);
    const XlaOp place = a + (m + m);
    const XlaOp even = m * (b - m) * x / ((place - one) * place);
    const XlaOp odd = Neg((a + m) * (a + b + m) * x / (place * (place + one)));
    XlaOp c = state[5], d = state[6], value = state[7], change;
    for (XlaOp coefficient : {even, odd}) {
      d = one / NotZero(one + coefficient * d);
      c = NotZero(one + coefficient / c);
      change = c * d;
      value = value * change;
    }
    const XlaOp goes_on = Gt(Abs(change - one), K(a, 2 * kEpsilon));
    return std::vector<XlaOp>{And(active, goes_on), a, b, x, c, d, value};
  };
  const XlaOp one = FullLike(a, 1.0);
  const XlaOp first = one / NotZero(one - (a + b) * x / (a + one));
  HILO_ASSIGN_OR_RETURN(const std::vector<XlaOp> end,
                        Repeat("beta_fraction", 2000, active, {a, b, x, one, first, first}, step));
  return end[7];
}

absl::StatusOr<XlaOp> BetaOfDouble(XlaOp a, XlaOp b, XlaOp x) {
  const XlaOp zero = K(a, 0), one = K(a, 1);
  const XlaOp finite = And(IsFinite(a), IsFinite(b));
  const XlaOp positive = And(And(Gt(a, zero), Gt(b, zero)), finite);
  const XlaOp inside = And(positive, And(Gt(x, zero), Lt(x, one)));
  const auto safe = [&](XlaOp value, double other) {
    return Select(inside, value, FullLike(value, other));
  };
  const XlaOp safe_a = safe(a, 1), safe_b = safe(b, 1), safe_x = safe(x, 0.25);
  // I_x(a, b) = 1 - I_(1-x)(b, a), of which one converges fast.
  const XlaOp swap = Gt(safe_x, (safe_a + one) / (safe_a + safe_b + K(a, 2)));
  const XlaOp first = Select(swap, safe_b, safe_a);
  const XlaOp second = Select(swap, safe_a, safe_b);
  const XlaOp place = Select(swap, one - safe_x, safe_x);
  HILO_ASSIGN_OR_RETURN(const XlaOp fraction, BetaFraction(inside, first, second, place));
  const XlaOp log_scale = safe_a * Log(safe_x) + safe_b * Log1p(Neg(safe_x)) +
                          LgammaOfDouble(safe_a + safe_b) - LgammaOfDouble(safe_a) -
                          LgammaOfDouble(safe_b);
  const XlaOp part = Exp(log_scale) * fraction / first;
  XlaOp result = Select(swap, one - part, part);
  result = Select(Eq(x, zero), ZerosLike(x), result);
  result = Select(Eq(x, one), FullLike(x, 1.0), result);
  return Select(And(positive, And(Ge(x, zero), Le(x, one))), result, FullLike(x, kNan));
}

}  // namespace

XlaOp Igamma(XlaOp a, XlaOp x) {
  return InDouble("igamma", {a, x},
                  [](Values in) { return IgammaOfDouble(in[0], in[1], /*lower=*/true); });
}

XlaOp Igammac(XlaOp a, XlaOp x) {
  return InDouble("igammac", {a, x},
                  [](Values in) { return IgammaOfDouble(in[0], in[1], /*lower=*/false); });
}

XlaOp IgammaGradA(XlaOp a, XlaOp x) {
  return InDouble("igamma-grad-a", {a, x},
                  [](Values in) { return IgammaGradOfDouble(in[0], in[1]); });
}

XlaOp RandomGammaGrad(XlaOp a, XlaOp x) {
  return InDouble("random-gamma-grad", {a, x},
                  [](Values in) { return RandomGammaGradOfDouble(in[0], in[1]); });
}

XlaOp RegularizedIncompleteBeta(XlaOp a, XlaOp b, XlaOp x) {
  return InDouble("regularized-incomplete-beta", {a, b, x},
                  [](Values in) { return BetaOfDouble(in[0], in[1], in[2]); });
}

}  // namespace xla

// Functions of complex numbers: their accuracy, and what annex G of the C standard (C99 and later)
// says about branch cuts, infinities and NaN.
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/accuracy/functions.h"
#include "bench/accuracy/measure.h"
#include "gtest/gtest.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::accuracy {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;

using Z = complex128;

TEST(ComplexTest, Accuracy) {
  ExecutionBackend* const backend = *FindBackend("interpreter");
  Sampling sampling;
  sampling.samples = 20000;
  for (const PrimitiveType type : {C64, C128}) {
    for (const Function& function : ComplexOperations()) {
      const absl::StatusOr<Measurement> measured =
          Measure(function, type, *backend, sampling, [](int64_t) {});
      ASSERT_TRUE(measured.ok()) << measured.status();
      // Products of C128 are not computed in a wider type.
      EXPECT_LE(measured->largest_error, function.name == "multiply" && type == C128 ? 2.3 : 0.9)
          << function.name << " of " << measured->worst_input;
      if (function.name == "divide" || (function.name == "multiply" && type == C128)) continue;
      EXPECT_EQ(measured->wrong_class, 0) << function.name << " of " << measured->wrong_class_input;
    }
  }
}

// Compiled functions of floats are formulas for doubles, and exceptions from them.
TEST(ComplexTest, AccuracyOfCompiledFloats) {
  ExecutionBackend* const backend = *FindBackend("cpu");
  Sampling sampling;
  sampling.samples = 20000;
  for (const Function& function : ComplexOperations()) {
    const std::string& name = function.name;
    if (name == "abs" || name == "multiply" || name == "divide" || name == "atan2") continue;
    const absl::StatusOr<Measurement> measured =
        Measure(function, C64, *backend, sampling, [](int64_t) {});
    if (absl::IsUnimplemented(measured.status())) GTEST_SKIP() << measured.status();
    ASSERT_TRUE(measured.ok()) << measured.status();
    EXPECT_LE(measured->largest_error, 0.501) << name << " of " << measured->worst_input;
    EXPECT_EQ(measured->wrong_class, 0) << name << " of " << measured->wrong_class_input;
  }
}

struct Case {
  Z operand;
  Z expected;
};

// Compares NaN, infinities and signs of zeros exactly.
bool Same(double actual, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(expected) || expected == 0)
    return actual == expected && std::signbit(actual) == std::signbit(expected);
  return std::fabs(actual - expected) <= tolerance * std::fabs(expected);
}

template <typename T>
std::vector<T> Apply(const std::string& operation, const std::vector<T>& operands) {
  const std::string shape = absl::StrCat(sizeof(T) == 8 ? "c64[" : "c128[", operands.size(), "]");
  const auto module = ParseAndReturnUnverifiedModule(
      absl::StrCat("HloModule m\nENTRY e { x = ", shape, " parameter(0) ROOT r = ", shape, " ",
                   operation, "(x) }"));
  EXPECT_TRUE(module.ok()) << module.status();
  const Literal argument = LiteralUtil::CreateR1<T>(operands);
  const absl::StatusOr<Literal> result = HloEvaluator().Evaluate(**module, {&argument});
  EXPECT_TRUE(result.ok()) << result.status();
  return {result->data<T>().begin(), result->data<T>().end()};
}

template <typename T>
void ExpectType(const std::string& operation, const std::vector<Case>& cases, double tolerance) {
  std::vector<T> operands;
  for (const Case& c : cases) operands.push_back(T(c.operand));
  const std::vector<T> results = Apply<T>(operation, operands);
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_TRUE(Same(results[i].real(), cases[i].expected.real(), tolerance) &&
                Same(results[i].imag(), cases[i].expected.imag(), tolerance))
        << operation << " of " << operands[i] << " is " << results[i] << ", not "
        << cases[i].expected;
  }
}

void Expect(const std::string& operation, const std::vector<Case>& cases) {
  ExpectType<complex64>(operation, cases, 1e-6);
  ExpectType<complex128>(operation, cases, 1e-15);
}

// And of the conjugates the conjugates, which annex G asks of all these functions.
void ExpectWithConjugates(const std::string& operation, std::vector<Case> cases) {
  for (size_t i = 0, count = cases.size(); i < count; ++i) {
    cases.push_back({std::conj(cases[i].operand), std::conj(cases[i].expected)});
  }
  Expect(operation, cases);
}

// G.6.1.1 of C99 and the following, in their order. Where the sign of an infinity is left open,
// what stands here is one choice.
TEST(AnnexGTest, Acos) {
  ExpectWithConjugates("acos", {{{0, 0}, {kPi / 2, -0.0}},
                                {{-0.0, 0}, {kPi / 2, -0.0}},
                                {{0, kNan}, {kPi / 2, kNan}},
                                {{1, kInf}, {kPi / 2, -kInf}},
                                {{2, kNan}, {kNan, kNan}},
                                {{-kInf, 1}, {kPi, -kInf}},
                                {{kInf, 1}, {0, -kInf}},
                                {{-kInf, kInf}, {3 * kPi / 4, -kInf}},
                                {{kInf, kInf}, {kPi / 4, -kInf}},
                                {{kNan, 1}, {kNan, kNan}},
                                {{kNan, kInf}, {kNan, -kInf}},
                                {{kNan, kNan}, {kNan, kNan}}});
}

TEST(AnnexGTest, Acosh) {
  ExpectWithConjugates("acosh", {{{0, 0}, {0, kPi / 2}},
                                 {{-0.0, 0}, {0, kPi / 2}},
                                 {{1, kInf}, {kInf, kPi / 2}},
                                 {{2, kNan}, {kNan, kNan}},
                                 {{-kInf, 1}, {kInf, kPi}},
                                 {{kInf, 1}, {kInf, 0}},
                                 {{-kInf, kInf}, {kInf, 3 * kPi / 4}},
                                 {{kInf, kInf}, {kInf, kPi / 4}},
                                 {{kInf, kNan}, {kInf, kNan}},
                                 {{-kInf, kNan}, {kInf, kNan}},
                                 {{kNan, 1}, {kNan, kNan}},
                                 {{kNan, kInf}, {kInf, kNan}},
                                 {{kNan, kNan}, {kNan, kNan}}});
}

TEST(AnnexGTest, Asinh) {
  ExpectWithConjugates("asinh", {{{0, 0}, {0, 0}},
                                 {{-0.0, 0}, {-0.0, 0}},
                                 {{1, kInf}, {kInf, kPi / 2}},
                                 {{2, kNan}, {kNan, kNan}},
                                 {{kInf, 1}, {kInf, 0}},
                                 {{kInf, kInf}, {kInf, kPi / 4}},
                                 {{kInf, kNan}, {kInf, kNan}},
                                 {{kNan, 0}, {kNan, 0}},
                                 {{kNan, 1}, {kNan, kNan}},
                                 {{kNan, kNan}, {kNan, kNan}}});
}

TEST(AnnexGTest, Atanh) {
  ExpectWithConjugates("atanh", {{{0, 0}, {0, 0}},
                                 {{-0.0, 0}, {-0.0, 0}},
                                 {{0, kNan}, {0, kNan}},
                                 {{1, 0}, {kInf, 0}},
                                 {{1, kInf}, {0, kPi / 2}},
                                 {{2, kNan}, {kNan, kNan}},
                                 {{kInf, 1}, {0, kPi / 2}},
                                 {{kInf, kInf}, {0, kPi / 2}},
                                 {{kInf, kNan}, {0, kNan}},
                                 {{kNan, 1}, {kNan, kNan}},
                                 {{kNan, kInf}, {0, kPi / 2}},
                                 {{kNan, kNan}, {kNan, kNan}}});
}

// Hyperbolic functions and tangents are undefined in both parts where nobody can say at which point
// of their period they are, as XLA has it; annex G knows one of the parts.
TEST(ComplexTest, Cosh) {
  ExpectWithConjugates("cosh", {{{0, 0}, {1, 0}},
                                {{0, kInf}, {kNan, kNan}},
                                {{0, kNan}, {kNan, kNan}},
                                {{1, kInf}, {kNan, kNan}},
                                {{1, kNan}, {kNan, kNan}},
                                {{kInf, 0}, {kInf, 0}},
                                {{kInf, 2}, {-kInf, kInf}},
                                {{kInf, kInf}, {kNan, kNan}},
                                {{kInf, kNan}, {kNan, kNan}},
                                {{kNan, 0}, {kNan, 0}},
                                {{kNan, 1}, {kNan, kNan}},
                                {{kNan, kNan}, {kNan, kNan}}});
}

TEST(ComplexTest, Sinh) {
  ExpectWithConjugates("sinh", {{{0, 0}, {0, 0}},
                                {{0, kInf}, {kNan, kNan}},
                                {{0, kNan}, {kNan, kNan}},
                                {{1, kInf}, {kNan, kNan}},
                                {{1, kNan}, {kNan, kNan}},
                                {{kInf, 0}, {kInf, 0}},
                                {{kInf, 2}, {-kInf, kInf}},
                                {{kInf, kInf}, {kNan, kNan}},
                                {{kInf, kNan}, {kNan, kNan}},
                                {{kNan, 0}, {kNan, 0}},
                                {{kNan, 1}, {kNan, kNan}},
                                {{kNan, kNan}, {kNan, kNan}}});
}

TEST(ComplexTest, Tanh) {
  ExpectWithConjugates("tanh", {{{0, 0}, {0, 0}},
                                {{0, kInf}, {kNan, kNan}},
                                {{0, kNan}, {kNan, kNan}},
                                {{1, kInf}, {kNan, kNan}},
                                {{1, kNan}, {kNan, kNan}},
                                {{kInf, 1}, {1, 0}},
                                {{kInf, 2}, {1, -0.0}},
                                {{kInf, kInf}, {1, 0}},
                                {{kInf, kNan}, {1, 0}},
                                {{kNan, 0}, {kNan, 0}},
                                {{kNan, 1}, {kNan, kNan}},
                                {{kNan, kNan}, {kNan, kNan}}});
}

TEST(AnnexGTest, Exponential) {
  ExpectWithConjugates("exponential", {{{0, 0}, {1, 0}},
                                       {{-0.0, 0}, {1, 0}},
                                       {{1, kInf}, {kNan, kNan}},
                                       {{1, kNan}, {kNan, kNan}},
                                       {{kInf, 0}, {kInf, 0}},
                                       {{-kInf, 1}, {0, 0}},
                                       {{-kInf, 2}, {-0.0, 0}},
                                       {{kInf, 1}, {kInf, kInf}},
                                       {{kInf, 2}, {-kInf, kInf}},
                                       {{-kInf, kInf}, {0, 0}},
                                       {{kInf, kInf}, {kInf, kNan}},
                                       {{-kInf, kNan}, {0, 0}},
                                       {{kInf, kNan}, {kInf, kNan}},
                                       {{kNan, 0}, {kNan, 0}},
                                       {{kNan, 1}, {kNan, kNan}},
                                       {{kNan, kNan}, {kNan, kNan}}});
}

TEST(AnnexGTest, Log) {
  ExpectWithConjugates("log", {{{-0.0, 0}, {-kInf, kPi}},
                               {{0, 0}, {-kInf, 0}},
                               {{1, kInf}, {kInf, kPi / 2}},
                               {{1, kNan}, {kNan, kNan}},
                               {{-kInf, 1}, {kInf, kPi}},
                               {{kInf, 1}, {kInf, 0}},
                               {{-kInf, kInf}, {kInf, 3 * kPi / 4}},
                               {{kInf, kInf}, {kInf, kPi / 4}},
                               {{kInf, kNan}, {kInf, kNan}},
                               {{-kInf, kNan}, {kInf, kNan}},
                               {{kNan, 1}, {kNan, kNan}},
                               {{kNan, kInf}, {kInf, kNan}},
                               {{kNan, kNan}, {kNan, kNan}}});
}

TEST(AnnexGTest, Sqrt) {
  ExpectWithConjugates("sqrt", {{{0, 0}, {0, 0}},
                                {{-0.0, 0}, {0, 0}},
                                {{1, kInf}, {kInf, kInf}},
                                {{kNan, kInf}, {kInf, kInf}},
                                {{1, kNan}, {kNan, kNan}},
                                {{-kInf, 1}, {0, kInf}},
                                {{kInf, 1}, {kInf, 0}},
                                {{-kInf, kNan}, {kNan, kInf}},
                                {{kInf, kNan}, {kInf, kNan}},
                                {{kNan, 1}, {kNan, kNan}},
                                {{kNan, kNan}, {kNan, kNan}}});
}

// On the two sides of each cut, which the sign of zero tells apart.
TEST(ComplexTest, BranchCuts) {
  ExpectWithConjugates("sqrt", {{{-4, 0}, {0, 2}}});
  ExpectWithConjugates("rsqrt", {{{-4, 0}, {0, -0.5}}});
  ExpectWithConjugates("log", {{{-1, 0}, {0, kPi}}});
  ExpectWithConjugates("log-plus-one", {{{-2, 0}, {0, kPi}}, {{-3, 0}, {std::log(2), kPi}}});
  ExpectWithConjugates("cbrt", {{{-8, 0}, {1, std::sqrt(3)}}});
  ExpectWithConjugates("acos", {{{2, 0}, {0, -1.3169578969248167}},
                                {{-2, 0}, {kPi, -1.3169578969248167}},
                                {{0.5, 0}, {kPi / 3, -0.0}}});
  ExpectWithConjugates("asin", {{{2, 0}, {kPi / 2, 1.3169578969248167}},
                                {{-2, 0}, {-kPi / 2, 1.3169578969248167}},
                                {{0.5, 0}, {kPi / 6, 0}}});
  ExpectWithConjugates("acosh", {{{0.5, 0}, {0, kPi / 3}},
                                 {{-2, 0}, {1.3169578969248167, kPi}},
                                 {{2, 0}, {1.3169578969248167, 0}}});
  ExpectWithConjugates("asinh", {{{0, 2}, {1.3169578969248167, kPi / 2}},
                                 {{-0.0, 2}, {-1.3169578969248167, kPi / 2}},
                                 {{0, 0.5}, {0, kPi / 6}}});
  ExpectWithConjugates("atanh", {{{2, 0}, {0.54930614433405485, kPi / 2}},
                                 {{-2, 0}, {-0.54930614433405485, kPi / 2}},
                                 {{0.5, 0}, {0.54930614433405485, 0}}});
}

// Annex G does not know these; they have the limits there are, zeros keep their signs.
TEST(ComplexTest, OtherFunctionsAtTheEdges) {
  const double root_half = std::sqrt(0.5);
  ExpectWithConjugates("sign", {{{0, 0}, {0, 0}},
                                {{-0.0, 0}, {-0.0, 0}},
                                {{1, 0}, {1, 0}},
                                {{-3e38, 3e38}, {-root_half, root_half}},
                                {{1e-45, 1e-45}, {root_half, root_half}},
                                {{kInf, 1}, {kNan, 0}},
                                {{kNan, 1}, {kNan, kNan}},
                                {{0, kNan}, {kNan, kNan}}});
  ExpectWithConjugates("cbrt", {{{-0.0, 0}, {-0.0, 0}},
                                {{kInf, 1}, {kInf, 0}},
                                {{kInf, kInf}, {kInf, kInf}},
                                {{kNan, 1}, {kNan, kNan}}});
  Expect("rsqrt", {{{0, 0}, {kInf, kNan}},
                   {{-0.0, 0}, {kInf, kNan}},
                   {{kInf, 1}, {0, -0.0}},
                   {{1, kInf}, {0, -0.0}},
                   {{4, 0}, {0.5, -0.0}}});
  ExpectWithConjugates("exponential-minus-one", {{{0, 0}, {0, 0}},
                                                 {{-0.0, 0}, {-0.0, 0}},
                                                 {{1e-20, 0}, {1e-20, 0}},
                                                 {{kInf, 0}, {kInf, 0}},
                                                 {{-kInf, 0}, {-1, 0}},
                                                 {{-kInf, 2}, {-1, 0}},
                                                 {{kInf, 2}, {-kInf, kInf}},
                                                 {{-kInf, kInf}, {kNan, kNan}},
                                                 {{-kInf, kNan}, {kNan, kNan}},
                                                 {{kInf, kInf}, {kNan, kNan}},
                                                 {{kNan, 0}, {kNan, 0}},
                                                 {{1, kInf}, {kNan, kNan}}});
  // e^710 is too large, but its product with the cosine is not.
  ExpectType<complex128>("exponential-minus-one", {{{710, 1.5707}, {2.1519355530742178e304, kInf}}},
                         1e-15);
  ExpectWithConjugates("log-plus-one", {{{0, 0}, {0, 0}},
                                        {{1e-20, 0}, {1e-20, 0}},
                                        {{-1, 0}, {-kInf, 0}},
                                        {{kInf, 1}, {kInf, 0}},
                                        {{1, kInf}, {kInf, kPi / 2}},
                                        {{-kInf, kInf}, {kInf, 3 * kPi / 4}},
                                        {{kInf, kNan}, {kInf, kNan}},
                                        {{kNan, 1}, {kNan, kNan}}});
  ExpectWithConjugates("logistic", {{{0, 0}, {0.5, 0}},
                                    {{kInf, 1}, {1, 0}},
                                    {{kInf, kInf}, {1, 0}},
                                    {{-kInf, 1}, {0, 0}},
                                    {{-kInf, 2}, {0, 0}},
                                    {{-80, 0}, {1.8048513878454153e-35, 0}},
                                    {{1, kInf}, {kNan, kNan}},
                                    {{kNan, 1}, {kNan, kNan}}});
}

// Sines, cosines and tangents are hyperbolic functions turned by 90 degrees.
TEST(AnnexGTest, TrigonometricFunctions) {
  const double parts[] = {0, -0.0, 1, -2, 1e-30, kInf, -kInf, kNan};
  std::vector<Z> operands, turned;
  for (const double x : parts) {
    for (const double y : parts) {
      operands.push_back({x, y});
      turned.push_back({-y, x});
    }
  }
  const std::pair<const char*, const char*> kPairs[] = {
      {"sine", "sinh"}, {"tan", "tanh"}, {"asin", "asinh"}, {"cosine", "cosh"}};
  for (const auto& [operation, hyperbolic] : kPairs) {
    const std::vector<Z> results = Apply(operation, operands);
    const std::vector<Z> hyperbolics = Apply(hyperbolic, turned);
    for (size_t i = 0; i < operands.size(); ++i) {
      // There the sine and the cosine follow annex G.
      const bool is_in_annex_g =
          hyperbolic == absl::string_view("sinh") || hyperbolic == absl::string_view("cosh");
      if (is_in_annex_g && !std::isfinite(operands[i].real())) continue;
      const Z h = hyperbolics[i];
      const Z expected = operation == absl::string_view("cosine") ? h : Z(h.imag(), -h.real());
      const auto same = [](double a, double b) {
        return (a == 0 && b == 0) || (std::isinf(a) && std::isinf(b)) || Same(a, b, 1e-15);
      };
      EXPECT_TRUE(same(results[i].real(), expected.real()) &&
                  same(results[i].imag(), expected.imag()))
          << operation << " of " << operands[i] << " is " << results[i] << ", not " << expected;
    }
  }
}

struct BinaryCase {
  Z x, y;
  Z expected;
};

void ExpectBinary(const std::string& operation, const std::vector<BinaryCase>& cases) {
  for (const BinaryCase& c : cases) {
    const auto module = ParseAndReturnUnverifiedModule(absl::StrCat(
        "HloModule m\nENTRY e { x = c128[] parameter(0) y = c128[] parameter(1) ROOT r = c128[] ",
        operation, "(x, y) }"));
    ASSERT_TRUE(module.ok()) << module.status();
    const Literal x = LiteralUtil::CreateR0<Z>(c.x), y = LiteralUtil::CreateR0<Z>(c.y);
    const absl::StatusOr<Literal> result = HloEvaluator().Evaluate(**module, {&x, &y});
    ASSERT_TRUE(result.ok()) << result.status();
    const Z actual = result->Get<Z>({});
    const auto same = [](double a, double b) {
      return Same(a, b, 1e-15) || (b == 0 && std::fabs(a) < 1e-15);
    };
    EXPECT_TRUE(same(actual.real(), c.expected.real()) && same(actual.imag(), c.expected.imag()))
        << operation << " of " << c.x << " and " << c.y << " is " << actual << ", not "
        << c.expected;
  }
}

TEST(ComplexTest, Powers) {
  ExpectBinary("power", {{{0, 0}, {0, 0}, {1, 0}},
                         {{kNan, 1}, {0, 0}, {1, 0}},
                         {{0, 0}, {2, 1}, {0, 0}},
                         {{0, 0}, {-1, 0}, {kInf, kNan}},
                         {{0, 0}, {0, 1}, {kNan, kNan}},
                         {{-4, 0}, {0.5, 0}, {0, 2}},
                         {{-4, -0.0}, {0.5, 0}, {0, -2}},
                         {{0, 1}, {0, 1}, {std::exp(-kPi / 2), 0}},
                         {{1, 1}, {2, 0}, {0, 2}},
                         {{kNan, 0}, {1, 0}, {kNan, kNan}}});
}

TEST(ComplexTest, AnglesOfComplexCoordinates) {
  ExpectBinary("atan2", {{{1, 0}, {-1, 0}, {3 * kPi / 4, 0}},
                         {{0, 0}, {-1, 0}, {kPi, 0}},
                         {{-1, 0}, {0, 0}, {-kPi / 2, 0}},
                         {{-1e-3, 0}, {-1, 0}, {std::atan2(-1e-3, -1.0), 0}},
                         {{0, 0.5}, {1, 0}, {0, std::atanh(0.5)}},
                         {{0, 2}, {1, 0}, {kPi / 2, std::atanh(0.5)}},
                         {{0, 0}, {0, 0}, {kNan, kNan}}});
  // Relative to what is small.
  const Z small(3e-30, 4e-30);
  ExpectBinary("divide", {{small, {1, 0}, small}});
  ExpectBinary("multiply", {{{1e30, 0}, small, {3, 4}}});
  const auto module = ParseAndReturnUnverifiedModule(
      "HloModule m\nENTRY e { y = c128[] parameter(0) x = c128[] constant((2, 0)) s = c128[] "
      "constant((1e30, 0)) "
      "a = c128[] atan2(y, x) ROOT r = c128[] multiply(a, s) }");
  ASSERT_TRUE(module.ok()) << module.status();
  const Literal y = LiteralUtil::CreateR0<Z>(small);
  const Z scaled = HloEvaluator().Evaluate(**module, {&y})->Get<Z>({});
  EXPECT_NEAR(scaled.real(), 1.5, 1e-14);
  EXPECT_NEAR(scaled.imag(), 2, 1e-14);
}

// G.5.1: an infinity times what is not zero, and over what is finite, is an infinity; what is
// finite over an infinity is zero, what is not zero over zero an infinity. If the real part of a
// dividend is NaN the quotient is, as XLA:CPU has it.
TEST(AnnexGTest, ProductsAndQuotients) {
  ExpectBinary("multiply", {{{kInf, kInf}, {1, 1}, {kNan, kInf}},
                            {{kInf, kNan}, {1, 1}, {kInf, kInf}},
                            {{0, 2}, {kInf, 0}, {kNan, kInf}},
                            {{kInf, 0}, {0, 0}, {kNan, kNan}},
                            {{kNan, 1}, {1, 1}, {kNan, kNan}}});
  ExpectBinary("divide", {{{1, -1}, {0, 0}, {kInf, -kInf}},
                          {{0, 0}, {0, 0}, {kNan, kNan}},
                          {{kInf, 1}, {2, 0}, {kInf, kNan}},
                          {{kInf, kInf}, {1, 0}, {kInf, kInf}},
                          {{1, 1}, {kInf, 1}, {0, 0}},
                          {{1, 1}, {kInf, kNan}, {0, 0}},
                          {{kNan, kInf}, {1, 1}, {kNan, kNan}}});
}

TEST(AnnexGTest, Magnitudes) {
  ExpectWithConjugates("sign", {{{3, 4}, {0.6, 0.8}}});
  const auto module = ParseAndReturnUnverifiedModule(
      "HloModule m\nENTRY e { z = c64[5] parameter(0) ROOT r = f32[5] abs(z) }");
  ASSERT_TRUE(module.ok()) << module.status();
  const Literal z = LiteralUtil::CreateR1<complex64>(
      {{-INFINITY, NAN}, {NAN, INFINITY}, {NAN, 1}, {3e38f, 4e37f}, {4.2e-45f, 5.6e-45f}});
  const Literal lengths = *HloEvaluator().Evaluate(**module, {&z});
  EXPECT_EQ(lengths.Get<float>({0}), INFINITY);
  EXPECT_EQ(lengths.Get<float>({1}), INFINITY);
  EXPECT_TRUE(std::isnan(lengths.Get<float>({2})));
  EXPECT_FLOAT_EQ(lengths.Get<float>({3}), 3.0265492e38f);
  EXPECT_EQ(lengths.Get<float>({4}), 7e-45f);
}

}  // namespace
}  // namespace xla::accuracy

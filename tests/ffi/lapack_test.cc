// LAPACK's routines as custom calls: results are put together again and compared with the operands.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "linalg/lapack_call.h"
#include "tests/ffi/run.h"
#include "xla/ffi/api/ffi.h"
#include "xla/ffi/ffi_api.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using ::testing::HasSubstr;
using Number = std::complex<double>;

// A matrix of m x n elements, or a list where n is 1.
struct Matrix {
  int64_t m, n;
  std::vector<Number> x;
  Matrix(int64_t m, int64_t n) : m(m), n(n), x(m * n) {}
  Number& operator()(int64_t i, int64_t j) { return x[i * n + j]; }
  Number operator()(int64_t i, int64_t j) const { return x[i * n + j]; }
};

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c(a.m, b.n);
  for (int64_t i = 0; i < a.m; ++i) {
    for (int64_t k = 0; k < a.n; ++k) {
      for (int64_t j = 0; j < b.n; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}
Matrix Adjoint(const Matrix& a, bool conjugate = true) {
  Matrix b(a.n, a.m);
  for (int64_t i = 0; i < a.m; ++i) {
    for (int64_t j = 0; j < a.n; ++j) b(j, i) = conjugate ? std::conj(a(i, j)) : a(i, j);
  }
  return b;
}
Matrix Identity(int64_t n) {
  Matrix a(n, n);
  for (int64_t i = 0; i < n; ++i) a(i, i) = 1;
  return a;
}
Matrix Diagonal(const std::vector<Number>& d) {
  Matrix a(d.size(), d.size());
  for (size_t i = 0; i < d.size(); ++i) a(i, i) = d[i];
  return a;
}
// Columns [0, n) and rows [0, m).
Matrix Part(const Matrix& a, int64_t m, int64_t n) {
  Matrix b(m, n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) b(i, j) = a(i, j);
  }
  return b;
}
// Elements on and below the diagonal, or on and above; the others are zero.
Matrix Triangle(const Matrix& a, bool lower, bool unit = false) {
  Matrix b(a.m, a.n);
  for (int64_t i = 0; i < a.m; ++i) {
    for (int64_t j = 0; j < a.n; ++j) {
      if (lower ? j <= i : j >= i) b(i, j) = unit && i == j ? 1 : a(i, j);
    }
  }
  return b;
}
double Distance(const Matrix& a, const Matrix& b) {
  double largest = a.m == b.m && a.n == b.n ? 0 : 1e9;
  for (size_t i = 0; largest < 1e9 && i < a.x.size(); ++i) {
    const double size = std::abs(a.x[i] - b.x[i]);
    if (!(size <= largest)) largest = size;
  }
  return largest;
}

class Lapack : public ::testing::TestWithParam<std::tuple<std::string, char>> {
 protected:
  Lapack() {
    letter_ = std::get<1>(GetParam());
    is_complex_ = letter_ == 'c' || letter_ == 'z';
    is_single_ = letter_ == 's' || letter_ == 'c';
    type_ = letter_ == 's' ? "f32" : letter_ == 'd' ? "f64" : letter_ == 'c' ? "c64" : "c128";
    real_ = is_single_ ? "f32" : "f64";
    complex_ = is_single_ ? "c64" : "c128";
    tolerance_ = is_single_ ? 3e-5 : 1e-12;
  }

  Matrix Random(int64_t m, int64_t n) {
    Matrix a(m, n);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (Number& x : a.x) {
      x = uniform(generator_);
      if (is_complex_) x += Number(0, uniform(generator_));
      if (is_single_) x = Number(static_cast<float>(x.real()), static_cast<float>(x.imag()));
    }
    return a;
  }
  Matrix Hermitian(int64_t n) {
    Matrix a = Random(n, n);
    for (int64_t i = 0; i < n; ++i) {
      a(i, i) = a(i, i).real();
      for (int64_t j = 0; j < i; ++j) a(j, i) = std::conj(a(i, j));
    }
    return a;
  }

  // The leading dimension of operands and results.
  static constexpr int64_t kBatch = 2;

  Literal ToLiteral(const std::vector<Matrix>& batch, const std::string& type, bool is_list) const {
    std::vector<int64_t> sizes = {kBatch, batch[0].m};
    if (!is_list) sizes.push_back(batch[0].n);
    Literal wide(ShapeUtil::MakeShape(C128, sizes));
    int64_t next = 0;
    for (const Matrix& matrix : batch) {
      for (Number x : matrix.x) wide.data<complex128>()[next++] = x;
    }
    const PrimitiveType element = *primitive_util::StringToPrimitiveType(type);
    if (primitive_util::IsComplexType(element)) return *wide.Convert(element);
    Literal real(ShapeUtil::MakeShape(F64, sizes));
    for (int64_t i = 0; i < next; ++i) real.data<double>()[i] = wide.data<complex128>()[i].real();
    return *real.Convert(element);
  }

  struct Operand {
    std::vector<Matrix> batch;
    bool is_list = false;
  };

  // Calls a routine with operands of the routine's type on column-major matrices.
  absl::StatusOr<std::vector<std::vector<Matrix>>> Call(const std::string& routine,
                                                        const std::vector<Operand>& operands,
                                                        const std::vector<std::string>& results,
                                                        const std::string& attributes,
                                                        std::vector<Literal> others = {}) {
    std::vector<std::string> shapes;
    std::vector<Literal> arguments;
    for (const Operand& operand : operands) {
      arguments.push_back(ToLiteral(operand.batch, type_, operand.is_list));
      shapes.push_back(ShapeUtil::HumanString(arguments.back().shape()));
    }
    for (Literal& other : others) {
      arguments.push_back(std::move(other));
      shapes.push_back(ShapeUtil::HumanString(arguments.back().shape()));
    }
    std::string result, constraints;
    for (size_t i = 0; i < results.size(); ++i)
      absl::StrAppend(&result, i == 0 ? "" : ", ", results[i], Layout(results[i]));
    if (results.size() > 1) result = absl::StrCat("(", result, ")");
    for (size_t i = 0; i < shapes.size(); ++i)
      absl::StrAppend(&constraints, i == 0 ? "" : ", ", shapes[i], Layout(shapes[i]));
    const std::string target =
        absl::StrContains(routine, "_")
            ? routine
            : absl::StrCat("lapack_", std::string(1, letter_), routine, "_ffi");
    HILO_ASSIGN_OR_RETURN(
        Literal value,
        RunOn(std::get<0>(GetParam()),
              Module(result, shapes, target, attributes,
                     absl::StrCat(", operand_layout_constraints={", constraints, "}")),
              arguments));
    std::vector<Literal> parts;
    if (results.size() > 1) {
      parts = value.DecomposeTuple();
    } else {
      parts.push_back(std::move(value));
    }
    std::vector<std::vector<Matrix>> batches;
    for (const Literal& part : parts) batches.push_back(ToMatrices(part));
    return batches;
  }

  // Column-major where there is a matrix.
  static std::string Layout(const std::string& shape) {
    const int rank = 1 + static_cast<int>(std::count(shape.begin(), shape.end(), ','));
    return rank == 3 ? "{1,2,0}" : rank == 2 ? "{1,0}" : "{0}";
  }

  static std::vector<Matrix> ToMatrices(const Literal& literal) {
    const Literal wide = literal.Convert(C128)->Relayout(
        LayoutUtil::MakeDescendingLayout(literal.shape().dimensions_size()));
    const auto sizes = literal.shape().dimensions();
    std::vector<Matrix> batch;
    int64_t next = 0;
    for (int64_t b = 0; b < kBatch; ++b) {
      Matrix matrix(sizes.size() > 1 ? sizes[1] : 1, sizes.size() > 2 ? sizes[2] : 1);
      for (Number& x : matrix.x) x = wide.data<complex128>()[next++];
      batch.push_back(std::move(matrix));
    }
    return batch;
  }

  std::string T(const std::string& sizes) const { return absl::StrCat(type_, "[2", sizes, "]"); }
  std::string R(const std::string& sizes) const { return absl::StrCat(real_, "[2", sizes, "]"); }
  std::string C(const std::string& sizes) const { return absl::StrCat(complex_, "[2", sizes, "]"); }
  static std::string I(const std::string& sizes) { return absl::StrCat("s32[2", sizes, "]"); }

  void ExpectNear(const Matrix& a, const Matrix& b, const std::string& what) {
    EXPECT_LT(Distance(a, b), tolerance_ * (1 + static_cast<double>(a.n))) << what;
  }
  void ExpectUnitary(const Matrix& q, const std::string& what) {
    ExpectNear(Adjoint(q) * q, Identity(q.n), what + ": not orthonormal");
  }
  std::string Name(const std::string& real, const std::string& complex) const {
    return is_complex_ ? complex : real;
  }

  char letter_;
  bool is_complex_, is_single_;
  std::string type_, real_, complex_;
  double tolerance_;
  std::mt19937 generator_{7};
};

INSTANTIATE_TEST_SUITE_P(All, Lapack,
                         ::testing::Combine(::testing::ValuesIn(BackendNames()),
                                            ::testing::Values('s', 'd', 'c', 'z')),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::string(1, std::get<1>(info.param));
                         });

std::string Code(const std::string& name, char letter) {
  return absl::StrCat(name, " = ", static_cast<int>(letter), " : ui8");
}

TEST_P(Lapack, Potrf) {
  // Of the largest threads share the parts.
  for (const auto& [uplo, n] :
       {std::pair<char, int>{'L', 6}, {'U', 6}, {'L', 20}, {'U', 20}, {'L', 200}}) {
    std::vector<Matrix> a;
    for (int i = 0; i < kBatch; ++i) {
      const Matrix b = Random(n, n);
      Matrix c = b * Adjoint(b);
      for (int k = 0; k < n; ++k) c(k, k) += n;
      a.push_back(c);
    }
    auto r = Call("potrf", {{a}}, {T(absl::StrCat(",", n, ",", n)), I("")},
                  "{" + Code("uplo", uplo) + "}");
    ASSERT_TRUE(r.ok()) << r.status();
    for (int i = 0; i < kBatch; ++i) {
      const Matrix l = Triangle((*r)[0][i], uplo == 'L');
      ExpectNear(uplo == 'L' ? l * Adjoint(l) : Adjoint(l) * l, a[i], "potrf");
      EXPECT_EQ((*r)[1][i].x[0], 0.0);
    }
  }
}

TEST_P(Lapack, PotrfOfOneThatIsNotPositive) {
  std::vector<Matrix> a = {Identity(3), Identity(3)};
  a[1](1, 1) = -1;
  auto r = Call("potrf", {{a}}, {T(",3,3"), I("")}, "{" + Code("uplo", 'L') + "}");
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)[1][0].x[0], 0.0);
  EXPECT_EQ((*r)[1][1].x[0], 2.0);
  std::vector<Matrix> large = {Identity(200), Identity(200)};
  large[0](150, 150) = -1;
  r = Call("potrf", {{large}}, {T(",200,200"), I("")}, "{" + Code("uplo", 'L') + "}");
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)[1][0].x[0], 151.0);
  EXPECT_EQ((*r)[1][1].x[0], 0.0);
}

TEST_P(Lapack, Trsm) {
  for (char side : {'L', 'R'}) {
    for (char uplo : {'L', 'U'}) {
      for (char trans : {'N', 'T', 'C'}) {
        for (char diag : {'N', 'U'}) {
          std::vector<Matrix> a, b;
          // Small ones, and one that is left to a library.
          const int m = uplo == 'L' || diag == 'U' ? 5 : 20, n = m - 2, size = side == 'L' ? m : n;
          for (int i = 0; i < kBatch; ++i) {
            a.push_back(Random(size, size));
            for (int k = 0; k < size; ++k) a[i](k, k) += size;
            b.push_back(Random(m, n));
          }
          auto r = Call("trsm", {{a}, {b}}, {T(absl::StrCat(",", m, ",", n))},
                        absl::StrCat("{", Code("diag", diag), ", ", Code("side", side), ", ",
                                     Code("trans_x", trans), ", ", Code("uplo", uplo), "}"));
          ASSERT_TRUE(r.ok()) << r.status();
          for (int i = 0; i < kBatch; ++i) {
            Matrix t = Triangle(a[i], uplo == 'L', diag == 'U');
            if (trans != 'N') t = Adjoint(t, trans == 'C');
            const Matrix& x = (*r)[0][i];
            ExpectNear(side == 'L' ? t * x : x * t, b[i], "trsm");
          }
        }
      }
    }
  }
}

TEST_P(Lapack, Getrf) {
  for (const auto& [m, n] :
       {std::pair<int, int>{5, 5}, {6, 4}, {3, 5}, {20, 20}, {195, 230}, {230, 195}}) {
    const int k = std::min(m, n);
    const std::vector<Matrix> a = {Random(m, n), Random(m, n)};
    auto r = Call("getrf", {{a}}, {T(absl::StrCat(",", m, ",", n)), I(absl::StrCat(",", k)), I("")},
                  "{}");
    ASSERT_TRUE(r.ok()) << r.status();
    for (int i = 0; i < kBatch; ++i) {
      const Matrix l = Triangle(Part((*r)[0][i], m, k), true, true);
      Matrix lu = l * Triangle(Part((*r)[0][i], k, n), false);
      for (int row = k - 1; row >= 0; --row) {
        const int other = static_cast<int>((*r)[1][i].x[row].real()) - 1;
        ASSERT_GE(other, row);
        for (int j = 0; j < n; ++j) std::swap(lu(row, j), lu(other, j));
      }
      ExpectNear(lu, a[i], "getrf");
      EXPECT_EQ((*r)[2][i].x[0], 0.0);
    }
  }
}

TEST_P(Lapack, GetrfOfOneThatIsSingular) {
  std::vector<Matrix> singular = {Matrix(2, 2), Identity(2)};
  auto r = Call("getrf", {{singular}}, {T(",2,2"), I(",2"), I("")}, "{}");
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)[2][0].x[0], 1.0);
  EXPECT_EQ((*r)[2][1].x[0], 0.0);
  // The first column without a pivot counts.
  std::vector<Matrix> large = {Random(200, 200), Random(200, 200)};
  for (int column : {130, 190}) {
    for (int i = 0; i < 200; ++i) large[1](i, column) = 0;
  }
  r = Call("getrf", {{large}}, {T(",200,200"), I(",200"), I("")}, "{}");
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)[2][0].x[0], 0.0);
  EXPECT_EQ((*r)[2][1].x[0], 131.0);
}

TEST_P(Lapack, GeqrfOrgqrOrmqr) {
  const std::vector<Matrix> a = {Random(6, 4), Random(6, 4)}, c = {Random(6, 3), Random(6, 3)};
  auto qr = Call("geqrf", {{a}}, {T(",6,4"), T(",4")}, "{}");
  ASSERT_TRUE(qr.ok()) << qr.status();
  const Operand reflections = {(*qr)[0]}, taus = {(*qr)[1], true};
  auto q = Call(Name("orgqr", "ungqr"), {reflections, taus}, {T(",6,4")}, "{}");
  ASSERT_TRUE(q.ok()) << q.status();
  std::vector<Matrix> squares = {Identity(6), Identity(6)}, whole;
  auto full = Call(Name("ormqr", "unmqr"), {reflections, taus, {squares}}, {T(",6,6")},
                   "{left = true, transpose = false}");
  ASSERT_TRUE(full.ok()) << full.status();
  for (int i = 0; i < kBatch; ++i) {
    ExpectUnitary((*q)[0][i], "orgqr");
    ExpectUnitary((*full)[0][i], "ormqr");
    ExpectNear(Part((*full)[0][i], 6, 4), (*q)[0][i], "ormqr and orgqr");
    ExpectNear((*q)[0][i] * Triangle(Part((*qr)[0][i], 4, 4), false), a[i], "geqrf");
  }
  for (bool left : {false, true}) {
    for (bool transpose : {false, true}) {
      std::vector<Matrix> own = c;
      if (!left) own = {Adjoint(c[0]), Adjoint(c[1])};
      auto r = Call(Name("ormqr", "unmqr"), {reflections, taus, {own}}, {T(left ? ",6,3" : ",3,6")},
                    absl::StrFormat("{left = %s, transpose = %s}", left ? "true" : "false",
                                    transpose ? "true" : "false"));
      ASSERT_TRUE(r.ok()) << r.status();
      for (int i = 0; i < kBatch; ++i) {
        const Matrix op = transpose ? Adjoint((*full)[0][i]) : (*full)[0][i];
        ExpectNear((*r)[0][i], left ? op * own[i] : own[i] * op, "ormqr");
      }
    }
  }
}

TEST_P(Lapack, Geqp3) {
  const std::vector<Matrix> a = {Random(5, 4), Random(5, 4)};
  std::vector<Literal> free;
  free.push_back(LiteralUtil::CreateR2<int32_t>({{0, 0, 0, 0}, {0, 0, 1, 0}}));
  auto r = Call("geqp3", {{a}}, {T(",5,4"), I(",4"), T(",4")}, "{}", std::move(free));
  ASSERT_TRUE(r.ok()) << r.status();
  auto q = Call(Name("orgqr", "ungqr"), {{(*r)[0]}, {(*r)[2], true}}, {T(",5,4")}, "{}");
  ASSERT_TRUE(q.ok()) << q.status();
  for (int i = 0; i < kBatch; ++i) {
    Matrix permuted(5, 4);
    for (int j = 0; j < 4; ++j) {
      const int from = static_cast<int>((*r)[1][i].x[j].real()) - 1;
      for (int row = 0; row < 5; ++row) permuted(row, j) = a[i](row, from);
    }
    const Matrix upper = Triangle(Part((*r)[0][i], 4, 4), false);
    ExpectNear((*q)[0][i] * upper, permuted, "geqp3");
    for (int j = i + 1; j < 4; ++j)
      EXPECT_LE(std::abs(upper(j, j)),
                std::abs(upper(j - 1, j - 1)) * (i == 1 && j == 1 ? 1e9 : 1.001));
  }
  EXPECT_EQ((*r)[1][1].x[0], 3.0);
}

TEST_P(Lapack, Gesdd) {
  for (const std::string routine : {"gesdd", "gesvd"}) {
    for (const auto& [m, n] : {std::pair<int, int>{4, 4}, {6, 3}, {3, 5}}) {
      // Where no vectors are wanted, arrays for all of them or, here by a small letter, for few.
      for (char letter : {'A', 'S', 'N', 'n'}) {
        const char mode = absl::ascii_toupper(letter);
        const int k = std::min(m, n);
        std::vector<Matrix> a = {Random(m, n), Random(m, n)};
        a[1] = Matrix(m, n);  // of rank one
        for (int i = 0; i < m; ++i) {
          for (int j = 0; j < n; ++j) a[1](i, j) = (i + 1.0) * (j - 1.0);
        }
        const bool are_few = letter == 'S' || letter == 'n';
        const int u_columns = are_few ? k : m, v_rows = are_few ? k : n;
        auto r = Call(
            routine, {{a}},
            {T(absl::StrCat(",", m, ",", n)), R(absl::StrCat(",", k)),
             T(absl::StrCat(",", m, ",", u_columns)), T(absl::StrCat(",", v_rows, ",", n)), I("")},
            "{" + Code("mode", mode) + "}");
        ASSERT_TRUE(r.ok()) << r.status();
        for (int i = 0; i < kBatch; ++i) {
          const std::vector<Number>& s = (*r)[1][i].x;
          double squares = 0, wanted = 0;
          for (int j = 0; j < k; ++j) {
            squares += std::norm(s[j]);
            if (j > 0) {
              EXPECT_GE(s[j - 1].real(), s[j].real());
            }
          }
          for (Number x : a[i].x) wanted += std::norm(x);
          EXPECT_NEAR(squares, wanted, tolerance_ * wanted);
          EXPECT_EQ((*r)[4][i].x[0], 0.0);
          if (mode == 'N') continue;
          const Matrix u = (*r)[2][i], vh = (*r)[3][i];
          ExpectUnitary(u, routine + " u");
          ExpectUnitary(Adjoint(vh), routine + " v");
          Matrix product = Part(u, m, k) * Diagonal(s) * Part(vh, k, n);
          for (Number& x : product.x) x /= 1.0 + s[0];
          Matrix scaled = a[i];
          for (Number& x : scaled.x) x /= 1.0 + s[0];
          ExpectNear(product, scaled, routine);
        }
      }
    }
  }
}

TEST_P(Lapack, Syevd) {
  for (char uplo : {'L', 'U'}) {
    const std::vector<Matrix> a = {Hermitian(5), Hermitian(5)};
    auto r = Call(Name("syevd", "heevd"), {{a}}, {T(",5,5"), R(",5"), I("")},
                  absl::StrCat("{", Code("mode", 'V'), ", ", Code("uplo", uplo), "}"));
    ASSERT_TRUE(r.ok()) << r.status();
    for (int i = 0; i < kBatch; ++i) {
      const Matrix& v = (*r)[0][i];
      ExpectUnitary(v, "syevd");
      ExpectNear(a[i] * v, v * Diagonal((*r)[1][i].x), "syevd");
      for (int j = 1; j < 5; ++j) EXPECT_LE((*r)[1][i].x[j - 1].real(), (*r)[1][i].x[j].real());
    }
  }
}

TEST_P(Lapack, Geev) {
  std::vector<Matrix> a = {Random(6, 6), Random(6, 6)};
  std::vector<std::string> results = {T(",6"), C(",6,6"), C(",6,6"), I("")};
  if (!is_complex_) results = {R(",6"), R(",6"), C(",6,6"), C(",6,6"), I("")};
  auto r =
      Call("geev", {{a}}, results,
           absl::StrCat("{", Code("compute_left", 'V'), ", ", Code("compute_right", 'V'), "}"));
  ASSERT_TRUE(r.ok()) << r.status();
  const int first = is_complex_ ? 0 : 1;
  for (int i = 0; i < kBatch; ++i) {
    std::vector<Number> w = (*r)[0][i].x;
    for (int j = 0; !is_complex_ && j < 6; ++j) w[j] += Number(0, 1) * (*r)[1][i].x[j];
    const Matrix left = (*r)[first + 1][i], right = (*r)[first + 2][i];
    ExpectNear(a[i] * right, right * Diagonal(w), "geev right");
    ExpectNear(Adjoint(left) * a[i], Diagonal(w) * Adjoint(left), "geev left");
    for (int j = 0; j < 6; ++j) {
      double length = 0;
      for (int row = 0; row < 6; ++row) length += std::norm(right(row, j));
      EXPECT_NEAR(length, 1, 10 * tolerance_);
      if (!is_complex_ && w[j].imag() > 0) {
        EXPECT_EQ(w[j + 1], std::conj(w[j]));
      }
    }
    EXPECT_EQ((*r)[first + 3][i].x[0], 0.0);
  }
}

TEST_P(Lapack, Gees) {
  std::vector<Matrix> a = {Random(7, 7), Random(7, 7)};
  a[1] = Matrix(7, 7);  // a permutation, whose eigenvalues lie on a circle
  for (int i = 0; i < 7; ++i) a[1](i, (i + 1) % 7) = 1;
  std::vector<std::string> results = {T(",7,7"), T(",7,7"), T(",7"), I(""), I("")};
  if (!is_complex_) results = {T(",7,7"), T(",7,7"), R(",7"), R(",7"), I(""), I("")};
  auto r = Call("gees", {{a}}, results,
                absl::StrCat("{", Code("mode", 'V'), ", ", Code("sort", 'N'), "}"));
  ASSERT_TRUE(r.ok()) << r.status();
  for (int i = 0; i < kBatch; ++i) {
    const Matrix s = (*r)[0][i], z = (*r)[1][i];
    ExpectUnitary(z, "gees");
    ExpectNear(z * s * Adjoint(z), a[i], "gees");
    for (int row = 1; row < 7; ++row) {
      for (int j = 0; j < row - (is_complex_ ? 0 : 1); ++j) EXPECT_EQ(s(row, j), 0.0);
      if (!is_complex_ && s(row, row - 1) != 0.0) {
        EXPECT_EQ(s(row, row), s(row - 1, row - 1));
        EXPECT_LT((s(row, row - 1) * s(row - 1, row)).real(), 0);
        if (row > 1) {
          EXPECT_EQ(s(row - 1, row - 2), 0.0);
        }
        EXPECT_NEAR((*r)[3][i].x[row - 1].real(),
                    std::sqrt(-(s(row, row - 1) * s(row - 1, row)).real()), tolerance_);
      }
    }
    EXPECT_EQ(r->back()[i].x[0], 0.0);
  }
}

// The product of I - taus[k] v v^H, where v_k is given by a function of its elements.
template <typename Element>
Matrix Reflections(int64_t n, const std::vector<Number>& taus, bool reverse, Element element) {
  Matrix q = Identity(n);
  for (size_t step = 0; step < taus.size(); ++step) {
    const int64_t k = reverse ? taus.size() - 1 - step : step;
    Matrix v(n, 1);
    for (int64_t i = 0; i < n; ++i) v(i, 0) = element(i, k);
    Matrix h = v * Adjoint(v);
    for (Number& x : h.x) x *= -taus[k];
    for (int64_t i = 0; i < n; ++i) h(i, i) += 1;
    q = q * h;
  }
  return q;
}

TEST_P(Lapack, Gehrd) {
  const std::vector<Matrix> a = {Random(6, 6), Random(6, 6)};
  auto r = Call("gehrd", {{a}}, {T(",6,6"), T(",5"), I("")}, "{high = 6 : i32, low = 1 : i32}");
  ASSERT_TRUE(r.ok()) << r.status();
  for (int i = 0; i < kBatch; ++i) {
    const Matrix& packed = (*r)[0][i];
    const Matrix q = Reflections(6, (*r)[1][i].x, false, [&](int64_t row, int64_t k) {
      return row <= k ? Number(0) : row == k + 1 ? Number(1) : packed(row, k);
    });
    Matrix h = packed;
    for (int row = 2; row < 6; ++row) {
      for (int j = 0; j < row - 1; ++j) h(row, j) = 0;
    }
    ExpectNear(q * h * Adjoint(q), a[i], "gehrd");
  }
}

TEST_P(Lapack, Sytrd) {
  for (char uplo : {'L', 'U'}) {
    const std::vector<Matrix> a = {Hermitian(6), Hermitian(6)};
    auto r = Call(Name("sytrd", "hetrd"), {{a}}, {T(",6,6"), R(",6"), R(",5"), T(",5"), I("")},
                  "{" + Code("uplo", uplo) + "}");
    ASSERT_TRUE(r.ok()) << r.status();
    for (int i = 0; i < kBatch; ++i) {
      const Matrix& packed = (*r)[0][i];
      const bool lower = uplo == 'L';
      const Matrix q = Reflections(6, (*r)[3][i].x, !lower, [&](int64_t row, int64_t k) {
        const int64_t one = lower ? k + 1 : k, column = lower ? k : k + 1;
        if (row == one) return Number(1);
        return (lower ? row > one : row < one) ? packed(row, column) : Number(0);
      });
      Matrix t = Diagonal((*r)[1][i].x);
      for (int k = 0; k < 5; ++k) t(k, k + 1) = t(k + 1, k) = (*r)[2][i].x[k];
      ExpectNear(q * t * Adjoint(q), a[i], absl::StrCat("sytrd ", std::string(1, uplo)));
    }
  }
}

TEST_P(Lapack, Tridiagonal) {
  for (const std::string routine : {"gtsv", "tridiagonal_solve_perturbed_ffi"}) {
    std::vector<Matrix> lower, d, upper, b, a;
    for (int i = 0; i < kBatch; ++i) {
      lower.push_back(Random(7, 1));
      d.push_back(Random(7, 1));
      upper.push_back(Random(7, 1));
      b.push_back(Random(7, 2));
      if (i == 1) d[i](0, 0) = 0;  // so that rows change places
      a.push_back(Diagonal(d[i].x));
      for (int k = 1; k < 7; ++k)
        a[i](k, k - 1) = lower[i](k, 0), a[i](k - 1, k) = upper[i](k - 1, 0);
    }
    const bool is_gtsv = routine == "gtsv";
    std::vector<std::string> results = {T(",7,2")};
    if (is_gtsv) results = {T(",7"), T(",7"), T(",7"), T(",7,2"), I("")};
    auto r = Call(routine, {{lower, true}, {d, true}, {upper, true}, {b}}, results, "{}");
    ASSERT_TRUE(r.ok()) << r.status();
    for (int i = 0; i < kBatch; ++i) {
      const Matrix x = (*r)[is_gtsv ? 3 : 0][i];
      double largest = 1;
      for (Number element : x.x) largest = std::max(largest, std::abs(element));
      EXPECT_LT(Distance(a[i] * x, b[i]), 10 * tolerance_ * largest) << routine;
      if (is_gtsv) {
        EXPECT_EQ((*r)[4][i].x[0], 0.0);
      }
    }
  }
}

TEST_P(Lapack, SingularTridiagonal) {
  const std::vector<Matrix> zero = {Matrix(3, 1), Matrix(3, 1)}, b = {Random(3, 1), Random(3, 1)};
  auto r = Call("gtsv", {{zero, true}, {zero, true}, {zero, true}, {b}},
                {T(",3"), T(",3"), T(",3"), T(",3,1"), I("")}, "{}");
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_GT((*r)[4][0].x[0].real(), 0);
  r = Call("tridiagonal_solve_perturbed_ffi", {{zero, true}, {zero, true}, {zero, true}, {b}},
           {T(",3,1")}, "{}");
  ASSERT_TRUE(r.ok()) << r.status();
  for (Number x : (*r)[0][0].x) EXPECT_TRUE(std::isfinite(std::abs(x)));
}

TEST_P(Lapack, NanIsNoError) {
  std::vector<Matrix> a = {Identity(3), Identity(3)};
  a[0](1, 1) = std::nan("");
  auto r = Call("potrf", {{a}}, {T(",3,3"), I("")}, "{" + Code("uplo", 'L') + "}");
  EXPECT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)[1][1].x[0], 0.0);
  r = Call("gesdd", {{a}}, {T(",3,3"), R(",3"), T(",3,3"), T(",3,3"), I("")},
           "{" + Code("mode", 'A') + "}");
  EXPECT_TRUE(r.ok()) << r.status();
  EXPECT_NE((*r)[4][0].x[0], 0.0);
  EXPECT_EQ((*r)[4][1].x[0], 0.0);
  r = Call("getrf", {{a}}, {T(",3,3"), I(",3"), I("")}, "{}");
  EXPECT_TRUE(r.ok()) << r.status();
}

TEST_P(Lapack, NanHasNoEigenvalues) {
  std::vector<Matrix> a = {Hermitian(4), Hermitian(4)};
  a[0](1, 1) = std::nan("");
  auto r = Call(Name("syevd", "heevd"), {{a}}, {T(",4,4"), R(",4"), I("")},
                absl::StrCat("{", Code("mode", 'V'), ", ", Code("uplo", 'L'), "}"));
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_TRUE((*r)[2][0].x[0] != 0.0 || std::isnan((*r)[1][0].x[0].real()));
  EXPECT_EQ((*r)[2][1].x[0], 0.0);
  std::vector<std::string> results = {T(",4"), C(",4,4"), C(",4,4"), I("")};
  if (!is_complex_) results = {R(",4"), R(",4"), C(",4,4"), C(",4,4"), I("")};
  r = Call("geev", {{a}}, results,
           absl::StrCat("{", Code("compute_left", 'V'), ", ", Code("compute_right", 'V'), "}"));
  ASSERT_TRUE(r.ok()) << r.status();
  const size_t info = results.size() - 1;
  EXPECT_TRUE((*r)[info][0].x[0] != 0.0 || std::isnan((*r)[0][0].x[0].real()));
  EXPECT_EQ((*r)[info][1].x[0], 0.0);
}

TEST_P(Lapack, EmptyMatrices) {
  const std::vector<Matrix> a = {Matrix(0, 0), Matrix(0, 0)};
  auto r = Call("potrf", {{a}}, {T(",0,0"), I("")}, "{" + Code("uplo", 'L') + "}");
  EXPECT_TRUE(r.ok()) << r.status();
  r = Call("gesdd", {{{Matrix(3, 0), Matrix(3, 0)}}},
           {T(",3,0"), R(",0"), T(",3,3"), T(",0,0"), I("")}, "{" + Code("mode", 'A') + "}");
  ASSERT_TRUE(r.ok()) << r.status();
  ExpectUnitary((*r)[2][0], "gesdd of nothing");
}

TEST_P(Lapack, WrongCalls) {
  const std::vector<Matrix> a = {Identity(3), Identity(3)};
  const auto message = [&](const std::string& routine, const std::vector<std::string>& results,
                           const std::string& attributes) {
    const absl::Status status = Call(routine, {{a}}, results, attributes).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  };
  const std::string uplo = "{" + Code("uplo", 'L') + "}";
  EXPECT_THAT(message("potrf", {T(",3,3")}, uplo), HasSubstr("has 2 results, not 1 and 1"));
  EXPECT_THAT(message("potrf", {T(",3,4"), I("")}, uplo), HasSubstr("dimension 2 of result 0"));
  EXPECT_THAT(message("potrf", {T(",3,3"), T("")}, uplo), HasSubstr("result 1 cannot be"));
  EXPECT_THAT(message("potrf", {T(",3,3"), I("")}, "{}"), HasSubstr("has 1 attributes, not 0"));
  EXPECT_THAT(message("potrf", {T(",3,3"), I("")}, "{" + Code("upla", 'L') + "}"),
              HasSubstr("attribute uplo is missing"));
  EXPECT_THAT(message("potrf", {T(",3,3"), I("")}, "{uplo = 76 : i8}"), HasSubstr("of type u8"));
  EXPECT_THAT(message("potrf", {T(",3,3"), I("")}, "{" + Code("uplo", 'X') + "}"),
              HasSubstr("is 88, not the code of one of the letters LU"));
  EXPECT_THAT(message("gehrd", {T(",3,3"), T(",2"), I("")}, "{high = 4 : i32, low = 1 : i32}"),
              HasSubstr("rows 1 to 4"));
  const absl::Status status = Call("unknown", {{a}}, {T(",3,3")}, "{}").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
}

// JAX compiles a call without operands to look at its text.
TEST_P(Lapack, WrongCallsAreRefusedWhenTheyRun) {
  const absl::StatusOr<std::unique_ptr<CompiledModule>> compiled =
      Compile(std::get<0>(GetParam()),
              Module("()", {}, "lapack_sgetrf_ffi", "", ", custom_call_has_side_effect=true"));
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const absl::Status status = (*compiled)->Run({}, RunContext()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("takes 1 operands and has 3 results"));
}

XLA_FFI_DEFINE_HANDLER(
    kNobodyCalls,
    [](ffi::RemainingArgs, ffi::RemainingRets) { return ffi::Error::Internal("a handler"); },
    ffi::Ffi::Bind().RemainingArgs().RemainingRets());

// Behind all others, since what is registered stays so.
TEST_P(Lapack, HandlersAreLeftWithSingleLargeMatrices) {
  static const auto* const target = new std::string("lapack_zgesdd_ffi");
  const auto is_own = [&](const std::vector<int64_t>& sizes) {
    return linalg::IsOwnLapackCall(*target, {ShapeUtil::MakeShape(C128, sizes)});
  };
  if (linalg::IsLapackTarget(*target)) {
    EXPECT_TRUE(is_own({129, 129}));
    ASSERT_EQ(ffi::Ffi::RegisterStaticHandler(ffi::GetXlaFfiApi(), *target, "Host", kNobodyCalls),
              nullptr);
  }
  EXPECT_FALSE(linalg::IsLapackTarget(*target));
  EXPECT_TRUE(is_own({128, 128}));
  EXPECT_TRUE(is_own({2, 1000, 1000}));
  EXPECT_FALSE(is_own({129, 129}));
  EXPECT_FALSE(is_own({1, 129, 100}));
  static const auto* const schur = new std::string("lapack_zgees_ffi");
  if (linalg::IsLapackTarget(*schur)) {
    ASSERT_EQ(ffi::Ffi::RegisterStaticHandler(ffi::GetXlaFfiApi(), *schur, "Host", kNobodyCalls),
              nullptr);
  }
  EXPECT_FALSE(linalg::IsOwnLapackCall(*schur, {ShapeUtil::MakeShape(C128, {2, 4, 4})}));
  // Hilo's threads share one of these.
  EXPECT_TRUE(
      linalg::IsOwnLapackCall("lapack_zgetrf_ffi", {ShapeUtil::MakeShape(C128, {1000, 1000})}));
  EXPECT_FALSE(
      linalg::IsOwnLapackCall("lapack_zunknown_ffi", {ShapeUtil::MakeShape(C128, {4, 4})}));
}

}  // namespace
}  // namespace xla

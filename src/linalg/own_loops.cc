// LAPACK's routines by the functions of this folder.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "data/literal_convert.h"
#include "linalg/factorizations.h"
#include "linalg/lapack_call.h"
#include "linalg/reductions.h"
#include "linalg/reflections.h"
#include "xla/primitive_util.h"

namespace xla::linalg {
namespace {

using Complex = std::complex<double>;

// The matrices of one problem in wide types.
template <typename W>
class Solver {
 public:
  Solver(const LapackProblem& problem, const void* const* operands, void* const* results)
      : p_(problem),
        operands_(operands),
        results_(results),
        m_(problem.m),
        n_(problem.n),
        k_(std::min(m_, n_)),
        is_single_(problem.type == F32 || problem.type == C64) {}

  void Potrf() {
    std::vector<W> a = Operand(0, n_ * n_);
    const bool lower = p_.uplo == 'L';
    // Row i of the lower factor; the upper one is its adjoint.
    const auto at = [&](int64_t i, int64_t j) -> W& {
      return lower ? a[i * n_ + j] : a[j * n_ + i];
    };
    int32_t info = 0;
    for (int64_t j = 0; j < n_ && info == 0; ++j) {
      double rest = RealPart(at(j, j));
      for (int64_t k = 0; k < j; ++k) rest -= std::norm(at(j, k));
      at(j, j) = rest;
      if (!(rest > 0)) {
        info = static_cast<int32_t>(j + 1);
        break;
      }
      at(j, j) = std::sqrt(rest);
      for (int64_t i = j + 1; i < n_; ++i) {
        W sum = at(i, j);
        for (int64_t k = 0; k < j; ++k)
          sum -= lower ? at(i, k) * Conjugate(at(j, k)) : Conjugate(at(j, k)) * at(i, k);
        at(i, j) = sum / RealPart(at(j, j));
      }
    }
    Give(0, a);
    GiveInfo(1, info);
  }

  // op(a) x = b, or x op(a) = b, which is op(a)^T x^T = b^T.
  void Trsm() {
    const int64_t size = p_.side == 'L' ? m_ : n_, count = p_.side == 'L' ? n_ : m_;
    const std::vector<W> a = Operand(0, size * size);
    std::vector<W> b = Operand(1, m_ * n_);
    const bool is_left = p_.side == 'L', is_transposed = (p_.transpose != 'N') == is_left;
    const bool is_lower = (p_.uplo == 'L') != is_transposed;
    const auto at = [&](int64_t i, int64_t j) {
      const W x = is_transposed ? a[j * size + i] : a[i * size + j];
      return p_.transpose == 'C' ? Conjugate(x) : x;
    };
    const auto x = [&](int64_t i, int64_t j) -> W& {
      return is_left ? b[i * n_ + j] : b[j * n_ + i];
    };
    for (int64_t step = 0; step < size; ++step) {
      const int64_t i = is_lower ? step : size - 1 - step;
      for (int64_t j = 0; j < count; ++j) {
        W sum = x(i, j);
        for (int64_t k = is_lower ? 0 : i + 1; k < (is_lower ? i : size); ++k)
          sum -= at(i, k) * x(k, j);
        x(i, j) = p_.diagonal == 'U' ? sum : sum / at(i, i);
      }
    }
    Give(0, b);
  }

  void Getrf() {
    std::vector<W> a = Operand(0, m_ * n_);
    auto* const pivots = static_cast<int32_t*>(results_[1]);
    std::vector<int32_t> permutation(m_);
    LuDecomposition(a.data(), pivots, permutation.data(), m_, n_);
    int32_t info = 0;
    for (int64_t i = k_ - 1; i >= 0; --i) {
      ++pivots[i];
      if (a[i * n_ + i] == W(0)) info = static_cast<int32_t>(i + 1);
    }
    Give(0, a);
    GiveInfo(2, info);
  }

  void Geqrf() {
    std::vector<W> a = Operand(0, m_ * n_), taus(k_);
    HouseholderQr(a.data(), taus.data(), m_, n_);
    Give(0, a);
    Give(1, taus);
  }

  // Columns whose number in the second operand is not 0 come first.
  void Geqp3() {
    std::vector<W> a = Operand(0, m_ * n_), taus(k_);
    const auto* const wanted = static_cast<const int32_t*>(operands_[1]);
    auto* const order = static_cast<int32_t*>(results_[1]);
    std::iota(order, order + n_, 1);
    const auto exchange = [&](int64_t i, int64_t j) {
      if (i == j) return;
      for (int64_t row = 0; row < m_; ++row) std::swap(a[row * n_ + i], a[row * n_ + j]);
      std::swap(order[i], order[j]);
    };
    int64_t fixed = 0;
    for (int64_t j = 0; j < n_; ++j) {
      if (wanted[j] != 0) exchange(fixed++, j);
    }
    for (int64_t i = 0; i < k_; ++i) {
      if (i >= fixed) {
        int64_t best = i;
        double longest = -1;
        for (int64_t j = i; j < n_; ++j) {
          double length = std::abs(a[i * n_ + j]);
          length = std::hypot(length, LengthOfRest(a.data() + i * n_ + j, m_ - i, n_));
          if (length > longest) longest = length, best = j;
        }
        exchange(i, best);
      }
      W* const corner = a.data() + i * n_ + i;
      taus[i] = MakeReflection(corner, m_ - i, n_);
      Reflect(Conjugate(taus[i]), corner, m_ - i, n_, corner + 1, n_, n_ - i - 1);
    }
    Give(0, a);
    Give(2, taus);
  }

  void Orgqr() {
    std::vector<W> a = Operand(0, m_ * n_);
    const std::vector<W> taus = Operand(1, p_.reflections);
    ProductOfReflections(a.data(), taus.data(), m_, n_, p_.reflections);
    Give(0, a);
  }

  void Ormqr() {
    const int64_t size = p_.side == 'L' ? m_ : n_, count = p_.reflections;
    const std::vector<W> a = Operand(0, size * count), taus = Operand(1, count);
    std::vector<W> c = Operand(2, m_ * n_);
    const bool is_adjoint = p_.transpose != 'N';
    // Q is the product of the reflections in order.
    const bool is_forward = (p_.side == 'L') == is_adjoint;
    for (int64_t step = 0; step < count; ++step) {
      const int64_t i = is_forward ? step : count - 1 - step;
      const W tau = is_adjoint ? Conjugate(taus[i]) : taus[i];
      const W* const v = a.data() + i * count + i;
      if (p_.side == 'L') {
        Reflect(tau, v, size - i, count, c.data() + i * n_, n_, n_);
      } else {
        ReflectFromRight(tau, v, size - i, count, c.data() + i, n_, m_);
      }
    }
    Give(0, c);
  }

  void Gesdd() {
    const std::vector<W> a = Operand(0, m_ * n_);
    std::vector<double> s(k_);
    std::vector<W> u(m_ * p_.u_columns), vh(p_.v_rows * n_);
    const bool wants_vectors = p_.mode != 'N';
    const int32_t info =
        SingularValues(a.data(), s.data(), wants_vectors ? u.data() : nullptr,
                       wants_vectors ? vh.data() : nullptr, m_, n_, p_.u_columns, p_.v_rows);
    Give(0, a);
    Give(1, s);
    Give(2, u);
    Give(3, vh);
    GiveInfo(4, info);
  }

  void Syevd() {
    std::vector<W> a = Operand(0, n_ * n_);
    std::vector<double> w(n_);
    const bool is_finite = IsFinite(a);
    HermitianEigen(a.data(), w.data(), n_, p_.uplo == 'L', /*sort=*/true);
    Give(0, a);
    Give(1, w);
    GiveInfo(2, is_finite ? 0 : 1);
  }

  void Geev() {
    std::vector<W> s = Operand(0, n_ * n_), z(n_ * n_);
    int32_t info = SchurForm(s.data(), z.data(), n_);
    std::vector<Complex> form(s.begin(), s.end()), own(z.begin(), z.end()), turn(n_ * n_);
    std::vector<Complex> w(n_);
    std::vector<int> pair_begins(n_, 0);  // of complex pairs of a real matrix
    if constexpr (std::is_same_v<W, double>) {
      for (int64_t i = 0; i + 1 < n_; ++i) pair_begins[i] = s[(i + 1) * n_ + i] != 0;
      if (info == 0) info = SchurForm(form.data(), turn.data(), n_);
      own = Product(own, turn);
    }
    for (int64_t i = 0; i < n_; ++i) w[i] = form[i * n_ + i];
    for (int64_t i = 0; i + 1 < n_; ++i) {
      if (pair_begins[i])
        w[i] = Complex(w[i].real(), std::abs(w[i].imag())), w[i + 1] = std::conj(w[i]);
    }
    const auto vectors = [&](bool left) {
      std::vector<Complex> v(n_ * n_);
      if ((left ? p_.mode : p_.right) == 'N') return v;
      TriangularEigenvectors(form.data(), own.data(), v.data(), n_, left);
      if constexpr (std::is_same_v<W, double>) MakeReal(form, pair_begins, v);
      return v;
    };
    int next = 0;
    if constexpr (std::is_same_v<W, double>) {
      std::vector<double> real(n_), imaginary(n_);
      for (int64_t i = 0; i < n_; ++i) {
        real[i] = w[i].real();
        imaginary[i] = pair_begins[i] || (i > 0 && pair_begins[i - 1]) ? w[i].imag() : 0;
      }
      Give(next++, real);
      Give(next++, imaginary);
    } else {
      Give(next++, w);
    }
    Give(next++, vectors(true));
    Give(next++, vectors(false));
    GiveInfo(next, info);
  }

  void Gees() {
    std::vector<W> s = Operand(0, n_ * n_), z(n_ * n_);
    const int32_t info = SchurForm(s.data(), p_.mode == 'V' ? z.data() : nullptr, n_);
    Give(0, s);
    Give(1, z);
    int next = 2;
    if constexpr (std::is_same_v<W, double>) {
      std::vector<double> real(n_), imaginary(n_);
      for (int64_t i = 0; i < n_; ++i) real[i] = s[i * n_ + i];
      for (int64_t i = 0; i + 1 < n_; ++i) {
        const double below = s[(i + 1) * n_ + i];
        if (below == 0) continue;
        imaginary[i] = std::sqrt(std::abs(below)) * std::sqrt(std::abs(s[i * n_ + i + 1]));
        imaginary[i + 1] = -imaginary[i];
      }
      Give(next++, real);
      Give(next++, imaginary);
    } else {
      std::vector<W> w(n_);
      for (int64_t i = 0; i < n_; ++i) w[i] = s[i * n_ + i];
      Give(next++, w);
    }
    GiveInfo(next++, 0);
    GiveInfo(next, info);
  }

  void Gehrd() {
    std::vector<W> a = Operand(0, n_ * n_), taus(std::max<int64_t>(n_ - 1, 0));
    ReduceToHessenberg(a.data(), taus.data(), n_, p_.low, p_.high);
    Give(0, a);
    Give(1, taus);
    GiveInfo(2, 0);
  }

  void Sytrd() {
    std::vector<W> a = Operand(0, n_ * n_), taus(std::max<int64_t>(n_ - 1, 0));
    std::vector<double> d(n_), e(taus.size());
    ReduceToTridiagonal(a.data(), d.data(), e.data(), taus.data(), n_, p_.uplo == 'L');
    Give(0, a);
    Give(1, d);
    Give(2, e);
    Give(3, taus);
    GiveInfo(4, 0);
  }

  // Gaussian elimination that exchanges adjacent rows. Diagonals have n elements each: lower[0] and
  // upper[n - 1] count for nothing. A pivot that is zero ends it, or counts as a tiny number.
  void SolveTridiagonal() {
    const bool perturbs = p_.routine == LapackRoutine::kPerturbedTridiagonalSolve;
    const int64_t count = p_.right_sides;
    std::vector<W> lower = Operand(0, n_), d = Operand(1, n_), upper = Operand(2, n_);
    std::vector<W> b = Operand(3, n_ * count), second(n_);
    double largest = 0;
    for (int64_t i = 0; i < n_; ++i)
      largest = std::max({largest, Size(lower[i]), Size(d[i]), Size(upper[i])});
    const double epsilon =
        is_single_ ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    const double least = std::max(largest * epsilon, is_single_ ? 1e-37 : 1e-307);
    int32_t info = 0;
    for (int64_t i = 0; i < n_ && info == 0; ++i) {
      if (i + 1 < n_ && Size(lower[i + 1]) > Size(d[i])) {
        std::swap(d[i], lower[i + 1]);
        std::swap(upper[i], d[i + 1]);
        second[i] = i + 2 < n_ ? std::exchange(upper[i + 1], W(0)) : W(0);
        std::swap_ranges(b.begin() + i * count, b.begin() + (i + 1) * count,
                         b.begin() + (i + 1) * count);
      }
      if (perturbs && !(Size(d[i]) >= least)) d[i] = RealPart(d[i]) < 0 ? -least : least;
      if (d[i] == W(0)) info = static_cast<int32_t>(i + 1);
      if (i + 1 == n_ || info != 0) break;
      const W factor = lower[i + 1] / d[i];
      d[i + 1] -= factor * upper[i];
      if (i + 2 < n_) upper[i + 1] -= factor * second[i];
      for (int64_t j = 0; j < count; ++j) b[(i + 1) * count + j] -= factor * b[i * count + j];
    }
    for (int64_t i = n_ - 1; i >= 0 && info == 0; --i) {
      for (int64_t j = 0; j < count; ++j) {
        W sum = b[i * count + j];
        if (i + 1 < n_) sum -= upper[i] * b[(i + 1) * count + j];
        if (i + 2 < n_) sum -= second[i] * b[(i + 2) * count + j];
        b[i * count + j] = sum / d[i];
      }
    }
    if (perturbs) return Give(0, b);
    // As gtsv leaves them: the second diagonal above the main one, the main one, the first above.
    if (n_ > 0) std::copy(second.begin(), second.end() - 1, lower.begin() + 1);
    Give(0, lower);
    Give(1, d);
    Give(2, upper);
    Give(3, b);
    GiveInfo(4, info);
  }

 private:
  static constexpr PrimitiveType kWide = std::is_same_v<W, double> ? F64 : C128;

  std::vector<W> Operand(int i, int64_t count) const {
    std::vector<W> values(count);
    ConvertElements(p_.type, operands_[i], kWide, values.data(), count);
    return values;
  }
  template <typename V>
  void Give(int i, const std::vector<V>& values) const {
    const bool is_real = std::is_same_v<V, double>;
    ConvertElements(is_real ? F64 : C128, values.data(),
                    is_real ? (is_single_ ? F32 : F64) : (is_single_ ? C64 : C128), results_[i],
                    static_cast<int64_t>(values.size()));
  }
  void GiveInfo(int i, int32_t info) const { std::memcpy(results_[i], &info, sizeof(info)); }

  static bool IsFinite(const std::vector<W>& values) {
    return std::all_of(values.begin(), values.end(), [](W x) { return std::isfinite(Size(x)); });
  }

  std::vector<Complex> Product(const std::vector<Complex>& a, const std::vector<Complex>& b) const {
    std::vector<Complex> product(n_ * n_);
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t k = 0; k < n_; ++k) {
        for (int64_t j = 0; j < n_; ++j) product[i * n_ + j] += a[i * n_ + k] * b[k * n_ + j];
      }
    }
    return product;
  }

  // Eigenvectors of a real matrix: real ones, and pairs of which the first belongs to the
  // eigenvalue whose imaginary part is positive.
  void MakeReal(const std::vector<Complex>& form, const std::vector<int>& pair_begins,
                std::vector<Complex>& vectors) const {
    for (int64_t j = 0; j < n_; ++j) {
      const bool is_pair = pair_begins[j] != 0;
      if (!is_pair && j > 0 && pair_begins[j - 1]) continue;
      const bool is_conjugate = form[j * n_ + j].imag() < 0;
      for (int64_t i = 0; i < n_; ++i) {
        Complex& v = vectors[i * n_ + j];
        if (!is_pair) v = v.real();
        if (is_pair && is_conjugate) v = std::conj(v);
        if (is_pair) vectors[i * n_ + j + 1] = std::conj(v);
      }
    }
  }

  const LapackProblem& p_;
  const void* const* const operands_;
  void* const* const results_;
  const int64_t m_, n_, k_;
  const bool is_single_;
};

template <typename W>
void Solve(const LapackProblem& problem, const void* const* operands, void* const* results) {
  Solver<W> solver(problem, operands, results);
  switch (problem.routine) {
    case LapackRoutine::kPotrf:
      return solver.Potrf();
    case LapackRoutine::kTrsm:
      return solver.Trsm();
    case LapackRoutine::kGetrf:
      return solver.Getrf();
    case LapackRoutine::kGeqrf:
      return solver.Geqrf();
    case LapackRoutine::kGeqp3:
      return solver.Geqp3();
    case LapackRoutine::kOrgqr:
      return solver.Orgqr();
    case LapackRoutine::kOrmqr:
      return solver.Ormqr();
    case LapackRoutine::kGesdd:
    case LapackRoutine::kGesvd:
      return solver.Gesdd();
    case LapackRoutine::kSyevd:
      return solver.Syevd();
    case LapackRoutine::kGeev:
      return solver.Geev();
    case LapackRoutine::kGees:
      return solver.Gees();
    case LapackRoutine::kGehrd:
      return solver.Gehrd();
    case LapackRoutine::kSytrd:
      return solver.Sytrd();
    case LapackRoutine::kGtsv:
    case LapackRoutine::kPerturbedTridiagonalSolve:
      return solver.SolveTridiagonal();
  }
}

}  // namespace

void SolveByOwnLoops(const LapackProblem& problem, int64_t count, const void* const* operands,
                     void* const* results) {
  for (int64_t i = 0; i < count; ++i) {
    const LapackArrays arrays(problem, i, operands, results);
    if (problem.type == C64 || problem.type == C128) {
      Solve<Complex>(problem, arrays.operands(), arrays.results());
    } else {
      Solve<double>(problem, arrays.operands(), arrays.results());
    }
  }
}

}  // namespace xla::linalg

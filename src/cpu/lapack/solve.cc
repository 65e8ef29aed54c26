#include "cpu/lapack/solve.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <type_traits>
#include <vector>

#if HILO_WITH_OPENBLAS
#include "cpu/lapack/blas.h"
#endif
#if HILO_WITH_LAPACK
#include "cpu/lapack/lapacke.h"
#endif
#if HILO_WITH_OPENBLAS && HILO_WITH_LAPACK
#include "cpu/lapack/factorize_in_parts.h"
#endif
#include "xla/util.h"

namespace xla::cpu {
namespace {

using linalg::LapackProblem;
using linalg::LapackRoutine;

#if HILO_WITH_LAPACK

// Rows become columns: to[j * rows + i] = from[i * columns + j], a few lines of the cache at a
// time.
template <typename T>
void TransposeInParts(linalg::ForEachPart for_each, const T* from, int64_t rows, int64_t columns,
                      T* to) {
  constexpr int64_t kTile = 8, kTilesOfPart = 8, kLeastElements = 1 << 15;
  const auto transpose_rows = [&](int64_t begin, int64_t end) {
    for (int64_t top = begin; top < end; top += kTile) {
      const int64_t bottom = std::min(end, top + kTile);
      for (int64_t j = 0; j < columns; ++j) {
        for (int64_t i = top; i < bottom; ++i) to[j * rows + i] = from[i * columns + j];
      }
    }
  };
  if (rows * columns < kLeastElements) return transpose_rows(0, rows);
  constexpr int64_t kRows = kTile * kTilesOfPart;
  for_each(CeilOfRatio(rows, kRows),
           [&](int64_t part) { transpose_rows(part * kRows, std::min(rows, (part + 1) * kRows)); });
}

// Memory that LAPACK works in, kept from problem to problem.
template <typename T>
class Workspace {
 public:
  T* Get(int64_t count) {
    if (static_cast<int64_t>(values_.size()) < count) values_.resize(count);
    return values_.data();
  }

 private:
  std::vector<T> values_;
};

// Problems of one kind. LAPACK's matrices lie column by column and ours row by row: routines that
// many small matrices are given to get transposed copies and one workspace for all of them, the
// others leave that to LAPACKE.
template <typename T>
class LapackSolver {
 public:
  using Real = typename RealOf<T>::Type;
  using Complex = std::complex<Real>;
  using F = Lapacke<T>;
  static constexpr bool kIsReal = std::is_same_v<T, Real>;

  explicit LapackSolver(const LapackProblem& problem)
      : p_(problem),
        m_(static_cast<int>(problem.m)),
        n_(static_cast<int>(problem.n)),
        k_(std::min(m_, n_)) {}

  // Goes on with the problem of these arrays.
  void SetArrays(const void* const* operands, void* const* results) {
    operands_ = operands;
    results_ = results;
  }

  void Potrf() { Info(1) = FactorizeCholesky(Copy(0, 0, problem_size())); }
  void Getrf() {
    T* const a = TransposedOperand();
    Info(2) = FactorizeLu(a);
    Transpose(a, n_, m_, Result<T>(0));
  }
  void Geqrf() {
    T* const a = TransposedOperand();
    WithWorkspace([&](T* work, int size) {
      return F::geqrf(kColumns, m_, n_, a, m_, Result<T>(1), work, size);
    });
    Transpose(a, n_, m_, Result<T>(0));
  }
  void Geqp3() {
    T* const a = Copy(0, 0, problem_size());
    std::memcpy(results_[1], operands_[1], n_ * sizeof(int32_t));
    F::geqp3(kRows, m_, n_, a, n_, &Info(1), Result<T>(2));
  }
  void Orgqr() {
    T* const a = TransposedOperand();
    WithWorkspace([&](T* work, int size) {
      return F::orgqr(kColumns, m_, n_, reflections(), a, m_, Operand<T>(1), work, size);
    });
    Transpose(a, n_, m_, Result<T>(0));
  }
  void Ormqr() {
    T* const c = Copy(2, 0, problem_size());
    const char transpose = p_.transpose == 'N' ? 'N' : kIsReal ? 'T' : 'C';
    F::ormqr(kRows, p_.side, transpose, m_, n_, reflections(), Operand<T>(0), reflections(),
             Operand<T>(1), c, n_);
  }
  void Gesdd() {
    T* const a = TransposedOperand();
    const SingularVectors v = ZeroSingularVectors();
    const int64_t v_rows = std::max<int64_t>(p_.v_rows, 1);
    T* const u = left_.Get(static_cast<int64_t>(m_) * v.u_columns);
    T* const vh = right_.Get(v_rows * n_);
    int* const integers = integers_.Get(8 * static_cast<int64_t>(k_));
    Info(4) = WithWorkspace([&](T* work, int size) {
      const int vh_rows = static_cast<int>(v_rows);
      if constexpr (kIsReal) {
        return F::gesdd(kColumns, p_.mode, m_, n_, a, m_, v.values, u, m_, vh, vh_rows, work, size,
                        integers);
      } else {
        return F::gesdd(kColumns, p_.mode, m_, n_, a, m_, v.values, u, m_, vh, vh_rows, work, size,
                        reals_.Get(RealsOfGesdd()), integers);
      }
    });
    if (p_.mode == 'N' || Info(4) < 0) return;
    Transpose(u, v.u_columns, m_, v.u);
    Transpose(vh, n_, v_rows, v.vh);
  }
  void Gesvd() {
    T* const a = Copy(0, 0, problem_size());
    const SingularVectors v = ZeroSingularVectors();
    std::vector<Real> beside(k_);
    Info(4) = F::gesvd(kRows, p_.mode, p_.mode, m_, n_, a, n_, v.values, v.u, v.u_columns, v.vh, n_,
                       beside.data());
  }
  void Syevd() {
    T* const a = TransposedOperand();
    Real* const values = Result<Real>(1);
    int* const integers = integers_.Get(3 + 5 * static_cast<int64_t>(n_));
    const int integer_count = 3 + 5 * n_;
    Info(2) = WithWorkspace([&](T* work, int size) {
      if constexpr (kIsReal) {
        return F::syevd(kColumns, p_.mode, p_.uplo, n_, a, n_, values, work, size, integers,
                        integer_count);
      } else {
        const int64_t real_count = 1 + 5 * static_cast<int64_t>(n_) + 2 * problem_size();
        return F::syevd(kColumns, p_.mode, p_.uplo, n_, a, n_, values, work, size,
                        reals_.Get(real_count), static_cast<int>(real_count), integers,
                        integer_count);
      }
    });
    Transpose(a, n_, n_, Result<T>(0));
  }
  // Some versions of LAPACK end the process when the matrix of geev or gees has a NaN.
  bool IsFinite() const {
    return std::all_of(Operand<T>(0), Operand<T>(0) + problem_size(), [](T x) {
      return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
    });
  }
  void Geev() {
    std::vector<T> a(Operand<T>(0), Operand<T>(0) + problem_size());
    if constexpr (kIsReal) {
      std::vector<T> left(problem_size()), right(problem_size());
      T* const imaginary = Result<T>(1);
      Info(4) = F::geev(kRows, p_.mode, p_.right, n_, a.data(), n_, Result<T>(0), imaginary,
                        left.data(), n_, right.data(), n_);
      Unpack(left, imaginary, Result<Complex>(2));
      Unpack(right, imaginary, Result<Complex>(3));
    } else {
      std::fill_n(Result<T>(1), problem_size(), T(0));
      std::fill_n(Result<T>(2), problem_size(), T(0));
      Info(3) = F::geev(kRows, p_.mode, p_.right, n_, a.data(), n_, Result<T>(0), Result<T>(1), n_,
                        Result<T>(2), n_);
    }
  }
  void Gees() {
    T* const a = Copy(0, 0, problem_size());
    std::fill_n(Result<T>(1), problem_size(), T(0));
    if constexpr (kIsReal) {
      Info(5) = F::gees(kRows, p_.mode, 'N', nullptr, n_, a, n_, &Info(4), Result<T>(2),
                        Result<T>(3), Result<T>(1), n_);
    } else {
      Info(4) = F::gees(kRows, p_.mode, 'N', nullptr, n_, a, n_, &Info(3), Result<T>(2),
                        Result<T>(1), n_);
    }
  }
  void Gehrd() {
    T* const a = Copy(0, 0, problem_size());
    Info(2) = F::gehrd(kRows, n_, static_cast<int>(p_.low), static_cast<int>(p_.high), a, n_,
                       Result<T>(1));
  }
  void Sytrd() {
    T* const a = Copy(0, 0, problem_size());
    Info(4) = F::sytrd(kRows, p_.uplo, n_, a, n_, Result<Real>(1), Result<Real>(2), Result<T>(3));
  }
  // The diagonals have n elements each; LAPACK's begin where the matrix has some.
  void Gtsv() {
    const int count = static_cast<int>(p_.right_sides);
    T* const lower = Copy(0, 0, n_);
    T* const middle = Copy(1, 1, n_);
    T* const upper = Copy(2, 2, n_);
    T* const b = Copy(3, 3, static_cast<int64_t>(n_) * count);
    Info(4) = F::gtsv(kRows, n_, count, lower + 1, middle, upper, b, count);
  }

 private:
  static constexpr int kRows = LAPACK_ROW_MAJOR, kColumns = LAPACK_COL_MAJOR;

  struct SingularVectors {
    Real* values;
    T* u;
    int u_columns;
    T* vh;
  };

  int64_t problem_size() const { return static_cast<int64_t>(m_) * n_; }
  int reflections() const { return static_cast<int>(p_.reflections); }
  template <typename V>
  const V* Operand(int i) const {
    return static_cast<const V*>(operands_[i]);
  }
  template <typename V>
  V* Result(int i) const {
    return static_cast<V*>(results_[i]);
  }
  int32_t& Info(int i) const { return *Result<int32_t>(i); }
  // Result `i` as a copy of operand `from`, which may lie there already.
  T* Copy(int from, int i, int64_t count) const {
    if (results_[i] != operands_[from])
      std::memcpy(results_[i], operands_[from], count * sizeof(T));
    return Result<T>(i);
  }

  // The columns that LAPACK sees are our rows, so that it sees the transposed matrix. A Hermitian
  // one's factors are then each other's transposes too: our lower factor is its upper one.
  int FactorizeCholesky(T* a) const {
#if HILO_WITH_OPENBLAS
    if (p_.uplo == 'L' && n_ >= kLeastInParts) return FactorizeCholeskyInParts(p_.for_each, n_, a);
#endif
    return F::potrf(kColumns, p_.uplo == 'L' ? 'U' : 'L', n_, a, n_);
  }
  int FactorizeLu(T* a) const {
#if HILO_WITH_OPENBLAS
    if (k_ >= kLeastInParts) return FactorizeLuInParts(p_.for_each, m_, n_, a, &Info(1));
#endif
    return F::getrf(kColumns, m_, n_, a, m_, &Info(1));
  }
  void Transpose(const T* from, int64_t rows, int64_t columns, T* to) const {
    TransposeInParts(p_.for_each, from, rows, columns, to);
  }
  // Operand 0, column by column.
  T* TransposedOperand() {
    T* const a = matrix_.Get(problem_size());
    Transpose(Operand<T>(0), m_, n_, a);
    return a;
  }
  // Calls a routine, which says itself how much memory it wants to work in when it is first called.
  template <typename Routine>
  int WithWorkspace(const Routine& routine) {
    if (work_size_ == 0) {
      T size = 0;
      if (const int info = routine(&size, -1); info != 0) return info;
      // Sizes are rounded to T.
      work_size_ = static_cast<int>(
          std::ceil(std::nextafter(std::real(size), std::numeric_limits<Real>::max())));
    }
    return routine(work_.Get(work_size_), work_size_);
  }
  // As the documentation of cgesdd and zgesdd has it.
  int64_t RealsOfGesdd() const {
    const int64_t least = k_, most = std::max(m_, n_);
    if (p_.mode == 'N') return 7 * least;
    return least * std::max(5 * least + 7, 2 * most + 2 * least + 1);
  }

  // Not all modes write all of them.
  SingularVectors ZeroSingularVectors() const {
    std::fill_n(Result<Real>(1), k_, Real(0));
    std::fill_n(Result<T>(2), m_ * p_.u_columns, T(0));
    std::fill_n(Result<T>(3), p_.v_rows * n_, T(0));
    return {Result<Real>(1), Result<T>(2), static_cast<int>(p_.u_columns), Result<T>(3)};
  }

  // Columns of real vectors, where a pair of complex ones takes two: real parts, then imaginary.
  void Unpack(const std::vector<T>& packed, const T* imaginary, Complex* vectors) const {
    const auto at = [&](int i, int j) { return packed[static_cast<int64_t>(i) * n_ + j]; };
    for (int j = 0; j < n_; ++j) {
      const bool is_pair = imaginary[j] != 0 && j + 1 < n_;
      for (int i = 0; i < n_; ++i) {
        Complex* const v = vectors + static_cast<int64_t>(i) * n_ + j;
        v[0] = is_pair ? Complex(at(i, j), at(i, j + 1)) : Complex(at(i, j));
        if (is_pair) v[1] = std::conj(v[0]);
      }
      if (is_pair) ++j;
    }
  }

  const LapackProblem& p_;
  const int m_, n_, k_;
  const void* const* operands_ = nullptr;
  void* const* results_ = nullptr;
  int work_size_ = 0;
  Workspace<T> work_, matrix_, left_, right_;
  Workspace<Real> reals_;
  Workspace<int> integers_;
};

// Whether LAPACK has solved the problem.
template <typename T>
bool SolveAs(LapackRoutine routine, LapackSolver<T>& solver) {
  using R = LapackRoutine;
  switch (routine) {
    case R::kPotrf:
      return solver.Potrf(), true;
    case R::kGetrf:
      return solver.Getrf(), true;
    case R::kGeqrf:
      return solver.Geqrf(), true;
    case R::kGeqp3:
      return solver.Geqp3(), true;
    case R::kOrgqr:
      return solver.Orgqr(), true;
    case R::kOrmqr:
      return solver.Ormqr(), true;
    case R::kGesdd:
      return solver.Gesdd(), true;
    case R::kGesvd:
      return solver.Gesvd(), true;
    case R::kSyevd:
      return solver.Syevd(), true;
    case R::kGeev:
      return solver.IsFinite() && (solver.Geev(), true);
    case R::kGees:
      return solver.IsFinite() && (solver.Gees(), true);
    case R::kGehrd:
      return solver.Gehrd(), true;
    case R::kSytrd:
      return solver.Sytrd(), true;
    case R::kGtsv:
      return solver.Gtsv(), true;
    case R::kTrsm:
    case R::kPerturbedTridiagonalSolve:
      return false;
  }
  return false;
}

#endif  // HILO_WITH_LAPACK

#if HILO_WITH_OPENBLAS
// op(a) x = b or x op(a) = b, where b and x have m rows and n columns.
template <typename T>
void SolveTriangularSystem(const LapackProblem& p, const void* const* operands,
                           void* const* results) {
  T* const x = static_cast<T*>(results[0]);
  const int64_t row_length = p.row_length > 0 ? p.row_length : p.n;
  for (int64_t i = 0; i < p.m && operands[1] != x; ++i) {
    std::memcpy(x + i * row_length, static_cast<const T*>(operands[1]) + i * row_length,
                p.n * sizeof(T));
  }
  const bool is_left = p.side == 'L';
  SolveTriangular(
      CblasRowMajor, is_left ? CblasLeft : CblasRight, p.uplo == 'L' ? CblasLower : CblasUpper,
      p.transpose == 'N'   ? CblasNoTrans
      : p.transpose == 'T' ? CblasTrans
                           : CblasConjTrans,
      p.diagonal == 'U' ? CblasUnit : CblasNonUnit, static_cast<int>(p.m), static_cast<int>(p.n),
      Block<const T>{static_cast<const T*>(operands[0]), static_cast<int>(is_left ? p.m : p.n)},
      Block<T>{x, static_cast<int>(row_length)});
}
#endif

// How the libraries are to work for us: on one thread, since whoever calls divides the work, and
// without refusing matrices that hold a NaN. Both are settings of the whole process, so it gets its
// own back as soon as nobody solves anything.
class Settings {
 public:
  Settings() {
    const std::lock_guard<std::mutex> lock(Mutex());
    if (users++ > 0) return;
#if HILO_WITH_OPENBLAS
    threads = openblas_get_num_threads();
    openblas_set_num_threads(1);
#endif
#if HILO_WITH_LAPACK
    checks_nan = LAPACKE_get_nancheck();
    LAPACKE_set_nancheck(0);
#endif
  }
  ~Settings() {
    const std::lock_guard<std::mutex> lock(Mutex());
    if (--users > 0) return;
#if HILO_WITH_OPENBLAS
    openblas_set_num_threads(threads);
#endif
#if HILO_WITH_LAPACK
    LAPACKE_set_nancheck(checks_nan);
#endif
  }
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

 private:
  static std::mutex& Mutex() {
    static std::mutex* const mutex = new std::mutex();
    return *mutex;
  }

  inline static int users = 0, threads = 1, checks_nan = 1;
};

// The number of problems before the one that `solve` leaves.
template <typename Solve>
int64_t SolveEach(const LapackProblem& problem, int64_t count, const void* const* operands,
                  void* const* results, const Solve& solve) {
  for (int64_t i = 0; i < count; ++i) {
    const linalg::LapackArrays arrays(problem, i, operands, results);
    if (!solve(arrays.operands(), arrays.results())) return i;
  }
  return count;
}

template <typename T>
int64_t SolveAll(const LapackProblem& problem, int64_t count, const void* const* operands,
                 void* const* results) {
#if HILO_WITH_OPENBLAS
  if (problem.routine == LapackRoutine::kTrsm) {
    return SolveEach(problem, count, operands, results, [&](const auto& from, const auto& to) {
      return SolveTriangularSystem<T>(problem, from, to), true;
    });
  }
#endif
#if HILO_WITH_LAPACK
  LapackSolver<T> solver(problem);
  return SolveEach(problem, count, operands, results, [&](const auto& from, const auto& to) {
    solver.SetArrays(from, to);
    return SolveAs(problem.routine, solver);
  });
#else
  return 0;
#endif
}

}  // namespace
}  // namespace xla::cpu

int64_t hilo_solve_by_lapack(const xla::linalg::LapackProblem& problem, int64_t count,
                             const void* const* operands, void* const* results) {
  // The libraries want no empty matrices.
  if (problem.m <= 0 || problem.n <= 0 || problem.right_sides == 0 || problem.reflections == 0)
    return 0;
  const xla::cpu::Settings settings;
  switch (problem.type) {
    case xla::F32:
      return xla::cpu::SolveAll<float>(problem, count, operands, results);
    case xla::F64:
      return xla::cpu::SolveAll<double>(problem, count, operands, results);
    case xla::C64:
      return xla::cpu::SolveAll<std::complex<float>>(problem, count, operands, results);
    case xla::C128:
      return xla::cpu::SolveAll<std::complex<double>>(problem, count, operands, results);
    default:
      return 0;
  }
}

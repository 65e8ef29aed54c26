// BLAS and LAPACK by the names of their functions, for all four types of elements. Matrices lie row
// by row.
#ifndef HILO_CPU_KERNELS_LAPACK_H_
#define HILO_CPU_KERNELS_LAPACK_H_

#include <complex>
#include <cstdint>
#include <limits>

#if HILO_WITH_OPENBLAS
#include <cblas.h>
#endif
#if HILO_WITH_LAPACK
#define LAPACK_COMPLEX_CUSTOM
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>
#endif

namespace xla::cpu::lapack {

// Whether matrices of a size should be left to the libraries: smaller ones are done before the
// library has begun.
constexpr bool IsWorthACall(int64_t n) { return n >= 32 && n <= std::numeric_limits<int>::max(); }

#if HILO_WITH_OPENBLAS
// Work is divided by whoever calls the library.
inline void UseOneThread() {
  static const bool done = (openblas_set_num_threads(1), true);
  (void)done;
}

// Solves op(a) x = b or x op(a) = b in place of b, which has rows x columns.
#define HILO_TRSM(T, function, alpha)                                                       \
  inline void Trsm(bool left, bool lower, CBLAS_TRANSPOSE transpose, bool unit_diagonal,    \
                   int64_t rows, int64_t columns, const T* a, T* b) {                       \
    UseOneThread();                                                                         \
    const T one = 1;                                                                        \
    const int n = static_cast<int>(left ? rows : columns);                                  \
    function(CblasRowMajor, left ? CblasLeft : CblasRight, lower ? CblasLower : CblasUpper, \
             transpose, unit_diagonal ? CblasUnit : CblasNonUnit, static_cast<int>(rows),   \
             static_cast<int>(columns), alpha, a, n, b, static_cast<int>(columns));         \
  }
HILO_TRSM(float, cblas_strsm, one)
HILO_TRSM(double, cblas_dtrsm, one)
HILO_TRSM(std::complex<float>, cblas_ctrsm, &one)
HILO_TRSM(std::complex<double>, cblas_ztrsm, &one)
#undef HILO_TRSM
#endif

#if HILO_WITH_LAPACK
// The columns that LAPACK sees are our rows, so that it sees the transposed matrix. A Hermitian
// one's factors are then each other's transposes too: our lower factor is its upper one.
#define HILO_POTRF(T, function)                                                  \
  inline bool Potrf(bool lower, int64_t n, T* a) {                               \
    return function(LAPACK_COL_MAJOR, lower ? 'U' : 'L', static_cast<int>(n), a, \
                    static_cast<int>(n)) == 0;                                   \
  }
HILO_POTRF(float, LAPACKE_spotrf_work)
HILO_POTRF(double, LAPACKE_dpotrf_work)
HILO_POTRF(std::complex<float>, LAPACKE_cpotrf_work)
HILO_POTRF(std::complex<double>, LAPACKE_zpotrf_work)
#undef HILO_POTRF

// The functions of LAPACKE for elements of type T, by the names of their routines.
template <typename T>
struct Functions;
#define HILO_LAPACK_FUNCTIONS(T, letter, symmetric, orthogonal) \
  template <>                                                   \
  struct Functions<T> {                                         \
    static constexpr auto potrf = LAPACKE_##letter##potrf;      \
    static constexpr auto getrf = LAPACKE_##letter##getrf;      \
    static constexpr auto geqrf = LAPACKE_##letter##geqrf;      \
    static constexpr auto geqp3 = LAPACKE_##letter##geqp3;      \
    static constexpr auto orgqr = LAPACKE_##orthogonal##gqr;    \
    static constexpr auto ormqr = LAPACKE_##orthogonal##mqr;    \
    static constexpr auto gesdd = LAPACKE_##letter##gesdd;      \
    static constexpr auto gesvd = LAPACKE_##letter##gesvd;      \
    static constexpr auto syevd = LAPACKE_##symmetric##evd;     \
    static constexpr auto geev = LAPACKE_##letter##geev;        \
    static constexpr auto gees = LAPACKE_##letter##gees;        \
    static constexpr auto gehrd = LAPACKE_##letter##gehrd;      \
    static constexpr auto sytrd = LAPACKE_##symmetric##trd;     \
    static constexpr auto gtsv = LAPACKE_##letter##gtsv;        \
  }
HILO_LAPACK_FUNCTIONS(float, s, ssy, sor);
HILO_LAPACK_FUNCTIONS(double, d, dsy, dor);
HILO_LAPACK_FUNCTIONS(std::complex<float>, c, che, cun);
HILO_LAPACK_FUNCTIONS(std::complex<double>, z, zhe, zun);
#undef HILO_LAPACK_FUNCTIONS

// Otherwise LAPACKE refuses matrices with a NaN and gives no results for them.
inline void AllowNan() {
  static const bool done = (LAPACKE_set_nancheck(0), true);
  (void)done;
}
#endif

}  // namespace xla::cpu::lapack

#endif  // HILO_CPU_KERNELS_LAPACK_H_

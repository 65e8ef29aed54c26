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
#endif

}  // namespace xla::cpu::lapack

#endif  // HILO_CPU_KERNELS_LAPACK_H_

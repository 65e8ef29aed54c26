// BLAS by types of elements.
#ifndef HILO_CPU_LAPACK_BLAS_H_
#define HILO_CPU_LAPACK_BLAS_H_

#include <cblas.h>

#include <complex>
#include <type_traits>

namespace xla::cpu {

// A matrix in a larger one: from a row to the next, or from a column to the next, are `stride`
// elements.
template <typename T>
struct Block {
  T* elements;
  int stride;
};

// Real numbers are passed by value, complex ones by address.
template <typename T>
auto Passed(const T& number) {
  if constexpr (std::is_floating_point_v<T>) {
    return number;
  } else {
    return static_cast<const void*>(&number);
  }
}

// x = op(a)^-1 x or x op(a)^-1 for a triangular matrix a.
// c -= a op(b), where c is rows x columns and a has `depth` columns.
// c -= a a^H in the lower triangle of c, which has `rows` rows, and a has `depth` columns.
#define HILO_BLAS(T, letter, rank_k)                                                               \
  inline void SolveTriangular(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO uplo,                 \
                              CBLAS_TRANSPOSE transpose, CBLAS_DIAG diagonal, int rows,            \
                              int columns, Block<const T> a, Block<T> x) {                         \
    const T one = 1;                                                                               \
    cblas_##letter##trsm(order, side, uplo, transpose, diagonal, rows, columns, Passed(one),       \
                         a.elements, a.stride, x.elements, x.stride);                              \
  }                                                                                                \
  inline void SubtractProduct(CBLAS_ORDER order, CBLAS_TRANSPOSE transpose, int rows, int columns, \
                              int depth, Block<const T> a, Block<const T> b, Block<T> c) {         \
    const T one = 1, minus_one = -1;                                                               \
    cblas_##letter##gemm(order, CblasNoTrans, transpose, rows, columns, depth, Passed(minus_one),  \
                         a.elements, a.stride, b.elements, b.stride, Passed(one), c.elements,      \
                         c.stride);                                                                \
  }                                                                                                \
  inline void SubtractSquare(CBLAS_ORDER order, int rows, int depth, Block<const T> a,             \
                             Block<T> c) {                                                         \
    cblas_##letter##rank_k(order, CblasLower, CblasNoTrans, rows, depth, -1, a.elements, a.stride, \
                           1, c.elements, c.stride);                                               \
  }
HILO_BLAS(float, s, syrk)
HILO_BLAS(double, d, syrk)
HILO_BLAS(std::complex<float>, c, herk)
HILO_BLAS(std::complex<double>, z, herk)
#undef HILO_BLAS

}  // namespace xla::cpu

#endif  // HILO_CPU_LAPACK_BLAS_H_

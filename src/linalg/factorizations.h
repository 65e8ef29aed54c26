// Factorisations of dense matrices, by plain algorithms that are right for every input.
//
// Matrices lie row by row without gaps. T is double or std::complex<double>. Where an entry is
// infinite or NaN, so is what depends on it; nothing loops for ever.
#ifndef HILO_LINALG_FACTORIZATIONS_H_
#define HILO_LINALG_FACTORIZATIONS_H_

#include <complex>
#include <cstdint>

namespace xla::linalg {

// a = Q R by Householder reflections, for an m x n matrix and p = min(m, n). R comes in the upper
// triangle of `a`. Q is the product H_0 H_1 ... H_{p-1} of H_k = I - taus[k] v_k v_k^H, where v_k
// begins with k zeros and a one and goes on below the diagonal in column k of `a`. The form is that
// of LAPACK's geqrf.
template <typename T>
void HouseholderQr(T* a, T* taus, int64_t m, int64_t n);

// The first n columns of H_0 H_1 ... H_{k-1} in place of the m x n matrix that holds the vectors as
// above; k <= n <= m. LAPACK's orgqr and ungqr.
template <typename T>
void ProductOfReflections(T* a, const T* taus, int64_t m, int64_t n, int64_t k);

// a[permutation] = L U with partial pivoting, for an m x n matrix. L, which has ones on its
// diagonal, comes below the diagonal of `a` and U on and above it. In step k the rows k and
// pivots[k] changed places, for min(m, n) steps; permutation[i] is where row i was. LAPACK's getrf,
// but that numbers begin with 0.
template <typename T>
void LuDecomposition(T* a, int32_t* pivots, int32_t* permutation, int64_t m, int64_t n);

// a = V diag(w) V^H for a Hermitian n x n matrix, of which the lower or the upper triangle is read;
// what the diagonal has as imaginary parts does not count. V replaces `a`. The eigenvalues are in
// ascending order if `sort` holds, else in no particular one. Jacobi's method, until what is beside
// the diagonal is far below the rounding errors.
template <typename T>
void HermitianEigen(T* a, double* w, int64_t n, bool lower, bool sort);

}  // namespace xla::linalg

#endif  // HILO_LINALG_FACTORIZATIONS_H_

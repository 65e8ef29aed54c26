// Reductions of dense matrices to simpler ones, and what follows from them: eigenvalues, Schur
// forms and singular values, by plain algorithms that end for every input.
//
// Matrices lie row by row without gaps. T is double or std::complex<double>. Functions that iterate
// give 0, or how far they came before they gave up, as LAPACK's info.
#ifndef HILO_LINALG_REDUCTIONS_H_
#define HILO_LINALG_REDUCTIONS_H_

#include <complex>
#include <cstdint>

namespace xla::linalg {

// a = Q H Q^H with H zero below its first subdiagonal. Q is the product of reflections
// I - taus[i] v v^H for i = low - 1, ..., high - 2, where v begins with i + 1 zeros and a one and
// goes on below the subdiagonal in column i of `a`. LAPACK's gehrd.
template <typename T>
void ReduceToHessenberg(T* a, T* taus, int64_t n, int64_t low, int64_t high);

// a = Q T Q^H for a Hermitian matrix, with T tridiagonal and real: `d` is its diagonal, `e` what is
// beside it. Reads and writes one triangle, which keeps the reflections as LAPACK's sytrd does.
template <typename T>
void ReduceToTridiagonal(T* a, double* d, double* e, T* taus, int64_t n, bool lower);

// a = Z S Z^H with S upper triangular, in place of `a`. For double S has blocks of 2 x 2 on its
// diagonal, one for each pair of complex eigenvalues, whose diagonal elements are equal. `z` may be
// null. LAPACK's gees.
int32_t SchurForm(double* a, double* z, int64_t n);
int32_t SchurForm(std::complex<double>* a, std::complex<double>* z, int64_t n);

// The eigenvectors of s z: of an upper triangular matrix s multiplied by the unitary z. Columns of
// `vectors` have length one, and their largest element is real. Left ones if `left` holds: they are
// v of v^H a = w v^H.
void TriangularEigenvectors(const std::complex<double>* s, const std::complex<double>* z,
                            std::complex<double>* vectors, int64_t n, bool left);

// a = U diag(s) V^H for an m x n matrix with k = min(m, n): U is m x u_columns, V^H is v_rows x n,
// s descends. Both may be null. One-sided Jacobi rotations.
template <typename T>
int32_t SingularValues(const T* a, double* s, T* u, T* vh, int64_t m, int64_t n, int64_t u_columns,
                       int64_t v_rows);

}  // namespace xla::linalg

#endif  // HILO_LINALG_REDUCTIONS_H_

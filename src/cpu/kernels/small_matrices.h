// Routines of LAPACK for matrices of a few rows, which take less time than a call of the library
// does: as many at once as vectors have lanes, or one after the other.
#ifndef HILO_CPU_KERNELS_SMALL_MATRICES_H_
#define HILO_CPU_KERNELS_SMALL_MATRICES_H_

#include <cstdint>
#include <type_traits>

#include "codegen/target.h"
#include "linalg/lapack_problem.h"

namespace xla::cpu {

// An integer as large as a T.
template <typename T>
using LaneIndex = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

// T is float or double. Element (i, j) of matrices whose rows are `row` elements apart is `lanes`
// numbers from a[(i * row + j) * lanes] on, one for each matrix; of complex ones twice as many,
// real parts first. Results are those of LAPACK.
template <typename T>
struct SmallMatrixFunctions {
  int lanes;
  // Each for real and for complex numbers.
  void (*factorize_lu[2])(int64_t m, int64_t n, int64_t row, T* a, LaneIndex<T>* pivots,
                          LaneIndex<T>* info);
  // The lower factor of a lower triangle.
  void (*factorize_cholesky[2])(int64_t n, int64_t row, T* a, LaneIndex<T>* info);
  // a x = b in place of b, for a lower triangle a; rows of both are adjacent.
  void (*solve_lower[2])(bool has_unit_diagonal, int64_t n, int64_t columns, const T* a, T* x);
  // One real matrix, of which element (i, j) is a[i * row + j] and rows are `row` numbers, a
  // multiple of `lanes`: of a Hermitian one the upper factor of the upper triangle.
  void (*factorize_lu_of_one)(int64_t m, int64_t n, int64_t row, T* a, LaneIndex<T>* pivots,
                              LaneIndex<T>* info);
  void (*factorize_cholesky_of_one)(int64_t n, int64_t row, T* a, LaneIndex<T>* info);
  // LAPACK's geqrf, and orgqr into q, which is zero, of what that leaves in rows of n numbers; each
  // for a and q by rows, as above, and by columns that are `row` numbers, a multiple of `lanes`.
  // They work in v, which has as many numbers as a column.
  void (*factorize_qr_of_one[2])(int64_t m, int64_t n, int64_t row, T* a, T* v, T* taus);
  void (*multiply_reflections_of_one[2])(int64_t m, int64_t n, int64_t reflections, int64_t row,
                                         const T* a, const T* taus, T* v, T* q);
};

template <typename T>
const SmallMatrixFunctions<T>& SmallMatrixFunctionsOf(codegen::InstructionSet set);

// Solves `count` problems as linalg::LapackFunction says, or none of them: false for other
// routines, for empty and for large matrices, and without memory to work in.
bool SolveSmallMatrices(codegen::InstructionSet set, const linalg::LapackProblem& problem,
                        int64_t count, const void* const* operands, void* const* results);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_SMALL_MATRICES_H_

// Triangular systems with many right-hand sides.
#ifndef HILO_CPU_KERNELS_TRIANGULAR_SOLVE_H_
#define HILO_CPU_KERNELS_TRIANGULAR_SOLVE_H_

#include "linalg/lapack_problem.h"

namespace xla::cpu {

// Solves one problem of trsm by the BLAS of the system, in parts of the right-hand sides that
// threads share. False where there is none, as hilo_solve_by_lapack says.
bool SolveTriangularInParts(const linalg::LapackProblem& problem, const void* const* operands,
                            void* const* results);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_TRIANGULAR_SOLVE_H_

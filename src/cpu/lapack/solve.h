// Problems of linear algebra by the BLAS and LAPACK of the system.
#ifndef HILO_CPU_LAPACK_SOLVE_H_
#define HILO_CPU_LAPACK_SOLVE_H_

#include "linalg/lapack_problem.h"

// Solves problems as linalg::LapackFunction says, from the first one on to one that is left to the
// caller: the number of those before it. All are left without the libraries, for what they lack,
// and for empty matrices. A C function, because commands and the plug-in load it by name
// (lapack/loader).
extern "C" __attribute__((visibility("default"))) int64_t hilo_solve_by_lapack(
    const xla::linalg::LapackProblem& problem, int64_t count, const void* const* operands,
    void* const* results);

#endif  // HILO_CPU_LAPACK_SOLVE_H_

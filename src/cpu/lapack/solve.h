// Problems of linear algebra by the BLAS and LAPACK of the system.
#ifndef HILO_CPU_LAPACK_SOLVE_H_
#define HILO_CPU_LAPACK_SOLVE_H_

#include "linalg/lapack_problem.h"

// Solves a problem as linalg::LapackFunction says, or leaves it to the caller: false without the
// libraries, for what they lack, and for empty matrices. A result may lie where the operand does
// that it is made of. A C function, because commands and the plug-in load it by name
// (lapack/loader).
extern "C" __attribute__((visibility("default"))) bool hilo_solve_by_lapack(
    const xla::linalg::LapackProblem& problem, const void* const* operands, void* const* results);

#endif  // HILO_CPU_LAPACK_SOLVE_H_

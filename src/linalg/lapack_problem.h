// What a routine of LAPACK is asked to do.
#ifndef HILO_LINALG_LAPACK_PROBLEM_H_
#define HILO_LINALG_LAPACK_PROBLEM_H_

#include <cstdint>

#include "xla/xla_data.pb.h"

namespace xla::linalg {

enum class LapackRoutine {
  kPotrf,
  kTrsm,
  kGetrf,
  kGeqrf,
  kGeqp3,
  kOrgqr,
  kOrmqr,
  kGesdd,
  kGesvd,
  kSyevd,
  kGeev,
  kGees,
  kGehrd,
  kSytrd,
  kGtsv,
  kPerturbedTridiagonalSolve,
};

// What a routine is asked, but for the matrices. Letters are those of LAPACK's arguments.
struct LapackProblem {
  LapackRoutine routine;
  PrimitiveType type;        // F32, F64, C64 or C128
  int64_t m = 0, n = 0;      // the matrix is m x n
  int64_t reflections = -1;  // of orgqr and ormqr
  int64_t right_sides = -1;  // of tridiagonal systems
  int64_t u_columns = 0;     // of the left singular vectors
  int64_t v_rows = 0;        // of the right singular vectors
  char uplo = 'L', side = 'L', transpose = 'N', diagonal = 'N';
  char mode = 'N';            // which vectors are wanted; of geev those of the left
  char right = 'N';           // whether geev's vectors of the right are wanted
  int64_t low = 1, high = 0;  // rows of gehrd, from 1
};

// Solves one problem. Matrices lie row by row without gaps; operands and results are those of the
// table in lapack_call.cc, in order, and share no memory.
using LapackFunction = void (*)(const LapackProblem& problem, const void* const* operands,
                                void* const* results);

}  // namespace xla::linalg

#endif  // HILO_LINALG_LAPACK_PROBLEM_H_

// Custom calls of LAPACK's routines by the names under which JAX knows them, such as
// lapack_dgesdd_ffi: one table for all back ends.
#ifndef HILO_LINALG_LAPACK_CALL_H_
#define HILO_LINALG_LAPACK_CALL_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/ffi/call.h"
#include "xla/shape.h"
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

// The functions of this folder, which are there for all routines and types. They compute in double.
void SolveByOwnLoops(const LapackProblem& problem, const void* const* operands,
                     void* const* results);

// Whether the target is one of LAPACK's and no handler is registered under its name.
bool IsLapackTarget(absl::string_view target);

// A call whose operands and results are in row-major order, whatever layouts their shapes have.
// InvalidArgument when shapes, types or attributes are not those of the routine.
absl::StatusOr<std::unique_ptr<runtime::TypedCall>> MakeLapackCall(
    absl::string_view name, absl::string_view target, absl::string_view attributes,
    absl::Span<const Shape> operands, const Shape& result, LapackFunction solve);

}  // namespace xla::linalg

#endif  // HILO_LINALG_LAPACK_CALL_H_

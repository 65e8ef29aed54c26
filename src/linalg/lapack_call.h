// Custom calls of LAPACK's routines by the names under which JAX knows them, such as
// lapack_dgesdd_ffi: one table for all back ends.
#ifndef HILO_LINALG_LAPACK_CALL_H_
#define HILO_LINALG_LAPACK_CALL_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "linalg/lapack_problem.h"
#include "runtime/ffi/call.h"
#include "xla/shape.h"

namespace xla::linalg {

// The functions of this folder, which are there for all routines and types. They compute in double.
void SolveByOwnLoops(const LapackProblem& problem, int64_t count, const void* const* operands,
                     void* const* results);

// Whether the target is one of LAPACK's and no handler is registered under its name.
bool IsLapackTarget(absl::string_view target);

// Whether compiled programs solve the problems of a custom call themselves: those of such a target
// and, as JAX registers handlers for all of them, those that Hilo's threads share and those of
// which handlers would do one after the other what takes longer to begin than to do. They are left
// with the other routines of single large matrices, for which their libraries may have threads, and
// with Schur decompositions.
bool IsOwnLapackCall(absl::string_view target, absl::Span<const Shape> operands);

// A call whose operands and results are in row-major order, whatever layouts their shapes have.
// InvalidArgument when shapes, types or attributes are not those of the routine.
absl::StatusOr<std::unique_ptr<runtime::TypedCall>> MakeLapackCall(
    absl::string_view name, absl::string_view target, absl::string_view attributes,
    absl::Span<const Shape> operands, const Shape& result, LapackFunction solve);

}  // namespace xla::linalg

#endif  // HILO_LINALG_LAPACK_CALL_H_

// Custom calls of LAPACK's routines: but for small matrices, by the libraries of the system where
// these are there.
#include "linalg/lapack_call.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/matrix_tiles.h"
#include "cpu/kernels/small_matrices.h"
#include "cpu/kernels/triangular_solve.h"
#include "cpu/lapack/solve.h"
#include "xla/shape.h"

namespace xla::cpu {
namespace {

template <codegen::InstructionSet kSet>
void SolveProblems(const linalg::LapackProblem& problem, int64_t count, const void* const* operands,
                   void* const* results) {
  if (SolveSmallMatrices(kSet, problem, count, operands, results)) return;
  const bool is_triangular = problem.routine == linalg::LapackRoutine::kTrsm;
  for (int64_t solved = 0; solved < count;) {
    const linalg::LapackArrays rest(problem, solved, operands, results);
    const int64_t more =
        is_triangular
            ? SolveTriangularInParts(problem, rest.operands(), rest.results())
            : hilo_solve_by_lapack(problem, count - solved, rest.operands(), rest.results());
    if (more == 0) linalg::SolveByOwnLoops(problem, 1, rest.operands(), rest.results());
    solved += std::max<int64_t>(1, more);
  }
}

class LapackKernel : public runtime::LibraryKernel {
 public:
  LapackKernel(std::unique_ptr<runtime::TypedCall> call, size_t operands, size_t results)
      : call_(std::move(call)), operands_(operands), results_(results) {}

  absl::Status Run(void* const* arrays, const runtime::Environment& environment) const override {
    return call_->Run(absl::MakeSpan(arrays, operands_),
                      absl::MakeSpan(arrays + operands_, results_), *environment.ffi_run);
  }

 private:
  const std::unique_ptr<runtime::TypedCall> call_;
  const size_t operands_, results_;
};

// A call that the routine cannot be called with. Clients may compile it as long as they do not run
// it, as JAX does to look at its text.
class RefusedCall : public runtime::LibraryKernel {
 public:
  explicit RefusedCall(absl::Status why) : why_(std::move(why)) {}

  absl::Status Run(void* const*, const runtime::Environment&) const override { return why_; }

 private:
  const absl::Status why_;
};

}  // namespace

KernelOrStatus MakeLapackKernel(const runtime::LibraryCall& call) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::FromProto(call.instruction.shape()));
  const linalg::LapackFunction solve = ForInstructionSet(
      call.instruction_set,
      [](auto known) -> linalg::LapackFunction { return SolveProblems<known()>; });
  absl::StatusOr<std::unique_ptr<runtime::TypedCall>> made =
      linalg::MakeLapackCall(call.instruction.name(), call.instruction.custom_call_target(),
                             call.instruction.backend_config(), call.whole_operands, shape, solve);
  if (!made.ok()) return std::make_unique<RefusedCall>(made.status());
  return std::make_unique<LapackKernel>(*std::move(made), call.operands.size(),
                                        call.results.size());
}

}  // namespace xla::cpu

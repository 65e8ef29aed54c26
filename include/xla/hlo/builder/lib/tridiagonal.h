// Systems of equations and products with tridiagonal matrices.
#ifndef XLA_HLO_BUILDER_LIB_TRIDIAGONAL_H_
#define XLA_HLO_BUILDER_LIB_TRIDIAGONAL_H_

#include "absl/status/statusor.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla {
namespace tridiagonal {

enum SolverAlgorithm : int {
  // Elimination from the first to the last equation and back, without pivoting: for matrices that
  // are diagonally dominant or positive definite.
  kThomas,
};

// The solutions x [..., k, n] of
//   lower[i] x[i-1] + main[i] x[i] + upper[i] x[i+1] = rhs[i]
// for k right sides [..., k, n] and diagonals [..., 1, n]. lower[0] and upper[n-1] do not count.
// InvalidArgument where shapes or element types do not fit together.
absl::StatusOr<XlaOp> TridiagonalSolver(SolverAlgorithm algo, XlaOp lower_diagonal,
                                        XlaOp main_diagonal, XlaOp upper_diagonal, XlaOp rhs);

// The same with the diagonals as one array [..., 3, n], which has the upper one first, then the
// main and the lower one. Here right sides and solutions are columns: [..., n, k].
absl::StatusOr<XlaOp> TridiagonalSolver(SolverAlgorithm algo, XlaOp diagonals, XlaOp rhs);

// The products [..., m, n] of tridiagonal m x m matrices with rhs [..., m, n]:
//   upper[i] rhs[i+1] + main[i] rhs[i] + lower[i] rhs[i-1]
// for diagonals [..., 1, m]. InvalidArgument where shapes or element types do not fit together.
absl::StatusOr<XlaOp> TridiagonalMatMul(XlaOp upper_diagonal, XlaOp main_diagonal,
                                        XlaOp lower_diagonal, XlaOp rhs);

}  // namespace tridiagonal
}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_TRIDIAGONAL_H_

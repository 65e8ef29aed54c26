// Eigenvalues and eigenvectors of Hermitian matrices.
#ifndef XLA_HLO_BUILDER_LIB_SELF_ADJOINT_EIG_H_
#define XLA_HLO_BUILDER_LIB_SELF_ADJOINT_EIG_H_

#include <cstdint>

#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// Of matrices a [..., n, n]: a = V diag(w) V^H.
struct SelfAdjointEigResult {
  // [..., n, n], of the operand's type: column i is an eigenvector of length 1 for w[i].
  XlaOp v;
  // [..., n], real: the eigenvalues, each as often as its multiplicity, in ascending order if
  // sorted.
  XlaOp w;
};

// The custom call "Eigh". Only the lower triangle of `a` counts, or the upper one. `max_iter`
// bounds the sweeps of an iterative method and `tol` says at which relative size what is left
// beside the diagonal may be neglected; a back end may be more exact than that. InvalidArgument
// unless `a` has square matrices of a floating point or complex type.
SelfAdjointEigResult SelfAdjointEig(XlaOp a, bool lower = true, int64_t max_iter = 15,
                                    float tol = 1e-5, bool sort_eigenvalues = true);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_SELF_ADJOINT_EIG_H_

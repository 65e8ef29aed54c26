// QR decompositions of the matrices in the last two dimensions.
#ifndef XLA_HLO_BUILDER_LIB_QR_H_
#define XLA_HLO_BUILDER_LIB_QR_H_

#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// Of matrices [..., m, n] with p = min(m, n), in LAPACK's form (geqrf). The result has the
// operand's floating point or complex type.
struct QrDecomposition {
  // [..., m, n]: R on and above the diagonal, below it the vectors v_k of the reflections
  // H_k = I - taus[k] v_k v_k^H: v_k is k zeros, a one, and column k below the diagonal.
  XlaOp q_and_r;
  // [..., p]: the factors of the reflections. Q = H_0 H_1 ... H_{p-1}.
  XlaOp taus;
};

// a = Q R with Q Q^H = 1 and R upper triangular, with a real diagonal of either sign: the custom
// call "Qr". InvalidArgument for a rank below 2 or another element type.
QrDecomposition Qr(XlaOp a);

// The first n columns of H_0 H_1 ... H_{k-1}, for a [..., m, n] as above with m >= n and taus [...,
// k] with k <= n: the custom call of this name. InvalidArgument where the shapes are others.
XlaOp ProductOfElementaryHouseholderReflectors(XlaOp a, XlaOp taus);

// Q and R as matrices: q [..., m, m] and r [..., m, n] with `full_matrices`, else q [..., m, p] and
// r [..., p, n]. An error leaves operations in `q` and `r` that are not valid.
void QrExplicit(XlaOp a, bool full_matrices, XlaOp& q, XlaOp& r);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_QR_H_

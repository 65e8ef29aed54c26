// LU decompositions of the matrices in the last two dimensions.
#ifndef XLA_HLO_BUILDER_LIB_LU_DECOMPOSITION_H_
#define XLA_HLO_BUILDER_LIB_LU_DECOMPOSITION_H_

#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// Of matrices [..., m, n] with p = min(m, n).
struct LuDecompositionResult {
  // [..., m, n]: U on and above the diagonal; below it L, whose diagonal is ones.
  XlaOp lu;
  // S32 [..., p]: the row, counted from 0, that changed places with row k in step k.
  XlaOp pivots;
  // S32 [..., m]: row i of L U is row permutation[i] of the operand.
  XlaOp permutation;
};

// With partial pivoting, as LAPACK's getrf: the custom call "LuDecomposition". A singular matrix
// gives a zero on the diagonal of U. InvalidArgument unless the operand has a rank of at least 2
// and a floating point or complex type.
LuDecompositionResult LuDecomposition(XlaOp a);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_LU_DECOMPOSITION_H_

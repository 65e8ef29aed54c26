// Determinants of the matrices in the last two dimensions, as logarithms.
#ifndef XLA_HLO_BUILDER_LIB_LOGDET_H_
#define XLA_HLO_BUILDER_LIB_LOGDET_H_

#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// det = sign * exp(logdet), for matrices [..., n, n].
struct SignAndLogDet {
  // [...]: -1, 0 or 1; for complex matrices a number of absolute value 0 or 1.
  XlaOp sign;
  // [...], real: the logarithm of the absolute value of the determinant, -infinity for singular
  // matrices.
  XlaOp logdet;
};

// From a QR decomposition: the product of the diagonal of R and of the determinants of the
// reflections. A matrix of size 0 has the determinant 1. InvalidArgument unless the operand has
// square matrices of a floating point or complex type.
SignAndLogDet SLogDet(XlaOp a);

// [...], of the same type: the logarithm of the determinant; NaN where a real one is negative. For
// complex matrices the one with an imaginary part in [-pi, pi].
XlaOp LogDet(XlaOp a);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_LOGDET_H_

// Singular value decompositions of the matrices in the last two dimensions.
#ifndef XLA_HLO_BUILDER_LIB_SVD_H_
#define XLA_HLO_BUILDER_LIB_SVD_H_

#include <cstdint>

#include "xla/hlo/builder/xla_builder.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Of matrices a [..., m, n] with p = min(m, n): a = U diag(d) V^H.
struct SVDResult {
  // [..., m, m]: the left singular vectors as columns, U U^H = 1.
  XlaOp u;
  // [..., p], real: the singular values, not negative, in descending order.
  XlaOp d;
  // [..., n, n]: the right singular vectors as columns, V V^H = 1.
  XlaOp v;
};

// One-sided Jacobi rotations (Hestenes 1958), n/2 at a time in the order of Brent and Luk (1985),
// and a QR decomposition of what they give. The rotations end with the first sweep that finds no
// cosine between two columns above `epsilon`, rounding errors aside, and leaves them as small as
// their squares; or after `max_iter` sweeps. `epsilon` counts as at least 8 times the epsilon of the
// type and at most its square root. `precision` is that of products of matrices. Types narrower than
// F32 are computed in F32.
//
// InvalidArgument unless the operand has a rank of at least 2 and a floating point or complex type.
SVDResult SVD(XlaOp a, int64_t max_iter = 100, float epsilon = 1e-6,
              PrecisionConfig::Precision precision = PrecisionConfig::HIGHEST);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_SVD_H_

#include "xla/hlo/builder/lib/logdet.h"

#include "front/builder/lib/matrix_internal.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/qr.h"

namespace xla {
namespace {

// Products over the last dimension, which is the only one after the batch.
XlaOp Products(XlaOp vectors, PrimitiveType type, int64_t dimension) {
  XlaBuilder* builder = vectors.builder();
  return Reduce(vectors, One(builder, type), CreateScalarMultiplyComputation(type, builder),
                {dimension});
}

// The determinant of 1 - tau v v^H, which is unitary, so that |v|^2 = 2 re(tau) / |tau|^2: it is
// 1 - tau |v|^2 = -tau / conj(tau).
XlaOp DeterminantsOfReflections(XlaOp taus, PrimitiveType type) {
  const XlaOp one = FullLike(taus, 1);
  const XlaOp determinant =
      primitive_util::IsComplexType(type) ? Neg(Div(taus, Conj(taus))) : Neg(one);
  return Select(Eq(taus, ZerosLike(taus)), one, determinant);
}

absl::StatusOr<SignAndLogDet> MakeSLogDet(XlaOp a) {
  XlaBuilder* builder = a.builder();
  HILO_ASSIGN_OR_RETURN(const Shape shape, DecomposableShape("log determinant", a));
  if (RowsOf(shape) != ColumnsOf(shape)) {
    return InvalidArgument("log determinant: the matrices of %s are not square", shape.ToString());
  }
  const PrimitiveType type = shape.element_type(), real = RealTypeOf(type);
  const int64_t last = shape.dimensions_size() - 2;
  const QrDecomposition qr = Qr(a);
  const XlaOp diagonal = GetMatrixDiagonal(qr.q_and_r);
  const XlaOp sign = Mul(Products(Sign(diagonal), type, last),
                         Products(DeterminantsOfReflections(qr.taus, type), type, last));
  const XlaOp logdet = Reduce(Log(Abs(diagonal)), Zero(builder, real),
                              CreateScalarAddComputation(real, builder), {last});
  return SignAndLogDet{sign, logdet};
}

}  // namespace

SignAndLogDet SLogDet(XlaOp a) {
  const absl::StatusOr<SignAndLogDet> result = MakeSLogDet(a);
  if (result.ok()) return *result;
  const XlaOp error = a.builder()->ReportError(result.status());
  return {error, error};
}

XlaOp LogDet(XlaOp a) {
  const SignAndLogDet det = SLogDet(a);
  return a.builder()->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, a.builder()->GetShape(det.sign));
    if (primitive_util::IsComplexType(shape.element_type())) {
      return Complex(det.logdet, Atan2(Imag(det.sign), Real(det.sign)));
    }
    const XlaOp nan = Broadcast(NanValue(a.builder(), shape.element_type()), shape.dimensions());
    return Select(Lt(det.sign, ZerosLike(det.sign)), nan, det.logdet);
  });
}

}  // namespace xla

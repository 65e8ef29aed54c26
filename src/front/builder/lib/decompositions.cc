// Decompositions that are custom calls.
#include <algorithm>

#include "absl/strings/str_format.h"
#include "front/builder/lib/matrix_internal.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lu_decomposition.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/qr.h"
#include "xla/hlo/builder/lib/self_adjoint_eig.h"
#include "xla/hlo/builder/lib/slicing.h"
#include "xla/shape_util.h"

namespace xla {

QrDecomposition Qr(XlaOp a) {
  const XlaOp qr = a.builder()->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, DecomposableShape("qr", a));
    const int64_t p = std::min(RowsOf(shape), ColumnsOf(shape));
    const Shape taus = ShapeUtil::MakeShape(shape.element_type(), VectorDimensions(shape, p));
    return CustomCall(a.builder(), "Qr", {a}, ShapeUtil::MakeTupleShape({shape, taus}));
  });
  return {GetTupleElement(qr, 0), GetTupleElement(qr, 1)};
}

XlaOp ProductOfElementaryHouseholderReflectors(XlaOp a, XlaOp taus) {
  return a.builder()->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, DecomposableShape("product of reflections", a));
    HILO_ASSIGN_OR_RETURN(const Shape taus_shape, a.builder()->GetShape(taus));
    if (RowsOf(shape) < ColumnsOf(shape)) {
      return InvalidArgument(
          "product of reflections: the matrices of %s have more columns than rows",
          shape.ToString());
    }
    const bool fits =
        taus_shape.IsArray() && taus_shape.dimensions_size() + 1 == shape.dimensions_size() &&
        taus_shape.element_type() == shape.element_type() &&
        taus_shape.dimensions() ==
            absl::MakeConstSpan(VectorDimensions(shape, taus_shape.dimensions().back())) &&
        taus_shape.dimensions().back() <= ColumnsOf(shape);
    if (!fits) {
      return InvalidArgument("product of reflections: %s are no factors for the columns of %s",
                             taus_shape.ToString(), shape.ToString());
    }
    return CustomCall(a.builder(), "ProductOfElementaryHouseholderReflectors", {a, taus}, shape);
  });
}

void QrExplicit(XlaOp a, bool full_matrices, XlaOp& q, XlaOp& r) {
  XlaBuilder* builder = a.builder();
  const auto q_and_r = [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, DecomposableShape("qr", a));
    const int64_t m = RowsOf(shape), n = ColumnsOf(shape), p = std::min(m, n);
    const QrDecomposition qr = Qr(a);
    // The vectors, in as many columns as Q is to have.
    XlaOp vectors = SliceInMinorDims(qr.q_and_r, {0, 0}, {m, p});
    if (full_matrices && m > n) {
      vectors = PadInDim(vectors, Zero(builder, shape.element_type()), shape.dimensions_size() - 1,
                         0, m - n);
    }
    q = ProductOfElementaryHouseholderReflectors(vectors, qr.taus);
    return UpperTriangle(full_matrices ? qr.q_and_r : SliceInMinorDims(qr.q_and_r, {0, 0}, {p, n}));
  };
  q = XlaOp();
  r = builder->ReportErrorOrReturn(q_and_r());
  if (q.IsUninitialized()) q = r;
}

LuDecompositionResult LuDecomposition(XlaOp a) {
  const XlaOp lu = a.builder()->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, DecomposableShape("lu decomposition", a));
    const int64_t m = RowsOf(shape), p = std::min(m, ColumnsOf(shape));
    const Shape pivots = ShapeUtil::MakeShape(S32, VectorDimensions(shape, p));
    const Shape permutation = ShapeUtil::MakeShape(S32, VectorDimensions(shape, m));
    return CustomCall(a.builder(), "LuDecomposition", {a},
                      ShapeUtil::MakeTupleShape({shape, pivots, permutation}));
  });
  return {GetTupleElement(lu, 0), GetTupleElement(lu, 1), GetTupleElement(lu, 2)};
}

SelfAdjointEigResult SelfAdjointEig(XlaOp a, bool lower, int64_t max_iter, float tol,
                                    bool sort_eigenvalues) {
  const XlaOp eigen = a.builder()->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, DecomposableShape("self-adjoint eigen", a));
    const int64_t n = ColumnsOf(shape);
    if (RowsOf(shape) != n) {
      return InvalidArgument("self-adjoint eigen: the matrices of %s are not square",
                             shape.ToString());
    }
    const Shape w =
        ShapeUtil::MakeShape(RealTypeOf(shape.element_type()), VectorDimensions(shape, n));
    return CustomCall(a.builder(), "Eigh", {a}, ShapeUtil::MakeTupleShape({shape, w}),
                      absl::StrFormat("%d,%d,%d,%f", lower, sort_eigenvalues, max_iter, tol));
  });
  return {GetTupleElement(eigen, 0), GetTupleElement(eigen, 1)};
}

}  // namespace xla

#include "xla/hlo/builder/lib/matrix.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/status_macros.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/slicing.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::StatusOr<Shape> MatrixShape(absl::string_view operation, XlaOp x) {
  HILO_ASSIGN_OR_RETURN(Shape shape, x.builder()->GetShape(x));
  if (!shape.IsArray() || shape.dimensions_size() < 2) {
    return InvalidArgument("%s: %s is no matrix", operation, shape.ToString());
  }
  return shape;
}

int64_t Rows(const Shape& shape) { return shape.dimensions(shape.dimensions_size() - 2); }
int64_t Columns(const Shape& shape) { return shape.dimensions(shape.dimensions_size() - 1); }

// column - row, for each element of a matrix of these dimensions.
XlaOp ColumnMinusRow(XlaBuilder* builder, int64_t rows, int64_t columns) {
  const Shape shape = ShapeUtil::MakeShape(S32, {rows, columns});
  return Sub(Iota(builder, shape, 1), Iota(builder, shape, 0));
}

// The matrix mask repeated over the leading dimensions of `shape`.
XlaOp RepeatMask(XlaOp mask, const Shape& shape) {
  return Broadcast(mask, shape.dimensions().first(shape.dimensions_size() - 2));
}

// The length of the k-th diagonal, 0 when there is none.
int64_t DiagonalLength(const Shape& shape, int64_t k) {
  const int64_t rows = Rows(shape) - (k < 0 ? -k : 0);
  const int64_t columns = Columns(shape) - (k > 0 ? k : 0);
  return std::max<int64_t>(std::min(rows, columns), 0);
}

}  // namespace

XlaOp IdentityMatrix(XlaBuilder* builder, PrimitiveType type, int64_t m, int64_t n) {
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_RETURN_IF_ERROR(ShapeUtil::MakeValidatedShape(type, {m, n}).status());
    const XlaOp offset = ColumnMinusRow(builder, m, n);
    return ConvertElementType(Eq(offset, ZerosLike(offset)), type);
  });
}

XlaOp GetDiagonalMask(XlaOp x, int diagonal) {
  XlaBuilder* builder = x.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, MatrixShape("diagonal mask", x));
    const XlaOp offset = ColumnMinusRow(builder, Rows(shape), Columns(shape));
    return RepeatMask(Eq(offset, FullLike(offset, diagonal)), shape);
  });
}

XlaOp GetMatrixDiagonal(XlaOp x, int k) {
  XlaBuilder* builder = x.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, MatrixShape("matrix diagonal", x));
    const int64_t rank = shape.dimensions_size();
    const PrimitiveType type = shape.element_type();
    const int64_t length = DiagonalLength(shape, k);
    // All else is zero, so that along the longer dimension only the diagonal counts.
    const XlaOp masked = Select(GetDiagonalMask(x, k), x, ZerosLike(x));
    const bool reduce_rows = Rows(shape) >= Columns(shape);
    const XlaOp sum =
        Reduce(masked, Zero(builder, type), CreateScalarIdentityWithZeroComputation(type, builder),
               {reduce_rows ? rank - 2 : rank - 1});
    // Then the diagonal begins at a column, or at a row.
    const int64_t start = reduce_rows ? std::max(k, 0) : std::max(-k, 0);
    if (length == 0) return SliceInMinorDims(sum, {0}, {0});
    return SliceInMinorDims(sum, {start}, {start + length});
  });
}

XlaOp GetMatrixDiagonalViaGather(XlaOp x, int k) {
  XlaBuilder* builder = x.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, MatrixShape("matrix diagonal", x));
    const int64_t rank = shape.dimensions_size();
    const int64_t length = DiagonalLength(shape, k);
    const XlaOp steps = Iota(builder, ShapeUtil::MakeShape(S32, {length, 1}), 0);
    const XlaOp rows = Add(steps, ConstantR0<int32_t>(builder, std::max(-k, 0)));
    const XlaOp columns = Add(steps, ConstantR0<int32_t>(builder, std::max(k, 0)));
    GatherDimensionNumbers numbers;
    std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
    for (int64_t i = 0; i < rank - 2; ++i) numbers.add_offset_dims(i);
    for (int64_t i = rank - 2; i < rank; ++i) {
      sizes[i] = std::min<int64_t>(sizes[i], 1);
      numbers.add_collapsed_slice_dims(i);
      numbers.add_start_index_map(i);
    }
    numbers.set_index_vector_dim(1);
    return Gather(x, ConcatInDim(builder, {rows, columns}, 1), numbers, sizes);
  });
}

XlaOp SetMatrixDiagonal(XlaOp matrix, XlaOp diag, int k) {
  XlaBuilder* builder = matrix.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, MatrixShape("set matrix diagonal", matrix));
    HILO_ASSIGN_OR_RETURN(const Shape diagonal, builder->GetShape(diag));
    const int64_t rank = shape.dimensions_size();
    const int64_t length = DiagonalLength(shape, k);
    if (!diagonal.IsArray() || diagonal.dimensions_size() != rank - 1 ||
        diagonal.dimensions().back() != length) {
      return InvalidArgument("set matrix diagonal: %s is not diagonal %d of %s",
                             diagonal.ToString(), k, shape.ToString());
    }
    // Put the vector at the columns where the diagonal is, and repeat it for all rows.
    const int64_t first_column = std::max(k, 0);
    const XlaOp padded = PadInDim(diag, Zero(builder, shape.element_type()), rank - 2, first_column,
                                  Columns(shape) - first_column - length);
    std::vector<int64_t> all_but_rows(rank - 1);
    std::iota(all_but_rows.begin(), all_but_rows.end(), 0);
    all_but_rows.back() = rank - 1;
    return Select(GetDiagonalMask(matrix, k),
                  BroadcastInDim(padded, shape.dimensions(), all_but_rows), matrix);
  });
}

XlaOp TriangleMask(XlaOp x, int diagonal) {
  XlaBuilder* builder = x.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, MatrixShape("triangle mask", x));
    const XlaOp offset = ColumnMinusRow(builder, Rows(shape), Columns(shape));
    return RepeatMask(Le(offset, FullLike(offset, diagonal)), shape);
  });
}

XlaOp Triangle(XlaOp x, bool lower) {
  return lower ? Select(TriangleMask(x, 0), x, ZerosLike(x))
               : Select(TriangleMask(x, -1), ZerosLike(x), x);
}

XlaOp UpperTriangle(XlaOp x) { return Triangle(x, /*lower=*/false); }

XlaOp LowerTriangle(XlaOp x) { return Triangle(x, /*lower=*/true); }

XlaOp Symmetrize(XlaOp x, bool lower) {
  XlaBuilder* builder = x.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, MatrixShape("symmetrize", x));
    if (Rows(shape) != Columns(shape)) {
      return InvalidArgument("symmetrize: the matrices of %s are not square", shape.ToString());
    }
    XlaOp mirrored = TransposeInMinorDims(x);
    XlaOp kept = x;
    if (primitive_util::IsComplexType(shape.element_type())) {
      mirrored = Conj(mirrored);
      // The diagonal of a Hermitian matrix is real.
      kept = Select(GetDiagonalMask(x), Complex(Real(x), ZerosLike(Imag(x))), x);
    }
    const XlaOp in_triangle = lower ? TriangleMask(x, 0) : Not(TriangleMask(x, -1));
    return Select(in_triangle, kept, mirrored);
  });
}

XlaOp TransposeInMinorDims(XlaOp x) {
  XlaBuilder* builder = x.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, MatrixShape("transpose", x));
    std::vector<int64_t> permutation(shape.dimensions_size());
    std::iota(permutation.begin(), permutation.end(), 0);
    std::swap(permutation[permutation.size() - 2], permutation.back());
    return Transpose(x, permutation);
  });
}

XlaOp MaybeTransposeInMinorDims(XlaOp x, bool transpose) {
  return transpose ? TransposeInMinorDims(x) : x;
}

}  // namespace xla

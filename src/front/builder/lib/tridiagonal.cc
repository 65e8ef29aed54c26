#include "xla/hlo/builder/lib/tridiagonal.h"

#include "absl/strings/string_view.h"
#include "front/builder/lib/matrix_internal.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/slicing.h"
#include "xla/shape_util.h"

namespace xla {
namespace tridiagonal {
namespace {

using Ops = std::vector<XlaOp>;

// A diagonal is [..., 1, n] for matrices of n rows with the batch and type of `rhs`.
absl::Status CheckDiagonal(absl::string_view operation, absl::string_view which, XlaOp diagonal,
                           const Shape& rhs, int64_t n) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, diagonal.builder()->GetShape(diagonal));
  std::vector<int64_t> expected = BatchOf(rhs);
  expected.insert(expected.end(), {1, n});
  if (shape.IsArray() && shape.element_type() == rhs.element_type() &&
      shape.dimensions() == absl::MakeConstSpan(expected)) {
    return absl::OkStatus();
  }
  return InvalidArgument("%s: the %s diagonal %s does not fit a right side %s: it must be %s",
                         operation, which, shape.ToString(), rhs.ToString(),
                         ShapeUtil::MakeShape(rhs.element_type(), expected).ToString());
}

// A row [..., 1, n] with zero in place of element `index`, which nobody may look at.
XlaOp WithoutElement(XlaOp row, const Shape& shape, int64_t index) {
  const XlaOp places = Iota(row.builder(), ShapeUtil::MakeShape(S32, shape.dimensions()),
                            shape.dimensions_size() - 1);
  return Select(Eq(places, FullLike(places, index)), ZerosLike(row), row);
}

XlaOp At(XlaOp x, XlaOp i) { return DynamicSliceInMinorDims(x, {i}, {1}); }

// From the first to the last equation: x[i] + factor[i] x[i+1] = rest[i]. The values are lower,
// main, upper, right side, factors, rests and the last two's elements of the step before.
absl::StatusOr<Ops> EliminateStep(XlaOp i, absl::Span<const XlaOp> values, XlaBuilder*) {
  const XlaOp lower = At(values[0], i);
  const XlaOp pivot = At(values[1], i) - lower * values[6];
  const XlaOp factor = At(values[2], i) / pivot;
  const XlaOp rest = (At(values[3], i) - lower * values[7]) / pivot;
  return Ops{values[0],
             values[1],
             values[2],
             values[3],
             DynamicUpdateSliceInMinorDims(values[4], factor, {i}),
             DynamicUpdateSliceInMinorDims(values[5], rest, {i}),
             factor,
             rest};
}

// From the last to the first one. The values are factors, rests, solutions and the last found.
absl::StatusOr<Ops> SubstituteStep(XlaOp i, int64_t n, absl::Span<const XlaOp> values) {
  const XlaOp place = FullLike(i, n - 1) - i;
  const XlaOp x = At(values[1], place) - At(values[0], place) * values[3];
  return Ops{values[0], values[1], DynamicUpdateSliceInMinorDims(values[2], x, {place}), x};
}

absl::StatusOr<XlaOp> Thomas(XlaOp lower, XlaOp main, XlaOp upper, XlaOp rhs) {
  constexpr absl::string_view kName = "tridiagonal solver";
  XlaBuilder* builder = rhs.builder();
  HILO_ASSIGN_OR_RETURN(const Shape shape, DecomposableShape(kName, rhs));
  const int64_t n = ColumnsOf(shape);
  HILO_RETURN_IF_ERROR(CheckDiagonal(kName, "lower", lower, shape, n));
  HILO_RETURN_IF_ERROR(CheckDiagonal(kName, "main", main, shape, n));
  HILO_RETURN_IF_ERROR(CheckDiagonal(kName, "upper", upper, shape, n));
  if (n == 0) return rhs;
  HILO_ASSIGN_OR_RETURN(const Shape row, builder->GetShape(main));
  lower = WithoutElement(lower, row, 0);
  upper = WithoutElement(upper, row, n - 1);
  const XlaOp zero = ZerosLike(SliceInMinorDims(main, {0}, {1}));
  const XlaOp zeros = ZerosLike(SliceInMinorDims(rhs, {0}, {1}));
  HILO_ASSIGN_OR_RETURN(
      const Ops eliminated,
      ForEachIndex(n, S32, EliminateStep,
                   {lower, main, upper, rhs, ZerosLike(main), ZerosLike(rhs), zero, zeros},
                   "tridiagonal_elimination", builder));
  const auto substitute = [n](XlaOp i, absl::Span<const XlaOp> values, XlaBuilder*) {
    return SubstituteStep(i, n, values);
  };
  HILO_ASSIGN_OR_RETURN(
      const Ops solved,
      ForEachIndex(n, S32, substitute, {eliminated[4], eliminated[5], ZerosLike(rhs), zeros},
                   "tridiagonal_substitution", builder));
  return solved[2];
}

}  // namespace

absl::StatusOr<XlaOp> TridiagonalSolver(SolverAlgorithm algo, XlaOp lower_diagonal,
                                        XlaOp main_diagonal, XlaOp upper_diagonal, XlaOp rhs) {
  if (algo != kThomas) {
    return InvalidArgument("tridiagonal solver: there is no algorithm %d", static_cast<int>(algo));
  }
  return Thomas(lower_diagonal, main_diagonal, upper_diagonal, rhs);
}

absl::StatusOr<XlaOp> TridiagonalSolver(SolverAlgorithm algo, XlaOp diagonals, XlaOp rhs) {
  HILO_ASSIGN_OR_RETURN(const Shape shape, DecomposableShape("tridiagonal solver", diagonals));
  if (RowsOf(shape) != 3) {
    return InvalidArgument("tridiagonal solver: %s has not three diagonals", shape.ToString());
  }
  const auto diagonal = [&](int64_t k) {
    return SliceInDim(diagonals, k, k + 1, 1, shape.dimensions_size() - 2);
  };
  HILO_RETURN_IF_ERROR(DecomposableShape("tridiagonal solver", rhs).status());
  HILO_ASSIGN_OR_RETURN(const XlaOp x, TridiagonalSolver(algo, diagonal(2), diagonal(1),
                                                         diagonal(0), TransposeInMinorDims(rhs)));
  return TransposeInMinorDims(x);
}

absl::StatusOr<XlaOp> TridiagonalMatMul(XlaOp upper_diagonal, XlaOp main_diagonal,
                                        XlaOp lower_diagonal, XlaOp rhs) {
  constexpr absl::string_view kName = "tridiagonal product";
  XlaBuilder* builder = rhs.builder();
  HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(rhs));
  if (!shape.IsArray() || shape.dimensions_size() < 2) {
    return InvalidArgument("%s: %s has no matrices in its last two dimensions", kName,
                           shape.ToString());
  }
  const int64_t m = RowsOf(shape), dimension = shape.dimensions_size() - 2;
  HILO_RETURN_IF_ERROR(CheckDiagonal(kName, "upper", upper_diagonal, shape, m));
  HILO_RETURN_IF_ERROR(CheckDiagonal(kName, "main", main_diagonal, shape, m));
  HILO_RETURN_IF_ERROR(CheckDiagonal(kName, "lower", lower_diagonal, shape, m));
  if (m == 0) return rhs;
  HILO_ASSIGN_OR_RETURN(const Shape row, builder->GetShape(main_diagonal));
  const XlaOp zero = Zero(builder, shape.element_type());
  const XlaOp below = PadInDim(rhs, zero, dimension, -1, 1);
  const XlaOp above = PadInDim(rhs, zero, dimension, 1, -1);
  return TransposeInMinorDims(main_diagonal) * rhs +
         TransposeInMinorDims(WithoutElement(upper_diagonal, row, m - 1)) * below +
         TransposeInMinorDims(WithoutElement(lower_diagonal, row, 0)) * above;
}

}  // namespace tridiagonal
}  // namespace xla

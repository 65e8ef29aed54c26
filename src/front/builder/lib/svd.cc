#include "xla/hlo/builder/lib/svd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "front/builder/lib/matrix_internal.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/comparators.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/qr.h"
#include "xla/hlo/builder/lib/slicing.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Ops = std::vector<XlaOp>;

double EpsilonOf(PrimitiveType real) {
  return real == F64 ? std::numeric_limits<double>::epsilon()
                     : std::numeric_limits<float>::epsilon();
}

// The power of two at or below positive normal numbers; 1 for all others.
XlaOp PowerOfTwoBelow(XlaOp x, PrimitiveType real) {
  XlaBuilder* builder = x.builder();
  const PrimitiveType bits = real == F64 ? U64 : U32;
  const XlaOp exponent_mask = real == F64 ? ConstantR0<uint64_t>(builder, uint64_t{0x7ff} << 52)
                                          : ConstantR0<uint32_t>(builder, uint32_t{0xff} << 23);
  const XlaOp power = BitcastConvertType(And(BitcastConvertType(x, bits), exponent_mask), real);
  return Select(And(IsFinite(power), Gt(power, ZerosLike(power))), power, FullLike(power, 1));
}

// Orthogonal rotations J that make the columns of W = a J orthogonal to each other. Their lengths
// are then the singular values of a, their directions its left vectors, and J has its right ones.
// W lies over J in one matrix, whose columns are in two halves: what stands at the same place of
// both is a pair, and one round rotates all pairs.
class Rotations {
 public:
  Rotations(const Shape& a, double threshold)
      : type_(a.element_type()),
        real_(RealTypeOf(type_)),
        is_complex_(primitive_util::IsComplexType(type_)),
        rank_(a.dimensions_size()),
        m_(RowsOf(a)),
        n_(ColumnsOf(a)),
        half_((n_ + 1) / 2),
        threshold_(threshold) {}

  // W over J for matrices `a` whose Frobenius norm is about 1: [..., m + n, n].
  absl::StatusOr<XlaOp> Run(XlaOp a, int64_t max_iter, PrecisionConfig::Precision precision) const {
    XlaBuilder* builder = a.builder();
    HILO_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(a));
    const XlaOp identity = Broadcast(IdentityMatrix(builder, type_, n_, n_), BatchOf(shape));
    const XlaOp columns = ConcatInDim(builder, {a, identity}, rank_ - 2);
    if (n_ < 2) return columns;
    const XlaOp max_sweeps = ConstantR0<int32_t>(
        builder, static_cast<int32_t>(std::clamp<int64_t>(max_iter, 0, 1 << 30)));
    const auto goes_on = [&](absl::Span<const XlaOp> values,
                             XlaBuilder* b) -> absl::StatusOr<XlaOp> {
      return And(Lt(values[0], values[1]), Gt(values[2], ConstantR0WithType(b, real_, threshold_)));
    };
    const auto body = [&](absl::Span<const XlaOp> values, XlaBuilder* b) -> absl::StatusOr<Ops> {
      HILO_ASSIGN_OR_RETURN(const Ops after, Sweep(Refreshed(values[3], values[4], precision)));
      return Ops{values[0] + One(b, S32), values[1], after[0], values[3], after[1]};
    };
    HILO_ASSIGN_OR_RETURN(const Ops result, WhileLoopHelper(goes_on, body,
                                                            {Zero(builder, S32), max_sweeps,
                                                             MaxValue(builder, real_), a, columns},
                                                            "svd_sweeps", builder));
    return result[4];
  }

  // The lengths of the columns of W: [..., columns].
  XlaOp Lengths(XlaOp columns) const { return Sqrt(Sums(SquaredSizes(OfW(columns)), real_)); }

  // A number for each column, to be multiplied with its elements.
  XlaOp AsFactors(XlaOp x) const {
    std::vector<int64_t> places(rank_ - 1);
    std::iota(places.begin(), places.end(), 0);
    places.back() = rank_ - 1;
    const absl::StatusOr<Shape> shape = x.builder()->GetShape(x);
    if (!shape.ok()) return x;
    std::vector<int64_t> dimensions(shape->dimensions().begin(), shape->dimensions().end());
    dimensions.insert(dimensions.end() - 1, 1);
    return ConvertElementType(BroadcastInDim(x, dimensions, places), type_);
  }

  // -1 or 1 for the diagonal of an R, which is real.
  XlaOp SignsOf(XlaOp diagonal) const {
    if (is_complex_) diagonal = Real(diagonal);
    const XlaOp one = FullLike(diagonal, 1);
    return Select(Lt(diagonal, ZerosLike(diagonal)), -one, one);
  }

 private:
  XlaOp Columns(XlaOp x, int64_t begin, int64_t end) const {
    return SliceInDim(x, begin, end, 1, rank_ - 1);
  }
  XlaOp OfW(XlaOp columns) const { return SliceInDim(columns, 0, m_, 1, rank_ - 2); }
  XlaOp SquaredSizes(XlaOp x) const { return is_complex_ ? Real(Mul(x, Conj(x))) : Mul(x, x); }
  XlaOp Sums(XlaOp x, PrimitiveType type) const {
    return Reduce(x, Zero(x.builder(), type), CreateScalarAddComputation(type, x.builder()),
                  {rank_ - 2});
  }

  // Rounding errors of many rotations add up: makes J orthogonal again, and W = a J.
  XlaOp Refreshed(XlaOp a, XlaOp columns, PrecisionConfig::Precision precision) const {
    XlaOp q, r;
    QrExplicit(SliceInDim(columns, m_, m_ + n_, 1, rank_ - 2), /*full_matrices=*/false, q, r);
    const XlaOp j = Mul(q, AsFactors(SignsOf(GetMatrixDiagonal(r))));
    return ConcatInDim(a.builder(), {BatchDot(a, j, precision), j}, rank_ - 2);
  }

  // As many rounds as it takes for every column to meet every other one. Gives the largest cosine
  // between two columns that was met, and the columns.
  absl::StatusOr<Ops> Sweep(XlaOp columns) const {
    XlaBuilder* builder = columns.builder();
    // A column of zeros makes the number even.
    columns = PadInDim(columns, Zero(builder, type_), rank_ - 1, 0, 2 * half_ - n_);
    const auto round = [&](XlaOp, absl::Span<const XlaOp> values,
                           XlaBuilder*) -> absl::StatusOr<Ops> {
      return Round(values[0], values[1], values[2]);
    };
    HILO_ASSIGN_OR_RETURN(const Ops after,
                          ForEachIndex(2 * half_ - 1, S32, round,
                                       {Zero(builder, real_), Columns(columns, 0, half_),
                                        Columns(columns, half_, 2 * half_)},
                                       "svd_rounds", builder));
    // All columns are back where they were.
    return Ops{after[0], Columns(ConcatInDim(builder, {after[1], after[2]}, rank_ - 1), 0, n_)};
  }

  // The angle between x and y is that of the matrix [x.x, x.y; y.x, y.y] of their products: with
  // x.y = size * phase its tangent is the smaller root of t^2 + 2 t (y.y - x.x) / (2 size) - 1 = 0.
  Ops Round(XlaOp largest_cosine, XlaOp x, XlaOp y) const {
    XlaBuilder* builder = x.builder();
    const XlaOp xx = Sums(SquaredSizes(OfW(x)), real_), yy = Sums(SquaredSizes(OfW(y)), real_);
    const XlaOp xy = Sums(Mul(MaybeConjugate(OfW(x), is_complex_), OfW(y)), type_);
    const XlaOp size = Abs(xy), zero = ZerosLike(xx), one = FullLike(xx, 1);
    // Columns so short that their squares are inexact are as good as zero.
    const XlaOp tiny = FullLike(xx, (real_ == F64 ? std::numeric_limits<double>::min()
                                                  : std::numeric_limits<float>::min()) /
                                        EpsilonOf(real_));
    const XlaOp counts = And(Gt(xx, tiny), Gt(yy, tiny));
    const XlaOp cosine = Select(counts, Div(size, CosineScale(Sqrt(xx), Sqrt(yy))), zero);
    const XlaOp turns = And(counts, Gt(size, zero));
    const XlaOp ratio = (yy - xx) / (size + size);
    const XlaOp tangent = Select(
        turns, Select(Lt(ratio, zero), -one, one) / (Abs(ratio) + Sqrt(one + ratio * ratio)), zero);
    const XlaOp cos = one / Sqrt(one + tangent * tangent);
    const XlaOp sin = AsFactors(tangent * cos);
    const XlaOp phase = Select(turns, xy / ConvertElementType(size, type_), FullLike(xy, 1));
    const XlaOp aligned = y * AsFactors(MaybeConjugate(phase, is_complex_));
    const XlaOp new_x = x * AsFactors(cos) - aligned * sin;
    const XlaOp new_y = x * sin + aligned * AsFactors(cos);
    const XlaOp largest =
        Max(largest_cosine,
            ReduceAll(cosine, Zero(builder, real_), CreateScalarMaxComputation(real_, builder)));
    return MoveOn(largest, new_x, new_y);
  }

  // What to divide x.y by: the product of the lengths; or more, so that the quotient is within the
  // threshold where x.y may be nothing but rounding errors of W, whose norm is about 1.
  XlaOp CosineScale(XlaOp x_length, XlaOp y_length) const {
    const double noise = 4 * std::sqrt(static_cast<double>(n_)) * EpsilonOf(real_) / threshold_;
    return Max(x_length * y_length, Max(x_length, y_length) * FullLike(x_length, noise));
  }

  // All columns but the first go one place on in a circle, along one half and back along the other.
  Ops MoveOn(XlaOp largest_cosine, XlaOp x, XlaOp y) const {
    if (half_ == 1) return {largest_cosine, x, y};
    XlaBuilder* builder = x.builder();
    return {largest_cosine,
            ConcatInDim(builder, {Columns(x, 0, 1), Columns(y, 0, 1), Columns(x, 1, half_ - 1)},
                        rank_ - 1),
            ConcatInDim(builder, {Columns(y, 1, half_), Columns(x, half_ - 1, half_)}, rank_ - 1)};
  }

  PrimitiveType type_, real_;
  bool is_complex_;
  int64_t rank_, m_, n_, half_;
  double threshold_;
};

// Repeats [..., n] as the rows of [..., rows, n].
XlaOp RepeatAsRows(XlaOp x, std::vector<int64_t> batch, int64_t rows, int64_t n) {
  std::vector<int64_t> places(batch.size() + 1);
  std::iota(places.begin(), places.end(), 0);
  places.back() = static_cast<int64_t>(batch.size()) + 1;
  batch.insert(batch.end(), {rows, n});
  return BroadcastInDim(x, batch, places);
}

// For matrices with at least as many rows as columns.
absl::StatusOr<SVDResult> TallSvd(XlaOp a, const Shape& shape, int64_t max_iter, double epsilon,
                                  PrecisionConfig::Precision precision) {
  XlaBuilder* builder = a.builder();
  const PrimitiveType type = shape.element_type(), real = RealTypeOf(type);
  const int64_t m = RowsOf(shape), n = ColumnsOf(shape), rank = shape.dimensions_size();
  if (n == 0) {
    const auto identity = [&](int64_t size) {
      return Broadcast(IdentityMatrix(builder, type, size, size), BatchOf(shape));
    };
    const Shape none = ShapeUtil::MakeShape(real, VectorDimensions(shape, 0));
    return SVDResult{identity(m), Zeros(builder, none), identity(0)};
  }
  // Scaled to a norm of about 1; first so that no square overflows.
  std::vector<int64_t> batch_places(rank - 2);
  std::iota(batch_places.begin(), batch_places.end(), 0);
  const auto divide = [&](XlaOp x, XlaOp by) {
    return Div(x, ConvertElementType(BroadcastInDim(by, shape.dimensions(), batch_places), type));
  };
  const XlaOp largest = Reduce(Abs(a), Zero(builder, real),
                               CreateScalarMaxComputation(real, builder), {rank - 2, rank - 1});
  const XlaOp first_scale = PowerOfTwoBelow(largest, real);
  a = divide(a, first_scale);
  const XlaOp norm = Sqrt(Reduce(Square(Abs(a)), Zero(builder, real),
                                 CreateScalarAddComputation(real, builder), {rank - 2, rank - 1}));
  const XlaOp second_scale = PowerOfTwoBelow(norm, real);
  a = divide(a, second_scale);

  const double threshold = std::clamp(epsilon, 8 * EpsilonOf(real), std::sqrt(EpsilonOf(real)));
  const Rotations rotations(shape, threshold);
  HILO_ASSIGN_OR_RETURN(XlaOp columns, rotations.Run(a, max_iter, precision));

  // By length, the longest first.
  const XlaOp lengths = rotations.Lengths(columns);
  const Shape places = ShapeUtil::MakeShape(S32, VectorDimensions(shape, n));
  const XlaOp sorted =
      Sort({lengths, Iota(builder, places, rank - 2)},
           CreateScalarGtComputation({real, S32}, builder), rank - 2, /*is_stable=*/true);
  columns = TorchGather(columns, RepeatAsRows(GetTupleElement(sorted, 1), BatchOf(shape), m + n, n),
                        rank - 1);
  const auto multiply = [&](XlaOp x, XlaOp by) {
    return Mul(x, BroadcastInDim(by, VectorDimensions(shape, n), batch_places));
  };
  const XlaOp d = multiply(multiply(GetTupleElement(sorted, 0), first_scale), second_scale);

  // W = Q R, where R is diagonal but for its signs, gives the missing directions too.
  XlaOp q, r;
  QrExplicit(SliceInMinorDims(columns, {0, 0}, {m, n}), /*full_matrices=*/true, q, r);
  const XlaOp signs =
      PadInDim(rotations.SignsOf(GetMatrixDiagonal(r)), One(builder, real), rank - 2, 0, m - n);
  const XlaOp u = Mul(q, rotations.AsFactors(signs));
  return SVDResult{u, d, SliceInMinorDims(columns, {m, 0}, {m + n, n})};
}

absl::StatusOr<SVDResult> MakeSvd(XlaOp a, int64_t max_iter, double epsilon,
                                  PrecisionConfig::Precision precision) {
  HILO_ASSIGN_OR_RETURN(Shape shape, DecomposableShape("svd", a));
  const PrimitiveType type = shape.element_type();
  if (primitive_util::BitWidth(RealTypeOf(type)) < 32) {
    HILO_ASSIGN_OR_RETURN(const SVDResult wide,
                          MakeSvd(ConvertElementType(a, F32), max_iter, epsilon, precision));
    return SVDResult{ConvertElementType(wide.u, type), ConvertElementType(wide.d, type),
                     ConvertElementType(wide.v, type)};
  }
  if (RowsOf(shape) >= ColumnsOf(shape)) return TallSvd(a, shape, max_iter, epsilon, precision);
  // a^H = V D U^H
  a = MaybeConjugate(TransposeInMinorDims(a), primitive_util::IsComplexType(type));
  HILO_ASSIGN_OR_RETURN(shape, a.builder()->GetShape(a));
  HILO_ASSIGN_OR_RETURN(const SVDResult adjoint, TallSvd(a, shape, max_iter, epsilon, precision));
  return SVDResult{adjoint.v, adjoint.d, adjoint.u};
}

}  // namespace

SVDResult SVD(XlaOp a, int64_t max_iter, float epsilon, PrecisionConfig::Precision precision) {
  const absl::StatusOr<SVDResult> result = MakeSvd(a, max_iter, epsilon, precision);
  if (result.ok()) return *result;
  const XlaOp error = a.builder()->ReportError(result.status());
  return {error, error, error};
}

}  // namespace xla

// The operations of XlaBuilder, as functions.
//
// Each takes the builder from its first operand, adds an operation and returns it. The meaning is
// that of the HLO operation of that name, see https://openxla.org/xla/operation_semantics. Operands
// that do not fit are an error of the builder; all operands must be of one builder.
#ifndef XLA_HLO_BUILDER_XLA_BUILDER_OPS_H_
#define XLA_HLO_BUILDER_XLA_BUILDER_OPS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/array.h"
#include "xla/array2d.h"
#include "xla/array3d.h"
#include "xla/array4d.h"
#include "xla/comparison_util.h"
#include "xla/hlo/builder/padding.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/layout.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/tsl/lib/core/bitmap.h"
#include "xla/xla_data.pb.h"

namespace xla {

// --- Parameters and constants

// Input number `parameter_number` of the computation; numbers go from 0 without gaps.
// `replicated_at_leaf_buffers` says for each leaf of the shape whether all replicas get the same
// value.
XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name);
XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name, const std::vector<bool>& replicated_at_leaf_buffers);

// A constant of any shape and layout.
XlaOp ConstantLiteral(XlaBuilder* builder, const LiteralSlice& literal);

// Constants of C++ values: a scalar, a vector, a vector of equal elements or of bits (PRED), a
// matrix. The element type is that of NativeT: bool is PRED, float F32, int32_t S32, xla::bfloat16
// BF16, ...
template <typename NativeT>
XlaOp ConstantR0(XlaBuilder* builder, NativeT value) {
  return ConstantLiteral(builder, LiteralUtil::CreateR0<NativeT>(value));
}
template <typename NativeT>
XlaOp ConstantR1(XlaBuilder* builder, absl::Span<const NativeT> values) {
  return ConstantLiteral(builder, LiteralUtil::CreateR1<NativeT>(values));
}
template <typename NativeT>
XlaOp ConstantR1(XlaBuilder* builder, std::initializer_list<NativeT> values) {
  return ConstantLiteral(builder, LiteralUtil::CreateR1<NativeT>(values));
}
template <typename NativeT>
XlaOp ConstantR1(XlaBuilder* builder, int64_t length, NativeT value) {
  Literal literal(ShapeUtil::MakeShape(primitive_util::NativeToPrimitiveType<NativeT>(), {length}));
  literal.PopulateWithValue(value);
  return ConstantLiteral(builder, literal);
}
inline XlaOp ConstantR1(XlaBuilder* builder, const tsl::core::Bitmap& values) {
  return ConstantLiteral(builder, LiteralUtil::CreateR1(values));
}
template <typename NativeT>
XlaOp ConstantR2(XlaBuilder* builder,
                 std::initializer_list<std::initializer_list<NativeT>> values) {
  return ConstantLiteral(builder, LiteralUtil::CreateR2<NativeT>(values));
}

// Constants of arrays, row-major or with a layout.
template <typename NativeT>
XlaOp ConstantFromArrayWithLayout(XlaBuilder* builder, const Array<NativeT>& values,
                                  const Layout& layout) {
  return ConstantLiteral(builder, LiteralUtil::CreateFromArrayWithLayout<NativeT>(values, layout));
}
template <typename NativeT>
XlaOp ConstantFromArray(XlaBuilder* builder, const Array<NativeT>& values) {
  return ConstantLiteral(builder, LiteralUtil::CreateFromArray<NativeT>(values));
}
template <typename NativeT>
XlaOp ConstantR2FromArray2DWithLayout(XlaBuilder* builder, const Array2D<NativeT>& values,
                                      const Layout& layout) {
  return ConstantFromArrayWithLayout<NativeT>(builder, values, layout);
}
template <typename NativeT>
XlaOp ConstantR2FromArray2D(XlaBuilder* builder, const Array2D<NativeT>& values) {
  return ConstantFromArray<NativeT>(builder, values);
}
template <typename NativeT>
XlaOp ConstantR3FromArray3DWithLayout(XlaBuilder* builder, const Array3D<NativeT>& values,
                                      const Layout& layout) {
  return ConstantFromArrayWithLayout<NativeT>(builder, values, layout);
}
template <typename NativeT>
XlaOp ConstantR3FromArray3D(XlaBuilder* builder, const Array3D<NativeT>& values) {
  return ConstantFromArray<NativeT>(builder, values);
}
template <typename NativeT>
XlaOp ConstantR4FromArray4DWithLayout(XlaBuilder* builder, const Array4D<NativeT>& values,
                                      const Layout& layout) {
  return ConstantFromArrayWithLayout<NativeT>(builder, values, layout);
}
template <typename NativeT>
XlaOp ConstantR4FromArray4D(XlaBuilder* builder, const Array4D<NativeT>& values) {
  return ConstantFromArray<NativeT>(builder, values);
}

// Counts 0, 1, 2, ... along `iota_dimension` of `shape`, the same in the other dimensions; or a
// vector of `size` numbers.
XlaOp Iota(XlaBuilder* builder, const Shape& shape, int64_t iota_dimension);
XlaOp Iota(XlaBuilder* builder, PrimitiveType type, int64_t size);

// --- Element-wise operations with two operands
//
// Both have the same element type, which the result has too. Shapes that differ are made equal: a
// scalar is repeated; with equal rank a dimension of size 1 is repeated; an operand of lower rank
// has its dimension i at dimension broadcast_dimensions[i] of the other, strictly increasing, and
// is repeated along the rest.

// Add, Sub, Mul, Mulhi, Div, Rem, Max, Min, Pow, Atan2, Complex, And, Or, Xor, ShiftLeft,
// ShiftRightArithmetic, ShiftRightLogical: the list says what each one is.
#define XLA_BINARY(name, opcode) \
  XlaOp name(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
#include "xla/hlo/builder/xla_builder_functions.def"

// More operands nest to the right: And(a, And(b, c)).
XlaOp And(XlaOp op1, XlaOp op2, XlaOp op3);
template <typename... XlaOpTs>
XlaOp And(XlaOp op1, XlaOp op2, XlaOp op3, const XlaOpTs&... operands) {
  return And(op1, And(op2, op3, operands...));
}
XlaOp Or(XlaOp op1, XlaOp op2, XlaOp op3);
template <typename... XlaOpTs>
XlaOp Or(XlaOp op1, XlaOp op2, XlaOp op3, const XlaOpTs&... operands) {
  return Or(op1, Or(op2, op3, operands...));
}
// Older names of And and Or.
inline XlaOp LogicalAnd(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return And(lhs, rhs, broadcast_dimensions);
}
inline XlaOp LogicalOr(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return Or(lhs, rhs, broadcast_dimensions);
}

// PRED: how the elements compare. By IEEE 754 for floating point types, where NaN differs from
// everything; the TotalOrder forms order -NaN < -inf < ... < -0 < +0 < ... < inf < NaN. Complex
// numbers can only be equal or not.
XlaOp Eq(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp EqTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp Ne(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp NeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp Ge(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp GeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp Gt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp GtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp Lt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp LtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp Le(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp LeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
              ComparisonDirection direction, Comparison::Type compare_type);
XlaOp Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
              ComparisonDirection direction);
XlaOp Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction);

// The same as functions. >> is arithmetic for signed and logical for unsigned types.
XlaOp operator-(XlaOp x);
XlaOp operator-(XlaOp x, XlaOp y);
XlaOp operator+(XlaOp x, XlaOp y);
XlaOp operator*(XlaOp x, XlaOp y);
XlaOp operator/(XlaOp x, XlaOp y);
XlaOp operator%(XlaOp x, XlaOp y);
XlaOp operator~(XlaOp x);
XlaOp operator&(XlaOp x, XlaOp y);
XlaOp operator|(XlaOp x, XlaOp y);
XlaOp operator^(XlaOp x, XlaOp y);
XlaOp operator<<(XlaOp x, XlaOp y);
XlaOp operator>>(XlaOp x, XlaOp y);

// --- Element-wise operations with one operand

// Abs, Neg, Sign, Floor, Ceil, Round, RoundNearestEven, Not, Clz, PopulationCount, IsFinite, Real,
// Imag; Exp, Expm1, Log, Log1p, Logistic, Sin, Cos, Tan, Tanh, Sqrt, Cbrt, Rsqrt, Erf: the list
// says what each one is. `result_accuracy` asks for an error bound or a mode.
#define XLA_UNARY(name, opcode) XlaOp name(XlaOp operand);
#define XLA_APPROXIMATED(name, opcode) \
  XlaOp name(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt);
#include "xla/hlo/builder/xla_builder_functions.def"

// An older name of Not.
inline XlaOp LogicalNot(XlaOp operand) { return Not(operand); }

// The conjugate of complex numbers.
XlaOp Conj(XlaOp operand);

// The same values in another element type: floating point to integer goes towards zero and stops at
// the ends of the range, NaN becomes 0; to floating point rounds to nearest, ties to even; to PRED
// is "not zero".
XlaOp ConvertElementType(XlaOp operand, PrimitiveType new_element_type);

// The same bits as another type. A type r times narrower adds a last dimension of size r; a wider
// one takes it away.
XlaOp BitcastConvertType(XlaOp operand, PrimitiveType new_element_type);

// Conversion to a narrower type that rounds up with the probability of the lost fraction; `random`
// has unsigned integers of the operand's width.
XlaOp StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType new_element_type);

// Rounds to what a format with so many bits could hold. exponent_bits >= 1, mantissa_bits >= 0.
XlaOp ReducePrecision(XlaOp operand, int exponent_bits, int mantissa_bits);

// A copy of the value.
XlaOp Copy(XlaOp operand);

// --- Element-wise operations with three operands

// on_true where `pred` holds, on_false elsewhere; `pred` has the same shape or is a scalar. Scalars
// are repeated. Of two tuples of the same shape a scalar `pred` picks one.
XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false);

// min(max(operand, min), max), with bounds of the operand's shape or scalars.
XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max);

// --- Shapes and data movement

// Adds dimensions of the given sizes in front and repeats the operand along them.
XlaOp Broadcast(XlaOp operand, absl::Span<const int64_t> broadcast_sizes);

// A result of shape `out_dim_size` whose dimension broadcast_dimensions[i] is the operand's
// dimension i, which has the same size or size 1.
XlaOp BroadcastInDim(XlaOp operand, absl::Span<const int64_t> out_dim_size,
                     absl::Span<const int64_t> broadcast_dimensions);
XlaOp MhloDynamicBroadcastInDim(XlaOp operand, XlaOp output_dimensions,
                                absl::Span<const int64_t> broadcast_dimensions,
                                const Shape& output_shape);

// The same elements, in row-major order, in other dimensions; the number of elements is kept. With
// an inferred dimension the size there is dynamic.
XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> dimensions);
XlaOp Reshape(const Shape& shape, XlaOp operand);
// The order is the operand's with dimensions[0] varying slowest and dimensions[n-1] fastest: a
// Transpose by `dimensions`, then a Reshape.
XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> dimensions,
              absl::Span<const int64_t> new_sizes);
XlaOp ReshapeWithInferredDimension(XlaOp operand, absl::Span<const int64_t> new_sizes,
                                   int64_t inferred_dimension);
XlaOp DynamicReshape(XlaOp operand, absl::Span<const XlaOp> dim_sizes,
                     absl::Span<const int64_t> new_size_bounds,
                     const std::vector<bool>& dims_are_dynamic);
XlaOp MhloDynamicReshape(XlaOp operand, XlaOp output_shape, const Shape& shape);

// Makes one dimension of neighbouring ones, given in order.
XlaOp Collapse(XlaOp operand, absl::Span<const int64_t> dimensions);

// Result dimension i is operand dimension permutation[i].
XlaOp Transpose(XlaOp operand, absl::Span<const int64_t> permutation);

// Reverses the order along the dimensions.
XlaOp Rev(XlaOp operand, absl::Span<const int64_t> dimensions);

// Adds padding_value at both ends (negative numbers cut off) and between elements.
XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding_config);
XlaOp PadInDim(XlaOp operand, XlaOp padding_value, int64_t dimno, int64_t pad_lo, int64_t pad_hi);

// Elements start, start + stride, ... below limit, for each dimension, or for one of them. No
// strides are strides of 1.
XlaOp Slice(XlaOp operand, absl::Span<const int64_t> start_indices,
            absl::Span<const int64_t> limit_indices, absl::Span<const int64_t> strides = {});
XlaOp SliceInDim(XlaOp operand, int64_t start_index, int64_t limit_index, int64_t stride,
                 int64_t dimno);

// Joins along `dimension`; the other dimensions agree.
XlaOp ConcatInDim(XlaBuilder* builder, absl::Span<const XlaOp> operands, int64_t dimension);

// --- Indexing

// A window of size `slice_sizes`, or of the update, whose place is given by scalar integers, one
// for each dimension. The place is moved so that the window lies inside.
XlaOp DynamicSlice(XlaOp operand, absl::Span<const XlaOp> start_indices,
                   absl::Span<const int64_t> slice_sizes);
XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, absl::Span<const XlaOp> start_indices);

// Many windows at once, at places that an array holds; see
// https://openxla.org/xla/operation_semantics#gather and #scatter. Gather moves windows inside,
// Scatter skips what lies outside. `update_computation` takes (old, update), for N inputs (old...,
// update...), and gives the new value.
XlaOp Gather(XlaOp input, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers,
             absl::Span<const int64_t> slice_sizes, bool indices_are_sorted = false);
XlaOp Scatter(XlaOp input, XlaOp scatter_indices, XlaOp updates,
              XlaComputationId update_computation, const ScatterDimensionNumbers& dimension_numbers,
              bool indices_are_sorted = false, bool unique_indices = false);
XlaOp Scatter(XlaOp input, XlaOp scatter_indices, XlaOp updates,
              const XlaComputation& update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
              bool unique_indices = false);
XlaOp Scatter(absl::Span<const XlaOp> inputs, XlaOp scatter_indices,
              absl::Span<const XlaOp> updates, const XlaComputation& update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
              bool unique_indices = false);
XlaOp Scatter(absl::Span<const XlaOp> inputs, XlaOp scatter_indices,
              absl::Span<const XlaOp> updates, XlaComputationId update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
              bool unique_indices = false);

// --- Dynamic sizes

// The size of a dimension at run time as S32 scalar; the operand with that size changed; and with
// it the static one again.
XlaOp GetDimensionSize(XlaOp operand, int64_t dimension);
XlaOp SetDimensionSize(XlaOp operand, XlaOp val, int64_t dimension);
XlaOp RemoveDynamicDimension(XlaOp operand, int64_t dimension);

// --- Tuples

// Several values as one, and one of them.
XlaOp Tuple(XlaBuilder* builder, absl::Span<const XlaOp> elements);
XlaOp GetTupleElement(XlaOp tuple_data, int64_t index);

// --- Reductions, windows, sorting

// Combines all elements along the dimensions with a computation (T, T) -> T, which should be
// associative, and `init_value`, its neutral element. For N operands it takes 2N scalars,
// (accumulated..., new...), and returns a tuple.
XlaOp Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
             absl::Span<const int64_t> dimensions_to_reduce);
XlaOp Reduce(XlaBuilder* builder, absl::Span<const XlaOp> operands,
             absl::Span<const XlaOp> init_values, const XlaComputation& computation,
             absl::Span<const int64_t> dimensions_to_reduce);
XlaOp Reduce(XlaBuilder* builder, absl::Span<const XlaOp> operands,
             absl::Span<const XlaOp> init_values, XlaComputationId computation,
             absl::Span<const int64_t> dimensions_to_reduce);
XlaOp ReduceAll(XlaOp operand, XlaOp init_value, const XlaComputation& computation);

// The same over windows that move over the operand. Padding holds `init_value`; dilation d puts d -
// 1 holes between neighbours.
XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                   absl::Span<const int64_t> window_dimensions,
                   absl::Span<const int64_t> window_strides, Padding padding);
XlaOp ReduceWindow(absl::Span<const XlaOp> operands, absl::Span<const XlaOp> init_values,
                   const XlaComputation& computation, absl::Span<const int64_t> window_dimensions,
                   absl::Span<const int64_t> window_strides, Padding padding);
XlaOp ReduceWindowWithGeneralPadding(XlaOp operand, XlaOp init_value,
                                     const XlaComputation& computation,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides,
                                     absl::Span<const int64_t> base_dilations,
                                     absl::Span<const int64_t> window_dilations,
                                     absl::Span<const std::pair<int64_t, int64_t>> padding);
XlaOp ReduceWindowWithGeneralPadding(absl::Span<const XlaOp> operands,
                                     absl::Span<const XlaOp> init_values,
                                     const XlaComputation& computation,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides,
                                     absl::Span<const int64_t> base_dilations,
                                     absl::Span<const int64_t> window_dilations,
                                     absl::Span<const std::pair<int64_t, int64_t>> padding);
XlaOp ReduceWindowWithGeneralPadding(absl::Span<const XlaOp> operands,
                                     absl::Span<const XlaOp> init_values,
                                     XlaComputationId computation,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides,
                                     absl::Span<const int64_t> base_dilations,
                                     absl::Span<const int64_t> window_dilations,
                                     absl::Span<const std::pair<int64_t, int64_t>> padding);

// In each window picks the element that `select` (T, T) -> PRED prefers, and combines the elements
// of `source` at the picked places with `scatter`; the rest is `init_value`.
XlaOp SelectAndScatter(XlaOp operand, const XlaComputation& select,
                       absl::Span<const int64_t> window_dimensions,
                       absl::Span<const int64_t> window_strides, Padding padding, XlaOp source,
                       XlaOp init_value, const XlaComputation& scatter);
XlaOp SelectAndScatter(XlaOp operand, XlaComputationId select,
                       absl::Span<const int64_t> window_dimensions,
                       absl::Span<const int64_t> window_strides, Padding padding, XlaOp source,
                       XlaOp init_value, XlaComputationId scatter);
XlaOp SelectAndScatterWithGeneralPadding(XlaOp operand, const XlaComputation& select,
                                         absl::Span<const int64_t> window_dimensions,
                                         absl::Span<const int64_t> window_strides,
                                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                                         XlaOp source, XlaOp init_value,
                                         const XlaComputation& scatter);
XlaOp SelectAndScatterWithGeneralPadding(XlaOp operand, XlaComputationId select,
                                         absl::Span<const int64_t> window_dimensions,
                                         absl::Span<const int64_t> window_strides,
                                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                                         XlaOp source, XlaOp init_value, XlaComputationId scatter);

// Runs along a dimension of the inputs: the computation takes a slice of each input and the carries
// and gives slices of outputs and new carries.
XlaOp Scan(absl::Span<const XlaOp> inputs, absl::Span<const XlaOp> inits,
           const XlaComputation& computation, int64_t scan_dimension,
           std::optional<int64_t> scan_dimension_size = std::nullopt, bool is_reverse = false,
           TriState is_associative = TRI_STATE_UNSPECIFIED);
XlaOp Scan(absl::Span<const XlaOp> inputs, absl::Span<const XlaOp> inits,
           XlaComputationId computation, int64_t scan_dimension,
           std::optional<int64_t> scan_dimension_size = std::nullopt, bool is_reverse = false,
           TriState is_associative = TRI_STATE_UNSPECIFIED);

// Applies a scalar computation to the elements of all operands.
XlaOp Map(XlaBuilder* builder, absl::Span<const XlaOp> operands, const XlaComputation& computation,
          absl::Span<const int64_t> dimensions, absl::Span<const XlaOp> static_operands = {});
XlaOp Map(XlaBuilder* builder, absl::Span<const XlaOp> operands, XlaComputationId computation,
          absl::Span<const int64_t> dimensions, absl::Span<const XlaOp> static_operands = {});

// Sorts all operands together along `dimension` (-1: the last) so that comparator(lhs_0, rhs_0,
// lhs_1, rhs_1, ...) holds for earlier against later.
XlaOp Sort(absl::Span<const XlaOp> operands, const XlaComputation& comparator,
           int64_t dimension = -1, bool is_stable = false);
XlaOp Sort(absl::Span<const XlaOp> operands, XlaComputationId comparator, int64_t dimension = -1,
           bool is_stable = false);

// The k largest or smallest along the last dimension, in order, and their places (S32).
XlaOp TopK(XlaOp operand, int64_t k, bool largest, bool is_stable = true);

// --- Contractions, convolutions, linear algebra

// Matrix products. DotGeneral sums over the contracting dimensions and pairs the batch dimensions;
// the result has batch, lhs free and rhs free dimensions. `preferred_element_type` is the type of
// the result, and at least of the sum.
XlaOp Dot(XlaOp lhs, XlaOp rhs, const PrecisionConfig* precision_config = nullptr,
          std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers,
                 const PrecisionConfig* precision_config = nullptr,
                 std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp RaggedDot(XlaOp lhs, XlaOp rhs, XlaOp group_sizes,
                const RaggedDotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config = nullptr,
                std::optional<PrimitiveType> preferred_element_type = std::nullopt);

// Convolutions of `lhs` with the kernel `rhs`, which is not reversed unless window_reversal says
// so. `padding` holds the low and high padding of each spatial dimension. Dimensions: see
// CreateDefaultConvDimensionNumbers.
XlaOp Conv(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides, Padding padding,
           int64_t feature_group_count = 1, int64_t batch_group_count = 1,
           const PrecisionConfig* precision_config = nullptr,
           std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                             absl::Span<const std::pair<int64_t, int64_t>> padding,
                             int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                             const PrecisionConfig* precision_config = nullptr,
                             std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp ConvWithGeneralDimensions(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                                Padding padding,
                                const ConvolutionDimensionNumbers& dimension_numbers,
                                int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                                const PrecisionConfig* precision_config = nullptr,
                                std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp ConvGeneral(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                  absl::Span<const std::pair<int64_t, int64_t>> padding,
                  const ConvolutionDimensionNumbers& dimension_numbers,
                  int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                  const PrecisionConfig* precision_config = nullptr,
                  std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp ConvGeneralDilated(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                         absl::Span<const int64_t> lhs_dilation,
                         absl::Span<const int64_t> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                         const PrecisionConfig* precision_config = nullptr,
                         std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                         std::optional<std::vector<bool>> window_reversal = std::nullopt);
XlaOp DynamicConvForward(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                         absl::Span<const int64_t> lhs_dilation,
                         absl::Span<const int64_t> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         int64_t feature_group_count, int64_t batch_group_count,
                         const PrecisionConfig* precision_config, PaddingType padding_type,
                         std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp DynamicConvInputGrad(
    XlaOp input_sizes, XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers,
    int64_t feature_group_count, int64_t batch_group_count, const PrecisionConfig* precision_config,
    PaddingType padding_type, std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp DynamicConvKernelGrad(
    XlaOp activations, XlaOp gradients, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers,
    int64_t feature_group_count, int64_t batch_group_count, const PrecisionConfig* precision_config,
    PaddingType padding_type, std::optional<PrimitiveType> preferred_element_type = std::nullopt);

// Fourier transforms over the last dimensions, as many as fft_length has.
XlaOp Fft(XlaOp operand, FftType fft_type, absl::Span<const int64_t> fft_length);

// Solves op(a) x = b, or x op(a) = b when not left_side, for triangular a in the last two
// dimensions.
XlaOp TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                      TriangularSolveOptions::Transpose transpose_a);

// The triangular factor of a Hermitian positive definite matrix in the last two dimensions.
XlaOp Cholesky(XlaOp a, bool lower);

// --- Normalisation

// Normalises over all dimensions but feature_index: (x - mean) / sqrt(variance + epsilon) * scale +
// offset. Training returns (output, mean, variance), the gradient (grad_operand, grad_scale,
// grad_offset).
XlaOp BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon,
                        int64_t feature_index);
XlaOp BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance,
                         float epsilon, int64_t feature_index);
XlaOp BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean, XlaOp batch_var,
                    XlaOp grad_output, float epsilon, int64_t feature_index);

// --- Random numbers

// Normal with mean mu and deviation sigma; uniform in [a, b). Seeded by the run options.
XlaOp RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape);
XlaOp RngUniform(XlaOp a, XlaOp b, const Shape& shape);

// Random bits of `shape` as a function of the state: the tuple (new state, bits).
XlaOp RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape);

// --- Control flow and calls

// Runs `body` on the value as long as `condition` holds for it.
XlaOp While(const XlaComputation& condition, const XlaComputation& body, XlaOp init);
XlaOp While(XlaComputationId condition, XlaComputationId body, XlaOp init);

// Runs one of the computations on its operand: by a PRED, or by an S32 index, where an index out of
// range means the last.
XlaOp Conditional(XlaOp predicate, XlaOp true_operand, const XlaComputation& true_computation,
                  XlaOp false_operand, const XlaComputation& false_computation);
XlaOp Conditional(XlaOp predicate, XlaOp true_operand, XlaComputationId true_computation,
                  XlaOp false_operand, XlaComputationId false_computation);
XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputation* const> branch_computations,
                  absl::Span<const XlaOp> branch_operands);
XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputationId> branch_computations,
                  absl::Span<const XlaOp> branch_operands);

// Calls a computation.
XlaOp Call(XlaBuilder* builder, const XlaComputation& computation,
           absl::Span<const XlaOp> operands);
XlaOp Call(XlaBuilder* builder, XlaComputationId computation, absl::Span<const XlaOp> operands);

// Calls a computation that stands for an operation of that name: `attributes` is the text of a
// dictionary.
XlaOp CompositeCall(XlaBuilder* builder, const XlaComputation& computation,
                    absl::Span<const XlaOp> operands, const std::string& name,
                    std::optional<absl::string_view> attributes = std::nullopt,
                    std::optional<int64_t> version = std::nullopt);
XlaOp CompositeCall(XlaBuilder* builder, XlaComputationId computation,
                    absl::Span<const XlaOp> operands, const std::string& name,
                    std::optional<absl::string_view> attributes = std::nullopt,
                    std::optional<int64_t> version = std::nullopt);

// Calls a function that is registered under a name. `opaque` reaches it as its configuration; with
// layouts given for operands and result it gets them so; output_operand_aliasing: pairs of (output
// index, (operand, operand index)) that share a buffer.
XlaOp CustomCall(XlaBuilder* builder, const std::string& call_target_name,
                 absl::Span<const XlaOp> operands, const Shape& shape,
                 const std::string& opaque = "", bool has_side_effect = false,
                 absl::Span<const std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>
                     output_operand_aliasing = {},
                 const Literal* literal = nullptr,
                 CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
                 CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
XlaOp CustomCallWithComputation(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    const XlaComputation& computation, const Shape& shape, const std::string& opaque = "",
    bool has_side_effect = false,
    absl::Span<const std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>
        output_operand_aliasing = {},
    const Literal* literal = nullptr,
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
    CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
XlaOp CustomCallWithComputation(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    XlaComputationId computation, const Shape& shape, const std::string& opaque = "",
    bool has_side_effect = false,
    absl::Span<const std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>
        output_operand_aliasing = {},
    const Literal* literal = nullptr,
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
    CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
XlaOp CustomCallWithComputationAndLayouts(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    XlaComputationId computation, const Shape& shape,
    absl::Span<const Shape> operand_shapes_with_layout, const std::string& opaque = "",
    bool has_side_effect = false,
    absl::Span<const std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>
        output_operand_aliasing = {},
    const Literal* literal = nullptr,
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
    CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
XlaOp CustomCallWithLayout(XlaBuilder* builder, const std::string& call_target_name,
                           absl::Span<const XlaOp> operands, const Shape& shape_with_layout,
                           absl::Span<const Shape> operand_shapes_with_layout,
                           const std::string& opaque = "", bool has_side_effect = false,
                           absl::Span<const std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>
                               output_operand_aliasing = {},
                           const Literal* literal = nullptr,
                           CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
                           CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
XlaOp CustomCallWithConvDnums(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    const Shape& shape, absl::Span<const Shape> operand_shapes_with_layout,
    const std::string& opaque, bool has_side_effect,
    absl::Span<const std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>> output_operand_aliasing,
    const Literal* literal, Window window, ConvolutionDimensionNumbers dnums,
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
    CustomCallApiVersion api_version = API_VERSION_ORIGINAL);

// The value itself; no optimisation looks through.
XlaOp OptimizationBarrier(XlaOp operand);

// --- Order, input and output

// Tokens order operations with side effects: a fresh one, and one after several.
XlaOp CreateToken(XlaBuilder* builder);
XlaOp AfterAll(XlaBuilder* builder, absl::Span<const XlaOp> tokens);

// The next value from the infeed; with a token the tuple (value, token). `shape` with layout.
XlaOp Infeed(XlaBuilder* builder, const Shape& shape, const std::string& config = "");
XlaOp InfeedWithToken(XlaOp token, const Shape& shape, const std::string& config = "");

// Sends to the outfeed.
void Outfeed(XlaOp operand, const Shape& shape_with_layout, const std::string& outfeed_config);
XlaOp OutfeedWithToken(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                       const std::string& outfeed_config);

// Sends to and receives from another computation or the host, over a channel.
void Send(XlaOp operand, const ChannelHandle& handle);
XlaOp SendWithToken(XlaOp operand, XlaOp token, const ChannelHandle& handle);
XlaOp Recv(XlaBuilder* builder, const Shape& shape, const ChannelHandle& handle);
XlaOp RecvWithToken(XlaOp token, const Shape& shape, const ChannelHandle& handle);
XlaOp SendToHost(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                 const ChannelHandle& handle);
XlaOp RecvFromHost(XlaOp token, const Shape& shape, const ChannelHandle& handle);

// --- Replicas and partitions
//
// `replica_groups` lists which of them take part together; without any, all do. Groups of
// partitions or of global devices come with a channel, see
// https://openxla.org/xla/operation_semantics.

// The number of the replica, U32.
XlaOp ReplicaId(XlaBuilder* builder);

// Sums over the replicas.
XlaOp CrossReplicaSum(XlaOp operand, absl::Span<const ReplicaGroup> replica_groups = {});

// Combines the values of a group with a computation; everyone gets the result.
XlaOp AllReduce(XlaOp operand, const XlaComputation& computation,
                absl::Span<const ReplicaGroup> replica_groups = {},
                const std::optional<ChannelHandle>& channel_id = std::nullopt,
                const std::optional<Shape>& shape_with_layout = std::nullopt,
                std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllReduce(XlaOp operand, XlaComputationId computation,
                absl::Span<const ReplicaGroup> replica_groups = {},
                const std::optional<ChannelHandle>& channel_id = std::nullopt,
                const std::optional<Shape>& shape_with_layout = std::nullopt,
                std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllReduceWithDeviceList(XlaOp operand, const XlaComputation& computation,
                              const CollectiveDeviceListBase& replica_groups,
                              const std::optional<ChannelHandle>& channel_id = std::nullopt,
                              const std::optional<Shape>& shape_with_layout = std::nullopt,
                              std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllReduceWithDeviceList(XlaOp operand, XlaComputationId computation,
                              const CollectiveDeviceListBase& replica_groups,
                              const std::optional<ChannelHandle>& channel_id = std::nullopt,
                              const std::optional<Shape>& shape_with_layout = std::nullopt,
                              std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllReduceTuple(absl::Span<const XlaOp> operand, XlaComputationId computation,
                     absl::Span<const ReplicaGroup> replica_groups = {},
                     const std::optional<ChannelHandle>& channel_id = std::nullopt,
                     const std::optional<Shape>& shape_with_layout = std::nullopt,
                     std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllReduceTuple(absl::Span<const XlaOp> operand, const XlaComputation& computation,
                     absl::Span<const ReplicaGroup> replica_groups = {},
                     const std::optional<ChannelHandle>& channel_id = std::nullopt,
                     const std::optional<Shape>& shape_with_layout = std::nullopt,
                     std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllReduceTupleWithDeviceList(absl::Span<const XlaOp> operands, XlaComputationId computation,
                                   const CollectiveDeviceListBase& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                   const std::optional<Shape>& shape_with_layout = std::nullopt,
                                   std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllReduceTupleWithDeviceList(absl::Span<const XlaOp> operands,
                                   const XlaComputation& computation,
                                   const CollectiveDeviceListBase& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                   const std::optional<Shape>& shape_with_layout = std::nullopt,
                                   std::optional<bool> use_global_device_ids = std::nullopt);

// Concatenates the values of a group of shard_count along a dimension; everyone gets the result.
XlaOp AllGather(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                absl::Span<const ReplicaGroup> replica_groups = {},
                const std::optional<ChannelHandle>& channel_id = std::nullopt,
                const std::optional<Layout>& layout = std::nullopt,
                std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllGatherWithDeviceList(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                              const CollectiveDeviceListBase& replica_groups,
                              const std::optional<ChannelHandle>& channel_id = std::nullopt,
                              const std::optional<Layout>& layout = std::nullopt,
                              std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllGatherTuple(absl::Span<const XlaOp> operands, int64_t all_gather_dimension,
                     int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups = {},
                     const std::optional<ChannelHandle>& channel_id = std::nullopt,
                     const std::optional<Layout>& layout = std::nullopt,
                     std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllGatherTupleWithDeviceList(absl::Span<const XlaOp> operands, int64_t all_gather_dimension,
                                   int64_t shard_count,
                                   const CollectiveDeviceListBase& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                   const std::optional<Layout>& layout = std::nullopt,
                                   std::optional<bool> use_global_device_ids = std::nullopt);

// Combines like AllReduce; member i of the group gets part i along scatter_dimension.
XlaOp ReduceScatter(XlaOp operand, const XlaComputation& computation, int64_t scatter_dimension,
                    int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups = {},
                    const std::optional<ChannelHandle>& channel_id = std::nullopt,
                    const std::optional<Layout>& layout = std::nullopt,
                    std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp ReduceScatter(XlaOp operand, XlaComputationId computation, int64_t scatter_dimension,
                    int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups = {},
                    const std::optional<ChannelHandle>& channel_id = std::nullopt,
                    const std::optional<Layout>& layout = std::nullopt,
                    std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp ReduceScatterWithDeviceList(XlaOp operand, const XlaComputation& computation,
                                  int64_t scatter_dimension, int64_t shard_count,
                                  const CollectiveDeviceListBase& replica_groups,
                                  const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                  const std::optional<Layout>& layout = std::nullopt,
                                  std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp ReduceScatterWithDeviceList(XlaOp operand, XlaComputationId computation,
                                  int64_t scatter_dimension, int64_t shard_count,
                                  const CollectiveDeviceListBase& replica_groups,
                                  const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                  const std::optional<Layout>& layout = std::nullopt,
                                  std::optional<bool> use_global_device_ids = std::nullopt);

// Splits along split_dimension, sends part i to member i and concatenates what arrives along
// concat_dimension. The tuple form sends element i.
XlaOp AllToAll(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
               int64_t split_count, absl::Span<const ReplicaGroup> replica_groups = {},
               const std::optional<Layout>& layout = std::nullopt,
               const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp AllToAllWithDeviceList(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                             int64_t split_count, const CollectiveDeviceListBase& replica_groups,
                             const std::optional<Layout>& layout = std::nullopt,
                             const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp AllToAllTuple(absl::Span<const XlaOp> operand,
                    absl::Span<const ReplicaGroup> replica_groups = {},
                    const std::optional<Layout>& layout = std::nullopt,
                    const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp AllToAllTuple(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                    int64_t split_count, absl::Span<const ReplicaGroup> replica_groups = {},
                    const std::optional<Layout>& layout = std::nullopt,
                    const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp AllToAllTupleWithDeviceList(absl::Span<const XlaOp> operands,
                                  const CollectiveDeviceListBase& replica_groups,
                                  const std::optional<Layout>& layout = std::nullopt,
                                  const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp AllToAllTupleWithDeviceList(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                                  int64_t split_count,
                                  const CollectiveDeviceListBase& replica_groups,
                                  const std::optional<Layout>& layout = std::nullopt,
                                  const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp RaggedAllToAll(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                     XlaOp output_offsets, XlaOp recv_sizes,
                     absl::Span<const ReplicaGroup> replica_groups = {},
                     const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp RaggedAllToAllWithDeviceList(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                                   XlaOp output_offsets, XlaOp recv_sizes,
                                   const CollectiveDeviceListBase& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt);

// The value of the first member of each group for all of it.
XlaOp CollectiveBroadcast(XlaOp operand, absl::Span<const ReplicaGroup> replica_groups,
                          const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp CollectiveBroadcast(absl::Span<const XlaOp> operands,
                          absl::Span<const ReplicaGroup> replica_groups,
                          const std::optional<ChannelHandle>& channel_id = std::nullopt,
                          bool has_dynamic_root = false);
XlaOp CollectiveBroadcastWithDeviceList(
    XlaOp operand, const CollectiveDeviceListBase& replica_groups,
    const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp CollectiveBroadcastWithDeviceList(
    absl::Span<const XlaOp> operands, const CollectiveDeviceListBase& replica_groups,
    const std::optional<ChannelHandle>& channel_id = std::nullopt, bool has_dynamic_root = false);

// Sends from source to target, pair by pair; who is no target gets zeros.
XlaOp CollectivePermute(XlaOp operand,
                        const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                        const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp MultiCollectivePermute(absl::Span<const XlaOp> operands,
                             const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                             const std::optional<ChannelHandle>& channel_id = std::nullopt);

// Leaves and enters automatic partitioning: custom calls that the partitioner understands.
// single_dim >= 0 names the only dimension that is manual, -1 means all.
absl::StatusOr<XlaOp> ConvertSpmdFullToShardShape(XlaBuilder* builder, XlaOp input, int single_dim,
                                                  const OpSharding& manual_sharding,
                                                  absl::Span<const int64_t> unspecified_dims);
absl::StatusOr<XlaOp> ConvertSpmdShardToFullShape(XlaBuilder* builder, XlaOp input,
                                                  const Shape& output_shape, int single_dim,
                                                  const OpSharding& manual_sharding,
                                                  absl::Span<const int64_t> unspecified_dims);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_XLA_BUILDER_OPS_H_

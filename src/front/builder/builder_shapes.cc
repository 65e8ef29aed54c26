// Parameters, constants, data movement, indexing and tuples.
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "ir/dimension_numbers.h"
#include "ir/records.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/service/shape_inference.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

XlaOp ReshapeTo(XlaOp operand, absl::Span<const int64_t> sizes, int64_t inferred_dimension) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape from, ShapeOf(operand));
    HILO_ASSIGN_OR_RETURN(Shape shape,
                          ShapeInference::InferReshapeShape(from, sizes, inferred_dimension));
    auto attributes = std::make_unique<ReshapeAttributes>();
    attributes->inferred_dimension = inferred_dimension;
    return AddOp({HloOpcode::kReshape, std::move(attributes), {}, std::move(shape)}, {operand});
  });
}

absl::StatusOr<Shape> ArrayShapeOf(absl::string_view operation, XlaOp operand) {
  HILO_ASSIGN_OR_RETURN(Shape shape, ShapeOf(operand));
  if (!shape.IsArray()) {
    return InvalidArgument("%s: operand %s is no array", operation, shape.ToString());
  }
  return shape;
}

absl::Status CheckDimension(absl::string_view operation, const Shape& shape, int64_t dimension) {
  if (dimension >= 0 && dimension < shape.dimensions_size()) return absl::OkStatus();
  return InvalidArgument("%s: %s has no dimension %d", operation, shape.ToString(), dimension);
}

}  // namespace

// Parameters and constants.

XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name) {
  return Parameter(builder, parameter_number, shape, name, std::vector<bool>());
}

XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name, const std::vector<bool>& replicated_at_leaf_buffers) {
  auto attributes = std::make_unique<ParameterAttributes>();
  attributes->parameter_number = parameter_number;
  attributes->parameter_replication = replicated_at_leaf_buffers;
  return AddOp(builder, {HloOpcode::kParameter, std::move(attributes), {}, shape, name});
}

XlaOp PlainConstant(XlaBuilder* builder, const LiteralSlice& literal) {
  auto attributes = std::make_unique<ConstantAttributes>();
  attributes->literal = std::make_shared<const Literal>(literal.Clone());
  return AddOp(builder, {HloOpcode::kConstant, std::move(attributes), {}, literal.shape()});
}

XlaOp ConstantLiteral(XlaBuilder* builder, const LiteralSlice& literal) {
  const Shape& shape = literal.shape();
  const bool repeats_one_element =
      shape.IsArray() && shape.is_static() && ShapeUtil::ElementsIn(shape) > 1 &&
      LayoutUtil::IsMonotonicWithDim0Major(shape.layout()) && literal.IsAllFirst();
  if (!repeats_one_element) return PlainConstant(builder, literal);
  return Broadcast(PlainConstant(builder, LiteralUtil::GetFirstScalarLiteral(literal)),
                   shape.dimensions());
}

XlaOp Iota(XlaBuilder* builder, const Shape& shape, int64_t iota_dimension) {
  auto attributes = std::make_unique<IotaAttributes>();
  attributes->iota_dimension = iota_dimension;
  return AddOp(builder, {HloOpcode::kIota, std::move(attributes), {}, shape});
}

XlaOp Iota(XlaBuilder* builder, PrimitiveType type, int64_t size) {
  return WithBuilder(builder, [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, MakeShapeChecked(type, {size}));
    return Iota(builder, shape, 0);
  });
}

// Shapes.

XlaOp Broadcast(XlaOp operand, absl::Span<const int64_t> broadcast_sizes) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape from, ShapeOf(operand));
    HILO_ASSIGN_OR_RETURN(Shape shape, ShapeInference::InferBroadcastShape(from, broadcast_sizes));
    Int64List dimensions(from.dimensions_size());
    std::iota(dimensions.begin(), dimensions.end(), static_cast<int64_t>(broadcast_sizes.size()));
    return BroadcastToShape(operand, std::move(shape), dimensions);
  });
}

XlaOp BroadcastInDim(XlaOp operand, absl::Span<const int64_t> out_dim_size,
                     absl::Span<const int64_t> broadcast_dimensions) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape from, ShapeOf(operand));
    HILO_ASSIGN_OR_RETURN(Shape to, MakeShapeChecked(from.element_type(), out_dim_size));
    HILO_RETURN_IF_ERROR(
        ShapeInference::InferBroadcastShape(from, to, broadcast_dimensions).status());
    // Dimensions of size 1 that are to be repeated go first through a broadcast that keeps them.
    Shape kept = to;
    for (int i = 0; i < from.dimensions_size(); ++i) {
      const int place = static_cast<int>(broadcast_dimensions[i]);
      if (from.is_unbounded_dynamic_dimension(i)) continue;
      kept.set_dimensions(place, from.dimensions(i), from.is_dynamic_dimension(i));
    }
    const XlaOp result = BroadcastToShape(operand, kept, broadcast_dimensions);
    return ShapeUtil::SameDimensions(kept, to) ? result : StretchTo(result, to);
  });
}

XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> dimensions) {
  return ReshapeTo(operand, dimensions, /*inferred_dimension=*/-1);
}

XlaOp Reshape(const Shape& shape, XlaOp operand) {
  return AddOp({HloOpcode::kReshape, nullptr, {}, shape}, {operand});
}

XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> dimensions,
              absl::Span<const int64_t> new_sizes) {
  return Reshape(Transpose(operand, dimensions), new_sizes);
}

XlaOp ReshapeWithInferredDimension(XlaOp operand, absl::Span<const int64_t> new_sizes,
                                   int64_t inferred_dimension) {
  return ReshapeTo(operand, new_sizes, inferred_dimension);
}

XlaOp DynamicReshape(XlaOp operand, absl::Span<const XlaOp> dim_sizes,
                     absl::Span<const int64_t> new_size_bounds,
                     const std::vector<bool>& dims_are_dynamic) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape from, ShapeOf(operand));
    HILO_ASSIGN_OR_RETURN(const std::vector<Shape> sizes,
                          operand.builder()->GetOperandShapes(dim_sizes));
    std::vector<const Shape*> size_shapes;
    for (const Shape& size : sizes) size_shapes.push_back(&size);
    HILO_ASSIGN_OR_RETURN(Shape shape, ShapeInference::InferDynamicReshapeShape(
                                           from, size_shapes, new_size_bounds, dims_are_dynamic));
    std::vector<XlaOp> operands = {operand};
    operands.insert(operands.end(), dim_sizes.begin(), dim_sizes.end());
    return AddOp({HloOpcode::kDynamicReshape, nullptr, {}, std::move(shape)}, operands);
  });
}

namespace {

// The sizes of a result, as an operand: a vector of integers, one for each dimension.
absl::Status CheckSizesOperand(absl::string_view operation, const Shape& sizes,
                               const Shape& result) {
  if (sizes.IsArrayExcludingBuffer() && primitive_util::IsIntegralType(sizes.element_type()) &&
      sizes.dimensions_size() == 1 && result.IsArrayExcludingBuffer() &&
      (sizes.dimensions(0) == result.dimensions_size() || sizes.is_unbounded_dynamic())) {
    return absl::OkStatus();
  }
  return InvalidArgument("%s: the sizes %s must be integers, one for each dimension of %s",
                         operation, sizes.ToString(), result.ToString());
}

}  // namespace

XlaOp MhloDynamicReshape(XlaOp operand, XlaOp output_shape, const Shape& shape) {
  constexpr absl::string_view kTarget = "mhlo.dynamic_reshape";
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape from, ArrayShapeOf(kTarget, operand));
    HILO_ASSIGN_OR_RETURN(const Shape sizes, ShapeOf(output_shape));
    HILO_RETURN_IF_ERROR(CheckSizesOperand(kTarget, sizes, shape));
    if (from.element_type() != shape.element_type()) {
      return InvalidArgument("%s: %s and %s must have the same element type", kTarget,
                             from.ToString(), shape.ToString());
    }
    if (!from.is_unbounded_dynamic() && !shape.is_unbounded_dynamic() &&
        ShapeUtil::ElementsIn(from) != ShapeUtil::ElementsIn(shape)) {
      return InvalidArgument("%s: %s has other elements than %s", kTarget, from.ToString(),
                             shape.ToString());
    }
    return CustomCall(operand.builder(), std::string(kTarget), {operand, output_shape}, shape);
  });
}

XlaOp MhloDynamicBroadcastInDim(XlaOp operand, XlaOp output_dimensions,
                                absl::Span<const int64_t> broadcast_dimensions,
                                const Shape& output_shape) {
  constexpr absl::string_view kTarget = "mhlo.dynamic_broadcast_in_dim";
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape from, ArrayShapeOf(kTarget, operand));
    HILO_ASSIGN_OR_RETURN(const Shape sizes, ShapeOf(output_dimensions));
    HILO_RETURN_IF_ERROR(CheckSizesOperand(kTarget, sizes, output_shape));
    // Sizes that are not known fit all.
    Shape to = output_shape;
    for (int i = 0; i < from.dimensions_size(); ++i) {
      if (i >= static_cast<int>(broadcast_dimensions.size())) break;
      HILO_RETURN_IF_ERROR(CheckDimension(kTarget, to, broadcast_dimensions[i]));
      const int place = static_cast<int>(broadcast_dimensions[i]);
      if (!to.is_unbounded_dynamic_dimension(place)) continue;
      to.set_dimensions(place, from.is_unbounded_dynamic_dimension(i) ? 1 : from.dimensions(i));
    }
    for (int i = 0; i < to.dimensions_size(); ++i) {
      if (to.is_unbounded_dynamic_dimension(i)) to.set_dimensions(i, 1);
    }
    HILO_RETURN_IF_ERROR(
        ShapeInference::InferBroadcastShape(from, to, broadcast_dimensions).status());
    return CustomCall(
        operand.builder(), std::string(kTarget), {operand, output_dimensions}, output_shape,
        absl::StrCat("{broadcast_dimensions=[", absl::StrJoin(broadcast_dimensions, ","), "]}"));
  });
}

XlaOp Collapse(XlaOp operand, absl::Span<const int64_t> dimensions) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    if (dimensions.size() <= 1) return operand;
    HILO_ASSIGN_OR_RETURN(const Shape from, ArrayShapeOf("collapse", operand));
    for (size_t i = 0; i < dimensions.size(); ++i) {
      HILO_RETURN_IF_ERROR(CheckDimension("collapse", from, dimensions[i]));
      if (i > 0 && dimensions[i] != dimensions[i - 1] + 1) {
        return InvalidArgument("collapse: dimensions {%s} are not consecutive",
                               absl::StrJoin(dimensions, ","));
      }
    }
    Int64List sizes;
    for (int64_t i = 0; i < from.dimensions_size(); ++i) {
      if (i > dimensions.front() && i <= dimensions.back()) {
        sizes.back() *= from.dimensions(static_cast<int>(i));
      } else {
        sizes.push_back(from.dimensions(static_cast<int>(i)));
      }
    }
    return Reshape(operand, sizes);
  });
}

XlaOp Transpose(XlaOp operand, absl::Span<const int64_t> permutation) {
  auto attributes = std::make_unique<DimensionsAttributes>();
  attributes->dimensions = ToInt64List(permutation);
  return AddOp({HloOpcode::kTranspose, std::move(attributes)}, {operand});
}

XlaOp Rev(XlaOp operand, absl::Span<const int64_t> dimensions) {
  auto attributes = std::make_unique<DimensionsAttributes>();
  attributes->dimensions = ToInt64List(dimensions);
  return AddOp({HloOpcode::kReverse, std::move(attributes)}, {operand});
}

XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding_config) {
  auto attributes = std::make_unique<PadAttributes>();
  attributes->padding = padding_config;
  return AddOp({HloOpcode::kPad, std::move(attributes)}, {operand, padding_value});
}

XlaOp PadInDim(XlaOp operand, XlaOp padding_value, int64_t dimno, int64_t pad_lo, int64_t pad_hi) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, ArrayShapeOf("pad", operand));
    HILO_RETURN_IF_ERROR(CheckDimension("pad", shape, dimno));
    PaddingConfig padding;
    for (int i = 0; i < shape.dimensions_size(); ++i) padding.add_dimensions();
    padding.mutable_dimensions(static_cast<int>(dimno))->set_edge_padding_low(pad_lo);
    padding.mutable_dimensions(static_cast<int>(dimno))->set_edge_padding_high(pad_hi);
    return Pad(operand, padding_value, padding);
  });
}

XlaOp Slice(XlaOp operand, absl::Span<const int64_t> start_indices,
            absl::Span<const int64_t> limit_indices, absl::Span<const int64_t> strides) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    const Int64List ones(start_indices.size(), 1);
    if (strides.empty()) strides = ones;
    if (start_indices.size() != limit_indices.size() || start_indices.size() != strides.size()) {
      return InvalidArgument("slice: start {%s}, limit {%s} and strides {%s} differ in length",
                             absl::StrJoin(start_indices, ","), absl::StrJoin(limit_indices, ","),
                             absl::StrJoin(strides, ","));
    }
    auto attributes = std::make_unique<SliceAttributes>();
    for (size_t i = 0; i < start_indices.size(); ++i) {
      attributes->ranges.push_back({start_indices[i], limit_indices[i], strides[i]});
    }
    return AddOp({HloOpcode::kSlice, std::move(attributes)}, {operand});
  });
}

XlaOp SliceInDim(XlaOp operand, int64_t start_index, int64_t limit_index, int64_t stride,
                 int64_t dimno) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, ArrayShapeOf("slice", operand));
    HILO_RETURN_IF_ERROR(CheckDimension("slice", shape, dimno));
    Int64List starts(shape.dimensions_size(), 0);
    Int64List limits = ToInt64List(shape.dimensions());
    Int64List strides(shape.dimensions_size(), 1);
    starts[dimno] = start_index;
    limits[dimno] = limit_index;
    strides[dimno] = stride;
    return Slice(operand, starts, limits, strides);
  });
}

XlaOp ConcatInDim(XlaBuilder* builder, absl::Span<const XlaOp> operands, int64_t dimension) {
  auto attributes = std::make_unique<OneDimensionAttributes>();
  attributes->dimension = dimension;
  return AddOp(builder, {HloOpcode::kConcatenate, std::move(attributes)}, operands);
}

// Indexing.

XlaOp DynamicSlice(XlaOp operand, absl::Span<const XlaOp> start_indices,
                   absl::Span<const int64_t> slice_sizes) {
  auto attributes = std::make_unique<DynamicSliceAttributes>();
  attributes->slice_sizes = ToInt64List(slice_sizes);
  std::vector<XlaOp> operands = {operand};
  operands.insert(operands.end(), start_indices.begin(), start_indices.end());
  return AddOp({HloOpcode::kDynamicSlice, std::move(attributes)}, operands);
}

XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, absl::Span<const XlaOp> start_indices) {
  std::vector<XlaOp> operands = {operand, update};
  operands.insert(operands.end(), start_indices.begin(), start_indices.end());
  return AddOp({HloOpcode::kDynamicUpdateSlice}, operands);
}

XlaOp Gather(XlaOp input, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers,
             absl::Span<const int64_t> slice_sizes, bool indices_are_sorted) {
  auto attributes = std::make_unique<GatherAttributes>();
  SetDimensions(dimension_numbers, slice_sizes, *attributes);
  attributes->indices_are_sorted = indices_are_sorted;
  return AddOp({HloOpcode::kGather, std::move(attributes)}, {input, start_indices});
}

XlaOp Scatter(absl::Span<const XlaOp> inputs, XlaOp scatter_indices,
              absl::Span<const XlaOp> updates, XlaComputationId update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted,
              bool unique_indices) {
  auto attributes = std::make_unique<ScatterAttributes>();
  SetDimensions(dimension_numbers, *attributes);
  attributes->indices_are_sorted = indices_are_sorted;
  attributes->unique_indices = unique_indices;
  std::vector<XlaOp> operands(inputs.begin(), inputs.end());
  operands.push_back(scatter_indices);
  operands.insert(operands.end(), updates.begin(), updates.end());
  return AddOp({HloOpcode::kScatter, std::move(attributes), {update_computation}}, operands);
}

XlaOp Scatter(absl::Span<const XlaOp> inputs, XlaOp scatter_indices,
              absl::Span<const XlaOp> updates, const XlaComputation& update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted,
              bool unique_indices) {
  XlaBuilder* builder = scatter_indices.builder();
  return Scatter(inputs, scatter_indices, updates, builder->AddSubComputation(update_computation),
                 dimension_numbers, indices_are_sorted, unique_indices);
}

XlaOp Scatter(XlaOp input, XlaOp scatter_indices, XlaOp updates,
              XlaComputationId update_computation, const ScatterDimensionNumbers& dimension_numbers,
              bool indices_are_sorted, bool unique_indices) {
  return Scatter({&input, 1}, scatter_indices, {&updates, 1}, update_computation, dimension_numbers,
                 indices_are_sorted, unique_indices);
}

XlaOp Scatter(XlaOp input, XlaOp scatter_indices, XlaOp updates,
              const XlaComputation& update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted,
              bool unique_indices) {
  return Scatter({&input, 1}, scatter_indices, {&updates, 1}, update_computation, dimension_numbers,
                 indices_are_sorted, unique_indices);
}

// Dynamic sizes.

XlaOp GetDimensionSize(XlaOp operand, int64_t dimension) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(operand));
    HILO_RETURN_IF_ERROR(ShapeInference::InferGetDimensionSizeShape(shape, dimension).status());
    const int place = static_cast<int>(dimension);
    const int64_t size = shape.dimensions(place);
    if (shape.is_static_dimension(place) && size <= std::numeric_limits<int32_t>::max()) {
      return ConstantR0<int32_t>(operand.builder(), static_cast<int32_t>(size));
    }
    auto attributes = std::make_unique<OneDimensionAttributes>();
    attributes->dimension = dimension;
    return AddOp({HloOpcode::kGetDimensionSize, std::move(attributes)}, {operand});
  });
}

XlaOp SetDimensionSize(XlaOp operand, XlaOp val, int64_t dimension) {
  auto attributes = std::make_unique<OneDimensionAttributes>();
  attributes->dimension = dimension;
  return AddOp({HloOpcode::kSetDimensionSize, std::move(attributes)}, {operand, val});
}

XlaOp RemoveDynamicDimension(XlaOp operand, int64_t dimension) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(Shape shape, ArrayShapeOf("set-dimension-size", operand));
    HILO_RETURN_IF_ERROR(CheckDimension("set-dimension-size", shape, dimension));
    const int64_t size = shape.dimensions(static_cast<int>(dimension));
    if (size == Shape::kUnboundedSize) {
      return InvalidArgument("set-dimension-size: dimension %d of %s has no bound", dimension,
                             shape.ToString());
    }
    shape.set_dynamic_dimension(static_cast<int>(dimension), false);
    auto attributes = std::make_unique<OneDimensionAttributes>();
    attributes->dimension = dimension;
    const XlaOp bound = ConstantR0<int32_t>(operand.builder(), static_cast<int32_t>(size));
    // The rule cannot know that the size is the bound, which makes the dimension static.
    return StateOf(operand.builder())
        .Append({HloOpcode::kSetDimensionSize, std::move(attributes), {}, std::move(shape)},
                {operand, bound});
  });
}

// Tuples.

XlaOp Tuple(XlaBuilder* builder, absl::Span<const XlaOp> elements) {
  return AddOp(builder, {HloOpcode::kTuple}, elements);
}

XlaOp GetTupleElement(XlaOp tuple_data, int64_t index) {
  auto attributes = std::make_unique<GetTupleElementAttributes>();
  attributes->index = index;
  return AddOp({HloOpcode::kGetTupleElement, std::move(attributes)}, {tuple_data});
}

}  // namespace xla

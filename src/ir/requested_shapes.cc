#include "ir/requested_shapes.h"

#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "data/checked_math.h"
#include "ir/ops/rule.h"
#include "ir/records.h"
#include "ir/shape_rules.h"
#include "xla/layout_util.h"
#include "xla/service/shape_inference.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::Status ExpectArray(HloOpcode opcode, const Shape& shape) {
  if (shape.IsArrayExcludingBuffer()) return ShapeUtil::ValidateShapeWithOptionalLayout(shape);
  return InvalidArgument("%s: operand %s is no array", HloOpcodeString(opcode),
                         ShapeUtil::HumanString(shape));
}

absl::StatusOr<Shape> Sharded(HloOpcode opcode, const Shape& shape, int64_t dimension,
                              int64_t factor, int64_t divisor) {
  const absl::string_view operation = HloOpcodeString(opcode);
  if (!shape.IsArrayExcludingBuffer() || dimension < 0 || dimension >= shape.dimensions_size()) {
    return InvalidArgument("%s: %s has no dimension %d", operation, ShapeUtil::HumanString(shape),
                           dimension);
  }
  if (factor <= 0 || divisor <= 0) {
    return InvalidArgument("%s: the shard count must be positive, not %d", operation,
                           factor <= 0 ? factor : divisor);
  }
  Shape sharded = shape;
  const int64_t size = shape.dimensions(static_cast<int>(dimension));
  if (size == Shape::kUnboundedSize) return sharded;
  if (size % divisor != 0) {
    return InvalidArgument("%s: dimension %d of %s is no multiple of %d", operation, dimension,
                           ShapeUtil::HumanString(shape), divisor);
  }
  int64_t scaled = 0;
  if (!CheckedMultiply(size / divisor, factor, &scaled)) {
    return InvalidArgument("%s: dimension %d of %s times %d is too large", operation, dimension,
                           ShapeUtil::HumanString(shape), factor);
  }
  sharded.set_dimensions(static_cast<int>(dimension), scaled);
  HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(sharded));
  return sharded;
}

}  // namespace

Shape ShapesTogether(absl::Span<const Shape* const> shapes) {
  std::vector<Shape> copies;
  for (const Shape* shape : shapes) copies.push_back(*shape);
  return shape_rules::MaybeTuple(std::move(copies));
}

absl::StatusOr<Shape> ShardedShapes(HloOpcode opcode, absl::Span<const Shape* const> shapes,
                                    int64_t dimension, int64_t factor, int64_t divisor) {
  std::vector<Shape> sharded;
  for (const Shape* shape : shapes) {
    HILO_ASSIGN_OR_RETURN(Shape part, Sharded(opcode, *shape, dimension, factor, divisor));
    sharded.push_back(std::move(part));
  }
  return shape_rules::MaybeTuple(std::move(sharded));
}

// Broadcasts.

absl::StatusOr<Shape> ShapeInference::InferBroadcastShape(
    const Shape& operand, absl::Span<const int64_t> broadcast_sizes) {
  HILO_RETURN_IF_ERROR(ExpectArray(HloOpcode::kBroadcast, operand));
  std::vector<int64_t> sizes(broadcast_sizes.begin(), broadcast_sizes.end());
  sizes.insert(sizes.end(), operand.dimensions().begin(), operand.dimensions().end());
  HILO_ASSIGN_OR_RETURN(Shape shape, ShapeUtil::MakeValidatedShape(operand.element_type(), sizes));
  if (shape.is_unbounded_dynamic()) {
    return InvalidArgument("broadcast: the sizes of the result %s must be known",
                           ShapeUtil::HumanString(shape));
  }
  for (int i = 0; i < operand.dimensions_size(); ++i) {
    shape.set_dynamic_dimension(static_cast<int>(broadcast_sizes.size()) + i,
                                operand.is_dynamic_dimension(i));
  }
  return shape;
}

absl::StatusOr<Shape> ShapeInference::InferBroadcastShape(
    const Shape& operand_shape, const Shape& output_shape,
    absl::Span<const int64_t> broadcast_dimensions) {
  HILO_RETURN_IF_ERROR(ExpectArray(HloOpcode::kBroadcast, operand_shape));
  HILO_RETURN_IF_ERROR(ExpectArray(HloOpcode::kBroadcast, output_shape));
  const auto fail = [&](const std::string& rule) {
    return InvalidArgument("broadcast: from %s to %s, broadcast_dimensions={%s}: %s",
                           ShapeUtil::HumanString(operand_shape),
                           ShapeUtil::HumanString(output_shape),
                           absl::StrJoin(broadcast_dimensions, ","), rule);
  };
  if (output_shape.is_unbounded_dynamic()) return fail("the sizes of the result must be known");
  if (static_cast<int>(broadcast_dimensions.size()) != operand_shape.dimensions_size()) {
    return fail("there must be one for each dimension of the operand");
  }
  for (int i = 0; i < operand_shape.dimensions_size(); ++i) {
    const int64_t place = broadcast_dimensions[i];
    if (place < 0 || place >= output_shape.dimensions_size()) {
      return fail(absl::StrCat("the result has no dimension ", place));
    }
    if (i > 0 && place <= broadcast_dimensions[i - 1]) return fail("they must increase");
    const int64_t size = operand_shape.dimensions(i);
    const int64_t result_size = output_shape.dimensions(static_cast<int>(place));
    if (size != 1 && !shape_rules::SizesAgree(size, result_size)) {
      return fail(absl::StrCat("dimension ", i, " of the operand must be 1 or the ", result_size,
                               " of dimension ", place, " of the result"));
    }
  }
  Shape shape = shape_rules::WithElementType(output_shape, operand_shape.element_type());
  if (!shape.has_layout()) LayoutUtil::SetToDefaultLayout(&shape);
  return shape;
}

// Reshapes.

namespace {

// The result dimensions that are dynamic because an operand dimension is: neighbouring dimensions
// with equal products belong together, and in each group it is `inferred_dimension`, or else the
// first that is not 1. A group without result dimensions has one element at most, as the result
// takes it to have.
void MarkDynamicDimensions(const Shape& from, int64_t inferred_dimension, Shape& to) {
  int from_end = 0;
  int to_end = 0;
  while (from_end < from.dimensions_size() || to_end < to.dimensions_size()) {
    const int to_begin = to_end;
    const int from_begin = from_end;
    int64_t from_product = 1;
    int64_t to_product = 1;
    do {
      if (to_end == to.dimensions_size() ||
          (from_end < from.dimensions_size() && from_product <= to_product)) {
        from_product *= from.dimensions(from_end++);
      } else {
        to_product *= to.dimensions(to_end++);
      }
    } while (from_product != to_product &&
             (from_end < from.dimensions_size() || to_end < to.dimensions_size()));
    bool is_dynamic = false;
    for (int i = from_begin; i < from_end; ++i) is_dynamic |= from.is_dynamic_dimension(i);
    if (!is_dynamic || to_begin == to_end) continue;
    int dynamic = to_begin;
    while (dynamic + 1 < to_end && to.dimensions(dynamic) == 1) ++dynamic;
    if (inferred_dimension >= to_begin && inferred_dimension < to_end) {
      dynamic = static_cast<int>(inferred_dimension);
    }
    to.set_dynamic_dimension(dynamic, true);
  }
}

}  // namespace

absl::StatusOr<Shape> ShapeInference::InferReshapeShape(const Shape& operand,
                                                        absl::Span<const int64_t> dimensions,
                                                        int64_t inferred_dimension) {
  HILO_RETURN_IF_ERROR(ExpectArray(HloOpcode::kReshape, operand));
  HILO_ASSIGN_OR_RETURN(Shape shape,
                        ShapeUtil::MakeValidatedShape(operand.element_type(), dimensions));
  if (shape.is_unbounded_dynamic()) {
    return InvalidArgument("reshape: from %s to %s: the sizes of the result must be known",
                           ShapeUtil::HumanString(operand), ShapeUtil::HumanString(shape));
  }
  const int64_t elements = ShapeUtil::ElementsIn(shape);
  if (operand.is_dynamic() && !operand.is_unbounded_dynamic() && elements > 0 &&
      ShapeUtil::ElementsIn(operand) == elements) {
    MarkDynamicDimensions(operand, inferred_dimension, shape);
  }
  ReshapeAttributes attributes;
  attributes.inferred_dimension = inferred_dimension;
  return InferShape({HloOpcode::kReshape, {&operand}, &attributes, {}, &shape});
}

absl::StatusOr<Shape> ShapeInference::InferDynamicReshapeShape(
    const Shape& operand, ShapePointers dim_size_shapes, absl::Span<const int64_t> new_size_bounds,
    const std::vector<bool>& dims_are_dynamic) {
  HILO_RETURN_IF_ERROR(ExpectArray(HloOpcode::kDynamicReshape, operand));
  HILO_ASSIGN_OR_RETURN(Shape shape,
                        ShapeUtil::MakeValidatedShape(operand.element_type(), new_size_bounds));
  if (dims_are_dynamic.size() != new_size_bounds.size()) {
    return InvalidArgument("dynamic-reshape: %d size bounds but %d dynamic flags",
                           new_size_bounds.size(), dims_are_dynamic.size());
  }
  for (size_t i = 0; i < dims_are_dynamic.size(); ++i) {
    if (dims_are_dynamic[i]) shape.set_dynamic_dimension(static_cast<int>(i), true);
  }
  std::vector<const Shape*> operands = {&operand};
  operands.insert(operands.end(), dim_size_shapes.begin(), dim_size_shapes.end());
  const NoAttributes none;
  return InferShape({HloOpcode::kDynamicReshape, operands, &none, {}, &shape});
}

// Windows.

absl::StatusOr<Window> ShapeInference::InferWindowFromDimensions(
    absl::Span<const int64_t> window_dimensions, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation,
    const std::optional<std::vector<bool>>& window_reversal) {
  const auto check = [&](absl::string_view list, size_t length) {
    if (length == 0 || length == window_dimensions.size()) return absl::OkStatus();
    return InvalidArgument("%d %s for a window of %d dimensions", length, list,
                           window_dimensions.size());
  };
  HILO_RETURN_IF_ERROR(check("strides", window_strides.size()));
  HILO_RETURN_IF_ERROR(check("paddings", padding.size()));
  HILO_RETURN_IF_ERROR(check("base dilations", lhs_dilation.size()));
  HILO_RETURN_IF_ERROR(check("window dilations", rhs_dilation.size()));
  HILO_RETURN_IF_ERROR(
      check("reversals", window_reversal.has_value() ? window_reversal->size() : 0));
  Window window;
  for (size_t i = 0; i < window_dimensions.size(); ++i) {
    WindowDimension* dimension = window.add_dimensions();
    dimension->set_size(window_dimensions[i]);
    dimension->set_stride(window_strides.empty() ? 1 : window_strides[i]);
    if (!padding.empty()) {
      dimension->set_padding_low(padding[i].first);
      dimension->set_padding_high(padding[i].second);
    }
    dimension->set_base_dilation(lhs_dilation.empty() ? 1 : lhs_dilation[i]);
    dimension->set_window_dilation(rhs_dilation.empty() ? 1 : rhs_dilation[i]);
    if (window_reversal.has_value() && !window_reversal->empty()) {
      dimension->set_window_reversal((*window_reversal)[i]);
    }
  }
  return window;
}

}  // namespace xla

// Operands of different shapes are made equal by operations that the program shows.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "ir/records.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

Shape WithElementType(Shape shape, PrimitiveType type) {
  shape.set_element_type(type);
  shape.clear_layout();
  return shape;
}

absl::Status CheckBroadcastDimensions(absl::string_view operation, const Shape& from,
                                      const Shape& to, absl::Span<const int64_t> dimensions) {
  const auto fail = [&](absl::string_view rule) {
    return InvalidArgument("%s: broadcast_dimensions {%s} from %s to %s: %s", operation,
                           absl::StrJoin(dimensions, ","), from.ToString(), to.ToString(), rule);
  };
  if (static_cast<int64_t>(dimensions.size()) != from.dimensions_size()) {
    return fail("there must be one for each dimension of the operand");
  }
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] < 0 || dimensions[i] >= to.dimensions_size()) {
      return fail("a dimension is out of range");
    }
    if (i > 0 && dimensions[i] <= dimensions[i - 1]) return fail("they must increase");
  }
  return absl::OkStatus();
}

// The operand of lower rank, with its dimensions at the given places of `to` and size 1 elsewhere;
// or rather, as the other dimensions are repeated anyway, with the result's size there at once.
absl::StatusOr<XlaOp> RaiseRank(absl::string_view operation, XlaOp operand, const Shape& from,
                                const Shape& to, absl::Span<const int64_t> dimensions) {
  HILO_RETURN_IF_ERROR(CheckBroadcastDimensions(operation, from, to, dimensions));
  Shape raised = to;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    raised.set_dimensions(static_cast<int>(dimensions[i]), from.dimensions(static_cast<int>(i)),
                          from.is_dynamic_dimension(static_cast<int>(i)));
  }
  return BroadcastToShape(operand, raised, dimensions);
}

// What two arrays of equal rank become when dimensions of size 1 are stretched.
absl::StatusOr<Shape> CommonShape(absl::string_view operation, const Shape& a, const Shape& b) {
  Shape common = WithElementType(a, a.element_type());
  for (int i = 0; i < a.dimensions_size(); ++i) {
    const bool take_b = a.dimensions(i) == 1 && !a.is_dynamic_dimension(i);
    const bool take_a = b.dimensions(i) == 1 && !b.is_dynamic_dimension(i);
    const Shape& source = take_b ? b : a;
    common.set_dimensions(i, source.dimensions(i), source.is_dynamic_dimension(i));
    if (take_a || take_b) continue;
    if (a.dimensions(i) != b.dimensions(i)) {
      return InvalidArgument(
          "%s: shapes %s and %s differ in dimension %d and neither has size 1 there", operation,
          a.ToString(), b.ToString(), i);
    }
    common.set_dynamic_dimension(i, a.is_dynamic_dimension(i) || b.is_dynamic_dimension(i));
  }
  return common;
}

}  // namespace

XlaOp BroadcastToShape(XlaOp operand, Shape shape, absl::Span<const int64_t> dimensions) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape from, ShapeOf(operand));
    auto attributes = std::make_unique<BroadcastAttributes>();
    attributes->dimensions.assign(dimensions.begin(), dimensions.end());
    return AddOp({HloOpcode::kBroadcast,
                  std::move(attributes),
                  {},
                  WithElementType(std::move(shape), from.element_type())},
                 {operand});
  });
}

XlaOp StretchTo(XlaOp operand, const Shape& shape) {
  return WithBuilder(operand.builder(), [&]() -> absl::StatusOr<XlaOp> {
    HILO_ASSIGN_OR_RETURN(const Shape from, ShapeOf(operand));
    if (ShapeUtil::IsScalar(from)) return BroadcastToShape(operand, shape, {});
    Shape reshaped = ShapeUtil::MakeShape(from.element_type(), {});
    std::vector<int64_t> dimensions;
    for (int i = 0; i < from.dimensions_size(); ++i) {
      if (from.dimensions(i) == 1 && shape.dimensions(i) != 1) continue;
      reshaped.add_dimensions(from.dimensions(i), from.is_dynamic_dimension(i));
      dimensions.push_back(i);
    }
    reshaped.clear_layout();
    return BroadcastToShape(Reshape(reshaped, operand), shape, dimensions);
  });
}

absl::StatusOr<std::pair<XlaOp, XlaOp>> MakeShapesEqual(absl::string_view operation, XlaOp lhs,
                                                        XlaOp rhs,
                                                        absl::Span<const int64_t> dimensions) {
  XlaBuilder* builder = BuilderOf({lhs, rhs});
  HILO_ASSIGN_OR_RETURN(Shape left, builder->GetShape(lhs));
  HILO_ASSIGN_OR_RETURN(Shape right, builder->GetShape(rhs));
  if (!left.IsArray() || !right.IsArray()) return std::pair(lhs, rhs);
  const int left_rank = left.dimensions_size();
  const int right_rank = right.dimensions_size();
  if (left_rank != right_rank && (!dimensions.empty() || (left_rank > 0 && right_rank > 0))) {
    if (dimensions.empty()) {
      return InvalidArgument(
          "%s: shapes %s and %s have different ranks and there are no broadcast_dimensions",
          operation, left.ToString(), right.ToString());
    }
    XlaOp& lower = left_rank < right_rank ? lhs : rhs;
    HILO_ASSIGN_OR_RETURN(lower, left_rank < right_rank
                                     ? RaiseRank(operation, lhs, left, right, dimensions)
                                     : RaiseRank(operation, rhs, right, left, dimensions));
    HILO_ASSIGN_OR_RETURN(left, builder->GetShape(lhs));
    HILO_ASSIGN_OR_RETURN(right, builder->GetShape(rhs));
  } else if (left_rank == right_rank && !dimensions.empty()) {
    HILO_RETURN_IF_ERROR(CheckBroadcastDimensions(operation, left, right, dimensions));
  }
  Shape common;
  if (left.dimensions_size() != right.dimensions_size()) {
    common = left.dimensions().empty() ? right : left;
  } else {
    HILO_ASSIGN_OR_RETURN(common, CommonShape(operation, left, right));
  }
  const auto fits = [&](const Shape& shape) { return ShapeUtil::SameDimensions(shape, common); };
  if (!fits(left)) lhs = StretchTo(lhs, common);
  if (!fits(right)) rhs = StretchTo(rhs, common);
  HILO_RETURN_IF_ERROR(builder->first_error());
  return std::pair(lhs, rhs);
}

}  // namespace xla

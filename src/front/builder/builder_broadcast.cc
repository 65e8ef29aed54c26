// Operands of different shapes are made equal by operations that the program shows.
#include <memory>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "ir/records.h"
#include "ir/shape_rules.h"
#include "xla/hlo/builder/lib/prng.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

Shape WithElementType(Shape shape, PrimitiveType type) {
  shape.set_element_type(type);
  shape.clear_layout();
  return shape;
}

// Of an operation with two operands: one, its shape, and which dimension of the result each of its
// dimensions is.
struct Side {
  XlaOp op;
  Shape shape;
  std::vector<int64_t> places;

  // Whether it has dimension `place` of the result, and not just to be repeated along it.
  bool Gives(int64_t place, int64_t result_size) const {
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] == place) return shape.dimensions(static_cast<int>(i)) != 1 || result_size == 1;
    }
    return false;
  }
};

std::vector<int64_t> PlacesOf(const Shape& shape, int result_rank,
                              absl::Span<const int64_t> broadcast_dimensions) {
  std::vector<int64_t> places(shape.dimensions_size());
  std::iota(places.begin(), places.end(), 0);
  if (shape.dimensions_size() < result_rank) {
    places.assign(broadcast_dimensions.begin(), broadcast_dimensions.end());
  }
  return places;
}

bool NeedsStretching(const Side& side, const Shape& result) {
  for (int i = 0; i < result.dimensions_size(); ++i) {
    if (!side.Gives(i, result.dimensions(i))) return true;
  }
  return false;
}

// Dimensions of the operand at their places in the result. New dimensions are repeated at once;
// those of size 1 that are to be repeated, too, need another broadcast.
XlaOp StretchStatically(const Side& side, const Shape& result) {
  XlaOp op = side.op;
  if (side.shape.dimensions_size() < result.dimensions_size()) {
    Shape raised = result;
    for (size_t i = 0; i < side.places.size(); ++i) {
      raised.set_dimensions(static_cast<int>(side.places[i]),
                            side.shape.dimensions(static_cast<int>(i)),
                            side.shape.is_dynamic_dimension(static_cast<int>(i)));
    }
    op = BroadcastToShape(op, raised, side.places);
    if (ShapeUtil::SameDimensions(raised, result)) return op;
  }
  return StretchTo(op, result);
}

// The same where sizes are not known before the program runs: it asks the operands for them.
XlaOp StretchDynamically(const Side& side, const Shape& result, absl::Span<const Side> sides) {
  std::vector<XlaOp> sizes;
  for (int i = 0; i < result.dimensions_size(); ++i) {
    for (const Side& source : sides) {
      if (!source.Gives(i, result.dimensions(i))) continue;
      const auto place = std::find(source.places.begin(), source.places.end(), i);
      sizes.push_back(GetDimensionSize(source.op, place - source.places.begin()));
      break;
    }
  }
  return MhloDynamicBroadcastInDim(side.op, ConcatScalars(side.op.builder(), sizes), side.places,
                                   WithElementType(result, side.shape.element_type()));
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

void RepeatScalars(absl::Span<const Shape> shapes, absl::Span<XlaOp> operands) {
  const auto found = std::find_if(shapes.begin(), shapes.end(), [](const Shape& shape) {
    return shape.IsArrayExcludingBuffer() && shape.dimensions_size() > 0;
  });
  if (found == shapes.end()) return;
  const Side model = {operands[found - shapes.begin()], *found,
                      PlacesOf(*found, found->dimensions_size(), {})};
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!ShapeUtil::IsScalar(shapes[i])) continue;
    operands[i] = found->is_unbounded_dynamic()
                      ? StretchDynamically({operands[i], shapes[i], {}}, *found, {model})
                      : BroadcastToShape(operands[i], *found, {});
  }
}

absl::StatusOr<std::pair<XlaOp, XlaOp>> MakeShapesEqual(HloOpcode opcode, XlaOp lhs, XlaOp rhs,
                                                        absl::Span<const int64_t> dimensions) {
  XlaBuilder* builder = BuilderOf({lhs, rhs});
  HILO_ASSIGN_OR_RETURN(const Shape left, builder->GetShape(lhs));
  HILO_ASSIGN_OR_RETURN(const Shape right, builder->GetShape(rhs));
  if (!left.IsArrayExcludingBuffer() || !right.IsArrayExcludingBuffer()) return std::pair(lhs, rhs);
  HILO_ASSIGN_OR_RETURN(const Shape common, BroadcastShapes(opcode, left, right, dimensions));
  const int rank = common.dimensions_size();
  const Side sides[] = {{lhs, left, PlacesOf(left, rank, dimensions)},
                        {rhs, right, PlacesOf(right, rank, dimensions)}};
  XlaOp equal[] = {lhs, rhs};
  for (int i = 0; i < 2; ++i) {
    if (!NeedsStretching(sides[i], common)) continue;
    const bool is_known = !common.is_unbounded_dynamic() && !sides[i].shape.is_unbounded_dynamic();
    equal[i] = is_known ? StretchStatically(sides[i], common)
                        : StretchDynamically(sides[i], common, sides);
  }
  HILO_RETURN_IF_ERROR(builder->first_error());
  return std::pair(equal[0], equal[1]);
}

}  // namespace xla

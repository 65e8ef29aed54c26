#include "xla/shape_layout.h"

#include <string>

#include "absl/log/check.h"
#include "xla/layout_util.h"

namespace xla {
namespace {

absl::Status CheckCompatible(const Shape& from, const Shape& to) {
  if (ShapeUtil::Compatible(from, to)) return absl::OkStatus();
  return InvalidArgument("The layout of shape %s does not fit shape %s.",
                         from.ToString(/*print_layout=*/true), to.ToString(/*print_layout=*/true));
}

bool HasTiles(const Shape& shape) {
  bool has_tiles = false;
  ShapeUtil::ForEachLeafShape(shape, [&](const Shape& leaf, const ShapeIndex&) {
    has_tiles = has_tiles || (leaf.has_layout() && !leaf.layout().tiles().empty());
  });
  return has_tiles;
}

}  // namespace

absl::Status ShapeLayout::AssignLayoutToShape(Shape* to_shape) const {
  if (absl::Status status = CheckCompatible(shape_, *to_shape); !status.ok()) return status;
  *to_shape = shape_;
  return absl::OkStatus();
}

bool ShapeLayout::MatchesLayoutInShape(const Shape& shape, bool minor_to_major_only,
                                       bool ignore_fully_empty_tiling) const {
  Shape::Equal equal = Shape::Equal().IgnoreDynamicDimension();
  if (ignore_fully_empty_tiling && !HasTiles(shape)) equal.IgnoreTilesInLayout();
  if (minor_to_major_only) equal.MinorToMajorOnlyInLayout();
  return equal(shape, shape_);
}

absl::Status ShapeLayout::CopyLayoutFromShape(const Shape& other_shape) {
  if (absl::Status status = CheckCompatible(other_shape, shape_); !status.ok()) return status;
  shape_ = other_shape;
  return absl::OkStatus();
}

void ShapeLayout::Clear() { LayoutUtil::ClearLayout(&shape_); }

void ShapeLayout::Clear(ShapeIndexView shape_index) {
  LayoutUtil::ClearLayout(ShapeUtil::GetMutableSubshape(&shape_, shape_index));
}

void ShapeLayout::ClearTiles() { LayoutUtil::ClearTiles(&shape_); }

void ShapeLayout::ClearDynamicShape() { shape_.clear_dynamic_dimensions(); }

void ShapeLayout::SetToDefaultLayout() { LayoutUtil::SetToDefaultLayout(&shape_); }

bool ShapeLayout::LayoutIsSet() const { return LayoutUtil::HasLayout(shape_); }

bool ShapeLayout::AnyLayoutIsSet() const { return LayoutUtil::HasAnyLayout(shape_); }

void ShapeLayout::ResetLayout(const Layout& layout) { ResetLayout(layout, {}); }

void ShapeLayout::ResetLayout(const Layout& layout, ShapeIndexView shape_index) {
  Shape* const subshape = ShapeUtil::GetMutableSubshape(&shape_, shape_index);
  CHECK_OK(LayoutUtil::ValidateLayoutForShape(layout, *subshape));
  *subshape->mutable_layout() = layout;
}

void ShapeLayout::Print(Printer* printer) const { shape_.Print(printer, /*print_layout=*/true); }

std::string ShapeLayout::ToString() const { return shape_.ToString(/*print_layout=*/true); }

}  // namespace xla

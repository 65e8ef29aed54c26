// A shape whose layouts are the point: what a parameter or a result should look like.
#ifndef HILO_INCLUDE_XLA_SHAPE_LAYOUT_H_
#define HILO_INCLUDE_XLA_SHAPE_LAYOUT_H_

#include <string>

#include "absl/status/status.h"
#include "xla/layout.h"
#include "xla/printer.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla {

class ShapeLayout {
 public:
  // Layouts may be missing, which means that any will do.
  explicit ShapeLayout(const Shape& shape) : shape_(shape) {}

  // Makes *to_shape this shape. InvalidArgument unless it is compatible.
  absl::Status AssignLayoutToShape(Shape* to_shape) const;

  // True when the shape equals this one but for which dimensions are dynamic. With
  // ignore_fully_empty_tiling a shape without any tiles matches whatever the tiles here are.
  bool MatchesLayoutInShape(const Shape& shape, bool minor_to_major_only = false,
                            bool ignore_fully_empty_tiling = false) const;

  // Takes over the layouts of a shape. InvalidArgument unless it is compatible.
  absl::Status CopyLayoutFromShape(const Shape& other_shape);

  // Remove the layouts, of the whole shape or of a subshape.
  void Clear();
  void Clear(ShapeIndexView shape_index);
  void ClearTiles();
  void ClearDynamicShape();
  void SetToDefaultLayout();

  const Shape& shape() const { return shape_; }
  // CHECKs that the shape is an array with layout.
  const Layout& layout() const { return shape_.layout(); }

  // Every array has a layout; some array has one.
  bool LayoutIsSet() const;
  bool AnyLayoutIsSet() const;

  // CHECK that the (sub)shape is an array that the layout fits.
  void ResetLayout(const Layout& layout);
  void ResetLayout(const Layout& layout, ShapeIndexView shape_index);

  void Print(Printer* printer) const;
  std::string ToString() const;

  bool operator==(const ShapeLayout& other) const { return shape_ == other.shape_; }
  bool operator!=(const ShapeLayout& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const ShapeLayout& layout) {
    return H::combine(std::move(h), layout.shape_);
  }

 private:
  Shape shape_;
};

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_SHAPE_LAYOUT_H_

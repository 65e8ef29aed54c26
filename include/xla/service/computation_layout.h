// The layouts of a computation's parameters and of its result.
#ifndef XLA_SERVICE_COMPUTATION_LAYOUT_H_
#define XLA_SERVICE_COMPUTATION_LAYOUT_H_

#include <string>
#include <utility>
#include <vector>

#include "xla/printer.h"
#include "xla/shape.h"
#include "xla/shape_layout.h"

namespace xla {

class ComputationLayout {
 public:
  explicit ComputationLayout(ShapeLayout result_layout)
      : result_layout_(std::move(result_layout)) {}
  // With ignore_layouts the default layouts; else those of the shapes, some of which may be open.
  explicit ComputationLayout(const ProgramShape& program_shape, bool ignore_layouts = true);

  int parameter_count() const { return static_cast<int>(parameter_layouts_.size()); }
  const ShapeLayout& parameter_layout(int parameter) const { return parameter_layouts_[parameter]; }
  const Shape& parameter_shape(int parameter) const {
    return parameter_layouts_[parameter].shape();
  }
  ShapeLayout* mutable_parameter_layout(int parameter) { return &parameter_layouts_[parameter]; }
  const std::vector<ShapeLayout>& parameter_layouts() const { return parameter_layouts_; }
  void add_parameter_layout(ShapeLayout layout) { parameter_layouts_.push_back(std::move(layout)); }

  const ShapeLayout& result_layout() const { return result_layout_; }
  const Shape& result_shape() const { return result_layout_.shape(); }
  ShapeLayout* mutable_result_layout() { return &result_layout_; }

  bool LayoutIsSet() const;
  bool AnyLayoutSet() const;
  void SetToDefaultLayout();
  void SetToDefaultLayoutIfEmpty();
  void ClearTiles();

  // The shapes with these layouts; the parameters have no names.
  ProgramShape ComputeProgramShape() const;

  // "(f32[2]{0}, s32[])->f32[2]{0}", with a comment before every fifth parameter.
  void Print(Printer* printer) const;
  std::string ToString() const;

  bool operator==(const ComputationLayout& other) const {
    return result_layout_ == other.result_layout_ && parameter_layouts_ == other.parameter_layouts_;
  }
  bool operator!=(const ComputationLayout& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const ComputationLayout& layout) {
    return H::combine(std::move(h), layout.result_layout_, layout.parameter_layouts_);
  }

 private:
  std::vector<ShapeLayout> parameter_layouts_;
  ShapeLayout result_layout_;
};

}  // namespace xla

#endif  // XLA_SERVICE_COMPUTATION_LAYOUT_H_

#include "xla/service/computation_layout.h"

#include "absl/algorithm/container.h"

namespace xla {

ComputationLayout::ComputationLayout(const ProgramShape& program_shape, bool ignore_layouts)
    : result_layout_(program_shape.result()) {
  for (const Shape& parameter : program_shape.parameters())
    parameter_layouts_.emplace_back(parameter);
  if (ignore_layouts) SetToDefaultLayout();
}

bool ComputationLayout::LayoutIsSet() const {
  return result_layout_.LayoutIsSet() &&
         absl::c_all_of(parameter_layouts_,
                        [](const ShapeLayout& layout) { return layout.LayoutIsSet(); });
}

bool ComputationLayout::AnyLayoutSet() const {
  return result_layout_.AnyLayoutIsSet() ||
         absl::c_any_of(parameter_layouts_,
                        [](const ShapeLayout& layout) { return layout.AnyLayoutIsSet(); });
}

void ComputationLayout::SetToDefaultLayout() {
  for (ShapeLayout& layout : parameter_layouts_) layout.SetToDefaultLayout();
  result_layout_.SetToDefaultLayout();
}

void ComputationLayout::SetToDefaultLayoutIfEmpty() {
  for (ShapeLayout& layout : parameter_layouts_) {
    if (!layout.LayoutIsSet()) layout.SetToDefaultLayout();
  }
  if (!result_layout_.LayoutIsSet()) result_layout_.SetToDefaultLayout();
}

void ComputationLayout::ClearTiles() {
  for (ShapeLayout& layout : parameter_layouts_) layout.ClearTiles();
  result_layout_.ClearTiles();
}

ProgramShape ComputationLayout::ComputeProgramShape() const {
  ProgramShape program_shape;
  for (const ShapeLayout& layout : parameter_layouts_)
    program_shape.AddParameter(layout.shape(), "");
  *program_shape.mutable_result() = result_layout_.shape();
  return program_shape;
}

void ComputationLayout::Print(Printer* printer) const {
  printer->Append("(");
  for (size_t i = 0; i < parameter_layouts_.size(); ++i) {
    if (i > 0) printer->Append(", ");
    if (i > 0 && i % 5 == 0) AppendCat(printer, "/*index=", i, "*/");
    parameter_layouts_[i].Print(printer);
  }
  printer->Append(")->");
  result_layout_.Print(printer);
}

std::string ComputationLayout::ToString() const {
  StringPrinter printer;
  Print(&printer);
  return std::move(printer).ToString();
}

}  // namespace xla

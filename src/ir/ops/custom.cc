#include "ir/ops/rule.h"

namespace xla::shape_rules {

absl::StatusOr<Shape> CustomCall(const OpDescription& op) {
  const auto& attributes = op.As<CustomCallAttributes>();
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RULE(1, !attributes.target.empty(), "custom_call_target must not be empty");
  if (attributes.operand_layouts.has_value()) {
    const std::vector<Shape>& layouts = *attributes.operand_layouts;
    HILO_RULE(2, layouts.size() == op.operands.size(),
              "operand_layout_constraints has %d shapes for %d operands", layouts.size(),
              op.operands.size());
    for (size_t i = 0; i < layouts.size(); ++i) {
      HILO_RULE(2, ShapesAgree(layouts[i], op.operand(i)),
                "operand_layout_constraints: shape %d, %s, is not that of the operand", i,
                Text(layouts[i]));
    }
  }
  HILO_RETURN_IF_ERROR(ExpectAliasing(op, 3, attributes.output_to_operand_aliasing, *declared));
  return *declared;
}

}  // namespace xla::shape_rules

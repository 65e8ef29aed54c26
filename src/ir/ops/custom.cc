#include "ir/ops/rule.h"

namespace xla::shape_rules {

absl::StatusOr<Shape> CustomCall(const OpDescription& op) {
  const auto& attributes = op.As<CustomCallAttributes>();
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  if (attributes.operand_layouts.has_value()) {
    const std::vector<Shape>& layouts = *attributes.operand_layouts;
    HILO_RULE(1, layouts.size() == op.operands.size(),
              "operand_layout_constraints has %d shapes for %d operands", layouts.size(),
              op.operands.size());
    for (size_t i = 0; i < layouts.size(); ++i) {
      HILO_RULE(1, ShapesAgree(layouts[i], op.operand(i)),
                "operand_layout_constraints: shape %d, %s, is not that of the operand", i,
                Text(layouts[i]));
    }
  }
  HILO_RETURN_IF_ERROR(ExpectAliasing(op, 2, attributes.output_to_operand_aliasing, *declared));
  if (attributes.target == "GetRngSeed") {
    HILO_RULE(3, op.operands.empty() && ShapeUtil::Equal(*declared, ShapeUtil::MakeShape(U64, {})),
              "GetRngSeed has no operands and gives a scalar of U64, not %d operands and %s",
              op.operands.size(), Text(*declared));
  }
  return *declared;
}

}  // namespace xla::shape_rules

// Operations that put elements in order.
#include "ir/ops/rule.h"

namespace xla::shape_rules {

absl::StatusOr<Shape> Sort(const OpDescription& op) {
  const int64_t along = op.As<SortAttributes>().dimension;
  const int count = static_cast<int>(op.operands.size());
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  for (int i = 1; i < count; ++i) HILO_RETURN_IF_ERROR(ExpectSameDimensions(op, 1, 0, i));
  HILO_RULE(2, 0 <= along && along < op.operand(0).dimensions_size(),
            "dimensions={%d} is not within the rank of the operands", along);
  const ProgramShape& comparator = *op.callees[0];
  HILO_RULE(3, comparator.parameters_size() == 2 * count,
            "the comparator must have %d parameters, not %d", 2 * count,
            comparator.parameters_size());
  for (int i = 0; i < 2 * count; ++i) {
    const Shape& parameter = comparator.parameters(i);
    HILO_RULE(4, IsScalar(parameter) && ShapeUtil::SameElementType(parameter, op.operand(i / 2)),
              "parameter %d of the comparator must be a scalar of the element type of operand %d",
              i, i / 2);
  }
  HILO_RULE(5, ShapeUtil::IsScalarWithElementType(comparator.result(), PRED),
            "the comparator must give pred[]");
  std::vector<Shape> shapes;
  for (int i = 0; i < count; ++i) shapes.push_back(op.operand(i));
  return Result(op, MaybeTuple(std::move(shapes)));
}

absl::StatusOr<Shape> TopK(const OpDescription& op) {
  const int64_t k = op.As<TopKAttributes>().k;
  HILO_RETURN_IF_ERROR(ExpectArray(op, 1, 0));
  Shape values = op.operand(0);
  const int last = values.dimensions_size() - 1;
  HILO_RULE(2, last >= 0, "the operand must have at least one dimension");
  HILO_RULE(
      3,
      0 <= k && (values.dimensions(last) == Shape::kUnboundedSize || k <= values.dimensions(last)),
      "k=%d must be between 0 and the size of the last dimension", k);
  values.set_dimensions(last, k, /*is_dynamic=*/false);
  Shape indices = WithElementType(values, S32);
  return Result(op, Shape(std::vector<Shape>{std::move(values), std::move(indices)}));
}

}  // namespace xla::shape_rules

// Operations that apply a called computation to elements or slices: reductions, windows, map, scan.
#include "absl/algorithm/container.h"
#include "ir/ops/rule.h"

namespace xla::shape_rules {
namespace {

struct ReductionOperands {
  absl::Span<const Shape* const> values;
  absl::Span<const Shape* const> inits;
};

// k arrays of the same dimensions, then k initial values. Checks 1 to 4.
absl::StatusOr<ReductionOperands> SplitReductionOperands(const OpDescription& op) {
  HILO_RULE(1, op.operands.size() % 2 == 0, "takes k arrays and k initial values, not %d operands",
            op.operands.size());
  const int count = static_cast<int>(op.operands.size() / 2);
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  for (int i = 0; i < count; ++i) {
    HILO_RETURN_IF_ERROR(ExpectSameDimensions(op, 2, 0, i));
    HILO_RETURN_IF_ERROR(ExpectScalar(op, 3, count + i));
    HILO_RETURN_IF_ERROR(ExpectAgreeingElementTypes(op, 4, i, count + i));
  }
  return ReductionOperands{op.operands.subspan(0, count), op.operands.subspan(count, count)};
}

// One shape for each of the types, as a tuple if the computation gives one.
Shape ForEachType(const OpDescription& op, const Shape& shape,
                  absl::Span<const PrimitiveType> types) {
  std::vector<Shape> shapes;
  for (PrimitiveType type : types) shapes.push_back(WithElementType(shape, type));
  return op.callees[0]->result().IsTuple() ? Shape(std::move(shapes)) : shapes[0];
}

}  // namespace

absl::StatusOr<Shape> Reduce(const OpDescription& op) {
  const Int64List& dimensions = op.As<DimensionsAttributes>().dimensions;
  HILO_ASSIGN_OR_RETURN(const ReductionOperands operands, SplitReductionOperands(op));
  Shape reduced = op.operand(0);
  for (const Shape* value : operands.values) {
    reduced = MergeDimensions(reduced, *value, reduced.element_type());
  }
  HILO_RETURN_IF_ERROR(
      ExpectDimensions(op, 5, "dimensions", dimensions, reduced.dimensions_size()));
  HILO_ASSIGN_OR_RETURN(const std::vector<PrimitiveType> types,
                        ExpectReducer(op, 6, 0, operands.values, operands.inits));
  reduced.clear_layout();
  reduced.DeleteDimensions(dimensions);
  return Result(op, ForEachType(op, reduced, types));
}

absl::StatusOr<Shape> ReduceWindow(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const ReductionOperands operands, SplitReductionOperands(op));
  const Shape& base = op.operand(0);
  HILO_ASSIGN_OR_RETURN(
      const Shape windows,
      WindowResult(op, 5, base, op.As<WindowAttributes>().window, base.element_type()));
  HILO_ASSIGN_OR_RETURN(const std::vector<PrimitiveType> types,
                        ExpectReducer(op, 7, 0, operands.values, operands.inits));
  return Result(op, ForEachType(op, windows, types));
}

absl::StatusOr<Shape> SelectAndScatter(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  const Shape& operand = op.operand(0);
  const Shape& source = op.operand(1);
  HILO_ASSIGN_OR_RETURN(
      const Shape windows,
      WindowResult(op, 2, operand, op.As<WindowAttributes>().window, operand.element_type()));
  HILO_RULE(4, DimensionsAgree(source, windows),
            "the source must have the dimensions %s of the windows", Text(windows));
  HILO_RETURN_IF_ERROR(ExpectAgreeingElementTypes(op, 5, 0, 1));
  HILO_RETURN_IF_ERROR(ExpectScalar(op, 6, 2));
  HILO_RETURN_IF_ERROR(ExpectAgreeingElementTypes(op, 6, 0, 2));
  const ProgramShape& select = *op.callees[0];
  HILO_RULE(7, select.parameters_size() == 2, "select must have 2 parameters, not %d",
            select.parameters_size());
  for (const Shape& parameter : select.parameters()) {
    HILO_RULE(7, IsScalar(parameter) && ElementTypesAgree(op, parameter, operand),
              "the parameters of select must be scalars of the element type of operand 0");
  }
  HILO_RULE(7, ShapeUtil::IsScalarWithElementType(select.result(), PRED),
            "the result of select must be pred[]");
  HILO_ASSIGN_OR_RETURN(
      const std::vector<PrimitiveType> types,
      ExpectReducer(op, 8, 1, op.operands.subspan(1, 1), op.operands.subspan(2, 1)));
  return Result(op, WithElementType(operand, types[0]));
}

absl::StatusOr<Shape> Map(const OpDescription& op) {
  const Int64List& dimensions = op.As<MapAttributes>().dimensions;
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  Shape merged = op.operand(0);
  for (int i = 1; i < static_cast<int>(op.operands.size()); ++i) {
    HILO_RETURN_IF_ERROR(ExpectSameDimensions(op, 1, 0, i));
    for (int j = 0; j < merged.dimensions_size(); ++j) {
      if (op.operand(i).is_bounded_dynamic_dimension(j)) merged.set_dynamic_dimension(j, true);
    }
  }
  const int rank = merged.dimensions_size();
  bool all = dimensions.empty() || static_cast<int>(dimensions.size()) == rank;
  for (size_t i = 0; all && i < dimensions.size(); ++i)
    all = dimensions[i] == static_cast<int64_t>(i);
  HILO_RULE(2, all, "dimensions={%s} must be all %d dimensions of the operands in order",
            Text(dimensions), rank);
  const ProgramShape& function = *op.callees[0];
  HILO_RULE(3, function.parameters_size() == static_cast<int>(op.operands.size()),
            "the computation must have %d parameters, not %d", op.operands.size(),
            function.parameters_size());
  for (int i = 0; i < function.parameters_size(); ++i) {
    const Shape& parameter = function.parameters(i);
    HILO_RULE(4, IsScalar(parameter) && ElementTypesAgree(op, parameter, op.operand(i)),
              "parameter %d must be a scalar of the element type of operand %d", i, i);
  }
  HILO_RULE(5, IsScalar(function.result()), "the computation must give a scalar");
  return Result(op, WithElementType(merged, function.result().element_type()));
}

// Operands are arrays to scan, then the initial carries. The computation takes a slice of each
// array and the carries and gives slices of the outputs and the next carries; the results are the
// outputs and the last carries.
absl::StatusOr<Shape> Scan(const OpDescription& op) {
  const auto& attributes = op.As<ScanAttributes>();
  const int64_t along = attributes.dimension;
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_RULE(2,
            0 <= attributes.num_carries &&
                attributes.num_carries < static_cast<int64_t>(op.operands.size()),
            "num_carries=%d must leave at least one of %d operands to scan", attributes.num_carries,
            op.operands.size());
  const int carries = static_cast<int>(attributes.num_carries);
  const int inputs = static_cast<int>(op.operands.size()) - carries;
  const ProgramShape& body = *op.callees[0];
  HILO_RULE(5, body.parameters_size() == static_cast<int>(op.operands.size()),
            "the computation must have %d parameters, not %d", op.operands.size(),
            body.parameters_size());
  for (int i = 0; i < inputs; ++i) {
    Shape slice = op.operand(i);
    HILO_RULE(3, 0 <= along && along < slice.dimensions_size(),
              "dimensions={%d} is not within the rank of operand %d", along, i);
    HILO_RULE(4, SizesAgree(slice.dimensions(along), op.operand(0).dimensions(along)),
              "operands 0 and %d must be equally long in dimension %d", i, along);
    slice.clear_layout();
    slice.DeleteDimension(along);
    HILO_RULE(5, ShapesAgree(body.parameters(i), slice),
              "parameter %d of the computation must have the shape %s", i, Text(slice));
  }
  const Shape& result = body.result();
  const int results = result.IsTuple() ? result.tuple_shapes_size() : 1;
  HILO_RULE(6, results >= carries, "the computation must give %d carries", carries);
  const int outputs = results - carries;
  std::vector<Shape> shapes;
  for (int i = 0; i < results; ++i) {
    Shape shape = result.IsTuple() ? result.tuple_shapes(i) : result;
    if (i < outputs) {
      HILO_RULE(6, shape.IsArrayExcludingBuffer() && along <= shape.dimensions_size(),
                "output %d of the computation must be an array that can get dimension %d", i,
                along);
      shape = ShapeUtil::InsertDimensionAtIndex(std::move(shape), along,
                                                op.operand(0).dimensions(along));
    } else {
      const int carry = inputs + i - outputs;
      HILO_RULE(7,
                ShapesAgree(shape, op.operand(carry)) && ShapesAgree(shape, body.parameters(carry)),
                "parameter %d and result %d of the computation must have the shape of operand %d",
                carry, i, carry);
    }
    shapes.push_back(std::move(shape));
  }
  return Result(op, result.IsTuple() ? Shape(std::move(shapes)) : shapes[0]);
}

}  // namespace xla::shape_rules

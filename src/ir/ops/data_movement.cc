// Leaves of a program, and operations that move elements without computing.
#include "ir/ops/rule.h"
#include "xla/permutation_util.h"

namespace xla::shape_rules {
namespace {

// The number of elements, or of bits with `bits_per_element`, where unbounded dimensions count
// as 1.
__int128 Extent(const Shape& shape, int bits_per_element = 1) {
  __int128 extent = bits_per_element;
  for (int64_t size : shape.dimensions()) {
    if (size != Shape::kUnboundedSize) extent *= size;  // fits: the shape is valid
  }
  return extent;
}

}  // namespace

absl::StatusOr<Shape> Parameter(const OpDescription& op) {
  const auto& attributes = op.As<ParameterAttributes>();
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RULE(1, attributes.parameter_number >= 0, "the parameter number %d must not be negative",
            attributes.parameter_number);
  const int64_t leaves = ShapeUtil::GetLeafCount(*declared);
  const int64_t entries = static_cast<int64_t>(attributes.parameter_replication.size());
  HILO_RULE(2, entries == 0 || entries == leaves,
            "parameter_replication must have an entry for each of the %d leaves, not %d", leaves,
            entries);
  return *declared;
}

absl::StatusOr<Shape> Constant(const OpDescription& op) {
  const SharedLiteral& literal = op.As<ConstantAttributes>().literal;
  HILO_RULE(1, literal != nullptr, "there is no literal");
  HILO_RULE(2, op.declared == nullptr || ShapesAgree(literal->shape(), *op.declared),
            "the literal has the shape %s", Text(literal->shape()));
  return op.declared == nullptr ? literal->shape() : *op.declared;
}

absl::StatusOr<Shape> Iota(const OpDescription& op) {
  const int64_t dimension = op.As<IotaAttributes>().iota_dimension;
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RULE(1, declared->IsArrayExcludingBuffer() && IsNumber(declared->element_type()),
            "the result must be an array of an integer, floating-point or complex type");
  HILO_RULE(2, 0 <= dimension && dimension < declared->dimensions_size(),
            "iota_dimension=%d is not within the rank of the result", dimension);
  return Result(op, *declared);
}

absl::StatusOr<Shape> Broadcast(const OpDescription& op) {
  const IntSpan dimensions = op.As<BroadcastAttributes>().dimensions;
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RETURN_IF_ERROR(ExpectArray(op, 1, 0));
  const Shape& operand = op.operand(0);
  HILO_RULE(1, declared->IsArrayExcludingBuffer() && ShapeUtil::SameElementType(operand, *declared),
            "the result must be an array with the element type of the operand");
  HILO_RULE(2, static_cast<int>(dimensions.size()) == operand.dimensions_size(),
            "dimensions={%s} must have one entry for each dimension of the operand",
            Text(dimensions));
  HILO_RETURN_IF_ERROR(
      ExpectDimensions(op, 3, "dimensions", dimensions, declared->dimensions_size()));
  for (int i = 0; i < operand.dimensions_size(); ++i) {
    HILO_RULE(4, SizesAgree(operand.dimensions(i), declared->dimensions(dimensions[i])),
              "dimension %d of the operand must be as long as dimension %d of the result", i,
              dimensions[i]);
  }
  return Result(op, WithElementType(*declared, operand.element_type()));
}

absl::StatusOr<Shape> Reshape(const OpDescription& op) {
  const int64_t inferred = op.As<ReshapeAttributes>().inferred_dimension;
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RETURN_IF_ERROR(ExpectArray(op, 1, 0));
  const Shape& operand = op.operand(0);
  HILO_RULE(1, declared->IsArrayExcludingBuffer() && ShapeUtil::SameElementType(operand, *declared),
            "the result must be an array with the element type of the operand");
  HILO_RULE(2,
            operand.is_unbounded_dynamic() || declared->is_unbounded_dynamic() ||
                Extent(operand) == Extent(*declared),
            "the result must have as many elements as the operand, %d, not %d",
            ShapeUtil::ElementsIn(operand), ShapeUtil::ElementsIn(*declared));
  HILO_RULE(3, -1 <= inferred && inferred < declared->dimensions_size(),
            "inferred_dimension=%d is not within the rank of the result", inferred);
  return Result(op, WithElementType(*declared, operand.element_type()));
}

absl::StatusOr<Shape> Bitcast(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RETURN_IF_ERROR(ExpectArray(op, 1, 0));
  HILO_RULE(1, declared->IsArrayExcludingBuffer(), "the result must be an array");
  const auto bits = [](const Shape& shape) {
    return Extent(shape, primitive_util::StorageBitWidth(shape.element_type()));
  };
  HILO_RULE(2, bits(op.operand(0)) == bits(*declared),
            "the result must have as many bits as the operand");
  const int from_bits = primitive_util::StorageBitWidth(op.operand(0).element_type());
  const int to_bits = primitive_util::StorageBitWidth(declared->element_type());
  HILO_RULE(3, from_bits % to_bits == 0 || to_bits % from_bits == 0,
            "elements of %d bits cannot be read as elements of %d bits", from_bits, to_bits);
  return *declared;
}

absl::StatusOr<Shape> Transpose(const OpDescription& op) {
  const IntSpan permutation = op.As<DimensionsAttributes>().dimensions;
  HILO_RETURN_IF_ERROR(ExpectArray(op, 1, 0));
  const Shape& operand = op.operand(0);
  HILO_RULE(2,
            static_cast<int>(permutation.size()) == operand.dimensions_size() &&
                IsPermutation(permutation),
            "dimensions={%s} must be a permutation of the operand's dimensions", Text(permutation));
  // The elements stay where they are: the layout is permuted too.
  return Result(op, ShapeUtil::PermuteDimensions(permutation, operand));
}

absl::StatusOr<Shape> Reverse(const OpDescription& op) {
  HILO_RETURN_IF_ERROR(ExpectArray(op, 1, 0));
  HILO_RETURN_IF_ERROR(ExpectDimensions(op, 2, "dimensions",
                                        op.As<DimensionsAttributes>().dimensions,
                                        op.operand(0).dimensions_size()));
  return Result(op, op.operand(0));
}

absl::StatusOr<Shape> Concatenate(const OpDescription& op) {
  const int64_t along = op.As<OneDimensionAttributes>().dimension;
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  const Shape& first = op.operand(0);
  HILO_RULE(2, 0 <= along && along < first.dimensions_size(),
            "dimensions={%d} is not within the rank of operand 0", along);
  Shape result = first;
  for (int i = 1; i < static_cast<int>(op.operands.size()); ++i) {
    const Shape& operand = op.operand(i);
    HILO_RULE(3, operand.dimensions_size() == first.dimensions_size(),
              "operands 0 and %d must have the same rank", i);
    HILO_RETURN_IF_ERROR(ExpectAgreeingElementTypes(op, 4, 0, i));
    int64_t total = Shape::kUnboundedSize;
    bool dynamic = result.is_dynamic_dimension(along) || operand.is_dynamic_dimension(along);
    if (result.dimensions(along) != Shape::kUnboundedSize &&
        operand.dimensions(along) != Shape::kUnboundedSize) {
      HILO_RULE(
          5, !__builtin_add_overflow(result.dimensions(along), operand.dimensions(along), &total),
          "the sum of the sizes overflows");
    }
    Shape others = operand;
    others.set_dimensions(along, total, dynamic);
    result.set_dimensions(along, total, dynamic);
    HILO_RULE(6, DimensionsAgree(result, others),
              "operands 0 and %d must have the same sizes in all dimensions but %d", i, along);
    result =
        MergeDimensions(result, others, ShapeUtil::HigherPrecisionElementType(result, others));
  }
  return Result(op, std::move(result));
}

absl::StatusOr<Shape> Slice(const OpDescription& op) {
  const std::vector<SliceRange>& ranges = op.As<SliceAttributes>().ranges;
  HILO_RETURN_IF_ERROR(ExpectArray(op, 1, 0));
  const Shape& operand = op.operand(0);
  HILO_RULE(2, static_cast<int>(ranges.size()) == operand.dimensions_size(),
            "slice has %d ranges for %d dimensions", ranges.size(), operand.dimensions_size());
  Shape result = operand;
  for (int i = 0; i < operand.dimensions_size(); ++i) {
    const auto [start, limit, stride] = ranges[i];
    const int64_t size = operand.dimensions(i);
    HILO_RULE(3, start >= 0, "dimension %d: the start %d is negative", i, start);
    HILO_RULE(4, size == Shape::kUnboundedSize || limit <= size,
              "dimension %d: the limit %d is larger than the size %d", i, limit, size);
    HILO_RULE(5, start <= limit, "dimension %d: the limit %d is smaller than the start %d", i,
              limit, start);
    HILO_RULE(6, stride >= 1, "dimension %d: the stride %d is not positive", i, stride);
    const int64_t span = limit - start;
    const bool whole = span == size && stride == 1;
    result.set_dimensions(i, span / stride + (span % stride != 0),
                          whole && operand.is_dynamic_dimension(i));
  }
  return Result(op, std::move(result));
}

absl::StatusOr<Shape> Pad(const OpDescription& op) {
  const PaddingConfig& padding = op.As<PadAttributes>().padding;
  HILO_RETURN_IF_ERROR(ExpectArrays(op, 1));
  HILO_RETURN_IF_ERROR(ExpectScalar(op, 2, 1));
  HILO_RETURN_IF_ERROR(ExpectAgreeingElementTypes(op, 3, 0, 1));
  const Shape& operand = op.operand(0);
  HILO_RULE(4, padding.dimensions_size() == operand.dimensions_size(),
            "padding has %d entries for %d dimensions", padding.dimensions_size(),
            operand.dimensions_size());
  Shape result =
      WithElementType(operand, ShapeUtil::HigherPrecisionElementType(operand, op.operand(1)));
  for (int i = 0; i < operand.dimensions_size(); ++i) {
    const PaddingConfig::PaddingConfigDimension& dimension = padding.dimensions(i);
    HILO_RULE(5, dimension.interior_padding() >= 0,
              "dimension %d: the interior padding %d is negative", i, dimension.interior_padding());
    const int64_t size = operand.dimensions(i);
    if (size == Shape::kUnboundedSize) continue;
    const __int128 gaps = size == 0 ? 0 : size - 1;
    const __int128 padded = size + gaps * dimension.interior_padding() +
                            dimension.edge_padding_low() + dimension.edge_padding_high();
    HILO_RULE(6, 0 <= padded && padded <= std::numeric_limits<int64_t>::max(),
              "dimension %d: the padded size is negative or too large", i);
    result.set_dimensions(i, static_cast<int64_t>(padded));
  }
  return Result(op, std::move(result));
}

}  // namespace xla::shape_rules

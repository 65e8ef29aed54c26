#include "ir/ops/rule.h"
#include "xla/primitive_util.h"

namespace xla::shape_rules {

absl::StatusOr<Shape> Fft(const OpDescription& op) {
  const auto& attributes = op.As<FftAttributes>();
  const Int64List& lengths = attributes.fft_length;
  HILO_RETURN_IF_ERROR(ExpectArray(op, 1, 0));
  const Shape& operand = op.operand(0);
  const int rank = operand.dimensions_size();
  const int axes = static_cast<int>(lengths.size());
  HILO_RULE(2, 1 <= axes && axes <= 3, "fft_length={%s} must have 1 to 3 entries", Text(lengths));
  HILO_RULE(3, axes <= rank, "fft_length={%s} has more entries than the operand dimensions",
            Text(lengths));
  const bool is_from_real = attributes.fft_type == RFFT;
  const bool is_to_real = attributes.fft_type == IRFFT;
  const PrimitiveType type = operand.element_type();
  HILO_RULE(4, is_from_real ? type == F32 || type == F64 : primitive_util::IsComplexType(type),
            "the element type of the operand must be %s", is_from_real ? "f32 or f64" : "complex");

  // A transform from complex to complex leaves an array without elements as it is.
  const bool is_trivial = !is_from_real && !is_to_real && ShapeUtil::IsZeroElementArray(operand);
  Shape result = operand;
  for (int i = 0; i < axes; ++i) {
    const int dimension = rank - axes + i;
    const int64_t length = lengths[i];
    // What is left of the spectrum of real data: the rest mirrors it.
    const int64_t half = length <= 0 ? 0 : length / 2 + 1;
    const bool is_last = i == axes - 1;
    HILO_RULE(5, length >= 0, "fft_length={%s} must not be negative", Text(lengths));
    const int64_t expected = is_last && is_to_real ? half : length;
    HILO_RULE(6, is_trivial || SizesAgree(operand.dimensions(dimension), expected),
              "fft_length={%s} does not go with dimension %d of the operand", Text(lengths),
              dimension);
    const bool is_dynamic = operand.is_bounded_dynamic_dimension(dimension);
    if (is_last && is_from_real) result.set_dimensions(dimension, half, is_dynamic);
    if (is_last && is_to_real) result.set_dimensions(dimension, length, is_dynamic);
  }
  if (is_from_real) return Result(op, WithElementType(result, primitive_util::ComplexType(type)));
  if (is_to_real)
    return Result(op, WithElementType(result, primitive_util::ComplexComponentType(type)));
  return Result(op, std::move(result));
}

}  // namespace xla::shape_rules

// Random numbers.
#include "ir/ops/rule.h"
#include "xla/primitive_util.h"

namespace xla::shape_rules {

absl::StatusOr<Shape> Rng(const OpDescription& op) {
  const int distribution = op.As<RngAttributes>().distribution;
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RULE(1, op.operands.size() == 2, "takes two parameters of the distribution, not %d operands",
            op.operands.size());
  HILO_RULE(2, declared->IsArrayExcludingBuffer(), "the result must be an array");
  const PrimitiveType type = declared->element_type();
  for (int i : {0, 1}) {
    HILO_RULE(3, IsScalar(op.operand(i)) && ElementTypesAgree(op, op.operand(i), *declared),
              "operand %d must be a scalar of the element type of the result", i);
  }
  HILO_RULE(4, distribution == RNG_NORMAL || distribution == RNG_UNIFORM, "unknown distribution %d",
            distribution);
  HILO_RULE(4, distribution == RNG_NORMAL ? IsFloat(type) : !primitive_util::IsComplexType(type),
            "the distribution has no values of the element type of the result");
  return Result(op, *declared);
}

absl::StatusOr<Shape> RngBitGenerator(const OpDescription& op) {
  const int algorithm = op.As<RngBitGeneratorAttributes>().algorithm;
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RETURN_IF_ERROR(ExpectArray(op, 1, 0));
  const Shape& state = op.operand(0);
  const Shape* bits = declared;
  if (declared->IsTuple()) {
    HILO_RULE(2,
              declared->tuple_shapes_size() == 2 && ShapesAgree(declared->tuple_shapes(0), state),
              "the result must be a tuple of a new state, like the operand, and the random bits");
    bits = &declared->tuple_shapes(1);
  }
  HILO_RULE(3, bits->IsArrayExcludingBuffer() && IsNumber(bits->element_type()),
            "the random bits must be an array of numbers");
  const bool is_u64_vector = state.element_type() == U64 && state.dimensions_size() == 1;
  const int64_t words = is_u64_vector ? state.dimensions(0) : 0;
  if (algorithm == RNG_THREE_FRY) {
    HILO_RULE(4, words == 2, "the state of rng_three_fry is u64[2]");
  } else if (algorithm == RNG_PHILOX) {
    HILO_RULE(4, words == 2 || words == 3, "the state of rng_philox is u64[2] or u64[3]");
  } else {
    HILO_RULE(4, algorithm == RNG_DEFAULT, "unknown algorithm %d", algorithm);
  }
  return *declared;
}

absl::StatusOr<Shape> RngGetAndUpdateState(const OpDescription& op) {
  HILO_ASSIGN_OR_RETURN(const Shape* declared, Declared(op));
  HILO_RULE(1, declared->IsArrayExcludingBuffer() && declared->element_type() == U64,
            "the result must be an array of u64");
  return Result(op, *declared);
}

}  // namespace xla::shape_rules

// Operations that give elements another type.
#include "base/status_macros.h"
#include "data/literal_convert.h"
#include "eval/dynamic_sizes.h"
#include "eval/frame.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {

absl::StatusOr<Value> Convert(Frame& frame, const HloInstruction& instruction) {
  const Literal& operand = frame.array(0);
  const PrimitiveType from = operand.shape().element_type();
  const PrimitiveType to = instruction.shape().element_type();
  if (from == to) return frame.Take(0);
  if (primitive_util::IsComplexType(from) && !primitive_util::IsComplexType(to)) {
    return Unimplemented("convert from %s to %s is not defined",
                         ShapeUtil::HumanString(operand.shape()),
                         ShapeUtil::HumanString(instruction.shape()));
  }
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  ConvertElements(from, Data(operand), to, MutableData(result), operand.element_count());
  return Value(std::move(result));
}

// Row-major arrays make the new narrow dimension, or the one that goes, the minor one.
absl::StatusOr<Value> BitcastConvert(Frame& frame, const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(const Literal operand, WithoutDynamicSizes(frame.array(0)));
  HILO_ASSIGN_OR_RETURN(Literal result,
                        operand.BitcastConvert(ShapeUtil::MakeShape(
                            instruction.shape().element_type(), instruction.shape().dimensions())));
  return Value(std::move(result));
}

}  // namespace xla::eval

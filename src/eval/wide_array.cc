#include "eval/wide_array.h"

#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {

absl::StatusOr<Kind> ProductKind(const HloInstruction& instruction) {
  const Kind result = FormatOf(instruction.shape().element_type()).kind;
  Kind kind = result;
  for (int64_t k = 0; k < 2; ++k) {
    // A sparse array is a tuple that begins with its elements.
    const Shape& shape = instruction.operand(k)->shape();
    const Shape& elements = shape.IsTuple() ? shape.tuple_shapes(0) : shape;
    const Kind operand = FormatOf(elements.element_type()).kind;
    if (operand >= Kind::kReal && operand > kind) kind = operand;
  }
  if (kind == Kind::kComplex && result != Kind::kComplex) {
    return Unimplemented("%s of complex numbers with result %s is not defined",
                         HloOpcodeString(instruction.opcode()),
                         ShapeUtil::HumanString(instruction.shape()));
  }
  return kind;
}

void RoundProducts(const HloInstruction& instruction, std::vector<double>& values) {
  if (FormatOf(instruction.shape().element_type()).kind >= Kind::kReal) return;
  const PrimitiveType type = ShapeUtil::HigherPrecisionElementType(instruction.operand(0)->shape(),
                                                                   instruction.operand(1)->shape());
  const Format& format = FormatOf(type);
  // Scaled integers are doubles that no product has to round.
  if (format.kind == Kind::kReal) format.round(values.data(), static_cast<int64_t>(values.size()));
}

}  // namespace xla::eval

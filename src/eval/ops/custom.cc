// Custom calls go to the handler of whoever runs the evaluator.
#include <vector>

#include "base/status_macros.h"
#include "eval/frame.h"
#include "ir/records.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {

absl::StatusOr<Value> CustomCall(Frame& frame, const HloInstruction& instruction) {
  const auto& handler = frame.evaluator().options().custom_call_handler;
  if (handler == nullptr) {
    return Unimplemented("No function is known for target \"%s\" of custom-call %s",
                         instruction.attributes_as<CustomCallAttributes>().target, instruction.name());
  }
  std::vector<Literal> literals;
  for (int64_t k = 0; k < frame.operand_count(); ++k) {
    HILO_ASSIGN_OR_RETURN(literals.emplace_back(), frame.Take(k).ToLiteral(instruction.operand(k)->shape()));
  }
  std::vector<const Literal*> operands;
  for (const Literal& literal : literals) operands.push_back(&literal);
  HILO_ASSIGN_OR_RETURN(Literal result, handler(&instruction, absl::MakeSpan(operands)));
  if (!ShapeUtil::Compatible(result.shape(), instruction.shape())) {
    return Internal("The function for custom-call %s gave %s instead of %s", instruction.name(),
                    ShapeUtil::HumanString(result.shape()), ShapeUtil::HumanString(instruction.shape()));
  }
  return Value::FromLiteral(std::move(result));
}

}  // namespace xla::eval

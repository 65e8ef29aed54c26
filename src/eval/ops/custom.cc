// Custom calls: well-known ones, and those that the evaluator's user has a handler for.
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "eval/frame.h"
#include "eval/known_calls.h"
#include "eval/top_elements.h"
#include "ir/records.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {

namespace {

// TopK(array) = (values[..., k], s32 indices[..., k])
bool IsTopK(const HloInstruction& instruction) {
  const Shape& shape = instruction.shape();
  if (instruction.custom_call_target() != "TopK" || instruction.operand_count() != 1 ||
      !shape.IsTuple() || shape.tuple_shapes_size() != 2 ||
      !instruction.operand(0)->shape().IsArray()) {
    return false;
  }
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& values = shape.tuple_shapes(0);
  const Shape& indices = shape.tuple_shapes(1);
  const int last = operand.dimensions_size() - 1;
  return last >= 0 && indices.IsArray() && indices.element_type() == S32 &&
         ShapeUtil::SameDimensions(values, indices) &&
         values.element_type() == operand.element_type() && values.dimensions_size() == last + 1 &&
         absl::c_equal(values.dimensions().first(last), operand.dimensions().first(last)) &&
         values.dimensions(last) <= operand.dimensions(last);
}

// Targets that say where a value lies or how it is divided. With one device it stays what it is.
bool IsPlacement(const HloInstruction& instruction) {
  static constexpr absl::string_view kTargets[] = {
      "Sharding",   "SPMDFullToShardShape", "SPMDShardToFullShape",
      "MoveToHost", "MoveToDevice",         "annotate_device_placement"};
  return instruction.operand_count() == 1 && instruction.IsCustomCall(kTargets) &&
         ShapeUtil::Compatible(instruction.operand(0)->shape(), instruction.shape());
}

}  // namespace

absl::StatusOr<Value> CustomCall(Frame& frame, const HloInstruction& instruction) {
  if (IsPlacement(instruction)) return frame.Take(0);
  if (IsTopK(instruction))
    return TopElements(frame.array(0), /*largest=*/true, instruction.shape());
  for (Operation function : {FindFactorization(instruction), FindPartialReduce(instruction)}) {
    if (function != nullptr) return function(frame, instruction);
  }
  const auto& handler = frame.evaluator().options().custom_call_handler;
  if (handler == nullptr) {
    return Unimplemented("No function is known for target \"%s\" of custom-call %s",
                         instruction.attributes_as<CustomCallAttributes>().target,
                         instruction.name());
  }
  std::vector<Literal> literals;
  for (int64_t k = 0; k < frame.operand_count(); ++k) {
    HILO_ASSIGN_OR_RETURN(literals.emplace_back(),
                          frame.Take(k).ToLiteral(instruction.operand(k)->shape()));
  }
  std::vector<const Literal*> operands;
  for (const Literal& literal : literals) operands.push_back(&literal);
  HILO_ASSIGN_OR_RETURN(Literal result, handler(&instruction, absl::MakeSpan(operands)));
  if (!ShapeUtil::Compatible(result.shape(), instruction.shape())) {
    return Internal("The function for custom-call %s gave %s instead of %s", instruction.name(),
                    ShapeUtil::HumanString(result.shape()),
                    ShapeUtil::HumanString(instruction.shape()));
  }
  return Value::FromLiteral(std::move(result));
}

}  // namespace xla::eval

#include "eval/elementwise.h"

#include <algorithm>
#include <optional>

#include "base/status_macros.h"
#include "eval/element.h"
#include "eval/element_functions.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {

absl::StatusOr<Value> Elementwise(Frame& frame, const HloInstruction& instruction) {
  const std::optional<ElementStep> step = FindElementStep(instruction);
  if (!step.has_value()) {
    return Unimplemented("%s is not defined on %s", HloOpcodeString(instruction.opcode()),
                         ShapeUtil::HumanString(instruction.operand(0)->shape()));
  }
  HILO_ASSIGN_OR_RETURN(Literal result, MakeArray(instruction.shape()));
  const int64_t count = result.element_count();
  const int64_t operand_count = frame.operand_count();
  const Format* formats[3] = {};
  int64_t strides[3] = {};
  for (int64_t k = 0; k < operand_count; ++k) {
    formats[k] = &FormatOf(frame.array(k).shape().element_type());
    strides[k] = frame.array(k).element_count() == count ? 1 : 0;
  }
  Lanes operands[3];
  Lanes lanes;
  const void* pointers[] = {operands[0].bytes, operands[1].bytes, operands[2].bytes};
  for (int64_t first = 0; first < count; first += kLanes) {
    const int64_t size = std::min(kLanes, count - first);
    for (int64_t k = 0; k < operand_count; ++k) {
      const char* source = Data(frame.array(k)) + first * strides[k] * formats[k]->bytes;
      formats[k]->load(source, strides[k], size, operands[k].bytes);
    }
    step->function(step->context, pointers, lanes.bytes, size);
    step->context.result->store(lanes.bytes, size,
                                MutableData(result) + first * step->context.result->bytes);
  }
  return Value(std::move(result));
}

}  // namespace xla::eval

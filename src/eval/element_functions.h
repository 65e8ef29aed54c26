// The functions of element-wise operations on blocks of elements in wide types.
#ifndef HILO_EVAL_ELEMENT_FUNCTIONS_H_
#define HILO_EVAL_ELEMENT_FUNCTIONS_H_

#include <cstdint>
#include <optional>

#include "eval/element.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::eval {

// What a function needs to know beyond the operands' elements.
struct ElementContext {
  const Format* operand;  // of the operand that gives the function its kind
  const Format* result;
  int parameters[2];  // exponent and mantissa bits, or comparison direction and type
};

// Computes `count` (at most kLanes) results. Operands and result are arrays of wide elements,
// `result` may be one of the operands. Results are not rounded yet.
using ElementFunction = void (*)(const ElementContext& context, const void* const* operands,
                                 void* result, int64_t count);

struct ElementStep {
  ElementFunction function;
  ElementContext context;
};

// The function of an element-wise instruction; nothing for other operations and for types it does
// not take.
std::optional<ElementStep> FindElementStep(const HloInstruction& instruction);

// The two halves of the list, by number of operands: a function for elements of `kind`, or null.
ElementFunction FindUnaryFunction(HloOpcode opcode, Kind kind);
ElementFunction FindBinaryFunction(HloOpcode opcode, Kind kind);

}  // namespace xla::eval

#endif  // HILO_EVAL_ELEMENT_FUNCTIONS_H_

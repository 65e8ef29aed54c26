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

// The functions of one and of two numbers: of an operation the function for elements of `kind`, or
// null. Each function of numbers in hlo_ops.def has one: AbsOf, AcosOf, ...
#define HLO_OP(...)
#define HLO_FUNCTION(name, ...) ElementFunction name##Of(Kind kind);
#include "xla/hlo/ir/hlo_ops.def"
#undef HLO_OP
ElementFunction CompareOf(Kind kind);
ElementFunction ComplexOf(Kind kind);
ElementFunction ImagOf(Kind kind);
ElementFunction RealOf(Kind kind);
ElementFunction ReducePrecisionOf(Kind kind);

}  // namespace xla::eval

#endif  // HILO_EVAL_ELEMENT_FUNCTIONS_H_

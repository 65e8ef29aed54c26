// Runs the function of an element-wise operation over whole arrays.
#ifndef HILO_EVAL_ELEMENTWISE_H_
#define HILO_EVAL_ELEMENTWISE_H_

#include "absl/status/statusor.h"
#include "eval/frame.h"
#include "eval/value.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::eval {

// Applies the element function of the instruction; scalar operands are repeated.
absl::StatusOr<Value> Elementwise(Frame& frame, const HloInstruction& instruction);

}  // namespace xla::eval

#endif  // HILO_EVAL_ELEMENTWISE_H_

// What the evaluator's functions get and give, and the list of them.
#ifndef HILO_EVAL_FRAME_H_
#define HILO_EVAL_FRAME_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "eval/evaluator.h"
#include "eval/value.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"

namespace xla::eval {

// One instruction's operands and the evaluator it runs in.
class Frame {
 public:
  Frame(Evaluator& evaluator, absl::Span<Value> operands)
      : evaluator_(evaluator), operands_(operands) {}

  Evaluator& evaluator() { return evaluator_; }
  int64_t operand_count() const { return static_cast<int64_t>(operands_.size()); }
  const Value& operand(int64_t i) const { return operands_[i]; }
  const Literal& array(int64_t i) const { return operands_[i].array(); }
  // Operand i, not to be asked for again. The value is the only one when nobody else needs it.
  Value Take(int64_t i) { return std::move(operands_[i]); }
  absl::Span<Value> operands() { return operands_; }

  // The value of an integer scalar or one-element operand.
  int64_t Integer(int64_t i) const;

  absl::StatusOr<Value> Call(const HloComputation& computation, std::vector<Value> arguments) {
    return evaluator_.Call(computation, std::move(arguments));
  }

 private:
  Evaluator& evaluator_;
  absl::Span<Value> operands_;
};

// One function for each operation: eval::Select, eval::Sort, ... The instruction has passed the
// verifier; the operands have the shapes of the instruction's operands. Functions of numbers are
// run by Elementwise.
#define HLO_FUNCTION(...)
#define HLO_OP(name, ...) \
  absl::StatusOr<Value> name(Frame& frame, const HloInstruction& instruction);
#include "xla/hlo/ir/hlo_ops.def"
#undef HLO_OP

using Operation = absl::StatusOr<Value> (*)(Frame& frame, const HloInstruction& instruction);

// The function of an operation.
Operation FindOperation(HloOpcode opcode);

}  // namespace xla::eval

#endif  // HILO_EVAL_FRAME_H_

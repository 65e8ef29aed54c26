// What evaluates HLO on literals.
#ifndef XLA_HLO_EVALUATOR_HLO_EVALUATOR_INTERFACE_H_
#define XLA_HLO_EVALUATOR_HLO_EVALUATOR_INTERFACE_H_

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"

namespace xla {

class DynamicDimensionInference;

// Implemented by HloEvaluator, and by what clients put before it.
class HloEvaluatorInterface {
 public:
  // Gives the value of a custom call from its operands.
  using CustomCallHandler = std::function<absl::StatusOr<Literal>(
      const HloInstruction* custom_call, absl::Span<const Literal*> operands)>;

  virtual ~HloEvaluatorInterface() = default;

  // The value of the computation's root.
  virtual absl::StatusOr<Literal> Evaluate(const HloComputation& computation,
                                           absl::Span<const Literal* const> args) = 0;
  template <typename Dummy = void>
  absl::StatusOr<Literal> Evaluate(const HloComputation& computation,
                                   absl::Span<const Literal> args) {
    std::vector<const Literal*> pointers;
    for (const Literal& arg : args) pointers.push_back(&arg);
    return Evaluate(computation, pointers);
  }
  // Forgets the values that it may have kept.
  virtual void ResetVisitStates() = 0;

  virtual void set_dynamic_dimension_inference(DynamicDimensionInference* inference) = 0;
  virtual void set_use_fast_path(bool value) = 0;
  virtual void set_custom_call_handler(CustomCallHandler handler) = 0;
};

}  // namespace xla

#endif  // XLA_HLO_EVALUATOR_HLO_EVALUATOR_INTERFACE_H_

// The reference evaluator: computes what a module means, plainly.
#ifndef XLA_HLO_EVALUATOR_HLO_EVALUATOR_H_
#define XLA_HLO_EVALUATOR_HLO_EVALUATOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/comparison_util.h"
#include "xla/hlo/evaluator/hlo_evaluator_interface.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/literal.h"
#include "xla/xla_data.pb.h"

namespace xla {

namespace eval {
struct Options;
}  // namespace eval

namespace runtime {
class Mailboxes;
class TypedCalls;
struct FfiSetting;
}  // namespace runtime

struct Attributes;
class CallGraph;
class DynamicDimensionInference;
class TuplePointsToAnalysis;

// Evaluates HLO on literals. Modules must have passed the verifier. Elements are computed in double
// precision or 64-bit integers and rounded once per instruction; the result depends on neither the
// machine nor its threads.
//
// Errors: InvalidArgument when arguments do not have the shapes of the parameters, Unimplemented for
// custom calls of functions that nobody has registered, NotFound for those of handlers, FailedPrecondition for infeed and outfeed where no host has given
// mailboxes, DeadlineExceeded for waiting too long, ResourceExhausted when memory runs out, calls
// nest too deeply or a loop takes more iterations than allowed.
//
// An evaluator is for one thread; any number may work on one module at the same time.
class HloEvaluator : public HloEvaluatorInterface {
 public:
  // Told about each product of elements in a dot or convolution: where they stand, counted in
  // row-major order, in the result, lhs and rhs. What a window has outside of the lhs is no product.
  using TraceMACHandler =
      std::function<void(int64_t result_index, int64_t lhs_index, int64_t rhs_index)>;
  // Gives the value of an instruction from its operands instead of the evaluator; kept, not called.
  using EvalLiteralHandler = std::function<absl::StatusOr<Literal>(
      const HloInstruction* instruction, absl::Span<const Literal*> operands)>;
  // Results of analyses that OpenXLA's evaluator can use; ignored.
  struct PrecomputedAnalyses {
    TuplePointsToAnalysis* tuple_points_to;
    CallGraph* call_graph;
  };

  // `max_loop_iterations` limits every while; negative is no limit.
  explicit HloEvaluator(int64_t max_loop_iterations = -1);
  ~HloEvaluator() override;

  // True: there is a function for every operation.
  static bool IsOpcodeImplemented(HloOpcode opcode);
  virtual std::unique_ptr<HloEvaluator> CreateEmbedded(int64_t max_loop_iterations);

  // The result of the entry computation, in its declared layout. Arguments may have any layout.
  absl::StatusOr<Literal> Evaluate(const HloModule& module, absl::Span<const Literal* const> args);
  template <typename Dummy = void>
  absl::StatusOr<Literal> Evaluate(const HloModule& module, absl::Span<const Literal> args) {
    return Evaluate(module, Pointers(args));
  }
  using HloEvaluatorInterface::Evaluate;
  absl::StatusOr<Literal> Evaluate(const HloComputation& computation,
                                   absl::Span<const Literal* const> args) override;

  // Evaluates the module on replicas * partitions simulated devices at once, each of which is a
  // thread. `args` and the results have an entry for each device: first all partitions of replica
  // 0, then those of replica 1, and so on. Collectives exchange data between the devices; the other
  // functions of this class are a single device. A custom call handler is called by all threads.
  //
  // InvalidArgument when there are no devices, more than kMaxDevices or others than the module's
  // configuration asks for, FailedPrecondition when a device waits for one that never arrives;
  // otherwise the error of the first device that fails.
  static constexpr int64_t kMaxDevices = 1024;
  absl::StatusOr<std::vector<Literal>> EvaluateReplicated(
      const HloModule& module, absl::Span<const std::vector<const Literal*>> args, int64_t replicas,
      int64_t partitions = 1);

  // The value of one instruction whose operands are constants. With
  // `recursively_evaluate_nonconstant_operands` the operands may be anything that does not depend
  // on a parameter. `substitutions` gives values of instructions directly. InvalidArgument when a
  // value is not known.
  absl::StatusOr<Literal> Evaluate(
      const HloInstruction* instruction, PrecomputedAnalyses precomputed_analyses = {},
      bool recursively_evaluate_nonconstant_operands = false,
      const absl::flat_hash_map<const HloInstruction*, const LiteralBase*>& substitutions = {});
  // The same; false instead of an error.
  bool TryEvaluate(const HloInstruction* instruction, Literal* result,
                   bool recursively_evaluate_nonconstant_operands = false);
  // Nothing is kept between calls.
  void ResetVisitStates() override {}

  // Single operations on literals of equal dimensions.
  absl::StatusOr<Literal> EvaluateElementwiseUnaryOp(HloOpcode opcode, const Literal& operand);
  absl::StatusOr<Literal> EvaluateElementwiseBinaryOp(HloOpcode opcode, const Literal& lhs,
                                                      const Literal& rhs);
  absl::StatusOr<Literal> EvaluateElementwiseTernaryOp(HloOpcode opcode, const Literal& lhs,
                                                       const Literal& rhs, const Literal& ehs);
  absl::StatusOr<Literal> EvaluateElementwiseCompareOp(ComparisonDirection direction,
                                                       const Literal& lhs, const Literal& rhs);
  absl::StatusOr<Literal> EvaluateDotOp(const DotDimensionNumbers& dim_numbers,
                                        const PrecisionConfig& precision_config, const Literal& lhs,
                                        const Literal& rhs);
  absl::StatusOr<Literal> EvaluateScaledDotOp(const DotDimensionNumbers& dim_numbers,
                                              const PrecisionConfig& precision_config,
                                              const Literal& lhs, const Literal& rhs,
                                              const Literal& lhs_scale, const Literal& rhs_scale);

  // Where the numbers of rng and rng-get-and-update-state begin. Equal seeds give equal results.
  void set_seed(uint64_t seed) { random_seed_ = seed; }

  // Through which the host feeds programs and gets what they put out, see runtime/mailboxes.h. Not
  // owned; null for no host.
  void set_mailboxes(runtime::Mailboxes* mailboxes) { mailboxes_ = mailboxes; }
  // What surrounds typed custom calls, and where those of the module are kept, whose states then
  // outlive an evaluation. Not owned; null for nothing.
  void set_typed_calls(const runtime::FfiSetting* setting, runtime::TypedCalls* calls) {
    ffi_setting_ = setting;
    typed_calls_ = calls;
  }

  // Settings of OpenXLA's evaluator. Dynamic sizes are carried by the values, and there is one path
  // only.
  void set_dynamic_dimension_inference(DynamicDimensionInference* inference) override {
    dynamic_dimension_inference_ = inference;
  }
  DynamicDimensionInference* dynamic_dimension_inference() { return dynamic_dimension_inference_; }
  void set_use_fast_path(bool) override {}
  void set_reduce_use_fast_path(bool) {}

  void set_custom_call_handler(CustomCallHandler handler) override {
    custom_call_handler_ = std::move(handler);
  }
  CustomCallHandler custom_call_handler() { return custom_call_handler_; }
  void set_trace_mac_handler(TraceMACHandler handler) { trace_mac_handler_ = std::move(handler); }
  void set_eval_literal_handler(EvalLiteralHandler handler) {
    eval_literal_handler_ = std::move(handler);
  }
  EvalLiteralHandler eval_literal_handler() const { return eval_literal_handler_; }

 private:
  eval::Options MakeOptions() const;
  static std::vector<const Literal*> Pointers(absl::Span<const Literal> literals);
  absl::StatusOr<Literal> EvaluateOperation(HloOpcode opcode,
                                            std::unique_ptr<Attributes> attributes,
                                            absl::Span<const Literal* const> operands);

  int64_t max_loop_iterations_;
  uint64_t random_seed_ = 0;
  runtime::Mailboxes* mailboxes_ = nullptr;
  const runtime::FfiSetting* ffi_setting_ = nullptr;
  runtime::TypedCalls* typed_calls_ = nullptr;
  DynamicDimensionInference* dynamic_dimension_inference_ = nullptr;
  CustomCallHandler custom_call_handler_;
  TraceMACHandler trace_mac_handler_;
  EvalLiteralHandler eval_literal_handler_;
};

// How a while counts: element `induction_var_index` of its state begins as `induction_var_init_value`, grows by
// `step_size` in each step, and is compared with `loop_bound`.
struct ParsedStaticWhileLoop {
  int64_t trip_count = -1;
  int64_t induction_var_index = -1;
  int64_t induction_var_init_value = -1;
  int64_t step_size = -1;
  int64_t loop_bound = -1;
};

// Of a loop that counts; without numbers where these depend on what is known at run time only.
struct ParsedWhileLoop {
  std::optional<ParsedStaticWhileLoop> static_while_loop;
  bool is_dynamic() const { return !static_while_loop.has_value(); }
};
inline constexpr ParsedWhileLoop kParsedDynamicWhileLoop = {std::nullopt};

// Nothing unless the condition compares an element of the state, an integer, with a value that no step changes (<, <=, >,
// >=, !=), and the body adds a constant to that element or subtracts one. Nothing either for a loop that does not end
// before the element overflows.
std::optional<ParsedWhileLoop> PatternMatchParseWhileLoop(
    const HloInstruction* while_op, HloEvaluator::PrecomputedAnalyses precomputed_analyses = {});

}  // namespace xla

#endif  // XLA_HLO_EVALUATOR_HLO_EVALUATOR_H_

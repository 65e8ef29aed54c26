// Runs computations: instructions in order, calls, limits.
#ifndef HILO_EVAL_EVALUATOR_H_
#define HILO_EVAL_EVALUATOR_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "eval/program.h"
#include "eval/value.h"
#include "ir/graph.h"
#include "runtime/ffi/call.h"
#include "runtime/library_kernel.h"
#include "runtime/random_counter.h"
#include "runtime/transfers.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::eval {

struct Options {
  int64_t max_loop_iterations = -1;  // of a while; no limit when negative
  uint64_t random_seed = 0;
  // Evaluates custom calls that the evaluator does not know; may be null.
  std::function<absl::StatusOr<Literal>(const HloInstruction*, absl::Span<const Literal*>)>
      custom_call_handler;
  // Told about each product of a dot or convolution: where its elements stand in the result, lhs and
  // rhs. May be null.
  std::function<void(int64_t, int64_t, int64_t)> trace_mac_handler = nullptr;
  runtime::Device device;
  // Through which the host, and other programs, talk to this one; null when there are none.
  runtime::Mailboxes* mailboxes = nullptr;
  // Becomes true when the run is to end, for whatever waits. May be null.
  const std::atomic<bool>* stop = nullptr;
  runtime::FfiSetting ffi = {};
  // The module's typed custom calls, which have a state of their own. Null where they need not
  // outlive the evaluator.
  runtime::TypedCalls* typed_calls = nullptr;
};

// Holds what is worth keeping between calls of one computation: the order of its instructions and
// scalar programs. Modules must not change while an evaluator knows them. For one thread.
class Evaluator {
 public:
  static constexpr int kMaxCallDepth = 200;

  explicit Evaluator(Options options);
  ~Evaluator();

  const Options& options() const { return options_; }

  // The result of a computation. ResourceExhausted when calls nest too deeply.
  absl::StatusOr<Value> Call(const HloComputation& computation, std::vector<Value> arguments);

  // The result of one instruction.
  absl::StatusOr<Value> Evaluate(const HloInstruction& instruction, absl::Span<Value> operands);

  // Where the operations with a state of their own (rng, rng-get-and-update-state) have come.
  runtime::RandomCounter& random_counter() { return random_counter_; }

  // The computation as a program on scalars; null when it is none.
  const Program* ScalarProgram(const HloComputation& computation);

  runtime::TypedCalls& typed_calls() {
    return options_.typed_calls != nullptr ? *options_.typed_calls : typed_calls_;
  }
  runtime::FfiRun& ffi_run() { return ffi_run_; }

  SideEffects& side_effects() { return side_effects_; }

  // Whoever runs the evaluator waits at the end until somebody receives what was sent.
  runtime::Transfers& transfers() { return transfers_; }

 private:
  struct Plan;
  const Plan& PlanFor(const HloComputation& computation);

  Options options_;
  int depth_ = 0;
  runtime::RandomCounter random_counter_;
  SideEffects side_effects_;
  const runtime::Environment environment_;
  runtime::Transfers transfers_;
  runtime::TypedCalls typed_calls_;
  runtime::FfiRun ffi_run_;
  absl::flat_hash_map<const HloComputation*, std::unique_ptr<Plan>> plans_;
  absl::flat_hash_map<const HloComputation*, std::unique_ptr<Program>> programs_;
};

}  // namespace xla::eval

#endif  // HILO_EVAL_EVALUATOR_H_

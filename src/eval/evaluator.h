// Runs computations: instructions in order, calls, limits.
#ifndef HILO_EVAL_EVALUATOR_H_
#define HILO_EVAL_EVALUATOR_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "eval/program.h"
#include "eval/replicas.h"
#include "eval/value.h"
#include "ir/graph.h"
#include "runtime/mailboxes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::eval {

struct Options {
  int64_t max_loop_iterations = -1;  // of a while; no limit when negative
  uint64_t random_seed = 0;
  // Evaluates custom calls that the evaluator does not know; may be null.
  std::function<absl::StatusOr<Literal>(const HloInstruction*, absl::Span<const Literal*>)>
      custom_call_handler;
  Device device;
  // Through which the host, and other programs, talk to this one; null when there are none.
  runtime::Mailboxes* mailboxes = nullptr;
  // Becomes true when the run is to end, for whatever waits. May be null.
  const std::atomic<bool>* stop = nullptr;
};

// The send and recv operations whose send-done or recv-done has not come yet, by the request number
// in their context. Each has the boxes from which it takes before it is done.
using TransferRequests = absl::flat_hash_map<uint32_t, std::vector<runtime::Mailbox>>;

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
  unsigned __int128& random_state() { return random_state_; }

  // The computation as a program on scalars; null when it is none.
  const Program* ScalarProgram(const HloComputation& computation);

  SideEffects& side_effects() { return side_effects_; }

  TransferRequests& transfer_requests() { return transfer_requests_; }
  // The boxes in which those who receive what was sent say so, with the send-done.
  std::vector<std::pair<const HloInstruction*, runtime::Mailbox>>& sent() { return sent_; }
  // For transfers of a device with itself, where there are no other mailboxes.
  runtime::Mailboxes& own_mailboxes() { return own_mailboxes_; }

 private:
  struct Plan;
  const Plan& PlanFor(const HloComputation& computation);

  Options options_;
  int depth_ = 0;
  unsigned __int128 random_state_;
  SideEffects side_effects_;
  TransferRequests transfer_requests_;
  std::vector<std::pair<const HloInstruction*, runtime::Mailbox>> sent_;
  runtime::Mailboxes own_mailboxes_{absl::ZeroDuration()};
  absl::flat_hash_map<const HloComputation*, std::unique_ptr<Plan>> plans_;
  absl::flat_hash_map<const HloComputation*, std::unique_ptr<Program>> programs_;
};

// To be called at the end of a run: waits until somebody receives what was sent to other devices.
absl::Status WaitForReceivers(Evaluator& evaluator);

}  // namespace xla::eval

#endif  // HILO_EVAL_EVALUATOR_H_

// While loops whose state is a tuple that nobody uses but by its elements.
#ifndef HILO_PASSES_SIMPLIFY_LOOP_H_
#define HILO_PASSES_SIMPLIFY_LOOP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// A loop and its state: element i begins as initial(i) and is next(i) after each step. Both are
// operands of tuples.
class Loop {
 public:
  // Puts the loop in this form, where it has a tuple as state; nothing where it has none, or
  // control dependencies. Body and condition must have no other callers. `changed` becomes true
  // where that adds instructions.
  static absl::StatusOr<std::optional<Loop>> Make(HloInstruction& loop, bool& changed);
  // A loop that has this form already, to look at.
  static std::optional<const Loop> Of(const HloInstruction& loop);

  int64_t size() const { return static_cast<int64_t>(initial_->operand_count()); }
  HloInstruction& instruction() const { return *loop_; }
  HloComputation& body() const { return *loop_->while_body(); }
  HloComputation& condition() const { return *loop_->while_condition(); }

  HloInstruction* initial(int64_t i) const { return initial_->mutable_operand(i); }
  HloInstruction* next(int64_t i) const { return body().root_instruction()->mutable_operand(i); }
  bool IsInvariant(int64_t i) const { return IsElement(*next(i), i); }

  // Which element of the state an instruction of body or condition is, or -1.
  int64_t ElementNumber(const HloInstruction& instruction) const;

  // All users of an element, in the body and the condition, use clones of `value` instead;
  // afterwards of the loop, `value` itself.
  absl::Status ReplaceElement(int64_t i, HloInstruction& value);
  // The same with another element that always has the same value.
  absl::Status MergeElements(int64_t kept, int64_t replaced);
  // Afterwards, users of the element's last value use `value`.
  absl::Status ReplaceResult(int64_t i, HloInstruction* value);

  // Changes the state to the elements `kept`, in this order, and then those that begin with `added`
  // and never change. Instruction `replaced[k]` of body or condition becomes element number
  // kept.size() + k. Elements have these numbers from now on.
  absl::Status ChangeState(const std::vector<int64_t>& kept,
                           const std::vector<HloInstruction*>& added,
                           const std::vector<HloInstruction*>& replaced);
  // The same with all elements that there are.
  absl::Status AddToState(const std::vector<HloInstruction*>& added,
                          const std::vector<HloInstruction*>& replaced);

 private:
  Loop(HloInstruction* loop, HloInstruction* initial) : loop_(loop), initial_(initial) {}

  static bool IsElementOf(const HloInstruction& instruction, const HloInstruction& tuple,
                          int64_t i) {
    return instruction.opcode() == HloOpcode::kGetTupleElement &&
           instruction.operand(0) == &tuple && instruction.tuple_index() == i;
  }
  bool IsElement(const HloInstruction& instruction, int64_t i) const {
    return IsElementOf(instruction, *body().parameter_instruction(0), i);
  }

  HloInstruction* loop_;
  HloInstruction* initial_;
};

// Whether Hilo itself computes what a custom call does, from its operands and attributes alone.
bool IsOwnFunction(const HloInstruction& call);

// Whether copies of the instruction would not do the same together as it alone: handlers of typed
// custom calls keep a state for each, and count on being called in each step.
bool HasState(const HloInstruction& instruction);

// Whether it can as well be computed elsewhere, once for several times: it makes an array, or
// several, of its operands and nothing else.
bool CanMove(const HloInstruction& instruction, SideEffects& side_effects);

// Clones of an instruction and of those that it needs in another computation, without recursion.
// `clones` has what stands for those that are there already.
HloInstruction* CloneInto(HloComputation& computation, const HloInstruction* wanted,
                          absl::flat_hash_map<const HloInstruction*, HloInstruction*>& clones);

// The element of a loop's state that counts its steps: it is `first` in the first one and goes up
// by `step`. It has at least 32 bits and never wraps around.
struct Counter {
  int64_t element, first, step, steps;
};
// That of a loop whose counter goes up, where the first number and the limit are known.
std::optional<Counter> FindCounter(const Loop& loop);
std::optional<int64_t> CountStepsUp(const Loop& loop);

// An index in the body that is factor * counter + constant.
struct CountedIndex {
  int64_t factor, constant;
};
// What an index of at least 32 bits is as one, if few instructions compute it so.
std::optional<CountedIndex> FindCountedIndex(const Loop& loop, const Counter& counter,
                                             const HloInstruction& index);

// Whether an index counts the steps down to 0, the last one, rather than up from 0; nothing where it
// does neither.
std::optional<bool> CountsDown(const Loop& loop, const Counter& counter,
                               const HloInstruction& index);
// Whether a slice or an update has one index of an array's first dimension and all of the others.
bool IsRow(const Shape& array, const Shape& row);
// The same where the first dimension has one index for each step.
bool IsRowOfStep(const Counter& counter, const Shape& array, const Shape& row);

// Every while of the module, those in bodies of others first.
std::vector<HloInstruction*> FindLoops(HloModule& module);

// Calls rewrite(loop) for each that can be put in the form of a Loop, which says whether it changed
// anything, and removes what nobody needs any more.
absl::StatusOr<bool> RewriteLoops(HloModule& module,
                                  absl::FunctionRef<absl::StatusOr<bool>(Loop&)> rewrite);

}  // namespace xla::passes

#endif  // HILO_PASSES_SIMPLIFY_LOOP_H_

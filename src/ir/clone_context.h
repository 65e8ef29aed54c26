// Remembers what became what while instructions and computations are cloned.
#ifndef HILO_IR_CLONE_CONTEXT_H_
#define HILO_IR_CLONE_CONTEXT_H_

#include "absl/container/flat_hash_map.h"

namespace xla {

class HloComputation;
class HloInstruction;

class HloCloneContext {
 public:
  void MapInstruction(const HloInstruction* old_instruction, HloInstruction* new_instruction) {
    instructions_[old_instruction] = new_instruction;
  }
  void MapComputation(const HloComputation* old_computation, HloComputation* new_computation) {
    computations_[old_computation] = new_computation;
  }
  // The clone, or null when there is none.
  HloInstruction* FindInstruction(const HloInstruction* old_instruction) const {
    const auto found = instructions_.find(old_instruction);
    return found == instructions_.end() ? nullptr : found->second;
  }
  // The clone, or the computation itself when it was not cloned.
  HloComputation* MappedComputation(HloComputation* computation) const {
    const auto found = computations_.find(computation);
    return found == computations_.end() ? computation : found->second;
  }

 private:
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> instructions_;
  absl::flat_hash_map<const HloComputation*, HloComputation*> computations_;
};

}  // namespace xla

#endif  // HILO_IR_CLONE_CONTEXT_H_

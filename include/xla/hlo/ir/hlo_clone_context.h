// Remembers what became what while instructions and computations are cloned.
#ifndef XLA_HLO_IR_HLO_CLONE_CONTEXT_H_
#define XLA_HLO_IR_HLO_CLONE_CONTEXT_H_

#include "absl/container/flat_hash_map.h"

namespace xla {

class HloComputation;
class HloInstruction;

class HloModule;

class HloCloneContext {
 public:
  // The module is for what clients keep with it.
  explicit HloCloneContext(HloModule* module = nullptr) : module_(module) {}
  HloModule* module() const { return module_; }

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
  HloComputation* FindComputation(const HloComputation* old_computation) const {
    const auto found = computations_.find(old_computation);
    return found == computations_.end() ? nullptr : found->second;
  }
  // There must be one.
  HloInstruction* GetInstruction(const HloInstruction* old_instruction) const {
    return instructions_.at(old_instruction);
  }
  HloComputation* GetComputation(const HloComputation* old_computation) const {
    return computations_.at(old_computation);
  }
  const absl::flat_hash_map<const HloInstruction*, HloInstruction*>& cloned_instructions() const {
    return instructions_;
  }
  const absl::flat_hash_map<const HloComputation*, HloComputation*>& cloned_computations() const {
    return computations_;
  }
  // The clone, or the computation itself when it was not cloned.
  HloComputation* MappedComputation(HloComputation* computation) const {
    const auto found = computations_.find(computation);
    return found == computations_.end() ? computation : found->second;
  }

 private:
  HloModule* module_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> instructions_;
  absl::flat_hash_map<const HloComputation*, HloComputation*> computations_;
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_CLONE_CONTEXT_H_

// Where every array of a program lies while it runs.
//
// A *variable* is an array that some instruction writes: the result of an operation, a leaf of the
// state of a while, of the result of a conditional, a parameter of the entry, a constant. Tuples,
// get-tuple-element, reshapes and the like are other names of variables. Variables whose lives do
// not overlap share memory; those that hold the same thing one after the other (the state of a loop
// and its next value, an array and the same array updated) share it on purpose, so that nothing is
// copied. For the same reason, large arrays that a loop or all branches of a conditional hand on
// unchanged are no new variables, and operands of a concatenation lie in its result where they can.
#ifndef HILO_CPU_PLAN_MEMORY_H_
#define HILO_CPU_PLAN_MEMORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "passes/decision.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape.h"

namespace xla::cpu {

enum class Place { kParameter, kResult, kConstant, kArena };

struct Slot {
  Place place = Place::kArena;
  int64_t number = 0;  // of the parameter leaf, result leaf or constant
  int64_t offset = 0;  // in bytes from the beginning of that array or of the arena

  friend bool operator==(const Slot&, const Slot&) = default;
};

struct Variable {
  Shape shape;
  const HloInstruction* definition;
  Slot slot;
  int64_t begin = 0, end = 0;  // the time during which its memory is needed
};

// An array that is copied from one variable to another, and why they do not share memory.
struct Copy {
  int from, to;
  passes::Decision shares;
};

// A module's variables. The module must have passed VerifyModule, and calls must have been inlined.
class MemoryPlan {
 public:
  static absl::StatusOr<MemoryPlan> Make(const HloModule& module);

  // The variables that hold the leaves of an instruction's value, tokens left out.
  const std::vector<int>& VariablesOf(const HloInstruction& instruction) const {
    return leaves_.at(&instruction);
  }
  int VariableOf(const HloInstruction& array) const { return VariablesOf(array)[0]; }
  const Variable& variable(int number) const { return variables_[number]; }

  // Instructions of a computation in the order in which they run.
  const std::vector<const HloInstruction*>& Order(const HloComputation& computation) const {
    return order_.at(&computation);
  }

  int variable_count() const { return static_cast<int>(variables_.size()); }
  // Constants in the order of their slots' numbers.
  const std::vector<const HloInstruction*>& constants() const { return constants_; }
  int64_t parameter_count() const { return parameter_count_; }
  // What is copied because variables could not share memory, small arrays left out.
  const std::vector<Copy>& copies() const { return copies_; }

 private:
  class Maker;

  std::vector<Variable> variables_;
  absl::flat_hash_map<const HloInstruction*, std::vector<int>> leaves_;
  absl::flat_hash_map<const HloComputation*, std::vector<const HloInstruction*>> order_;
  std::vector<const HloInstruction*> constants_;
  std::vector<Copy> copies_;
  int64_t parameter_count_ = 0;
};

// The leaves of a shape that are arrays, in order.
std::vector<Shape> ArrayLeaves(const Shape& shape);

// Whether an instruction defines nothing: its value is that of its operands, or of what its
// computation is called with.
bool IsOtherName(const HloInstruction& instruction);

// The number of the operand whose memory a leaf of the instruction's result should take over, or
// -1. An operand that is updated is an array.
int64_t UpdatedOperand(const HloInstruction& instruction, int64_t leaf);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_MEMORY_H_

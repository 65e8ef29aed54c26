// Operations whose operands and attributes have to go together so closely that random ones hardly
// ever do.
#ifndef HILO_TOOLS_RANDOM_RECIPES_H_
#define HILO_TOOLS_RANDOM_RECIPES_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "ir/field.h"
#include "tools/random_values.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/shape.h"

namespace xla {

// The values of a computation that is being made.
class ValuePool {
 public:
  // The builder and the numbers must outlive the pool.
  ValuePool(Random& random, HloComputation::Builder& builder, std::vector<PrimitiveType> types)
      : random_(random), builder_(builder), types_(std::move(types)) {}

  Random& random() { return random_; }
  absl::Span<const PrimitiveType> types() const { return types_; }
  const std::vector<HloInstruction*>& values() const { return values_; }

  // Adds an instruction whose value others may use.
  HloInstruction* Add(std::unique_ptr<HloInstruction> instruction);
  // Adds one that only what comes next uses.
  HloInstruction* AddHidden(std::unique_ptr<HloInstruction> instruction) {
    return builder_.AddInstruction(std::move(instruction));
  }

  HloInstruction* Any() { return random_.OneOf(values_); }
  // An array of at least `rank` dimensions.
  HloInstruction* AnyArray(int64_t rank = 0);
  // A static array: one that is there, or a constant.
  HloInstruction* Array(PrimitiveType type, absl::Span<const int64_t> dimensions);
  HloInstruction* Number(PrimitiveType type, int64_t value);

 private:
  Random& random_;
  HloComputation::Builder& builder_;
  std::vector<PrimitiveType> types_;
  std::vector<HloInstruction*> values_;
};

// What an instruction may be made of, if its shape rule agrees.
struct Proposal {
  std::vector<HloInstruction*> operands;
  std::unique_ptr<Attributes> attributes;  // fresh ones when null
  std::optional<Shape> declared;
};

using Recipe = Proposal (*)(ValuePool& pool);

// Null when there is none: random operands and attributes do.
Recipe FindRecipe(HloOpcode opcode);

}  // namespace xla

#endif  // HILO_TOOLS_RANDOM_RECIPES_H_

// Large products together with what is computed of them until all of it is small again.
#ifndef HILO_CPU_PLAN_PRODUCT_CHAIN_H_
#define HILO_CPU_PLAN_PRODUCT_CHAIN_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// How an array is divided along with a dimension of the product: for each `divisor` elements of
// that, it has `factor` elements of its own dimension.
struct ArrayDivision {
  int dimension;
  int64_t factor = 1, divisor = 1;

  int64_t Scale(int64_t elements) const { return elements / divisor * factor; }
  bool operator==(const ArrayDivision&) const = default;
};

// How the operands of an instruction are divided where its result is: nothing where an element
// needs others along the divided dimension. Operands that each block reads as a whole have none.
struct OperandDivisions {
  std::vector<std::optional<ArrayDivision>> operands;
  int64_t unit;  // the elements of a block of the product are a multiple of this
};
std::optional<OperandDivisions> DivideOperands(const HloInstruction& instruction,
                                               const ArrayDivision& result);

// How a chain is divided into blocks that have nothing to do with each other.
struct ChainDivision {
  int64_t dimension;  // of the product
  int64_t unit = 1;   // the elements of a block are a multiple of this
  // What is computed block by block: all members, and producers that can be. Of tuples their
  // arrays.
  absl::flat_hash_map<const HloInstruction*, ArrayDivision> computed;
  // Of what these read besides, by reader and number of the operand; others are read as a whole.
  absl::flat_hash_map<std::pair<const HloInstruction*, int64_t>, ArrayDivision> operands;
};

// A dot and what is computed of it, up to where arrays have at most half as many elements: scores,
// softmax and the product with values of an attention, distances and the least of each row.
class ProductChain {
 public:
  // Nothing where something else needs a large array, where none is reduced or multiplied, or where
  // there are too many members.
  static std::optional<ProductChain> Find(HloInstruction& product);

  HloInstruction& product() const { return *product_; }
  // Members, which depend on the product, and other large arrays that nothing else needs: their
  // producers. Operands before users.
  const std::vector<HloInstruction*>& instructions() const { return instructions_; }
  // Whether something that is no member needs it.
  bool IsOutput(const HloInstruction& member) const;
  // Of the largest array of a member.
  int64_t LargestBytes() const;

  // The chain in blocks along a dimension of the product; nothing where some member's elements
  // need others along it.
  std::optional<ChainDivision> Divide(int64_t dimension) const;

 private:
  explicit ProductChain(HloInstruction& product) : product_(&product) {}

  bool IsLarge(const HloInstruction& instruction) const;
  void FindMembers(const std::vector<HloInstruction*>& order);
  void FindProducers(const std::vector<HloInstruction*>& order);
  bool KeepsLargeArrays() const;
  bool DivideMember(const HloInstruction& member, ChainDivision& division) const;
  void DivideProducer(const HloInstruction& producer, ChainDivision& division) const;

  HloInstruction* product_;
  std::vector<HloInstruction*> instructions_;
  absl::flat_hash_set<const HloInstruction*> members_, producers_;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_PRODUCT_CHAIN_H_

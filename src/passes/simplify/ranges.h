// What is known of integers in the body of a loop.
#ifndef HILO_PASSES_SIMPLIFY_RANGES_H_
#define HILO_PASSES_SIMPLIFY_RANGES_H_

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "passes/simplify/loop.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// All elements lie in [least, most]; false and true are 0 and 1.
struct IntegerRange {
  int64_t least, most;
};

// What a comparison of any two elements of the ranges says, where all say the same.
std::optional<bool> KnownComparison(Comparison::Direction direction, const IntegerRange& x,
                                    const IntegerRange& y);

// Ranges of integers and truths that a loop's counter and constants decide. Nothing is said of what
// might wrap around.
class IntegerRanges {
 public:
  IntegerRanges(const Loop& loop, const Counter& counter) : loop_(loop), counter_(counter) {}

  // Looks at an instruction of the body all of whose operands are constants or have been looked at.
  std::optional<IntegerRange> Add(const HloInstruction& instruction);
  std::optional<IntegerRange> Of(const HloInstruction& instruction) const;

 private:
  std::optional<IntegerRange> Find(const HloInstruction& x) const;
  std::optional<IntegerRange> Select(const HloInstruction& x) const;

  const Loop& loop_;
  const Counter& counter_;
  absl::flat_hash_map<const HloInstruction*, IntegerRange> known_;
};

}  // namespace xla::passes

#endif  // HILO_PASSES_SIMPLIFY_RANGES_H_

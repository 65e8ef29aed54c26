// Counter-based random numbers as element-wise operations, bit for bit those of the evaluator. The
// generators are those of "Parallel random numbers: as easy as 1, 2, 3" (Salmon et al., SC 2011).
#ifndef HILO_PASSES_EXPAND_RANDOM_H_
#define HILO_PASSES_EXPAND_RANDOM_H_

#include <array>

#include "passes/graph_builder.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// Threefry-2x32 with 20 rounds. Keys are scalars, counters arrays, all of u32 and the low word
// first.
std::array<HloInstruction*, 2> ThreeFry(GraphBuilder& builder, std::array<HloInstruction*, 2> key,
                                        std::array<HloInstruction*, 2> counter);

// Philox-4x32 with 10 rounds.
std::array<HloInstruction*, 4> Philox(GraphBuilder& builder, std::array<HloInstruction*, 2> key,
                                      std::array<HloInstruction*, 4> counter);

// The halves of u64, and back.
std::array<HloInstruction*, 2> SplitWord(GraphBuilder& builder, HloInstruction* x);
HloInstruction* JoinWord(GraphBuilder& builder, HloInstruction* low, HloInstruction* high);

// A counter of 128 bits, the low word first.
struct WideCounter {
  HloInstruction* low;
  HloInstruction* high;
};
WideCounter Advance(GraphBuilder& builder, const WideCounter& counter, HloInstruction* by);

// What Philox makes of counters for which `key` is a scalar of u64.
std::array<HloInstruction*, 4> PhiloxBlock(GraphBuilder& builder, HloInstruction* key,
                                           const WideCounter& counter);

}  // namespace xla::passes

#endif  // HILO_PASSES_EXPAND_RANDOM_H_

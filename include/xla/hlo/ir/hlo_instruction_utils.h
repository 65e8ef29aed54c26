// Small questions about instructions, and attributes of clients that are lists of pairs.
#ifndef XLA_HLO_IR_HLO_INSTRUCTION_UTILS_H_
#define XLA_HLO_IR_HLO_INSTRUCTION_UTILS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {
namespace hlo_instruction_utils {

using Interval = std::pair<int64_t, int64_t>;

// Whether it is a slice with stride 1 in each dimension.
bool IsUnstridedSlice(const HloInstruction* hlo);

// Whether an element of the first operand has as many bits as one of the result; both must be
// arrays.
bool KeepsBitwidth(const HloInstruction& hlo);

// Sets the frontend attribute `attr_name` to the list, as {{0,4},{2,3}}.
void AddOrUpdateVectorOfPairsAsAttribute(HloInstruction* instr, std::string attr_name,
                                         std::vector<Interval> intervals);

}  // namespace hlo_instruction_utils
}  // namespace xla

#endif  // XLA_HLO_IR_HLO_INSTRUCTION_UTILS_H_

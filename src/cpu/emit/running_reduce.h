// Windows that all reach to the same end of a dimension, as in cumulative sums.
#ifndef HILO_CPU_EMIT_RUNNING_REDUCE_H_
#define HILO_CPU_EMIT_RUNNING_REDUCE_H_

#include <string>

#include "absl/status/statusor.h"
#include "cpu/emit/kernel.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether each window of a reduce-window has the elements of its neighbour on one side and one
// more, and there are so many that it is worth going on from there.
bool IsRunningReduce(const HloInstruction& instruction);

// The kernel of a fusion whose root is one: each element is folded once. Windows that reach to the
// last element are folded from there, which is the same for computations that are associative.
absl::StatusOr<Kernel> EmitRunningReduce(Unit& unit, const HloComputation& computation,
                                         const std::string& name);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_RUNNING_REDUCE_H_

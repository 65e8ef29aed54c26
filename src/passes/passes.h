// Passes over modules, each a function in a file of its own. Their rows in table.cc say what they
// do and rely on; here stands what else there is to know.
#ifndef HILO_PASSES_PASSES_H_
#define HILO_PASSES_PASSES_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {
class SideEffects;
}  // namespace xla

namespace xla::passes {

// ---- simplify/

// Fusions as well: which there are, each back end decides for itself.
absl::StatusOr<bool> InlineCalls(HloModule& module);
absl::StatusOr<bool> FlattenControlFlow(HloModule& module);
// And computations that nobody calls.
absl::StatusOr<bool> RemoveDeadCode(HloModule& module);
// Of one computation; computations that it calls stay.
absl::StatusOr<bool> RemoveDeadCode(HloComputation& computation);

// Replaces operations by cheaper ones with the same value, bit for bit but for the payload of NaN
// and the last digits of powers.
absl::StatusOr<bool> SimplifyAlgebra(HloModule& module);
absl::StatusOr<bool> FoldConstants(HloModule& module);
absl::StatusOr<bool> MergeDuplicates(HloModule& module);

// What takes random numbers of the run's counter keeps its place in the order of the program by
// control dependencies, as other passes change that order. Other instructions lose theirs, unless
// they have side effects: where one of those had any, all side effects of the computation keep the
// order of the program.
absl::StatusOr<bool> OrderSideEffects(HloModule& module);
// Whether it takes random numbers, or may.
bool MovesCounter(const HloInstruction& instruction, SideEffects& effects);

// Removes what a loop's state carries in vain, and writes what it never changes as constants or as
// values from before the loop.
absl::StatusOr<bool> SimplifyLoops(HloModule& module);
// Writes loops of few steps, where these are known, as the steps one after the other, and two steps
// of longer ones as one where an array would be copied back after each.
absl::StatusOr<bool> UnrollLoops(HloModule& module);
absl::StatusOr<bool> HoistInvariants(HloModule& module);
// What a loop's step computes of its state, where the step before has computed it of the same
// state, becomes a part of the state.
absl::StatusOr<bool> CarryValues(HloModule& module);
// What a loop's condition computes of the state, and the step behind it does, too, is computed once
// and becomes a part of the state. Both computed, it could be rounded differently: where the
// condition decides whether a step has something to do, and the step whether it does something, the
// loop would never end.
absl::StatusOr<bool> ShareConditions(HloModule& module);
// Writes conditionals that always take the same branch as that branch, and cheap ones as selects.
absl::StatusOr<bool> SimplifyConditionals(HloModule& module);

// ---- dynamic/

// Writes arrays with dynamic sizes as static ones of the size that their shape says, and scalars
// that say how much of them there is. The sizes of the entry's parameters are more parameters
// behind all others, those of its result more elements of a tuple: one s32 scalar for each
// dimension that is declared dynamic, in order. Loops and branches must have computations of their
// own, and there must be no calls. A size beyond its bound counts as the bound.
absl::StatusOr<bool> ResolveDynamicSizes(HloModule& module);

// ---- partition/

// Writes a program with shardings for several partitions as what each of them does on its parts of
// the parameters, sending what it needs of others. Shardings that are open follow from those around
// them. What cannot be done on parts is done on the whole everywhere. The module keeps what was
// decided in spmd_parameters_shardings and spmd_output_sharding. Programs without
// use_spmd_partitioning are divided already and stay as they are.
absl::StatusOr<bool> Partition(HloModule& module);

// Gives every instruction of such a program the sharding that Partition would divide it by, but for
// those of manual regions. Parts of asynchronous pairs and calls are what they stand for.
absl::StatusOr<bool> PropagateShardings(HloModule& module);

// ---- expand/

// Writes async-start and copy-start as tuples with the finished result, and what belongs to them as
// its elements.
absl::StatusOr<bool> ExpandAsync(HloModule& module);
absl::StatusOr<bool> ExpandBatchNorms(HloModule& module);
absl::StatusOr<bool> ExpandBitcasts(HloModule& module);
// Writes scatters of one window as selections, or where the array is large as its update in place:
// of small windows, and of those that are known to lie inside.
absl::StatusOr<bool> ExpandSmallScatters(HloModule& module);
absl::StatusOr<bool> ExpandScans(HloModule& module);
absl::StatusOr<bool> ExpandCustomCalls(HloModule& module);
absl::StatusOr<bool> ExpandConstants(HloModule& module);
// Transposes results that are declared with layouts, so that they lie as declared when they are
// written in row-major order.
absl::StatusOr<bool> LayOutResults(HloModule& module);
// What it has done then: whether an array of the declared result lies in the order of its own
// layout. Those of dynamic size do not.
bool HasOwnLayout(const Shape& array);
// The result as the entry's layout or else its root declares it.
const Shape& DeclaredResult(const HloModule& module);
absl::StatusOr<bool> ExpandDots(HloModule& module);
// The same for those for which `should_expand` holds.
absl::StatusOr<bool> ExpandDotsIf(absl::FunctionRef<bool(const HloInstruction&)> should_expand,
                                  HloModule& module);
absl::StatusOr<bool> ExpandIndexVectors(HloModule& module);
absl::StatusOr<bool> ExpandMaps(HloModule& module);
absl::StatusOr<bool> ExpandRaggedDots(HloModule& module);
absl::StatusOr<bool> ExpandRandomBits(HloModule& module);
// rng-get-and-update-state gives the run's counter.
absl::StatusOr<bool> ExpandRandomNumbers(HloModule& module);

// Leaves out copies of tuples, and makes sparse operands of convolutions, which are tuples, arrays.
absl::StatusOr<bool> ExpandTupleOperations(HloModule& module);
absl::StatusOr<bool> StripAnnotations(HloModule& module);
// Runs what clients have registered (xla/service/xla_transform.h).
absl::StatusOr<bool> ApplyTransforms(HloModule& module);
bool HasTransforms();

}  // namespace xla::passes

#endif  // HILO_PASSES_PASSES_H_

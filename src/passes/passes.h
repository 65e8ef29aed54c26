// Passes over modules, each a function in a file of its own.
#ifndef HILO_PASSES_PASSES_H_
#define HILO_PASSES_PASSES_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::passes {

// Changes a module without changing what it computes; says whether it did.
struct Pass {
  absl::string_view name;
  absl::StatusOr<bool> (*run)(HloModule& module);
};

// Runs passes in order. Errors name the pass. `after` hears of each pass and whether it changed
// anything.
using AfterPass = absl::FunctionRef<void(const Pass& pass, bool changed)>;
absl::Status Run(absl::Span<const Pass> passes, HloModule& module, AfterPass after);
absl::Status Run(absl::Span<const Pass> passes, HloModule& module);

// All passes that are declared here, by the names that tools know.
absl::Span<const Pass> AllPasses();

// The passes of a list of names like "inline-calls,remove-dead-code". InvalidArgument, with the
// names there are, for another name.
absl::StatusOr<std::vector<Pass>> FindPasses(absl::string_view names);

// ---- simplify/

// Replaces calls and fusions by what they call: which fusions there are, each back end decides for
// itself.
absl::StatusOr<bool> InlineCalls(HloModule& module);
// Gives each call of a while or conditional computations of its own.
absl::StatusOr<bool> FlattenControlFlow(HloModule& module);
// Removes what neither a result nor a side effect needs, and computations that nobody calls.
absl::StatusOr<bool> RemoveDeadCode(HloModule& module);
// Of one computation; computations that it calls stay.
absl::StatusOr<bool> RemoveDeadCode(HloComputation& computation);

// Replaces operations by cheaper ones with the same value, bit for bit but for the payload of NaN
// and the last digits of powers.
absl::StatusOr<bool> SimplifyAlgebra(HloModule& module);
// Computes what depends on constants only and is small.
absl::StatusOr<bool> FoldConstants(HloModule& module);
// Makes one of instructions that are equal.
absl::StatusOr<bool> MergeDuplicates(HloModule& module);

// Removes what a loop's state carries in vain, and writes what it never changes as constants or as
// values from before the loop. This and the next two passes want FlattenControlFlow to have run.
absl::StatusOr<bool> SimplifyLoops(HloModule& module);
// Writes loops of few steps, where these are known, as the steps one after the other, and two steps
// of longer ones as one where an array would be copied back after each.
absl::StatusOr<bool> UnrollLoops(HloModule& module);
// Computes before a loop what is the same in each step.
absl::StatusOr<bool> HoistInvariants(HloModule& module);
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
absl::StatusOr<bool> ExpandShardings(HloModule& module);

// ---- expand/

// Writes async-start and copy-start as tuples with the finished result, and what belongs to them as
// its elements.
absl::StatusOr<bool> ExpandAsync(HloModule& module);
// Writes batch normalisations, forward and backward, as arithmetic and sums.
absl::StatusOr<bool> ExpandBatchNorms(HloModule& module);
// Writes bitcasts as reshapes and transposes of values in row-major order.
absl::StatusOr<bool> ExpandBitcasts(HloModule& module);
// Writes scatters of one window as selections, or where the array is large as its update in place:
// of small windows, and of those that are known to lie inside.
absl::StatusOr<bool> ExpandSmallScatters(HloModule& module);
// Writes scans as loops.
absl::StatusOr<bool> ExpandScans(HloModule& module);
// Writes custom calls that stand for operations as these.
absl::StatusOr<bool> ExpandCustomCalls(HloModule& module);
// Writes constants that are tuples as tuples of constants, and sizes that are known as constants.
absl::StatusOr<bool> ExpandConstants(HloModule& module);
// Transposes results that are declared with layouts, so that they lie as declared when they are
// written in row-major order.
absl::StatusOr<bool> LayOutResults(HloModule& module);
// What it has done then: whether an array of the declared result lies in the order of its own
// layout. Those of dynamic size do not.
bool HasOwnLayout(const Shape& array);
// The result as the entry's layout or else its root declares it.
const Shape& DeclaredResult(const HloModule& module);
// Writes products of arrays as sums of products of elements.
absl::StatusOr<bool> ExpandDots(HloModule& module);
// The same for those for which `should_expand` holds.
absl::StatusOr<bool> ExpandDotsIf(absl::FunctionRef<bool(const HloInstruction&)> should_expand,
                                  HloModule& module);
// Writes the index vectors of dynamic-slice and dynamic-update-slice as scalars.
absl::StatusOr<bool> ExpandIndexVectors(HloModule& module);
// Writes maps of element-wise functions as those functions of whole arrays.
absl::StatusOr<bool> ExpandMaps(HloModule& module);
// Writes ragged dots with groups that differ along a contracted dimension as dots of each group.
absl::StatusOr<bool> ExpandRaggedDots(HloModule& module);
// Writes rng-bit-generator as arithmetic on a counter.
absl::StatusOr<bool> ExpandRandomBits(HloModule& module);
// Writes rng as arithmetic on the run's counter, which rng-get-and-update-state gives.
absl::StatusOr<bool> ExpandRandomNumbers(HloModule& module);

// Leaves out copies of tuples, and makes sparse operands of convolutions, which are tuples, arrays.
absl::StatusOr<bool> ExpandTupleOperations(HloModule& module);
// Removes operations that say where values lie or how they are divided.
absl::StatusOr<bool> StripAnnotations(HloModule& module);
// Runs what clients have registered (xla/service/xla_transform.h).
absl::StatusOr<bool> ApplyTransforms(HloModule& module);
bool HasTransforms();

}  // namespace xla::passes

#endif  // HILO_PASSES_PASSES_H_

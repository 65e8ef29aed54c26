#include "passes/table.h"

#include "passes/mixed_precision.h"
#include "passes/passes.h"

namespace xla::passes {
namespace {

constexpr Pass kHloPasses[] = {
    {"apply-transforms", Stage::kHlo, kAnyModule, ApplyTransforms,
     "Runs the transforms that clients have registered."},
    {"carry-values", Stage::kHlo, kOwnComputations | kLocalAsync, CarryValues,
     "Hands on to a loop's next step what it would compute again."},
    {"expand-async", Stage::kHlo, kAnyModule, ExpandAsync,
     "Writes asynchronous operations as the operations themselves."},
    {"expand-batch-norms", Stage::kHlo, kAnyModule, ExpandBatchNorms,
     "Writes batch normalisations, forward and backward, as arithmetic and sums."},
    {"expand-bitcasts", Stage::kHlo, kAnyModule, ExpandBitcasts,
     "Writes bitcasts as reshapes and transposes of values in row-major order."},
    {"expand-constants", Stage::kHlo, kAnyModule, ExpandConstants,
     "Writes constants that are tuples as tuples of constants, and known sizes as constants."},
    {"expand-custom-calls", Stage::kHlo, kAnyModule, ExpandCustomCalls,
     "Writes custom calls that stand for operations as these."},
    {"expand-dots", Stage::kHlo, kAnyModule, ExpandDots,
     "Writes products of arrays as sums of products of elements."},
    {"expand-index-vectors", Stage::kHlo, kAnyModule, ExpandIndexVectors,
     "Gives dynamic slices and their updates one scalar for each index instead of a vector."},
    {"expand-maps", Stage::kHlo, kAnyModule, ExpandMaps,
     "Writes maps of element-wise functions as those functions of whole arrays."},
    {"expand-ragged-dots", Stage::kHlo, kAnyModule, ExpandRaggedDots,
     "Writes ragged dots whose groups differ along a contracted dimension as dots of each group."},
    {"expand-random-bits", Stage::kHlo, kAnyModule, ExpandRandomBits,
     "Writes rng-bit-generator as arithmetic on a counter."},
    {"expand-random-numbers", Stage::kHlo, kAnyModule, ExpandRandomNumbers,
     "Writes rng as arithmetic on the run's counter."},
    {"expand-scans", Stage::kHlo, kAnyModule, ExpandScans, "Writes scans as loops."},
    {"expand-small-scatters", Stage::kHlo, kAnyModule, ExpandSmallScatters,
     "Writes scatters of one window as selections or updates in place."},
    {"expand-tuple-operations", Stage::kHlo, kAnyModule, ExpandTupleOperations,
     "Leaves out copies of tuples, and gives convolutions arrays for operands that are tuples."},
    {"flatten-control-flow", Stage::kHlo, kAnyModule, FlattenControlFlow,
     "Gives each loop and each branch computations of its own."},
    {"fold-constants", Stage::kHlo, kAnyModule, FoldConstants,
     "Computes what depends on constants only and is small."},
    {"hoist-invariants", Stage::kHlo, kOwnComputations | kLocalAsync, HoistInvariants,
     "Computes before a loop what is the same in each step."},
    {"inline-calls", Stage::kHlo, kLocalAsync, InlineCalls,
     "Replaces calls and fusions by what they call."},
    {"lay-out-results", Stage::kHlo, kAnyModule, LayOutResults,
     "Transposes results so that they lie in row-major order as their layouts say."},
    {"merge-duplicates", Stage::kHlo, kAnyModule, MergeDuplicates,
     "Makes one of instructions that are equal."},
    {"order-side-effects", Stage::kHlo, kAnyModule, OrderSideEffects,
     "Keeps the order of side effects by control dependencies, and nothing else."},
    {"partition", Stage::kHlo, kAnyModule, Partition,
     "Writes a program with shardings for several partitions as what each of them does."},
    {"propagate-shardings", Stage::kHlo, kAnyModule, PropagateShardings,
     "Gives instructions that the program leaves open the shardings that follow from others."},
    {"remove-dead-code", Stage::kHlo, kAnyModule, RemoveDeadCode,
     "Removes what neither a result nor a side effect needs."},
    {"resolve-dynamic-sizes", Stage::kHlo, kNoCalls | kOwnComputations, ResolveDynamicSizes,
     "Writes arrays with dynamic sizes as static ones and scalars that say how much is used."},
    {"share-conditions", Stage::kHlo, kOwnComputations | kLocalAsync, ShareConditions,
     "Hands on to a loop's step what its condition computes, too."},
    {"simplify-algebra", Stage::kHlo, kAnyModule, SimplifyAlgebra,
     "Replaces operations by cheaper ones with the same value."},
    {"simplify-conditionals", Stage::kHlo, kLocalAsync, SimplifyConditionals,
     "Writes conditionals that take one branch as this branch, and cheap ones as selects."},
    {"simplify-loops", Stage::kHlo, kOwnComputations | kLocalAsync, SimplifyLoops,
     "Removes what a loop's state carries in vain or never changes."},
    {"strip-annotations", Stage::kHlo, kAnyModule, StripAnnotations,
     "Removes operations that only say where values lie or how they are divided."},
    {"unroll-loops", Stage::kHlo, kOwnComputations | kLocalAsync, UnrollLoops,
     "Writes short loops as their steps, and two steps as one where that saves copies."},
    {"widen-mixed-precision", Stage::kHlo, kAnyModule, WidenMixedPrecision,
     "Writes operations on floating-point numbers of several types in one type."},
};

}  // namespace

absl::Span<const Pass> HloPasses() { return kHloPasses; }

}  // namespace xla::passes

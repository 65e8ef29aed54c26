#include "cpu/passes.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "cpu/plan/allocate_loop_outputs.h"
#include "cpu/plan/batch_products.h"
#include "cpu/plan/block_products.h"
#include "cpu/plan/converted_factors.h"
#include "cpu/plan/epilogues.h"
#include "cpu/plan/expand_stencils.h"
#include "cpu/plan/fill_pads.h"
#include "cpu/plan/fusion.h"
#include "cpu/plan/pack_functions.h"
#include "cpu/plan/products.h"
#include "cpu/plan/rematerialize_slices.h"
#include "cpu/plan/repeat_fills.h"
#include "cpu/plan/sort_keys.h"
#include "cpu/plan/split_reductions.h"
#include "cpu/plan/split_scatters.h"
#include "cpu/plan/split_short_arrays.h"
#include "cpu/plan/split_windows.h"
#include "cpu/plan/transpose_factors.h"
#include "cpu/plan/transpose_reductions.h"
#include "cpu/plan/transpose_scatters.h"
#include "cpu/plan/widen_elements.h"
#include "cpu/plan/widen_rows.h"

namespace xla::cpu {
namespace {

using passes::Pass;
using passes::Stage;

constexpr Pass kOwnPasses[] = {
    {"transpose-factors", Stage::kKernels, passes::kOwnComputations, TransposeFactors,
     "Multiplies by the transposes of matrices that loops do not change, computed before them."},
    {"transpose-reductions", Stage::kKernels, passes::kAnyModule, TransposeReductions,
     "Reduces what is computed from smaller arrays along dimensions that fill vectors."},
    {"transpose-scatters", Stage::kKernels, passes::kAnyModule, TransposeScatters,
     "Scatters columns as rows of a transposed array, which vectors are added to."},
    {"fold-transposes-into-dots", Stage::kKernels, passes::kAnyModule, FoldTransposesIntoDots,
     "Lets dots read what their operands are transposes of, or give their result transposed."},
    {"block-products", Stage::kKernels,
     passes::kNoCalls | passes::kOwnComputations | passes::kLocalAsync, BlockProducts,
     "Multiplies in blocks, with all that is computed of these, what is too large for caches."},
    {"batch-products", Stage::kKernels, passes::kOwnComputations | passes::kLocalAsync,
     BatchProducts, "Multiplies before or behind a loop, all at once, what each step multiplies."},
    {"rematerialize-slices", Stage::kKernels, passes::kOwnComputations | passes::kLocalAsync,
     RematerializeSlices,
     "Computes again what a loop reads that is cheap to make of what else it reads."},
    {"allocate-loop-outputs", Stage::kKernels, passes::kOwnComputations, AllocateLoopOutputs,
     "Begins outputs of loops, of which the steps write every element, with memory as it is."},
    {"sort-by-keys", Stage::kKernels, passes::kAnyModule, SortByKeys,
     "Gives sorts that order by numbers an unsigned integer to order by, and finds what is read of "
     "one end only."},
    {"expand-stencils", Stage::kKernels, passes::kAnyModule, ExpandStencils,
     "Writes convolutions from one channel to one with small kernels as sums of products."},
    {"expand-small-dots", Stage::kKernels, passes::kAnyModule, ExpandSmallDots,
     "Writes products too small for a call of a library as sums of products of elements."},
    {"widen-factors", Stage::kKernels, passes::kAnyModule, WidenFactors,
     "Converts factors of F16 and F8 to F32, which library kernels would do one by one."},
    {"fold-converts-into-dots", Stage::kKernels, passes::kAnyModule, FoldConvertsIntoDots,
     "Lets few rows of F32 or BF16 meet matrices of narrower numbers without an array of these as "
     "wide."},
    {"move-scales-behind-dots", Stage::kKernels, passes::kAnyModule, MoveScalesBehindDots,
     "Scales sums of products with few rows instead of matrices of bytes."},
    {"fold-converts-in-loops", Stage::kKernels, passes::kAnyModule, FoldConvertsInLoops,
     "Does so in loops whose steps read such matrices from memory, before they are converted "
     "once."},
    {"split-reductions", Stage::kKernels, passes::kAnyModule, SplitReductions,
     "Reduces long dimensions in blocks, so that several threads have something to do."},
    {"split-scatters", Stage::kKernels, passes::kAnyModule, SplitScatters,
     "Scatters many updates in parts, so that several threads have something to do."},
    {"split-windows", Stage::kKernels, passes::kAnyModule, SplitWindows,
     "Reduces large windows along one dimension after the other."},
    {"widen-elements", Stage::kKernels, passes::kAnyModule, WidenElements,
     "Transposes short rows that stay whole as elements of a wider type."},
    {"widen-rows", Stage::kKernels, passes::kAnyModule, WidenRows,
     "Gives arrays whose rows are shorter than a vector longer rows."},
    {"split-short-arrays", Stage::kKernels, passes::kAnyModule, SplitShortArrays,
     "Computes arrays of a few numbers that are put together from scalars one by one."},
    {"pack-functions", Stage::kKernels, passes::kAnyModule, PackFunctions,
     "Applies an expensive function to several small arrays at once."},
    {"fill-pads", Stage::kKernels, passes::kAnyModule, FillPads,
     "Writes what is transposed and padded into an array that is filled with the padding."},
    {"repeat-fills", Stage::kKernels, passes::kAnyModule, RepeatFills,
     "Fills each array that is written over by itself, instead of copying one that is filled."},
    {"fuse-loops", Stage::kFusion, passes::kOwnComputations | passes::kScalarIndices, FuseLoops,
     "Makes fusions, which become kernels, of all that is computed in loops over elements."},
    {"fuse-epilogues", Stage::kFusion, passes::kOwnComputations | passes::kScalarIndices,
     FuseEpilogues, "Lets products call the kernel that reads their result block by block."},
};

constexpr absl::string_view kOrder[] = {
    "order-side-effects",
    "strip-annotations",
    "expand-async",
    "inline-calls",
    "expand-scans",
    "inline-calls",
    "apply-transforms",
    "flatten-control-flow",
    "lay-out-results",
    "expand-tuple-operations",
    "resolve-dynamic-sizes",
    "expand-constants",
    "expand-custom-calls",
    "expand-maps",
    "expand-tuple-operations",
    "expand-index-vectors",
    "expand-bitcasts",
    "expand-ragged-dots",
    "expand-batch-norms",
    "expand-random-numbers",
    "expand-random-bits",
    "simplify-algebra",
    "merge-duplicates",
    "expand-small-scatters",
    "simplify-conditionals",
    "simplify-loops",
    "carry-values",
    "unroll-loops",
    "expand-stencils",
    "transpose-factors",
    "transpose-reductions",
    "transpose-scatters",
    "merge-duplicates",
    "share-conditions",
    "move-scales-behind-dots",
    "fold-converts-in-loops",
    "hoist-invariants",
    "simplify-algebra",
    "merge-duplicates",
    "simplify-loops",
    "simplify-algebra",
    "fold-transposes-into-dots",
    "block-products",
    "batch-products",
    "rematerialize-slices",
    "simplify-loops",
    "allocate-loop-outputs",
    "sort-by-keys",
    "expand-small-dots",
    "widen-factors",
    "fold-converts-into-dots",
    "split-reductions",
    "split-scatters",
    "split-windows",
    "widen-elements",
    "widen-rows",
    "split-short-arrays",
    "pack-functions",
    "fill-pads",
    "repeat-fills",
    "order-side-effects",
    "fuse-loops",
    "fuse-epilogues",
};

}  // namespace

absl::Span<const Pass> AllPasses() {
  static const auto* const table = [] {
    const absl::Span<const Pass> shared = passes::HloPasses();
    auto* all = new std::vector<Pass>(shared.begin(), shared.end());
    all->insert(all->end(), std::begin(kOwnPasses), std::end(kOwnPasses));
    return all;
  }();
  return *table;
}

absl::Span<const Pass> CompilerPasses() {
  static const auto* const pipeline =
      new std::vector<Pass>(passes::FindPasses(AllPasses(), absl::StrJoin(kOrder, ",")).value());
  return *pipeline;
}

}  // namespace xla::cpu

#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "passes/mixed_precision.h"
#include "passes/passes.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

constexpr Pass kAllPasses[] = {
    {"expand-async", ExpandAsync},
    {"expand-batch-norms", ExpandBatchNorms},
    {"expand-bitcasts", ExpandBitcasts},
    {"expand-constants", ExpandConstants},
    {"expand-custom-calls", ExpandCustomCalls},
    {"expand-dots", ExpandDots},
    {"expand-index-vectors", ExpandIndexVectors},
    {"expand-maps", ExpandMaps},
    {"expand-ragged-dots", ExpandRaggedDots},
    {"expand-random-bits", ExpandRandomBits},
    {"expand-random-numbers", ExpandRandomNumbers},
    {"expand-scans", ExpandScans},
    {"expand-shardings", ExpandShardings},
    {"expand-small-scatters", ExpandSmallScatters},
    {"expand-tuple-operations", ExpandTupleOperations},
    {"flatten-control-flow", FlattenControlFlow},
    {"fold-constants", FoldConstants},
    {"hoist-invariants", HoistInvariants},
    {"inline-calls", InlineCalls},
    {"lay-out-results", LayOutResults},
    {"merge-duplicates", MergeDuplicates},
    {"remove-dead-code", RemoveDeadCode},
    {"resolve-dynamic-sizes", ResolveDynamicSizes},
    {"simplify-algebra", SimplifyAlgebra},
    {"simplify-conditionals", SimplifyConditionals},
    {"simplify-loops", SimplifyLoops},
    {"strip-annotations", StripAnnotations},
    {"unroll-loops", UnrollLoops},
    {"widen-mixed-precision", WidenMixedPrecision},
};

}  // namespace

absl::Status Run(absl::Span<const Pass> passes, HloModule& module, AfterPass after) {
  for (const Pass& pass : passes) {
    const absl::StatusOr<bool> changed = pass.run(module);
    if (!changed.ok()) {
      return absl::Status(changed.status().code(),
                          absl::StrCat(pass.name, ": ", changed.status().message()));
    }
    module.Cleanup();
    after(pass, *changed);
  }
  return absl::OkStatus();
}

absl::Status Run(absl::Span<const Pass> passes, HloModule& module) {
  return Run(passes, module, [](const Pass&, bool) {});
}

absl::Span<const Pass> AllPasses() { return kAllPasses; }

absl::StatusOr<std::vector<Pass>> FindPasses(absl::string_view names) {
  std::vector<Pass> passes;
  for (absl::string_view name : absl::StrSplit(names, ',', absl::SkipWhitespace())) {
    name = absl::StripAsciiWhitespace(name);
    const auto found =
        absl::c_find_if(kAllPasses, [&](const Pass& pass) { return pass.name == name; });
    if (found == std::end(kAllPasses)) {
      return InvalidArgument(
          "there is no pass '%s'; there are %s", name,
          absl::StrJoin(AllPasses(), ", ", [](std::string* text, const Pass& pass) {
            absl::StrAppend(text, pass.name);
          }));
    }
    passes.push_back(*found);
  }
  return passes;
}

}  // namespace xla::passes

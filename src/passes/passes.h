// Passes over modules, each a function in a file of its own.
#ifndef HILO_PASSES_PASSES_H_
#define HILO_PASSES_PASSES_H_

#include <vector>

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

// Runs passes in order. Errors name the pass.
absl::Status Run(absl::Span<const Pass> passes, HloModule& module);

// Replaces calls and fusions by what they call: which fusions there are, each back end decides for
// itself.
absl::StatusOr<bool> InlineCalls(HloModule& module);
// Gives each call of a while or conditional computations of its own.
absl::StatusOr<bool> FlattenControlFlow(HloModule& module);

// Writes products of arrays as sums of products of elements.
absl::StatusOr<bool> ExpandDots(HloModule& module);

}  // namespace xla::passes

#endif  // HILO_PASSES_PASSES_H_

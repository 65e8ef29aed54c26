#include "absl/strings/str_cat.h"
#include "passes/passes.h"

namespace xla::passes {

absl::Status Run(absl::Span<const Pass> passes, HloModule& module) {
  for (const Pass& pass : passes) {
    const absl::StatusOr<bool> changed = pass.run(module);
    if (!changed.ok()) {
      return absl::Status(changed.status().code(),
                          absl::StrCat(pass.name, ": ", changed.status().message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::passes

#ifndef HILO_PASSES_MIXED_PRECISION_H_
#define HILO_PASSES_MIXED_PRECISION_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::passes {

// Operations that take numbers of one floating-point type but have several, as a verifier may allow
// (HloVerifierOpts::allow_mixed_precision), and those of bf16 and f32 are computed in the type that
// has all of these numbers: operands are converted before, results after, functions on the way.
absl::StatusOr<bool> WidenMixedPrecision(HloModule& module);

}  // namespace xla::passes

#endif  // HILO_PASSES_MIXED_PRECISION_H_

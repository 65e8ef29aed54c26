#ifndef HILO_PASSES_MIXED_PRECISION_H_
#define HILO_PASSES_MIXED_PRECISION_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::passes {

// Operations whose operands and result are partly bf16 and partly f32 are computed in f32: operands
// are converted before, a result of bf16 after. Those that call computations stay as they are.
absl::StatusOr<bool> WidenMixedPrecision(HloModule& module);

}  // namespace xla::passes

#endif  // HILO_PASSES_MIXED_PRECISION_H_

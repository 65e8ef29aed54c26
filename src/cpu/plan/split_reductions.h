// Long reductions in parts.
#ifndef HILO_CPU_PLAN_SPLIT_REDUCTIONS_H_
#define HILO_CPU_PLAN_SPLIT_REDUCTIONS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Reduces blocks of elements first and then their results, where so few elements come out that
// there would be nothing to do for several threads: a sum of f32[1000000] is that of the sums of
// f32[64,15625]. Blocks depend on shapes only, and so do results.
absl::StatusOr<bool> SplitReductions(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_SPLIT_REDUCTIONS_H_

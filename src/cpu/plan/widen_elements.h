// Transposes that keep short rows whole.
#ifndef HILO_CPU_PLAN_WIDEN_ELEMENTS_H_
#define HILO_CPU_PLAN_WIDEN_ELEMENTS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Where a transpose leaves the last dimensions in their places and what they have of an index is as
// long as a number, such as the two coordinates of each point, that is what is transposed:
// f32[n,m,2] becomes u64[n,m] by a bitcast, which is free, and back. What is computed of broadcasts
// alone is left to a kernel that computes it in the transposed order.
absl::StatusOr<bool> WidenElements(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_WIDEN_ELEMENTS_H_

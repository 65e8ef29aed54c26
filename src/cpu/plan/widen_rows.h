// Arrays whose last dimension is shorter than a vector.
#ifndef HILO_CPU_PLAN_WIDEN_ROWS_H_
#define HILO_CPU_PLAN_WIDEN_ROWS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Where element-wise operations repeat a few numbers along an array, such as three for the colours
// of each pixel, the numbers are written down several times and the array gets longer rows:
// f32[802816,3] + broadcast(f32[3]) is an addition of f32[50176,48] and of f32[48].
absl::StatusOr<bool> WidenRows(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_WIDEN_ROWS_H_

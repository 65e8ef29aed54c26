// Padding around what is transposed.
#ifndef HILO_CPU_PLAN_FILL_PADS_H_
#define HILO_CPU_PLAN_FILL_PADS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Pads what is transposed by an update of an array that is filled with the padding: kernels write
// transposes in tiles where these have loops of their own, but not between two borders.
absl::StatusOr<bool> FillPads(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_FILL_PADS_H_

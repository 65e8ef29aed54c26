// What one loop stores and another one reads, computed again instead.
#ifndef HILO_CPU_PLAN_REMATERIALIZE_SLICES_H_
#define HILO_CPU_PLAN_REMATERIALIZE_SLICES_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// A loop that goes back through another one, as gradients do, reads what each of its steps has
// stored: x, tanh(x), 1 - tanh(x), ... Slices of arrays that a few cheap operations make of others
// are computed again from slices of these, which the loop reads already. Nobody needs what was
// stored then, so that simplify-loops removes it.
absl::StatusOr<bool> RematerializeSlices(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_REMATERIALIZE_SLICES_H_

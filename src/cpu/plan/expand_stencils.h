// Convolutions that are stencils: of one channel, with a small kernel.
#ifndef HILO_CPU_PLAN_EXPAND_STENCILS_H_
#define HILO_CPU_PLAN_EXPAND_STENCILS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Writes convolutions from one channel to one, with few places in their kernel, as sums of products
// of elements. A library kernel has nothing to reuse there, and fusions compute them with what is
// done before and after them.
absl::StatusOr<bool> ExpandStencils(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_EXPAND_STENCILS_H_

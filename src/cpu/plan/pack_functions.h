// Functions of several small arrays as one of an array.
#ifndef HILO_CPU_PLAN_PACK_FUNCTIONS_H_
#define HILO_CPU_PLAN_PACK_FUNCTIONS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Where several scalars or short arrays, none of which is computed from another, have the same
// function applied to them, concatenates them as far as they fill a register: the function takes as
// long for all of them as for one.
absl::StatusOr<bool> PackFunctions(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_PACK_FUNCTIONS_H_

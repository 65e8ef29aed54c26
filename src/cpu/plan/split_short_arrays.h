// Arrays of a few numbers as so many scalars.
#ifndef HILO_CPU_PLAN_SPLIT_SHORT_ARRAYS_H_
#define HILO_CPU_PLAN_SPLIT_SHORT_ARRAYS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// What is computed from a concatenation of a few scalars is computed from these, one by one, as far
// as the operations are cheap: what takes the steps of simulations apart and puts them together
// again otherwise takes longer than their arithmetic.
absl::StatusOr<bool> SplitShortArrays(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_SPLIT_SHORT_ARRAYS_H_

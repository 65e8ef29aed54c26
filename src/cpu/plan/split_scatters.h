// Scatters of many updates in parts.
#ifndef HILO_CPU_PLAN_SPLIT_SCATTERS_H_
#define HILO_CPU_PLAN_SPLIT_SCATTERS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Scatters parts of the updates into arrays of their own first, which are brought together then,
// where there are many more updates than elements that they go to: a histogram of a million numbers
// is the sum of 16. Of a number that has no such divisor, the last few are scattered apart. Threads
// take parts however the indices are spread, and read no updates but their own. Parts depend on
// shapes only, and so do results.
absl::StatusOr<bool> SplitScatters(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_SPLIT_SCATTERS_H_

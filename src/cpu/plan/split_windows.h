// Windows of several dimensions, one dimension after the other.
#ifndef HILO_CPU_PLAN_SPLIT_WINDOWS_H_
#define HILO_CPU_PLAN_SPLIT_WINDOWS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Reduces large windows along one dimension after the other: the sums of 9 x 9 elements are sums of
// 9 sums of 9, 18 additions for each instead of 81. Strides that leave few elements come first.
// Narrow floats stay, whose sums would be rounded more often.
absl::StatusOr<bool> SplitWindows(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_SPLIT_WINDOWS_H_

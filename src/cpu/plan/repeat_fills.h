// Arrays of one number that are written over.
#ifndef HILO_CPU_PLAN_REPEAT_FILLS_H_
#define HILO_CPU_PLAN_REPEAT_FILLS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Gives each update, scatter and element of a loop's state that begins with a broadcast number a
// broadcast of its own: to fill an array takes less than to copy one that is filled already.
absl::StatusOr<bool> RepeatFills(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_REPEAT_FILLS_H_

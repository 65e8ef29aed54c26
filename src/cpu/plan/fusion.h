// Which instructions become one kernel.
#ifndef HILO_CPU_PLAN_FUSION_H_
#define HILO_CPU_PLAN_FUSION_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Makes fusions of whatever is computed in loops over elements: every such instruction is in one
// afterwards. Arrays that fit registers stay as they are.
absl::StatusOr<bool> FuseLoops(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_FUSION_H_

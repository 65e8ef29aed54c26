// Which instructions become one kernel.
#ifndef HILO_CPU_PLAN_FUSION_H_
#define HILO_CPU_PLAN_FUSION_H_

#include <vector>

#include "absl/status/statusor.h"
#include "passes/table.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Computations whose instructions run one after the other: the entry, bodies and conditions of
// loops, and branches.
std::vector<HloComputation*> SequentialComputations(HloModule& module);

// Makes fusions of whatever is computed in loops over elements: every such instruction is in one
// afterwards. Arrays that fit registers stay as they are.
absl::StatusOr<bool> FuseLoops(HloModule& module, const passes::PassOptions& options);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_FUSION_H_

// Matrices that the steps of a loop multiply by.
#ifndef HILO_CPU_PLAN_TRANSPOSE_FACTORS_H_
#define HILO_CPU_PLAN_TRANSPOSE_FACTORS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Writes a product of some rows with a matrix that no step of a loop changes, and whose columns are
// summed up, as one with the transpose of the matrix: hoist-invariants takes that out of the loop,
// where library kernels would copy panels of it in each step, as going back through a recurrent
// network does.
absl::StatusOr<bool> TransposeFactors(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_TRANSPOSE_FACTORS_H_

// The order of dimensions in which what is only broadcast and computed is reduced.
#ifndef HILO_CPU_PLAN_TRANSPOSE_REDUCTIONS_H_
#define HILO_CPU_PLAN_TRANSPOSE_REDUCTIONS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Exchanges the last two dimensions of what is reduced along one of them, where the last one is
// short and all elements are computed from smaller arrays, as distances between two sets of points
// are: vectors then have adjacent points in them, rather than the coordinates of one. Smaller
// arrays that have both dimensions are transposed.
absl::StatusOr<bool> TransposeReductions(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_TRANSPOSE_REDUCTIONS_H_

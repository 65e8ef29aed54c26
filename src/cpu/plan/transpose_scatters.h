// Scatters of columns as scatters of rows.
#ifndef HILO_CPU_PLAN_TRANSPOSE_SCATTERS_H_
#define HILO_CPU_PLAN_TRANSPOSE_SCATTERS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// A scatter whose windows are columns, such as a segment sum of each of 60 rows by the same
// segments, adds numbers one by one that lie far apart. Where there are enough updates for the
// array, it becomes a scatter of rows, which vectors are added to, into the array's transpose.
absl::StatusOr<bool> TransposeScatters(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_TRANSPOSE_SCATTERS_H_

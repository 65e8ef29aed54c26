// Factors of products that are converted, or would be by the kernels of the products.
#ifndef HILO_CPU_PLAN_CONVERTED_FACTORS_H_
#define HILO_CPU_PLAN_CONVERTED_FACTORS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Whether the target has instructions that convert numbers of F16.
bool HasHalves(const HloModule& module);

// Lets few rows meet matrices of bytes before these are scaled along dimensions of the result, for
// FoldConvertsIntoDots: sums are scaled instead.
absl::StatusOr<bool> MoveScalesBehindDots(HloModule& module);

// Lets few rows of F32 or BF16 meet matrices of narrower numbers without an array of these as wide.
absl::StatusOr<bool> FoldConvertsIntoDots(HloModule& module);
// The same in bodies of loops alone, of matrices so large that each step reads them from memory:
// these are not converted before the loop.
absl::StatusOr<bool> FoldConvertsInLoops(HloModule& module);

// Converts numbers of F16 and of eight bits and less to F32 before dots and convolutions, whose
// library kernels would do so one by one.
absl::StatusOr<bool> WidenFactors(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_CONVERTED_FACTORS_H_

// What becomes of products of arrays: small ones are loops over their elements, the others calls of
// kernels.
#ifndef HILO_CPU_PLAN_PRODUCTS_H_
#define HILO_CPU_PLAN_PRODUCTS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Lets dots read what their operands are transposes of, and exchange their sides where their
// result, or what is computed of its elements, is transposed.
absl::StatusOr<bool> FoldTransposesIntoDots(HloModule& module);

// Writes dots that are too small to be called, or have few summands, as sums of products of
// elements, which fusions and registers know.
absl::StatusOr<bool> ExpandSmallDots(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_PRODUCTS_H_

// Which products of arrays become loops over their elements; the others are calls of kernels.
#ifndef HILO_CPU_PLAN_PRODUCTS_H_
#define HILO_CPU_PLAN_PRODUCTS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Writes dots that are too small to be called as sums of products of elements, which fusions and
// registers know.
absl::StatusOr<bool> ExpandSmallDots(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_PRODUCTS_H_

// Products of the steps of a loop as one product.
#ifndef HILO_CPU_PLAN_BATCH_PRODUCTS_H_
#define HILO_CPU_PLAN_BATCH_PRODUCTS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Takes products out of loops of known length, as one product with more rows, or more depth, than
// each step has:
//   before the loop, where the rows are slices of an array and the other side never changes;
//   behind it, where the other side never changes and the result is only stored, one step behind
//   the other, or where the results of all steps are added up and nobody needs the sum before.
// Rows that are not stored anyway are, where that costs less than it saves.
absl::StatusOr<bool> BatchProducts(HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_BATCH_PRODUCTS_H_

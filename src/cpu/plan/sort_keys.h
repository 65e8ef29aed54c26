// Comparisons that sorts make, as orders of unsigned integers.
#ifndef HILO_CPU_PLAN_SORT_KEYS_H_
#define HILO_CPU_PLAN_SORT_KEYS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Where the comparator of a sort orders by one number that is computed from each element (up or
// down, in the partial or total order of floating-point numbers, with whatever is done to zeros and
// NaNs), or by several whose bits fit one integer, that integer becomes the first operand. The same
// for topk, which also finds what slices of a sorted array read at one end of it.
absl::StatusOr<bool> SortByKeys(HloModule& module);

enum class KeyOrder {
  kNone,     // it compares something else
  kTotal,    // a < b
  kPartial,  // a < b, but the largest integer, which stands for NaN, is not comparable
};
// How a sort compares its first operand, unsigned integers.
KeyOrder KeyOrderOf(const HloInstruction& sort);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_SORT_KEYS_H_

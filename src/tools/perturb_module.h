// Variants of a module that compute the same but for what no back end promises: rounding errors of
// functions and sums, and the order of reductions.
#ifndef HILO_TOOLS_PERTURB_MODULE_H_
#define HILO_TOOLS_PERTURB_MODULE_H_

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Replaces what makes results depend on the back end: functions that a reduction may not apply in
// any order become sums, comparators that are no order compare keys, and promises about indices
// that need not hold are taken back.
absl::Status MakeReproducible(HloModule& module);

enum class Perturbation { kAlternating, kDown, kRandom, kWithoutSubnormals };

// Multiplies the results of operations that need not be rounded correctly, and the operands of sums
// and products of many elements, by numbers that differ from 1 by a few units in the last place, or
// makes zeros of subnormal numbers: how far results move says how exactly another back end must
// agree.
absl::Status Perturb(HloModule& module, Perturbation kind, uint64_t seed);

}  // namespace xla

#endif  // HILO_TOOLS_PERTURB_MODULE_H_

// How much products read.
#ifndef HILO_CPU_PLAN_FACTOR_BYTES_H_
#define HILO_CPU_PLAN_FACTOR_BYTES_H_

#include <cstdint>

#include "xla/hlo/ir/hlo_computation.h"

namespace xla::cpu {

// Bytes of the operands of dots and convolutions in the computation and in the bodies of its loops,
// each array once; of what a loop slices, all. More than a cache holds come from memory whenever
// the computation runs.
int64_t FactorBytes(const HloComputation& computation);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_FACTOR_BYTES_H_

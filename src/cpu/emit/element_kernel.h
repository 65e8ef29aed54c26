// Kernels that compute elements of results one after the other, with what is reduced for them.
#ifndef HILO_CPU_EMIT_ELEMENT_KERNEL_H_
#define HILO_CPU_EMIT_ELEMENT_KERNEL_H_

#include <string>

#include "absl/status/statusor.h"
#include "cpu/emit/kernel.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::cpu {

// Schedules a fused computation (codegen/loops/schedule.h), and emits the loops that come out.
absl::StatusOr<Kernel> EmitElementKernel(Unit& unit, const HloComputation& computation,
                                         const std::string& name);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_ELEMENT_KERNEL_H_

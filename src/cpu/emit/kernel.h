// Fusions as functions of compiled code.
#ifndef HILO_CPU_EMIT_KERNEL_H_
#define HILO_CPU_EMIT_KERNEL_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "cpu/emit/lanes.h"
#include "cpu/emit/unit.h"
#include "llvm/IR/Function.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// A function of type HiloKernel. Its arrays are the parameters of the computation, then its
// results.
struct Kernel {
  llvm::Function* function;
  int64_t rows;        // the work is rows [0, rows); any part of them can be done by itself
  double cost_of_row;  // in elements that are read or written, roughly
};

// Adds the kernel of a fused computation to the unit. Unimplemented when it has operations
// without code.
absl::StatusOr<Kernel> EmitKernel(Unit& unit, const HloComputation& computation,
                                  const std::string& name);

// The kernels of fusions whose root is such an operation.
absl::StatusOr<Kernel> EmitScatter(Unit& unit, const HloComputation& computation,
                                   const std::string& name);
absl::StatusOr<Kernel> EmitSelectAndScatter(Unit& unit, const HloComputation& computation,
                                            const std::string& name);

// Whether EmitKernel could have an instruction like this in a fusion.
bool CanBeInKernel(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_KERNEL_H_

// Computations on scalars as functions that library kernels call.
#ifndef HILO_CPU_EMIT_COMPILED_FUNCTION_H_
#define HILO_CPU_EMIT_COMPILED_FUNCTION_H_

#include <string>

#include "absl/status/statusor.h"
#include "cpu/emit/unit.h"
#include "llvm/IR/Function.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::cpu {

// Adds a function of type HiloFunction to the unit. Unimplemented when the computation has
// anything but operations on scalars that have code.
absl::StatusOr<llvm::Function*> EmitCompiledFunction(Unit& unit, const HloComputation& computation,
                                                     const std::string& name);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_COMPILED_FUNCTION_H_

// The kernels of a program.
#ifndef HILO_CPU_EMIT_KERNEL_SET_H_
#define HILO_CPU_EMIT_KERNEL_SET_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "codegen/program/plan.h"
#include "cpu/emit/unit.h"

namespace xla::cpu {

// The global function of type HiloKernel that a kernel of a plan becomes.
std::string KernelName(size_t number);

// Adds a function of type HiloKernel with these loops to the unit. Its arrays are the parameters of
// the computation, then its results. Unimplemented when it has operations without code.
absl::Status EmitKernel(Unit& unit, const loops::Kernel& kernel, const std::string& name);

// Emits the kernels of a plan, in units of their own, which it adds.
absl::Status EmitKernels(const program::Plan& plan, Units& units);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_KERNEL_SET_H_

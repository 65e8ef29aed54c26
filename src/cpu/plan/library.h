// Which operations are left to library kernels.
#ifndef HILO_CPU_PLAN_LIBRARY_H_
#define HILO_CPU_PLAN_LIBRARY_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/library_kernel.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// The name of the kernel in cpu/kernels that computes an instruction, or the product of a fusion,
// which it calls the fusion's kernel for; empty if none does.
absl::string_view LibraryKernelName(const HloInstruction& instruction);

// The computations that the kernel gets as compiled functions.
std::vector<const HloComputation*> CompiledFunctions(const HloInstruction& instruction);

// The call of that kernel.
runtime::LibraryCall MakeLibraryCall(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_LIBRARY_H_

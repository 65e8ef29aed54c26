// A whole module as one LLVM function: its instructions in order, control flow as branches and
// loops. Small arrays stay in registers; everything else lies where the memory plan says, and is
// computed by kernels and libraries that this function calls.
#ifndef HILO_CPU_EMIT_PROGRAM_H_
#define HILO_CPU_EMIT_PROGRAM_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cpu/plan/memory.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

inline constexpr absl::string_view kEntryName = "hilo_entry";

// An object file for this machine with a function of type HiloEntry and the kernels it calls.
// Unimplemented when an operation has no code.
absl::StatusOr<std::string> EmitProgram(const HloModule& module, const MemoryPlan& plan);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_PROGRAM_H_

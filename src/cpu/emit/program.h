// A whole module as one LLVM function, or several where it is long: its instructions in order,
// control flow as branches and loops. Small arrays stay in registers; everything else lies where
// the memory plan says, and is computed by kernels and libraries that this function calls.
#ifndef HILO_CPU_EMIT_PROGRAM_H_
#define HILO_CPU_EMIT_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/target.h"
#include "cpu/plan/memory.h"
#include "runtime/library_kernel.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

struct EmittedProgram {
  // Object files with a function of type HiloEntry and all that it calls.
  std::vector<std::string> objects;
  std::vector<runtime::LibraryCall> calls;
  int64_t arena_bytes = 0;  // less than the plan has where arrays are only in registers
  std::string llvm_ir;      // where it is wanted
};

// Unimplemented when an operation has no code.
absl::StatusOr<EmittedProgram> EmitProgram(const HloModule& module, const MemoryPlan& plan,
                                           const codegen::Target& target,
                                           bool wants_llvm_ir = false);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_PROGRAM_H_

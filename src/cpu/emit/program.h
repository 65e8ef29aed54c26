// The plan of a program as one LLVM function, and one more for each step that is a function: its
// steps in order, control flow as branches and loops.
#ifndef HILO_CPU_EMIT_PROGRAM_H_
#define HILO_CPU_EMIT_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/program/plan.h"
#include "runtime/library_kernel.h"
#include "runtime/program.h"

namespace xla::cpu {

struct EmittedProgram {
  // Object files with a function of type HiloEntry and all that it calls.
  std::vector<std::string> objects;
  std::vector<runtime::ListedArray> lists;
  std::vector<runtime::LibraryCall> calls;
  int64_t launch_sites = 0;  // which the runtime decides about
  std::string llvm_ir;       // where it is wanted
};

// Unimplemented when an operation has no code.
absl::StatusOr<EmittedProgram> EmitProgram(const program::Plan& plan, bool wants_llvm_ir = false);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_PROGRAM_H_

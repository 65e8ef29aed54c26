// From modules to programs.
#ifndef HILO_CPU_COMPILER_H_
#define HILO_CPU_COMPILER_H_

#include "absl/status/statusor.h"
#include "runtime/program.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Native code for a module that has passed VerifyModule, for the machine it runs on. Unimplemented,
// with the instruction, when an operation has no code.
absl::StatusOr<runtime::ProgramImage> Compile(const HloModule& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_COMPILER_H_

// From modules to programs.
#ifndef HILO_CPU_COMPILER_H_
#define HILO_CPU_COMPILER_H_

#include "absl/status/statusor.h"
#include "cpu/report.h"
#include "runtime/program.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Whether this process can compile for the machine it runs on.
bool CanCompile();
// Makes what the first compile for this machine would otherwise make.
void WarmUp();

// Native code for a module that has passed VerifyModule, for the target that its debug options name
// (codegen::Target::Of). Unimplemented, with the instruction, when an operation has no code.
// What it did is in `report` where that is not null, also when it failed.
absl::StatusOr<runtime::ProgramImage> Compile(const HloModule& module,
                                              CompileReport* report = nullptr);

}  // namespace xla::cpu

#endif  // HILO_CPU_COMPILER_H_

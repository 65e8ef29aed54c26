// LLVM modules to machine code in this process.
#ifndef HILO_CPU_JIT_MACHINE_CODE_H_
#define HILO_CPU_JIT_MACHINE_CODE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/target.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace xla::cpu {

// Unimplemented where no code can be generated for a target. To be called before anything else is
// done with LLVM.
absl::Status CheckTarget(const codegen::Target& target);
// Makes what LLVM knows of a target, which takes as long as to compile a small program.
void WarmUpTarget(const codegen::Target& target);

// Puts the triple and the data layout on a module that has nothing in it yet.
void PrepareModule(const codegen::Target& target, llvm::Module& module);

// Machine code of this function is made in two thirds of the time and may be half as fast.
void GenerateQuickly(llvm::Function& function);

// An object file.
absl::StatusOr<std::string> GenerateObject(const codegen::Target& target, llvm::Module& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_JIT_MACHINE_CODE_H_

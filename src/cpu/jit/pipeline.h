// The passes of LLVM's code generator that Hilo's code goes through.
#ifndef HILO_CPU_JIT_PIPELINE_H_
#define HILO_CPU_JIT_PIPELINE_H_

#include <memory>

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace xla::cpu {

// Passes that write an object file for the module; null where the target cannot. LLVM's own list
// (addPassesToEmitFile) takes nearly twice as long for code that is vectorised already: what it has
// besides is for scalar loops, for atomics, exceptions, garbage collection and debuggers.
std::unique_ptr<llvm::legacy::PassManager> ObjectPasses(llvm::TargetMachine& machine,
                                                        const llvm::Module& module,
                                                        llvm::raw_pwrite_stream& object);

}  // namespace xla::cpu

#endif  // HILO_CPU_JIT_PIPELINE_H_

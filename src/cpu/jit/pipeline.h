// The passes of LLVM's code generator that Hilo's code goes through.
#ifndef HILO_CPU_JIT_PIPELINE_H_
#define HILO_CPU_JIT_PIPELINE_H_

#include <memory>
#include <string>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace xla::cpu {

// Passes that write object files, for one module after the other. LLVM's own list
// (addPassesToEmitFile) takes nearly twice as long for code that is vectorised already: what it has
// besides is for scalar loops, for atomics, exceptions, garbage collection and debuggers.
class ObjectPasses {
 public:
  // With or without the scheduler of instructions. Null where the target has no object files. The
  // machine outlives them.
  static std::unique_ptr<ObjectPasses> Make(llvm::TargetMachine& machine, bool schedules);

  std::string Run(llvm::Module& module);

 private:
  ObjectPasses() = default;

  llvm::SmallVector<char, 0> bytes_;
  llvm::raw_svector_ostream stream_{bytes_};
  std::unique_ptr<llvm::legacy::PassManager> passes_;
};

// Whether the scheduler finds a better order of instructions, in a time that is worth it.
bool PaysToSchedule(const llvm::Module& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_JIT_PIPELINE_H_

// What stands in for the compiler where Hilo is built without LLVM.
#include "cpu/compiler.h"

#include "xla/util.h"

namespace xla::cpu {

bool CanCompile() { return false; }

void WarmUp() {}

absl::StatusOr<runtime::ProgramImage> Compile(const HloModule&, CompileReport*) {
  return Unimplemented("Hilo was built without LLVM, so there is no cpu back end");
}

}  // namespace xla::cpu

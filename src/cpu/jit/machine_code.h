// LLVM modules to machine code in this process.
#ifndef HILO_CPU_JIT_MACHINE_CODE_H_
#define HILO_CPU_JIT_MACHINE_CODE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace llvm {
class Module;
}

namespace xla::cpu {

// What code for this machine may use.
struct Host {
  std::string triple;
  std::string name;
  std::string features;
  std::string data_layout;
  int vector_bits;  // of the widest registers
  // Whether one instruction loads from many places sooner than many do.
  bool has_fast_gather = false;
};
const Host& ThisHost();
// Unimplemented where no code can be generated. To be called before anything else is done with
// LLVM.
absl::Status CheckHost();

// Puts the host's triple, data layout and attributes on a module and its functions; generates an
// object file.
absl::StatusOr<std::string> GenerateObject(llvm::Module& module);

}  // namespace xla::cpu

#endif  // HILO_CPU_JIT_MACHINE_CODE_H_

// LLVM modules to machine code in this process.
#ifndef HILO_CPU_JIT_MACHINE_CODE_H_
#define HILO_CPU_JIT_MACHINE_CODE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

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
};
const Host& ThisHost();

// Puts the host's triple, data layout and attributes on a module and its functions; generates an
// object file.
absl::StatusOr<std::string> GenerateObject(llvm::Module& module);

// Object files linked into this process, until it is destroyed.
class LinkedCode {
 public:
  static absl::StatusOr<std::unique_ptr<LinkedCode>> Link(absl::Span<const std::string> objects);
  ~LinkedCode();

  absl::StatusOr<void*> Find(absl::string_view symbol) const;

 private:
  struct Session;
  explicit LinkedCode(std::unique_ptr<Session> session);
  std::unique_ptr<Session> session_;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_JIT_MACHINE_CODE_H_

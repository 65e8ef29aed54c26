// A part of a program that is compiled by itself: LLVM works on several of them at once.
#ifndef HILO_CPU_EMIT_UNIT_H_
#define HILO_CPU_EMIT_UNIT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "codegen/target.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

class Unit {
 public:
  Unit(const HloModule& program, const codegen::Target& target);

  llvm::Module& module() { return module_; }
  const codegen::Target& target() const { return target_; }

  // Makes the object file, which ends work on the module; its LLVM IR as well where it is wanted.
  absl::Status Finish(bool wants_llvm_ir);
  const std::string& object() const { return object_; }
  const std::string& llvm_ir() const { return llvm_ir_; }

 private:
  const codegen::Target& target_;
  llvm::LLVMContext context_;
  llvm::Module module_;
  std::string object_, llvm_ir_;
};

using Units = std::vector<std::unique_ptr<Unit>>;

// Calls work(i) for each i of [0, count) on several threads. The error is that of the first i that
// has one.
absl::Status ForEachAtOnce(int64_t count, absl::FunctionRef<absl::Status(int64_t i)> work);

// Finishes all of them.
absl::Status Finish(absl::Span<const std::unique_ptr<Unit>> units, bool wants_llvm_ir);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_UNIT_H_

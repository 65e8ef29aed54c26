// The function of a kernel under construction: what emitters of all kinds of kernels share.
#ifndef HILO_CPU_EMIT_KERNEL_FUNCTION_H_
#define HILO_CPU_EMIT_KERNEL_FUNCTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "cpu/emit/elements.h"
#include "cpu/emit/lanes.h"
#include "cpu/emit/unit.h"
#include "data/sizes.h"
#include "llvm/IR/Function.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// A mask that is on for the first `count` lanes.
llvm::Constant* FirstLanes(Builder& b, int lanes, int64_t count);

class KernelFunction {
 public:
  // A function of type HiloKernel for a fused computation, whose arrays are its parameters and
  // then its results.
  KernelFunction(Unit& unit, const HloComputation& computation, const std::string& name);

 protected:
  // As many lanes as fit into a register with the widest elements of the fusion, or as a row of
  // `count` elements needs.
  int LanesFor(int64_t count) const;
  Elements::Leaf Leaf();
  // A loop over [begin, end). `before` stands in front of it, for what does not change in it.
  absl::Status EmitLoopBehind(
      llvm::Value* begin, llvm::Value* end, int64_t step,
      absl::FunctionRef<absl::Status(llvm::Value* i, Builder& before)> body);
  // Calls body(column, lanes, mask) so that all columns of a row are met.
  absl::Status ForEachColumn(int64_t columns,
                             absl::FunctionRef<absl::Status(llvm::Value* column, int lanes,
                                                            llvm::Value* mask, Builder& before)>
                                 body);
  llvm::Value* Array(int64_t number) { return arrays_[number]; }
  llvm::Value* ResultArray(int64_t leaf) { return arrays_[computation_.num_parameters() + leaf]; }
  void Finish() { b_.CreateRetVoid(); }

  const HloComputation& computation_;
  Builder b_;
  llvm::Function* function_;
  llvm::Value* begin_;
  llvm::Value* end_;

 private:
  std::vector<llvm::Value*> arrays_;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_KERNEL_FUNCTION_H_

#include "cpu/emit/unit.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "cpu/emit/lanes.h"
#include "cpu/jit/machine_code.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Local.h"
#include "runtime/parallel.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// LLVM's code generator folds less, and not all of it right: in LLVM 22 it loses selections by
// masks that are known.
void FoldConstants(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    llvm::Constant* const value = llvm::ConstantFoldInstruction(&instruction, layout);
    if (value != nullptr) instruction.replaceAllUsesWith(value);
  }
}

// It also finds that nobody uses a value when it has begun to work on it.
void RemoveUnused(llvm::Function& function) {
  for (llvm::BasicBlock& block : llvm::reverse(function)) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (llvm::isInstructionTriviallyDead(&instruction)) instruction.eraseFromParent();
    }
  }
}

}  // namespace

Unit::Unit(const HloModule& program, const codegen::Target& target)
    : target_(target), module_("hilo", context_) {
  PrepareModule(target, module_);
  if (program.config().debug_options().xla_allow_excess_precision()) AllowExcessPrecision(module_);
  if (codegen::KeepsSubnormals(program.config().debug_options()).value_or(false))
    KeepSubnormals(module_);
}

absl::Status Unit::Finish(bool wants_llvm_ir) {
  for (llvm::Function& function : module_) {
    FoldConstants(function);
    RemoveUnused(function);
  }
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module_, &stream)) return Internal("wrong LLVM IR: %s", problem);
  if (wants_llvm_ir) {
    llvm::raw_string_ostream text(llvm_ir_);
    module_.print(text, nullptr);
  }
  HILO_ASSIGN_OR_RETURN(object_, GenerateObject(target_, module_));
  return absl::OkStatus();
}

absl::Status ForEachAtOnce(int64_t count, absl::FunctionRef<absl::Status(int64_t i)> work) {
  std::vector<absl::Status> results(count);
  runtime::ParallelForEach(count, [&](int64_t i) { results[i] = work(i); });
  for (const absl::Status& result : results) HILO_RETURN_IF_ERROR(result);
  return absl::OkStatus();
}

absl::Status Finish(absl::Span<const std::unique_ptr<Unit>> units, bool wants_llvm_ir) {
  // The largest first, so that no thread is left with a large one at the end.
  std::vector<std::pair<unsigned, Unit*>> order;
  for (const auto& unit : units)
    order.push_back({unit->module().getInstructionCount(), unit.get()});
  absl::c_stable_sort(order, [](const auto& x, const auto& y) { return x.first > y.first; });
  return ForEachAtOnce(static_cast<int64_t>(order.size()),
                       [&](int64_t i) { return order[i].second->Finish(wants_llvm_ir); });
}

}  // namespace xla::cpu

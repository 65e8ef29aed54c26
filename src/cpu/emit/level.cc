#include "cpu/emit/level.h"

#include "base/status_macros.h"
#include "llvm/IR/Function.h"

namespace xla::cpu {

absl::StatusOr<Carried> Level::Loop(
    llvm::Value* begin, llvm::Value* end, int64_t step, int lanes, Carried carried,
    absl::FunctionRef<absl::StatusOr<Carried>(Level&, llvm::Value*, Carried)> body) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  // What the loop's body finds invariant is added at the end of this level, which is not joined to
  // the loop before its body is complete.
  llvm::BasicBlock* first = llvm::BasicBlock::Create(b.getContext(), "enter", function);
  Level inner(first, lanes, *this);
  HILO_ASSIGN_OR_RETURN(Carried result, EmitLoop(inner.b, begin, end, step, std::move(carried),
                                                 [&](llvm::Value* i, Carried values) {
                                                   return body(inner, i, std::move(values));
                                                 }));
  Join(b, first, inner.b);
  return result;
}

absl::Status Level::Loop(llvm::Value* begin, llvm::Value* end, int64_t step, int lanes,
                         absl::FunctionRef<absl::Status(Level&, llvm::Value*)> body) {
  return Loop(begin, end, step, lanes, {},
              [&](Level& inner, llvm::Value* i, Carried) -> absl::StatusOr<Carried> {
                HILO_RETURN_IF_ERROR(body(inner, i));
                return Carried();
              })
      .status();
}

absl::Status Level::Once(int lanes, absl::FunctionRef<absl::Status(Level&)> body) {
  llvm::BasicBlock* first =
      llvm::BasicBlock::Create(b.getContext(), "once", b.GetInsertBlock()->getParent());
  Level inner(first, lanes, *this);
  HILO_RETURN_IF_ERROR(body(inner));
  Join(b, first, inner.b);
  return absl::OkStatus();
}

absl::Status Level::If(llvm::Value* condition, absl::FunctionRef<absl::Status(Level&)> body) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock* then = llvm::BasicBlock::Create(b.getContext(), "then", function);
  Level inner(then, 1, *this);
  HILO_RETURN_IF_ERROR(body(inner));
  llvm::BasicBlock* after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  b.CreateCondBr(condition, then, after);
  inner.b.CreateBr(after);
  b.SetInsertPoint(after);
  return absl::OkStatus();
}

}  // namespace xla::cpu

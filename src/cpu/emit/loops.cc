#include "cpu/emit/loops.h"

#include <utility>

#include "base/status_macros.h"
#include "llvm/IR/Function.h"

namespace xla::cpu {

absl::StatusOr<Carried> EmitLoop(
    Builder& b, llvm::Value* begin, llvm::Value* end, int64_t step, Carried carried,
    absl::FunctionRef<absl::StatusOr<Carried>(llvm::Value* i, Carried carried)> body) {
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::Function* function = before->getParent();
  llvm::BasicBlock* head = llvm::BasicBlock::Create(b.getContext(), "loop", function);
  llvm::BasicBlock* inside = llvm::BasicBlock::Create(b.getContext(), "body", function);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode* i = b.CreatePHI(begin->getType(), 2, "i");
  i->addIncoming(begin, before);
  std::vector<llvm::PHINode*> phis;
  for (llvm::Value*& value : carried) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    value = phis.back();
  }
  b.CreateCondBr(b.CreateICmpSLT(i, end), inside, after);
  b.SetInsertPoint(inside);
  HILO_ASSIGN_OR_RETURN(const Carried next, body(i, carried));
  i->addIncoming(
      b.CreateNSWAdd(i, llvm::ConstantInt::get(i->getType(), static_cast<uint64_t>(step))),
      b.GetInsertBlock());
  for (size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(next[k], b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(after);
  return carried;
}

absl::Status EmitLoop(Builder& b, llvm::Value* begin, llvm::Value* end, int64_t step,
                      absl::FunctionRef<absl::Status(llvm::Value* i)> body) {
  return EmitLoop(b, begin, end, step, {},
                  [&](llvm::Value* i, Carried) -> absl::StatusOr<Carried> {
                    HILO_RETURN_IF_ERROR(body(i));
                    return Carried();
                  })
      .status();
}

absl::StatusOr<Carried> EmitLoopNest(Builder& b, absl::Span<const int64_t> sizes, Carried carried,
                                     absl::FunctionRef<absl::StatusOr<Carried>(
                                         absl::Span<llvm::Value* const> index, Carried carried)>
                                         body) {
  std::vector<llvm::Value*> index;
  const auto nest = [&](const auto& self, Carried values) -> absl::StatusOr<Carried> {
    if (index.size() == sizes.size()) return body(index, std::move(values));
    return EmitLoop(b, b.getInt64(0), b.getInt64(static_cast<uint64_t>(sizes[index.size()])), 1,
                    std::move(values), [&](llvm::Value* i, Carried inner) {
                      index.push_back(i);
                      absl::StatusOr<Carried> result = self(self, std::move(inner));
                      index.pop_back();
                      return result;
                    });
  };
  return nest(nest, std::move(carried));
}

std::vector<llvm::Value*> Delinearize(Builder& b, llvm::Value* number,
                                      absl::Span<const int64_t> sizes) {
  std::vector<llvm::Value*> index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    llvm::Value* size = b.getInt64(static_cast<uint64_t>(sizes[d]));
    index[d] = d == 0 ? number : b.CreateURem(number, size);
    if (d > 0) number = b.CreateUDiv(number, size);
  }
  return index;
}

}  // namespace xla::cpu

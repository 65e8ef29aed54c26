#include "cpu/emit/loops.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

namespace xla::cpu {

namespace {

// How many times a loop runs, where that is known.
std::optional<int64_t> TripCount(llvm::Value* begin, llvm::Value* end, int64_t step) {
  const auto* first = llvm::dyn_cast<llvm::ConstantInt>(begin);
  const auto* last = llvm::dyn_cast<llvm::ConstantInt>(end);
  if (first == nullptr || last == nullptr) return std::nullopt;
  const int64_t length = last->getSExtValue() - first->getSExtValue();
  return length <= 0 ? 0 : (length + step - 1) / step;
}

// A loop that fits a line of the cache of instructions begins at one: the same loop across two
// lines takes up to half as long again. With few trips, the gap in front of it would cost as much.
void AlignIfSmall(llvm::BranchInst& branch, const llvm::BasicBlock& body,
                  std::optional<int64_t> trips) {
  constexpr size_t kMostInstructions = 24;
  constexpr int64_t kLeastTrips = 16;
  constexpr int kLineBytes = 64;
  if (branch.getParent() != &body || body.size() > kMostInstructions) return;
  if (trips.has_value() && *trips < kLeastTrips) return;
  llvm::LLVMContext& context = branch.getContext();
  llvm::MDNode* alignment =
      llvm::MDNode::get(context, {llvm::MDString::get(context, "llvm.loop.align"),
                                  llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                                      llvm::Type::getInt32Ty(context), kLineBytes))});
  // Its first operand is the node itself, as of all that name a loop.
  llvm::MDNode* loop = llvm::MDNode::getDistinct(context, {nullptr, alignment});
  loop->replaceOperandWith(0, loop);
  branch.setMetadata(llvm::LLVMContext::MD_loop, loop);
}

}  // namespace

absl::StatusOr<Carried> EmitLoop(
    Builder& b, llvm::Value* begin, llvm::Value* end, int64_t step, Carried carried,
    absl::FunctionRef<absl::StatusOr<Carried>(llvm::Value* i, Carried carried)> body) {
  const std::optional<int64_t> trips = TripCount(begin, end, step);
  if (trips == 1) return body(begin, std::move(carried));
  std::vector<bool> is_mask;
  for (llvm::Value*& value : carried) {
    llvm::Value* passed = PassedMask(b, value);
    is_mask.push_back(passed != value);
    value = passed;
  }
  const auto unpack = [&](size_t k, llvm::Value* passed) {
    return is_mask[k] ? MaskOfPassed(b, passed) : passed;
  };
  // The condition is tested before the loop, if it is not known to hold, and behind each turn.
  const bool runs_at_all = trips.has_value() && *trips > 0;
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::BasicBlock* head = llvm::BasicBlock::Create(b.getContext(), "loop", before->getParent());
  llvm::BasicBlock* after = llvm::BasicBlock::Create(b.getContext(), "after", before->getParent());
  if (runs_at_all) {
    b.CreateBr(head);
  } else {
    b.CreateCondBr(b.CreateICmpSLT(begin, end), head, after);
  }
  b.SetInsertPoint(head);
  llvm::PHINode* i = b.CreatePHI(begin->getType(), 2, "i");
  i->addIncoming(begin, before);
  std::vector<llvm::PHINode*> phis;
  for (llvm::Value* value : carried) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
  }
  Carried current;
  for (size_t k = 0; k < phis.size(); ++k) current.push_back(unpack(k, phis[k]));
  HILO_ASSIGN_OR_RETURN(Carried next, body(i, std::move(current)));
  for (llvm::Value*& value : next) value = PassedMask(b, value);
  llvm::BasicBlock* last = b.GetInsertBlock();
  llvm::Value* next_i =
      b.CreateNSWAdd(i, llvm::ConstantInt::get(i->getType(), static_cast<uint64_t>(step)));
  i->addIncoming(next_i, last);
  for (size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(next[k], last);
  AlignIfSmall(*b.CreateCondBr(b.CreateICmpSLT(next_i, end), head, after), *head, trips);
  b.SetInsertPoint(after);
  for (size_t k = 0; !runs_at_all && k < next.size(); ++k) {
    llvm::PHINode* result = b.CreatePHI(next[k]->getType(), 2);
    result->addIncoming(carried[k], before);
    result->addIncoming(next[k], last);
    next[k] = result;
  }
  for (size_t k = 0; k < next.size(); ++k) next[k] = unpack(k, next[k]);
  return next;
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

void Join(Builder& b, llvm::BasicBlock* first, const Builder& inside) {
  llvm::BasicBlock* block = b.GetInsertBlock();
  llvm::BasicBlock* last = inside.GetInsertBlock();
  block->splice(block->end(), first);
  block->replaceSuccessorsPhiUsesWith(first, block);
  b.SetInsertPoint(last == first ? block : last);
  first->eraseFromParent();
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

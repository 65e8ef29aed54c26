// Adds instructions to code in LLVM IR.
#ifndef HILO_CPU_EMIT_BUILDER_H_
#define HILO_CPU_EMIT_BUILDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "codegen/target.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ValueHandle.h"
#include "xla/xla_data.pb.h"

namespace xla::cpu {

// Masks that are known; null is none.
bool IsEverywhere(const llvm::Value* mask);
bool IsNowhere(const llvm::Value* mask);

// For a target, which outlives it.
class Builder : public llvm::IRBuilder<> {
 public:
  Builder(llvm::LLVMContext& context, const codegen::Target& target)
      : llvm::IRBuilder<>(context), target_(&target), known_(std::make_shared<Known>()) {
    AllowContraction();
  }
  // In the body of a loop that is not joined yet to the code around it, at whose end instructions
  // are added meanwhile by another builder.
  Builder(llvm::BasicBlock* end, Builder* around) : Builder(end, *around) {
    around_ = around;
    level_ = around->level_ + 1;
  }
  // At the end of a block, or in front of an instruction, in the same code as another builder.
  Builder(llvm::BasicBlock* end, const Builder& other) : Builder(end, end->end(), other) {}
  Builder(llvm::BasicBlock* block, llvm::BasicBlock::iterator before, const Builder& other)
      : llvm::IRBuilder<>(block, before), target_(other.target_), known_(other.known_) {
    AllowContraction();
  }
  Builder(llvm::Instruction* before, const Builder& other)
      : Builder(before->getParent(), before->getIterator(), other) {}

  const codegen::Target& target() const { return *target_; }

  // How many loops there are around it.
  int level() const { return level_; }
  // The builder of the body that stands in so many loops, this one or one around it.
  Builder& AtLevel(int level) {
    return around_ == nullptr || level >= level_ ? *this : around_->AtLevel(level);
  }

  // Arithmetic on indices, of 64 bits, and addresses. What changes nothing is not added to the
  // code, nor what the block has computed before: LLVM would take long to find it. Constants are
  // added last, so that adjacent ones have in common what they are added to.
  llvm::Value* CreateAdd(llvm::Value* x, llvm::Value* y);
  llvm::Value* CreateMul(llvm::Value* x, llvm::Value* y);
  llvm::Value* CreateGEP(llvm::Type* type, llvm::Value* pointer, llvm::Value* index);
  llvm::Value* CreateConstGEP1_64(llvm::Type* type, llvm::Value* pointer, uint64_t index) {
    return CreateGEP(type, pointer, getInt64(index));
  }
  // One of the values itself where the mask is known.
  llvm::Value* CreateSelect(llvm::Value* mask, llvm::Value* on_true, llvm::Value* on_false);
  // The same where data decides, which no processor foresees: one value or the other is moved,
  // while LLVM would rather branch where it takes long to know.
  llvm::Value* CreateUnpredictableSelect(llvm::Value* mask, llvm::Value* on_true,
                                         llvm::Value* on_false);

  // The same vector, of which LLVM asks no more where its lanes come from. It would look through
  // all shuffles before for each of them, which takes longer than the rest of a kernel where these
  // are the steps of a transpose.
  llvm::Value* CreateFence(llvm::Value* vector);
  // Behind a fence where LLVM 22 would not come to an end.
  llvm::Value* CreateShuffleVector(llvm::Value* x, llvm::Value* y, llvm::ArrayRef<int> lanes);
  llvm::Value* CreateShuffleVector(llvm::Value* x, llvm::ArrayRef<int> lanes);

  // The bits in memory that a value was read from as an element of a type, to be written again as
  // they are; null where it was computed.
  void SetCode(llvm::Value* value, PrimitiveType type, llvm::Value* code) {
    known_->codes[{value, type}] = {value, code};
  }
  llvm::Value* CodeOf(llvm::Value* value, PrimitiveType type) const {
    const auto found = known_->codes.find({value, type});
    if (found == known_->codes.end() || found->second.first != value) return nullptr;
    return found->second.second;
  }

  // The lanes, all of them where it is null, whose values somebody wants.
  llvm::Value* wanted_lanes() const { return wanted_lanes_; }
  llvm::Value* set_wanted_lanes(llvm::Value* mask) { return std::exchange(wanted_lanes_, mask); }

  // Whether some lane of a mask, or of all lanes, is known to be on in any run.
  bool IsNeverEmpty(llvm::Value* mask) const;
  void SetNeverEmpty(llvm::Value* mask) { known_->never_empty[mask] = mask; }

  // The instructions in all copies of a function's code.
  int64_t InstructionsOfCopies(absl::string_view function) { return known_->copied[function]; }
  void AddCopy(absl::string_view function, int64_t instructions) {
    known_->copied[function] += instructions;
  }

 private:
  // The opcode, two operands and the type that addresses count in.
  using Computation = std::tuple<unsigned, llvm::Value*, llvm::Value*, llvm::Type*>;
  // What all builders of the code know.
  struct Known {
    absl::flat_hash_map<std::string, int64_t> copied;
    absl::flat_hash_map<Computation, llvm::WeakVH> computed;
    // Handles of the values themselves say whether these are still there.
    absl::flat_hash_map<llvm::Value*, llvm::WeakVH> never_empty;
    absl::flat_hash_map<std::pair<llvm::Value*, PrimitiveType>,
                        std::pair<llvm::WeakVH, llvm::WeakVH>>
        codes;
  };

  // A product and the sum it is part of may be rounded once.
  void AllowContraction() {
    llvm::FastMathFlags flags;
    flags.setAllowContract();
    setFastMathFlags(flags);
  }
  // What `compute` adds to the code, or what the block has of it already.
  llvm::Value* Once(const Computation& computation, absl::FunctionRef<llvm::Value*()> compute);

  const codegen::Target* target_;
  std::shared_ptr<Known> known_;
  Builder* around_ = nullptr;
  llvm::Value* wanted_lanes_ = nullptr;
  int level_ = 0;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_BUILDER_H_

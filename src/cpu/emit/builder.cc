#include "cpu/emit/builder.h"

#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstrTypes.h"

namespace xla::cpu {
namespace {

bool IsZero(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  return constant != nullptr && constant->isNullValue();
}

bool IsOne(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  return constant != nullptr && constant->isOneValue();
}

bool IsIndex(const llvm::Value* value) { return value->getType()->isIntegerTy(64); }

// The sum of a value and a constant that an index is; null where it is something else.
const llvm::BinaryOperator* SumWithConstant(const llvm::Value* index) {
  const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(index);
  const bool is_one = sum != nullptr && sum->getOpcode() == llvm::Instruction::Add &&
                      llvm::isa<llvm::ConstantInt>(sum->getOperand(1));
  return is_one ? sum : nullptr;
}

}  // namespace

bool IsEverywhere(const llvm::Value* mask) {
  const auto* constant = llvm::dyn_cast_or_null<llvm::Constant>(mask);
  return constant != nullptr && constant->isAllOnesValue();
}

bool IsNowhere(const llvm::Value* mask) { return mask != nullptr && IsZero(mask); }

bool Builder::IsNeverEmpty(llvm::Value* mask) const {
  if (mask == nullptr) return true;
  if (llvm::isa<llvm::Constant>(mask)) return !IsZero(mask);
  const auto found = known_->never_empty.find(mask);
  return found != known_->never_empty.end() && found->second == mask;
}

llvm::Value* Builder::CreateAdd(llvm::Value* x, llvm::Value* y) {
  if (IsZero(x)) return y;
  if (IsZero(y)) return x;
  if (!IsIndex(x)) return llvm::IRBuilder<>::CreateAdd(x, y);
  if (llvm::isa<llvm::ConstantInt>(x)) std::swap(x, y);
  if (const auto* sum = SumWithConstant(x)) {
    if (llvm::isa<llvm::ConstantInt>(y))
      return CreateAdd(sum->getOperand(0), llvm::IRBuilder<>::CreateAdd(sum->getOperand(1), y));
    return CreateAdd(CreateAdd(sum->getOperand(0), y), sum->getOperand(1));
  }
  if (const auto* sum = SumWithConstant(y))
    return CreateAdd(CreateAdd(x, sum->getOperand(0)), sum->getOperand(1));
  return Once({llvm::Instruction::Add, x, y, nullptr},
              [&] { return llvm::IRBuilder<>::CreateAdd(x, y); });
}

llvm::Value* Builder::CreateMul(llvm::Value* x, llvm::Value* y) {
  if (IsOne(x)) return y;
  if (IsOne(y)) return x;
  if (!IsIndex(x)) return llvm::IRBuilder<>::CreateMul(x, y);
  if (llvm::isa<llvm::ConstantInt>(x)) std::swap(x, y);
  if (IsZero(y)) return y;
  const auto* sum = SumWithConstant(x);
  if (sum != nullptr && llvm::isa<llvm::ConstantInt>(y)) {
    return CreateAdd(CreateMul(sum->getOperand(0), y),
                     llvm::IRBuilder<>::CreateMul(sum->getOperand(1), y));
  }
  return Once({llvm::Instruction::Mul, x, y, nullptr},
              [&] { return llvm::IRBuilder<>::CreateMul(x, y); });
}

llvm::Value* Builder::CreateGEP(llvm::Type* type, llvm::Value* pointer, llvm::Value* index) {
  if (!IsIndex(index) || !pointer->getType()->isPointerTy())
    return llvm::IRBuilder<>::CreateGEP(type, pointer, index);
  if (IsZero(index)) return pointer;
  return Once({llvm::Instruction::GetElementPtr, pointer, index, type},
              [&] { return llvm::IRBuilder<>::CreateGEP(type, pointer, index); });
}

llvm::Value* Builder::CreateSelect(llvm::Value* mask, llvm::Value* on_true, llvm::Value* on_false) {
  if (IsEverywhere(mask)) return on_true;
  if (IsNowhere(mask)) return on_false;
  return llvm::IRBuilder<>::CreateSelect(mask, on_true, on_false);
}

llvm::Value* Builder::CreateUnpredictableSelect(llvm::Value* mask, llvm::Value* on_true,
                                                llvm::Value* on_false) {
  llvm::Value* chosen = CreateSelect(mask, on_true, on_false);
  if (auto* const select = llvm::dyn_cast<llvm::SelectInst>(chosen)) {
    select->setMetadata(llvm::LLVMContext::MD_unpredictable, llvm::MDNode::get(getContext(), {}));
  }
  return chosen;
}

llvm::Value* Builder::CreateFence(llvm::Value* vector) {
  constexpr unsigned kFloat = 32, kRegister = 128;
  llvm::Type* type = vector->getType();
  const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits());
  if (bits < kRegister || bits % kFloat != 0) return vector;
  llvm::Type* floats = llvm::FixedVectorType::get(getFloatTy(), bits / kFloat);
  return CreateBitCast(CreateArithmeticFence(CreateBitCast(vector, floats), floats), type);
}

llvm::Value* Builder::CreateShuffleVector(llvm::Value* x, llvm::Value* y,
                                          llvm::ArrayRef<int> lanes) {
  // Operations on two vectors of 33 to 64 bytes, of which shuffles leave some open, are written
  // again and again as shuffles of operations and the other way round.
  constexpr size_t kBytes = 64;
  const bool is_cyclic =
      target_->vector_bits == 8 * kBytes && lanes.size() > kBytes / 2 &&
      x->getType()->getScalarSizeInBits() == 8 &&
      (lanes.size() < kBytes ||
       (lanes.size() == kBytes && llvm::is_contained(lanes, llvm::PoisonMaskElem)));
  if (!is_cyclic) return llvm::IRBuilder<>::CreateShuffleVector(x, y, lanes);
  llvm::SmallVector<int, kBytes> all(lanes.begin(), lanes.end());
  all.resize(kBytes, llvm::PoisonMaskElem);
  llvm::Value* whole = CreateFence(llvm::IRBuilder<>::CreateShuffleVector(x, y, all));
  if (lanes.size() == kBytes) return whole;
  return llvm::IRBuilder<>::CreateShuffleVector(
      whole, llvm::to_vector(llvm::seq<int>(0, static_cast<int>(lanes.size()))));
}

llvm::Value* Builder::CreateShuffleVector(llvm::Value* x, llvm::ArrayRef<int> lanes) {
  return CreateShuffleVector(x, llvm::PoisonValue::get(x->getType()), lanes);
}

llvm::Value* Builder::Once(const Computation& computation,
                           absl::FunctionRef<llvm::Value*()> compute) {
  llvm::WeakVH& known = known_->computed[computation];
  const auto* instruction = llvm::dyn_cast_or_null<llvm::Instruction>(known);
  const bool is_before = instruction != nullptr && instruction->getParent() == GetInsertBlock() &&
                         GetInsertPoint() == GetInsertBlock()->end();
  if (!is_before) known = compute();
  return known;
}

}  // namespace xla::cpu

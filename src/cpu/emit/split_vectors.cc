#include "cpu/emit/split_vectors.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cpu/emit/lanes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"

namespace xla::cpu {
namespace {

using Parts = llvm::SmallVector<llvm::Value*, 8>;

// Where a value may be used from on.
llvm::BasicBlock::iterator Behind(llvm::Value* value, llvm::Function& function) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return function.getEntryBlock().getFirstInsertionPt();
  if (llvm::isa<llvm::PHINode>(instruction)) return instruction->getParent()->getFirstInsertionPt();
  return std::next(instruction->getIterator());
}

// A lane of a vector; of none where nobody wants it.
using Lane = std::pair<llvm::Value*, int>;

// A vector of lanes of others.
class Assembly {
 public:
  Assembly(Builder& b, std::vector<Lane> lanes) : b_(b), lanes_(std::move(lanes)) {}

  llvm::Value* Make(llvm::Type* element) {
    llvm::Type* type = WithLanes(element, static_cast<int>(lanes_.size()));
    llvm::SmallVector<llvm::Value*, 4> sources;
    for (const Lane& lane : lanes_) {
      if (lane.first != nullptr && !llvm::is_contained(sources, lane.first))
        sources.push_back(lane.first);
    }
    if (sources.empty()) return llvm::PoisonValue::get(type);
    llvm::Value* all = sources[0];
    if (sources.size() == 1) return all->getType() == type && IsInPlace() ? all : Move(all);
    for (llvm::Value* next : llvm::drop_begin(sources)) {
      if (next->getType() != all->getType() && all->getType() != type) all = Move(all);
      if (next->getType() != all->getType()) next = Move(next);
      all = Move(all, next);
    }
    return all;
  }

 private:
  bool IsInPlace() const {
    return llvm::all_of(llvm::enumerate(lanes_), [](const auto& each) {
      return each.value().first == nullptr || each.value().second == static_cast<int>(each.index());
    });
  }

  // Brings the lanes that are wanted of one vector or two where they belong.
  llvm::Value* Move(llvm::Value* one, llvm::Value* other = nullptr) {
    llvm::SmallVector<int, 64> mask;
    for (const auto& [source, lane] : lanes_) {
      mask.push_back(source == nullptr ? llvm::PoisonMaskElem
                     : source == one   ? lane
                     : source == other ? LaneCount(one->getType()) + lane
                                       : llvm::PoisonMaskElem);
    }
    llvm::Value* moved = other == nullptr ? b_.CreateShuffleVector(one, mask)
                                          : b_.CreateShuffleVector(one, other, mask);
    for (size_t i = 0; i < lanes_.size(); ++i) {
      if (mask[i] != llvm::PoisonMaskElem) lanes_[i] = {moved, static_cast<int>(i)};
    }
    return moved;
  }

  Builder& b_;
  std::vector<Lane> lanes_;
};

class Splitter {
 public:
  Splitter(const Builder& other, llvm::Function& function, int lanes)
      : function_(function),
        lanes_(lanes),
        least_bits_(static_cast<unsigned>(other.target().vector_bits / lanes)),
        b_(&function.getEntryBlock(), other) {}

  void Run() {
    for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function_)) {
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) Visit(instruction);
    }
    for (llvm::PHINode* phi : phis_) AddIncoming(*phi);
    for (llvm::PHINode* phi : whole_phis_) TakeWholes(*phi);
    for (llvm::Instruction* instruction : split_) {
      // Blocks that are never reached may use it still.
      if (!instruction->getType()->isVoidTy())
        instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
      instruction->eraseFromParent();
    }
    for (llvm::Value* part : taken_) MoveToUsers(part);
  }

 private:
  bool HasParts(const llvm::Type* type) const {
    const int lanes = LaneCount(type);
    return lanes > lanes_ && lanes % lanes_ == 0;
  }
  // Parts of narrow elements would not fill registers.
  bool IsSplit(const llvm::Type* type) const {
    return HasParts(type) && (type->getScalarType()->isPointerTy() || IsMask(type) ||
                              type->getScalarSizeInBits() >= least_bits_);
  }
  static bool IsMask(const llvm::Type* type) { return type->getScalarType()->isIntegerTy(1); }
  bool IsSplit(const llvm::Value* value) const { return IsSplit(value->getType()); }
  llvm::Type* PartOf(llvm::Type* type) const {
    return HasParts(type) ? WithLanes(type->getScalarType(), lanes_) : type;
  }

  // ---- Parts of values

  const Parts& PartsOf(llvm::Value* value) {
    if (const auto found = parts_.find(value); found != parts_.end()) return found->second;
    Parts parts;
    const int count = LaneCount(value->getType()) / lanes_;
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) {
      for (int k = 0; k < count; ++k) parts.push_back(PartOfConstant(*constant, k));
    } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
               load != nullptr && IsPlain(*load)) {
      b_.SetInsertPoint(load);
      parts = PartsOfLoad(*load);
    } else {
      b_.SetInsertPoint(Behind(value, function_));
      for (int k = 0; k < count; ++k) parts.push_back(LaneRange(b_, value, k * lanes_, lanes_));
      taken_.insert(taken_.end(), parts.begin(), parts.end());
    }
    return parts_[value] = std::move(parts);
  }

  // A loop need not take apart what only those behind it use by its parts.
  static void MoveToUsers(llvm::Value* value) {
    auto* part = llvm::dyn_cast<llvm::Instruction>(value);
    if (part == nullptr || part->use_empty()) return;
    llvm::BasicBlock* const block = llvm::cast<llvm::Instruction>(*part->user_begin())->getParent();
    const bool is_movable =
        block != part->getParent() && llvm::all_of(part->users(), [&](const llvm::User* user) {
          return !llvm::isa<llvm::PHINode>(user) &&
                 llvm::cast<llvm::Instruction>(user)->getParent() == block;
        });
    if (is_movable) part->moveBefore(block->getFirstInsertionPt());
  }

  llvm::Value* PartOfConstant(llvm::Constant& constant, int k) {
    if (llvm::Constant* splat = constant.getSplatValue())
      return llvm::ConstantVector::getSplat(
          llvm::ElementCount::getFixed(static_cast<unsigned>(lanes_)), splat);
    llvm::SmallVector<llvm::Constant*, 64> elements;
    for (int i = 0; i < lanes_; ++i)
      elements.push_back(constant.getAggregateElement(static_cast<unsigned>(k * lanes_ + i)));
    return llvm::ConstantVector::get(elements);
  }

  // A value of all parts, for those that know of none.
  llvm::Value* Whole(llvm::Value* value) {
    if (llvm::isa<llvm::Constant>(value) || !was_split_.contains(value)) return value;
    llvm::Value*& whole = wholes_[value];
    if (whole == nullptr) {
      b_.SetInsertPoint(Behind(value, function_));
      whole = llvm::concatenateVectors(b_, PartsOf(value));
    }
    return whole;
  }

  // ---- Instructions

  void Visit(llvm::Instruction& instruction) {
    const bool has_parts = IsSplit(&instruction);
    const bool takes_parts = llvm::any_of(
        instruction.operands(), [&](const llvm::Use& operand) { return IsSplit(operand.get()); });
    if (!has_parts && !takes_parts) return;
    b_.SetInsertPoint(&instruction);
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      if (!IsMask(phi->getType()) || IsOfWideParts(*phi)) return SplitPhi(*phi);
      whole_phis_.push_back(phi);
      return;
    }
    if (std::optional<Parts> parts = Split(instruction)) {
      if (has_parts) {
        parts_[&instruction] = *std::move(parts);
        was_split_.insert(&instruction);
      } else if (!parts->empty()) {
        b_.SetInsertPoint(&instruction);
        instruction.replaceAllUsesWith(parts->size() == 1 ? parts->front()
                                                          : llvm::concatenateVectors(b_, *parts));
      }
      split_.push_back(&instruction);
      return;
    }
    TakeWholes(instruction);
  }

  // What it reads of values that were split are those made of all parts.
  void TakeWholes(llvm::Instruction& instruction) {
    for (llvm::Use& operand : instruction.operands()) operand.set(Whole(operand.get()));
  }

  // Nothing if it is to stay as it is; the one value of what has no parts.
  std::optional<Parts> Split(llvm::Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return SplitLoad(*load);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return SplitStore(*store);
    if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction))
      return SplitShuffle(*shuffle);
    if (auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(&instruction))
      return SplitInsert(*insert);
    if (auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction))
      return SplitExtract(*extract);
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      return SplitIntrinsic(*intrinsic);
    const bool is_elementwise =
        llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::CmpInst,
                  llvm::SelectInst, llvm::FreezeInst, llvm::GetElementPtrInst>(instruction);
    if (!is_elementwise || !HasEqualLanes(instruction) || !HasWideParts(instruction))
      return std::nullopt;
    return SplitElementwise(instruction, [&](llvm::Instruction& part) {
      part.mutateType(PartOf(instruction.getType()));
    });
  }

  // Whether the vectors among its operands have as many lanes as its result, which is no vector
  // made of the bits of a number.
  static bool HasEqualLanes(const llvm::Instruction& instruction) {
    const int lanes = LaneCount(instruction.getType());
    const bool is_cast = llvm::isa<llvm::CastInst>(instruction);
    return llvm::all_of(instruction.operands(), [&](const llvm::Use& operand) {
      const int own = LaneCount(operand->getType());
      return own == lanes || (own == 1 && !is_cast);
    });
  }

  // Whether elements of an operand or of the result are wide, or masks of such are made a mask.
  bool HasWideParts(const llvm::Instruction& instruction) const {
    const auto is_wide = [&](const llvm::Value* value) {
      if (!IsMask(value->getType())) return IsSplit(value);
      return IsMask(instruction.getType()) && was_split_.contains(value);
    };
    return is_wide(&instruction) || llvm::any_of(instruction.operands(), is_wide);
  }

  std::optional<Parts> SplitElementwise(llvm::Instruction& instruction,
                                        llvm::function_ref<void(llvm::Instruction&)> finish) {
    Parts parts;
    const int count = LaneCount(instruction.getType()) / lanes_;
    std::vector<Parts> operands;
    for (llvm::Use& operand : instruction.operands()) {
      operands.push_back(HasParts(operand->getType())
                             ? PartsOf(operand.get())
                             : Parts(static_cast<size_t>(count), operand.get()));
    }
    for (int k = 0; k < count; ++k) {
      llvm::Instruction* part = instruction.clone();
      for (unsigned i = 0; i < operands.size(); ++i) part->setOperand(i, operands[i][k]);
      finish(*part);
      part->insertBefore(instruction.getIterator());
      parts.push_back(part);
    }
    return parts;
  }

  // Whether a comparison of wide elements, of which each register has a mask of its own, is among
  // what a mask is made of.
  bool IsOfWideParts(llvm::PHINode& mask) const {
    llvm::SmallVector<const llvm::Value*> waiting = {&mask};
    llvm::SmallPtrSet<const llvm::Value*, 16> seen;
    while (!waiting.empty()) {
      const llvm::Value* value = waiting.pop_back_val();
      if (!IsMask(value->getType())) {
        if (IsSplit(value)) return true;
      } else if (const auto* user = llvm::dyn_cast<llvm::Instruction>(value);
                 user != nullptr && seen.insert(user).second) {
        waiting.append(user->value_op_begin(), user->value_op_end());
      }
    }
    return false;
  }

  void SplitPhi(llvm::PHINode& phi) {
    Parts parts;
    for (int k = 0; k < LaneCount(phi.getType()) / lanes_; ++k)
      parts.push_back(b_.CreatePHI(PartOf(phi.getType()), phi.getNumIncomingValues()));
    parts_[&phi] = std::move(parts);
    was_split_.insert(&phi);
    split_.push_back(&phi);
    phis_.push_back(&phi);
  }

  void AddIncoming(llvm::PHINode& phi) {
    const Parts parts = parts_[&phi];
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      const Parts& values = PartsOf(phi.getIncomingValue(i));
      for (size_t k = 0; k < parts.size(); ++k)
        llvm::cast<llvm::PHINode>(parts[k])->addIncoming(values[k], phi.getIncomingBlock(i));
    }
  }

  // ---- Memory

  // Where part k of a vector lies, and how it is aligned.
  std::pair<llvm::Value*, llvm::Align> PlaceOf(llvm::Value* pointer, llvm::Align alignment,
                                               llvm::Type* vector, int k) {
    const uint64_t bytes = vector->getScalarSizeInBits() / 8 * static_cast<uint64_t>(k * lanes_);
    return {
        b_.CreateConstGEP1_64(vector->getScalarType(), pointer, static_cast<uint64_t>(k * lanes_)),
        llvm::commonAlignment(alignment, bytes)};
  }
  static bool HasBytes(const llvm::Type* vector) {
    return !vector->getScalarType()->isPointerTy() && vector->getScalarSizeInBits() % 8 == 0;
  }

  static bool IsPlain(const llvm::LoadInst& load) {
    return HasBytes(load.getType()) && load.isSimple();
  }
  std::optional<Parts> SplitLoad(llvm::LoadInst& load) {
    if (!IsPlain(load)) return std::nullopt;
    return PartsOfLoad(load);
  }
  Parts PartsOfLoad(llvm::LoadInst& load) {
    Parts parts;
    for (int k = 0; k < LaneCount(load.getType()) / lanes_; ++k) {
      const auto [place, alignment] =
          PlaceOf(load.getPointerOperand(), load.getAlign(), load.getType(), k);
      llvm::LoadInst* part = b_.CreateAlignedLoad(PartOf(load.getType()), place, alignment);
      part->copyMetadata(load);
      parts.push_back(part);
    }
    return parts;
  }

  std::optional<Parts> SplitStore(llvm::StoreInst& store) {
    llvm::Value* value = store.getValueOperand();
    if (!IsSplit(value) || !HasBytes(value->getType()) || !store.isSimple()) return std::nullopt;
    const Parts values = PartsOf(value);
    b_.SetInsertPoint(&store);
    for (int k = 0; k < static_cast<int>(values.size()); ++k) {
      const auto [place, alignment] =
          PlaceOf(store.getPointerOperand(), store.getAlign(), value->getType(), k);
      b_.CreateAlignedStore(values[k], place, alignment)->copyMetadata(store);
    }
    return Parts();
  }

  // ---- Lanes

  Lane LaneOf(llvm::Value* value, int lane) {
    if (!IsSplit(value)) return {value, lane};
    return {PartsOf(value)[lane / lanes_], lane % lanes_};
  }

  std::optional<Parts> SplitShuffle(llvm::ShuffleVectorInst& shuffle) {
    const llvm::ArrayRef<int> mask = shuffle.getShuffleMask();
    const int inputs = LaneCount(shuffle.getOperand(0)->getType());
    std::vector<Lane> from;
    for (const int lane : mask) {
      from.push_back(lane == llvm::PoisonMaskElem
                         ? Lane{nullptr, 0}
                         : LaneOf(shuffle.getOperand(lane >= inputs ? 1 : 0), lane % inputs));
    }
    b_.SetInsertPoint(&shuffle);
    const auto width = static_cast<size_t>(IsSplit(&shuffle) ? lanes_ : mask.size());
    llvm::Type* element = shuffle.getType()->getScalarType();
    Parts parts;
    for (size_t begin = 0; begin < from.size(); begin += width) {
      const std::vector<Lane> own(from.begin() + static_cast<int64_t>(begin),
                                  from.begin() + static_cast<int64_t>(begin + width));
      // One value serves where several parts are alike, such as those of a number in all lanes.
      const bool is_like_last =
          begin > 0 &&
          std::equal(own.begin(), own.end(), from.begin() + static_cast<int64_t>(begin - width));
      parts.push_back(is_like_last ? parts.back() : Assembly(b_, own).Make(element));
    }
    return parts;
  }

  std::optional<Parts> SplitInsert(llvm::InsertElementInst& insert) {
    const auto* lane = llvm::dyn_cast<llvm::ConstantInt>(insert.getOperand(2));
    if (lane == nullptr) return std::nullopt;
    Parts parts = PartsOf(insert.getOperand(0));
    b_.SetInsertPoint(&insert);
    const auto number = static_cast<int>(lane->getZExtValue());
    llvm::Value*& part = parts[number / lanes_];
    part =
        b_.CreateInsertElement(part, insert.getOperand(1), static_cast<uint64_t>(number % lanes_));
    return parts;
  }

  std::optional<Parts> SplitExtract(llvm::ExtractElementInst& extract) {
    const auto* lane = llvm::dyn_cast<llvm::ConstantInt>(extract.getIndexOperand());
    if (lane == nullptr) return std::nullopt;
    const auto [part, own] =
        LaneOf(extract.getVectorOperand(), static_cast<int>(lane->getZExtValue()));
    b_.SetInsertPoint(&extract);
    return Parts{b_.CreateExtractElement(part, static_cast<uint64_t>(own))};
  }

  // ---- Intrinsics

  std::optional<Parts> SplitIntrinsic(llvm::IntrinsicInst& call) {
    switch (call.getIntrinsicID()) {
      case llvm::Intrinsic::masked_load:
        return SplitMaskedLoad(call);
      case llvm::Intrinsic::masked_store:
        return SplitMaskedStore(call);
      case llvm::Intrinsic::masked_gather:
      case llvm::Intrinsic::arithmetic_fence:
        return SplitCall(call);
      case llvm::Intrinsic::vector_reduce_or:
        return SplitReduction(call, llvm::Instruction::Or);
      case llvm::Intrinsic::vector_reduce_and:
        return SplitReduction(call, llvm::Instruction::And);
      default:
        if (!llvm::isTriviallyVectorizable(call.getIntrinsicID()) || !HasEqualLanes(call) ||
            !HasWideParts(call))
          return std::nullopt;
        return SplitCall(call);
    }
  }

  // All vectors among the operands have as many lanes as the result.
  std::optional<Parts> SplitCall(llvm::IntrinsicInst& call) {
    llvm::SmallVector<llvm::Type*, 4> types;
    if (!llvm::Intrinsic::getIntrinsicSignature(call.getCalledFunction(), types))
      return std::nullopt;
    for (llvm::Type*& type : types) type = PartOf(type);
    llvm::Function* callee = llvm::Intrinsic::getOrInsertDeclaration(function_.getParent(),
                                                                     call.getIntrinsicID(), types);
    return SplitElementwise(call, [&](llvm::Instruction& part) {
      part.mutateType(PartOf(call.getType()));
      llvm::cast<llvm::CallInst>(part).setCalledFunction(callee);
    });
  }

  std::optional<Parts> SplitMaskedLoad(llvm::IntrinsicInst& load) {
    if (!IsSplit(&load) || !HasBytes(load.getType())) return std::nullopt;
    const Parts masks = PartsOf(load.getArgOperand(1)), others = PartsOf(load.getArgOperand(2));
    b_.SetInsertPoint(&load);
    Parts parts;
    for (int k = 0; k < static_cast<int>(masks.size()); ++k) {
      const auto [place, alignment] =
          PlaceOf(load.getArgOperand(0), load.getParamAlign(0).valueOrOne(), load.getType(), k);
      parts.push_back(
          b_.CreateMaskedLoad(PartOf(load.getType()), place, alignment, masks[k], others[k]));
    }
    return parts;
  }

  std::optional<Parts> SplitMaskedStore(llvm::IntrinsicInst& store) {
    llvm::Type* type = store.getArgOperand(0)->getType();
    if (!IsSplit(type) || !HasBytes(type)) return std::nullopt;
    const Parts values = PartsOf(store.getArgOperand(0)), masks = PartsOf(store.getArgOperand(2));
    b_.SetInsertPoint(&store);
    for (int k = 0; k < static_cast<int>(values.size()); ++k) {
      const auto [place, alignment] =
          PlaceOf(store.getArgOperand(1), store.getParamAlign(1).valueOrOne(), type, k);
      b_.CreateMaskedStore(values[k], place, alignment, masks[k])->copyMetadata(store);
    }
    return Parts();
  }

  std::optional<Parts> SplitReduction(llvm::IntrinsicInst& call,
                                      llvm::Instruction::BinaryOps operation) {
    const Parts parts = PartsOf(call.getArgOperand(0));
    b_.SetInsertPoint(&call);
    llvm::Value* all = parts[0];
    for (llvm::Value* part : llvm::drop_begin(parts)) all = b_.CreateBinOp(operation, all, part);
    return Parts{operation == llvm::Instruction::Or ? b_.CreateOrReduce(all)
                                                    : b_.CreateAndReduce(all)};
  }

  llvm::Function& function_;
  const int lanes_;
  const unsigned least_bits_;
  Builder b_;
  llvm::DenseMap<llvm::Value*, Parts> parts_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> wholes_;
  llvm::DenseSet<const llvm::Value*> was_split_;
  std::vector<llvm::Instruction*> split_;  // which their parts replace
  std::vector<llvm::PHINode*> phis_, whole_phis_;
  std::vector<llvm::Value*> taken_;  // parts of values that stay whole
};

}  // namespace

void SplitVectors(const Builder& b, llvm::Function& function, int lanes) {
  Splitter(b, function, lanes).Run();
}

}  // namespace xla::cpu

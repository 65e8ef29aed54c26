#include "cpu/emit/frame.h"

#include <utility>
#include <vector>

#include "cpu/emit/registers.h"
#include "runtime/memory.h"
#include "runtime/program.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using program::Array;
using program::Slot;
using program::Step;
using runtime::ListedArray;

// LLVM compares all stores of a block with each other.
constexpr size_t kMostStores = 32;

FrameField FieldOf(program::Place place) {
  switch (place) {
    case program::Place::kParameter:
      return kParameters;
    case program::Place::kResult:
      return kResults;
    case program::Place::kConstant:
      return kConstants;
    case program::Place::kArena:
    case program::Place::kStack:
    case program::Place::kUnassigned:
      break;
  }
  return kArena;
}

// For an array that lies on the stack, which is known only when the program runs, the beginning of
// the arena.
ListedArray ListedArrayOf(const Slot& slot) {
  if (slot.place == program::Place::kStack) return {};
  const FrameField field = FieldOf(slot.place);
  const int64_t number = field == kArena ? 0 : slot.number;
  return {static_cast<ListedArray::Of>(field), static_cast<int32_t>(number), slot.offset};
}

}  // namespace

Frame::Frame(const program::Plan& plan, std::vector<ListedArray>& lists, Builder& b,
             llvm::Function* function)
    : plan_(plan), lists_(lists), b_(b), function_(function) {
  b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "entry", function_));
  for (int field = 0; field < kFrameFields; ++field)
    fields_[field] = LoadField(static_cast<FrameField>(field));
  llvm::BasicBlock* body = llvm::BasicBlock::Create(b_.getContext(), "body", function_);
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
}

llvm::Value* Frame::LoadField(FrameField field) {
  llvm::Type* pointer = b_.getPtrTy();
  return b_.CreateLoad(pointer, b_.CreateConstGEP1_64(pointer, function_->getArg(0), field));
}

absl::StatusOr<Lanes> Frame::InRegister(int number) {
  const Array& array = plan_.arrays[number];
  if (const auto found = registers_.find(number); found != registers_.end()) {
    const Register& known = found->second;
    return known.block == b_.GetInsertBlock() ? known.value
                                              : FromPassed(b_, array.shape, known.passed);
  }
  if (array.slot.place == program::Place::kConstant)
    return LiteralLanes(b_, array.definition->literal());
  return Load(b_, array.shape.element_type(), Address(number), 1,
              static_cast<int>(ShapeUtil::ElementsIn(array.shape)), nullptr);
}

void Frame::Define(int number, const Lanes& value) {
  const Array& array = plan_.arrays[number];
  registers_[number] = {value, b_.GetInsertBlock(), ToPassed(b_, value)};
  if (array.in_memory) Store(b_, array.shape.element_type(), value, Address(number), 1, nullptr);
}

llvm::Value* Frame::Entry(FrameField field, int64_t number) {
  return b_.CreateLoad(b_.getPtrTy(), b_.CreateConstGEP1_64(b_.getPtrTy(), fields_[field], number));
}

llvm::Value* Frame::Moved(int array, llvm::Value* slot) {
  const auto offset = slice_offsets_.find(array);
  return offset == slice_offsets_.end() ? slot : b_.CreateGEP(b_.getInt8Ty(), slot, offset->second);
}

llvm::Value* Frame::Address(const Slot& slot) {
  if (slot.place == program::Place::kStack) return OnStack(static_cast<int>(slot.number));
  const FrameField field = FieldOf(slot.place);
  llvm::Value* begin = field == kArena ? fields_[kArena] : Entry(field, slot.number);
  return b_.CreateConstGEP1_64(b_.getInt8Ty(), begin, static_cast<uint64_t>(slot.offset));
}

llvm::AllocaInst* Frame::Allocate(llvm::Type* type, uint64_t count) {
  Builder b(function_->getEntryBlock().getTerminator(), b_);
  return b.CreateAlloca(type, b.getInt64(count));
}

llvm::Value* Frame::OnStack(int array) {
  llvm::Value*& memory = on_stack_[array];
  if (memory == nullptr) {
    llvm::AllocaInst* own =
        Allocate(b_.getInt8Ty(), static_cast<uint64_t>(plan_.arrays[array].bytes()));
    own->setAlignment(llvm::Align(runtime::kAlignment));
    memory = own;
  }
  return memory;
}

std::vector<Slot> Frame::AddList(const Step& step) {
  std::vector<Slot> slots;
  for (size_t i = 0; i < step.reads.size(); ++i) {
    slots.push_back(plan_.arrays[step.reads[i]].slot);
    if (!step.offsets.empty()) slots.back().offset += step.offsets[i];
  }
  for (int array : step.writes) slots.push_back(plan_.arrays[array].slot);
  for (const Slot& slot : slots) lists_.push_back(ListedArrayOf(slot));
  return slots;
}

llvm::Value* Frame::List(const Step& step, absl::Span<llvm::Value* const> functions,
                         bool runs_at_once) {
  const size_t begin = lists_.size();
  const std::vector<Slot> slots = AddList(step);
  std::vector<int> arrays = step.reads;
  arrays.insert(arrays.end(), step.writes.begin(), step.writes.end());
  std::vector<std::pair<size_t, llvm::Value*>> found;  // what is known only now
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].place == program::Place::kStack || slice_offsets_.contains(arrays[i]))
      found.push_back({i, Moved(arrays[i], Address(slots[i]))});
  }
  for (llvm::Value* function : functions) {
    found.push_back({lists_.size() - begin, function});
    lists_.emplace_back();
  }
  llvm::Value* list = b_.CreateConstGEP1_64(b_.getPtrTy(), fields_[kLists], begin);
  if (runs_at_once && !found.empty()) list = OwnCopy(list, lists_.size() - begin);
  for (const auto& [i, pointer] : found) {
    b_.CreateStore(pointer, b_.CreateConstGEP1_64(b_.getPtrTy(), list, i));
    if (++stores_ % kMostStores == 0) EndBlock();
  }
  return list;
}

llvm::Value* Frame::OwnCopy(llvm::Value* list, size_t count) {
  llvm::Value* length = b_.getInt64(count);
  if (own_list_ == nullptr) own_list_ = Allocate(b_.getPtrTy(), count);
  const auto* longest = llvm::cast<llvm::ConstantInt>(own_list_->getArraySize());
  if (longest->getZExtValue() < count) own_list_->setOperand(0, length);
  b_.CreateMemCpy(own_list_, llvm::Align(sizeof(void*)), list, llvm::Align(sizeof(void*)),
                  b_.CreateMul(length, b_.getInt64(sizeof(void*))));
  return own_list_;
}

// Goes on in a block of its own.
void Frame::EndBlock() {
  llvm::BasicBlock* next = llvm::BasicBlock::Create(b_.getContext(), "next", function_);
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
}

}  // namespace xla::cpu

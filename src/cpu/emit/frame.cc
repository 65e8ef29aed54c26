#include "cpu/emit/frame.h"

#include <algorithm>
#include <vector>

#include "base/status_macros.h"
#include "cpu/emit/loops.h"
#include "cpu/emit/registers.h"
#include "llvm/IR/Module.h"
#include "runtime/program.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using program::Array;
using program::Place;
using program::Slot;
using program::Step;

// LLVM compares all stores of a block with each other.
constexpr size_t kMostStores = 32;
// Longer lists of arrays are made by a loop over a table.
constexpr size_t kLongestList = 16;

FrameField FieldOf(Place place) {
  switch (place) {
    case Place::kParameter:
      return kParameters;
    case Place::kResult:
      return kResults;
    case Place::kConstant:
      return kConstants;
    case Place::kArena:
    case Place::kStack:
    case Place::kUnassigned:
      break;
  }
  return kArena;
}

}  // namespace

Frame::Frame(const program::Plan& plan, Unit& unit, Builder& b, llvm::Function* function)
    : plan_(plan), unit_(unit), b_(b), function_(function) {
  llvm::Type* pointer = b_.getPtrTy();
  b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "entry", function_));
  list_ = b_.CreateAlloca(pointer, b_.getInt64(1));
  for (int field = 0; field < kFrameFields; ++field) {
    fields_[field] =
        b_.CreateLoad(pointer, b_.CreateConstGEP1_64(pointer, function_->getArg(0), field));
  }
  llvm::BasicBlock* body = llvm::BasicBlock::Create(b_.getContext(), "body", function_);
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
}

absl::StatusOr<Lanes> Frame::InRegister(int number) {
  const Array& array = plan_.arrays[number];
  if (const auto found = registers_.find(number); found != registers_.end()) {
    const Register& known = found->second;
    return known.block == b_.GetInsertBlock() ? known.value
                                              : FromPassed(b_, array.shape, known.passed);
  }
  if (array.slot.place == Place::kConstant) return LiteralLanes(b_, array.definition->literal());
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
  if (slot.place == Place::kStack) return OnStack(static_cast<int>(slot.number));
  const FrameField field = FieldOf(slot.place);
  llvm::Value* begin = field == kArena ? fields_[kArena] : Entry(field, slot.number);
  return b_.CreateConstGEP1_64(b_.getInt8Ty(), begin, static_cast<uint64_t>(slot.offset));
}

llvm::Value* Frame::OnStack(int array) {
  llvm::Value*& memory = on_stack_[array];
  if (memory == nullptr) {
    Builder b(&function_->getEntryBlock(), b_);
    b.SetInsertPoint(function_->getEntryBlock().getTerminator());
    llvm::AllocaInst* own = b.CreateAlloca(
        b.getInt8Ty(), b.getInt64(static_cast<uint64_t>(plan_.arrays[array].bytes())));
    own->setAlignment(llvm::Align(runtime::kAlignment));
    memory = own;
  }
  return memory;
}

std::vector<Slot> Frame::SlotsOf(const Step& step) const {
  std::vector<Slot> slots;
  for (size_t i = 0; i < step.reads.size(); ++i) {
    slots.push_back(plan_.arrays[step.reads[i]].slot);
    if (!step.offsets.empty()) slots.back().offset += step.offsets[i];
  }
  for (int array : step.writes) slots.push_back(plan_.arrays[array].slot);
  return slots;
}

absl::StatusOr<llvm::Value*> Frame::List(const Step& step,
                                         absl::Span<llvm::Value* const> functions) {
  const std::vector<Slot> slots = SlotsOf(step);
  size_t next = 0;
  const auto add = [&](size_t number, llvm::Value* pointer) {
    b_.CreateStore(pointer, b_.CreateConstGEP1_64(b_.getPtrTy(), list_, number));
    if (++stores_ % kMostStores == 0) EndBlock();
  };
  std::vector<int> arrays = step.reads;
  arrays.insert(arrays.end(), step.writes.begin(), step.writes.end());
  const bool is_long = slots.size() > kLongestList;
  if (is_long) {
    HILO_RETURN_IF_ERROR(ListFrom(Table(slots), b_.getInt64(0), slots.size()).status());
  }
  for (; next < slots.size(); ++next) {
    const bool is_fixed =
        slots[next].place != Place::kStack && !slice_offsets_.contains(arrays[next]);
    if (!is_long || !is_fixed) add(next, Moved(arrays[next], Address(slots[next])));
  }
  for (llvm::Value* function : functions) add(next++, function);
  longest_list_ = std::max(longest_list_, next);
  return list_;
}

// Of each slot, the field of the frame, the number of the array in the list that the field has, or
// -1 where it has the memory itself, and the offset.
llvm::Value* Frame::Table(absl::Span<const Slot> slots) {
  std::vector<uint64_t> numbers;
  for (const Slot& slot : slots) {
    const bool is_listed = FieldOf(slot.place) != kArena;
    numbers.push_back(FieldOf(slot.place));
    numbers.push_back(static_cast<uint64_t>(is_listed ? slot.number : -1));
    numbers.push_back(static_cast<uint64_t>(slot.offset));
  }
  llvm::Constant* table = llvm::ConstantDataArray::get(b_.getContext(), numbers);
  return new llvm::GlobalVariable(unit_.module(), table->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage, table, "slots");
}

absl::StatusOr<llvm::Value*> Frame::ListFrom(llvm::Value* table, llvm::Value* first, size_t count) {
  longest_list_ = std::max(longest_list_, count);
  llvm::Type* pointer = b_.getPtrTy();
  const auto add = [&](llvm::Value* i) {
    llvm::Value* row = b_.CreateMul(b_.CreateAdd(first, i), b_.getInt64(3));
    const auto entry = [&](uint64_t number) {
      return b_.CreateLoad(b_.getInt64Ty(), b_.CreateGEP(b_.getInt64Ty(), table,
                                                         b_.CreateAdd(row, b_.getInt64(number))));
    };
    llvm::Value* field = b_.CreateGEP(pointer, function_->getArg(0), entry(0));
    llvm::Value* number = entry(1);
    llvm::Value* in_list = b_.CreateGEP(pointer, b_.CreateLoad(pointer, field), number);
    llvm::Value* begin = b_.CreateLoad(
        pointer, b_.CreateSelect(b_.CreateICmpSLT(number, b_.getInt64(0)), field, in_list));
    b_.CreateStore(b_.CreateGEP(b_.getInt8Ty(), begin, entry(2)), b_.CreateGEP(pointer, list_, i));
    return absl::OkStatus();
  };
  HILO_RETURN_IF_ERROR(EmitLoop(b_, b_.getInt64(0), b_.getInt64(count), 1, add));
  return list_;
}

// Goes on in a block of its own.
void Frame::EndBlock() {
  llvm::BasicBlock* next = llvm::BasicBlock::Create(b_.getContext(), "next", function_);
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
}

}  // namespace xla::cpu

#include "cpu/emit/program.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cpu/emit/compiled_function.h"
#include "cpu/emit/elements.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/functions.h"
#include "cpu/emit/kernel_set.h"
#include "cpu/emit/lanes.h"
#include "cpu/emit/loops.h"
#include "cpu/emit/registers.h"
#include "cpu/emit/unit.h"
#include "cpu/plan/library.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "passes/cost.h"
#include "runtime/program.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// The fields of HiloFrame that programs read, by number.
enum FrameField { kParameters, kResults, kConstants, kArena, kParallel, kCall, kFrameFields };

// Fewer elements are not worth the time it takes to wake another thread.
constexpr double kElementsWorthAThread = 16384;

// More than so many instructions of a computation become several functions: what LLVM does with
// one takes longer than its length says.
constexpr size_t kMostInstructions = 1000;

// So many times the code of an exponential or the like stands where it is needed; after that it is
// called, since LLVM would take long over thousands of copies.
constexpr int kMostCopies = 128;

// LLVM compares all stores of a block with each other.
constexpr size_t kMostStores = 128;

// What the functions of a program share.
struct Shared {
  const HloModule& module;
  const MemoryPlan& plan;
  const KernelSet& kernels;
  Units& units;
  std::vector<runtime::LibraryCall> calls;
  int parts = 0;
  // Of each variable: whether something reads it from memory, and whether it is nowhere else.
  std::vector<bool> must_be_in_memory, only_memory;
  int64_t arena_bytes = 0;
};

// The parts of a computation that become functions of their own; none where it is short.
std::vector<absl::Span<const HloInstruction* const>> PartsOf(
    absl::Span<const HloInstruction* const> order) {
  std::vector<absl::Span<const HloInstruction* const>> parts;
  if (order.size() <= kMostInstructions) return parts;
  const size_t count = (order.size() + kMostInstructions - 1) / kMostInstructions;
  const size_t size = (order.size() + count - 1) / count;
  for (size_t begin = 0; begin < order.size(); begin += size)
    parts.push_back(order.subspan(begin, size));
  return parts;
}

// Finds what must be in memory.
class MemoryFinder {
 public:
  explicit MemoryFinder(Shared& shared)
      : shared_(shared), plan_(shared.plan), part_of_(shared.plan.variable_count(), 0) {}

  void Visit(const HloComputation& computation, int part);

 private:
  void Visit(const HloInstruction& instruction, int part);
  void VisitMemory(const HloInstruction& instruction);
  // Registers do not outlast a function.
  void Reads(const HloInstruction& value, int part) {
    for (int variable : plan_.VariablesOf(value)) {
      if (part_of_[variable] != part) shared_.must_be_in_memory[variable] = true;
    }
  }

  Shared& shared_;
  const MemoryPlan& plan_;
  std::vector<int> part_of_;  // in which a variable is defined
  int parts_ = 0;
};

void MemoryFinder::Visit(const HloComputation& computation, int part) {
  const auto& order = plan_.Order(computation);
  const auto parts = PartsOf(order);
  if (parts.empty()) {
    for (const HloInstruction* instruction : order) Visit(*instruction, part);
  }
  for (const auto& each : parts) {
    ++parts_;
    const int own = parts_;
    for (const HloInstruction* instruction : each) Visit(*instruction, own);
  }
  Reads(*computation.root_instruction(), part);
}

void MemoryFinder::Visit(const HloInstruction& instruction, int part) {
  for (const HloInstruction* operand : instruction.operands()) Reads(*operand, part);
  if (IsOtherName(instruction) || instruction.opcode() == HloOpcode::kConstant) return;
  for (int variable : plan_.VariablesOf(instruction)) part_of_[variable] = part;
  if (instruction.opcode() == HloOpcode::kWhile) {
    Visit(*instruction.while_condition(), part);
    Visit(*instruction.while_body(), part);
  } else if (instruction.opcode() == HloOpcode::kConditional) {
    for (const HloComputation* branch : instruction.branch_computations()) Visit(*branch, part);
  } else {
    VisitMemory(instruction);
  }
}

void MemoryFinder::VisitMemory(const HloInstruction& instruction) {
  const auto must_be_in_memory = [&](const HloInstruction& value) {
    for (int variable : plan_.VariablesOf(value)) shared_.must_be_in_memory[variable] = true;
  };
  if (HasRegisterForm(instruction)) {
    if (const int64_t operand = OperandInMemory(instruction); operand >= 0)
      must_be_in_memory(*instruction.operand(operand));
    return;
  }
  const bool is_update = instruction.opcode() == HloOpcode::kDynamicUpdateSlice;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (is_update && i > 0) break;  // read from registers if that is where they are
    must_be_in_memory(*instruction.operand(i));
  }
  for (int variable : plan_.VariablesOf(instruction)) shared_.only_memory[variable] = true;
}

// One function of a program.
class ProgramEmitter {
 public:
  // With a function of that name that gets the program's frame.
  ProgramEmitter(Shared& shared, Unit& unit, absl::string_view name, bool says_whether_it_failed);

  // The whole program.
  absl::Status EmitEntry();
  // Some instructions.
  absl::Status EmitPart(absl::Span<const HloInstruction* const> part);

 private:
  absl::Status EmitComputation(const HloComputation& computation);
  absl::Status EmitInstruction(const HloInstruction& instruction);
  absl::Status EmitOnRegisters(const HloInstruction& instruction);
  absl::StatusOr<llvm::Function*> FunctionFor(const HloInstruction& instruction,
                                              absl::Span<const Lanes> operands);
  absl::Status EmitFusion(const HloInstruction& fusion);
  absl::Status EmitLibraryCall(const HloInstruction& instruction);
  absl::Status EmitUpdate(const HloInstruction& update);
  absl::Status EmitWhile(const HloInstruction& loop);
  absl::Status EmitConditional(const HloInstruction& conditional);

  absl::Status CallPart(absl::Span<const HloInstruction* const> part);
  void Return();
  void EndBlock();
  bool IsInRegister(int variable) const {
    return FitsRegisters(plan_.variable(variable).shape) && !IsReadOnly(variable) &&
           !shared_.only_memory[variable];
  }
  bool IsReadOnly(int variable) const {
    const Place place = plan_.variable(variable).slot.place;
    return place == Place::kParameter || place == Place::kConstant;
  }

  // What blocks after that of its definition know of a value in registers.
  struct Register {
    Lanes value;
    const llvm::BasicBlock* block;
    Lanes passed;  // between blocks
  };

  absl::StatusOr<Lanes> InRegister(int variable);
  void Define(int variable, const Lanes& value);
  llvm::Value* Address(int number) {
    const Variable& variable = plan_.variable(number);
    return Address(variable.slot, ShapeUtil::ByteSizeOf(variable.shape));
  }
  llvm::Value* Address(const Slot& slot, int64_t bytes);
  llvm::Value* Entry(FrameField field, int64_t number);
  void Copy(llvm::Value* to, llvm::Value* from, int64_t bytes);
  // The computations that an instruction applies to scalars.
  absl::StatusOr<std::vector<llvm::Value*>> EmitFunctions(const HloInstruction& instruction);
  void CopyUpdatedOperands(const HloInstruction& instruction);
  llvm::Function* KernelNamed(const std::string& name);
  // A list on the stack of the arrays of operands and results, then of compiled functions.
  llvm::Value* ArrayList(const HloInstruction& instruction,
                         absl::Span<llvm::Value* const> functions = {});
  // Gives variables the values of others, all at once.
  absl::Status Assign(absl::Span<const int> to, absl::Span<const int> from);
  absl::Status Exchange(absl::Span<llvm::Value* const> targets,
                        absl::Span<llvm::Value* const> sources, int64_t bytes);

  Shared& shared_;
  const MemoryPlan& plan_;
  Unit& unit_;
  Builder b_;
  llvm::Function* function_;
  llvm::BasicBlock* failed_;  // returns
  llvm::Value* frame_fields_[kFrameFields] = {};
  llvm::AllocaInst* list_ = nullptr;  // of arrays, for whatever is called next
  size_t longest_list_ = 0;
  size_t stores_ = 0;  // to lists
  absl::flat_hash_map<int, Register> registers_;
  absl::flat_hash_map<std::string, llvm::Function*> functions_;
  absl::flat_hash_map<std::string, int> copies_;  // of code for instructions of a kind
};

ProgramEmitter::ProgramEmitter(Shared& shared, Unit& unit, absl::string_view name,
                               bool says_whether_it_failed)
    : shared_(shared),
      plan_(shared.plan),
      unit_(unit),
      b_(unit.module().getContext(), unit.target()) {
  llvm::Type* pointer = b_.getPtrTy();
  function_ = llvm::Function::Create(
      llvm::FunctionType::get(says_whether_it_failed ? b_.getInt1Ty() : b_.getVoidTy(), {pointer},
                              false),
      llvm::Function::ExternalLinkage, llvm::StringRef(name.data(), name.size()), unit_.module());
  b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "entry", function_));
  failed_ = llvm::BasicBlock::Create(b_.getContext(), "failed", function_);
  llvm::ReturnInst::Create(b_.getContext(), says_whether_it_failed ? b_.getFalse() : nullptr,
                           failed_);
  list_ = b_.CreateAlloca(pointer, b_.getInt64(1));
  for (int field = 0; field < kFrameFields; ++field) {
    frame_fields_[field] =
        b_.CreateLoad(pointer, b_.CreateConstGEP1_64(pointer, function_->getArg(0), field));
  }
  // What is in the entry block is known everywhere; code goes on in another, so that more can be
  // put there.
  llvm::BasicBlock* body = llvm::BasicBlock::Create(b_.getContext(), "body", function_);
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
}

absl::Status ProgramEmitter::EmitEntry() {
  const HloComputation& entry = *shared_.module.entry_computation();
  HILO_RETURN_IF_ERROR(EmitComputation(entry));

  const std::vector<int>& results = plan_.VariablesOf(*entry.root_instruction());
  for (size_t i = 0; i < results.size(); ++i) {
    const Variable& variable = plan_.variable(results[i]);
    const Slot result = {Place::kResult, static_cast<int64_t>(i)};
    const int64_t bytes = ShapeUtil::ByteSizeOf(variable.shape);
    if (IsInRegister(results[i])) {
      HILO_ASSIGN_OR_RETURN(const Lanes value, InRegister(results[i]));
      Store(b_, variable.shape.element_type(), value, Address(result, bytes), 1, nullptr);
    } else if (variable.slot != result) {
      Copy(Address(result, bytes), Address(results[i]), bytes);
    }
  }
  Return();
  return absl::OkStatus();
}

absl::Status ProgramEmitter::EmitPart(absl::Span<const HloInstruction* const> part) {
  for (const HloInstruction* instruction : part)
    HILO_RETURN_IF_ERROR(EmitInstruction(*instruction));
  Return();
  return absl::OkStatus();
}

void ProgramEmitter::Return() {
  if (function_->getReturnType()->isVoidTy()) {
    b_.CreateRetVoid();
  } else {
    b_.CreateRet(b_.getTrue());
  }
  list_->setOperand(0, b_.getInt64(longest_list_));
}

absl::Status ProgramEmitter::EmitComputation(const HloComputation& computation) {
  const auto& order = plan_.Order(computation);
  const auto parts = PartsOf(order);
  if (parts.empty()) {
    for (const HloInstruction* instruction : order)
      HILO_RETURN_IF_ERROR(EmitInstruction(*instruction));
  }
  for (const auto& part : parts) HILO_RETURN_IF_ERROR(CallPart(part));
  return absl::OkStatus();
}

absl::Status ProgramEmitter::CallPart(absl::Span<const HloInstruction* const> part) {
  const std::string name = absl::StrCat("part_", shared_.parts++);
  Unit& unit = *shared_.units.emplace_back(std::make_unique<Unit>(shared_.module, unit_.target()));
  HILO_RETURN_IF_ERROR(ProgramEmitter(shared_, unit, name, true).EmitPart(part));
  const llvm::FunctionCallee callee =
      unit_.module().getOrInsertFunction(name, b_.getInt1Ty(), b_.getPtrTy());
  llvm::BasicBlock* next = llvm::BasicBlock::Create(b_.getContext(), "called", function_);
  b_.CreateCondBr(b_.CreateCall(callee, {function_->getArg(0)}), next, failed_);
  b_.SetInsertPoint(next);
  return absl::OkStatus();
}

absl::Status ProgramEmitter::EmitInstruction(const HloInstruction& instruction) {
  if (IsOtherName(instruction) || instruction.opcode() == HloOpcode::kConstant)
    return absl::OkStatus();
  if (HasRegisterForm(instruction)) return EmitOnRegisters(instruction);
  switch (instruction.opcode()) {
    case HloOpcode::kFusion:
      return EmitFusion(instruction);
    case HloOpcode::kDynamicUpdateSlice:
      return EmitUpdate(instruction);
    case HloOpcode::kWhile:
      return EmitWhile(instruction);
    case HloOpcode::kConditional:
      return EmitConditional(instruction);
    default:
      return LibraryKernelName(instruction).empty() ? NoCode(instruction)
                                                    : EmitLibraryCall(instruction);
  }
}

absl::Status ProgramEmitter::EmitOnRegisters(const HloInstruction& instruction) {
  const int64_t in_memory = OperandInMemory(instruction);
  llvm::Value* memory =
      in_memory < 0 ? nullptr : Address(plan_.VariableOf(*instruction.operand(in_memory)));
  std::vector<Lanes> operands(instruction.operand_count());
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (i == in_memory) continue;
    HILO_ASSIGN_OR_RETURN(operands[i], InRegister(plan_.VariableOf(*instruction.operand(i))));
  }
  HILO_ASSIGN_OR_RETURN(llvm::Function * function, FunctionFor(instruction, operands));
  Lanes value;
  if (function != nullptr) {
    std::vector<llvm::Value*> arguments;
    for (const Lanes& operand : operands) arguments.push_back(operand.re);
    value = {b_.CreateCall(function, arguments)};
  } else {
    HILO_ASSIGN_OR_RETURN(value, EmitInRegisters(b_, instruction, operands, memory));
  }
  Define(plan_.VariableOf(instruction), value);
  return absl::OkStatus();
}

// A function of vectors that has the instruction's code, or null where that may stand here.
absl::StatusOr<llvm::Function*> ProgramEmitter::FunctionFor(const HloInstruction& instruction,
                                                            absl::Span<const Lanes> operands) {
  if (!instruction.IsElementwise() || !passes::HasManyInstructions(instruction)) return nullptr;
  std::string kind = absl::StrCat(HloOpcodeString(instruction.opcode()), " ",
                                  ShapeUtil::HumanString(instruction.shape()));
  std::vector<llvm::Type*> types;
  for (const Lanes& operand : operands) {
    if (operand.im != nullptr) return nullptr;
    types.push_back(operand.re->getType());
    absl::StrAppend(&kind, " ", LaneCount(operand));
  }
  if (++copies_[kind] <= kMostCopies) return nullptr;
  llvm::Function*& function = functions_[kind];
  if (function != nullptr) return function;
  const PrimitiveType type = instruction.shape().element_type();
  const int lanes = static_cast<int>(ShapeUtil::ElementsIn(instruction.shape()));
  llvm::Type* result = WithLanes(ComputingType(b_.getContext(), type), lanes);
  function = llvm::Function::Create(llvm::FunctionType::get(result, types, /*isVarArg=*/false),
                                    llvm::Function::InternalLinkage,
                                    absl::StrCat("function_", functions_.size()), unit_.module());
  Builder b(llvm::BasicBlock::Create(b_.getContext(), "entry", function), b_);
  std::vector<Lanes> arguments;
  for (llvm::Argument& argument : function->args()) arguments.push_back({&argument});
  HILO_ASSIGN_OR_RETURN(const Lanes value, EmitInRegisters(b, instruction, arguments, nullptr));
  b.CreateRet(value.re);
  return function;
}

absl::StatusOr<Lanes> ProgramEmitter::InRegister(int number) {
  const Variable& variable = plan_.variable(number);
  if (const auto found = registers_.find(number); found != registers_.end()) {
    const Register& known = found->second;
    return known.block == b_.GetInsertBlock() ? known.value
                                              : FromPassed(b_, variable.shape, known.passed);
  }
  if (variable.slot.place == Place::kConstant)
    return LiteralLanes(b_, variable.definition->literal());
  return Load(b_, variable.shape.element_type(), Address(number), 1,
              static_cast<int>(ShapeUtil::ElementsIn(variable.shape)), nullptr);
}

void ProgramEmitter::Define(int variable, const Lanes& value) {
  registers_[variable] = {value, b_.GetInsertBlock(), ToPassed(b_, value)};
  if (shared_.must_be_in_memory[variable])
    Store(b_, plan_.variable(variable).shape.element_type(), value, Address(variable), 1, nullptr);
}

llvm::Value* ProgramEmitter::Entry(FrameField field, int64_t number) {
  return b_.CreateLoad(b_.getPtrTy(),
                       b_.CreateConstGEP1_64(b_.getPtrTy(), frame_fields_[field], number));
}

llvm::Value* ProgramEmitter::Address(const Slot& slot, int64_t bytes) {
  const auto begin = [&]() -> llvm::Value* {
    switch (slot.place) {
      case Place::kParameter:
        return Entry(kParameters, slot.number);
      case Place::kResult:
        return Entry(kResults, slot.number);
      case Place::kConstant:
        return Entry(kConstants, slot.number);
      case Place::kArena:
        break;
    }
    shared_.arena_bytes = std::max(shared_.arena_bytes, slot.offset + bytes);
    return frame_fields_[kArena];
  };
  return b_.CreateConstGEP1_64(b_.getInt8Ty(), begin(), static_cast<uint64_t>(slot.offset));
}

void ProgramEmitter::Copy(llvm::Value* to, llvm::Value* from, int64_t bytes) {
  if (bytes == 0) return;
  b_.CreateMemCpy(to, llvm::Align(1), from, llvm::Align(1), static_cast<uint64_t>(bytes));
}

absl::Status ProgramEmitter::EmitFusion(const HloInstruction& fusion) {
  if (HasNoElements(fusion)) return absl::OkStatus();
  const KernelSet::Entry& kernel = shared_.kernels.Of(fusion);
  llvm::Function* function = KernelNamed(kernel.name);
  CopyUpdatedOperands(fusion);
  llvm::Value* arrays = ArrayList(fusion);
  llvm::Value* rows = b_.getInt64(static_cast<uint64_t>(kernel.rows));
  const int64_t least = std::max<int64_t>(
      1, static_cast<int64_t>(kElementsWorthAThread / std::max(1.0, kernel.cost_of_row)));
  if (kernel.rows < 2 * least) {
    b_.CreateCall(function, {arrays, b_.getInt64(0), rows});
    return absl::OkStatus();
  }
  llvm::FunctionType* parallel = llvm::FunctionType::get(
      b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()}, false);
  b_.CreateCall(parallel, frame_fields_[kParallel],
                {function, arrays, rows, b_.getInt64(static_cast<uint64_t>(least))});
  return absl::OkStatus();
}

llvm::Function* ProgramEmitter::KernelNamed(const std::string& name) {
  llvm::FunctionType* type = llvm::FunctionType::get(
      b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()}, false);
  auto* function =
      llvm::cast<llvm::Function>(unit_.module().getOrInsertFunction(name, type).getCallee());
  // Linked into the same memory.
  function->setDSOLocal(true);
  return function;
}

llvm::Value* ProgramEmitter::ArrayList(const HloInstruction& instruction,
                                       absl::Span<llvm::Value* const> functions) {
  std::vector<int> arrays;
  for (const HloInstruction* operand : instruction.operands()) {
    const std::vector<int>& own = plan_.VariablesOf(*operand);
    arrays.insert(arrays.end(), own.begin(), own.end());
  }
  const std::vector<int>& results = plan_.VariablesOf(instruction);
  arrays.insert(arrays.end(), results.begin(), results.end());
  size_t next = 0;
  const auto add = [&](llvm::Value* pointer) {
    b_.CreateStore(pointer, b_.CreateConstGEP1_64(b_.getPtrTy(), list_, next++));
    if (++stores_ % kMostStores == 0) EndBlock();
  };
  for (int variable : arrays) add(Address(variable));
  for (llvm::Value* function : functions) add(function);
  longest_list_ = std::max(longest_list_, next);
  return list_;
}

// Goes on in a block of its own.
void ProgramEmitter::EndBlock() {
  llvm::BasicBlock* next = llvm::BasicBlock::Create(b_.getContext(), "next", function_);
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
}

// Operands that are updated in place have the result's memory already, or are copied there first.
void ProgramEmitter::CopyUpdatedOperands(const HloInstruction& instruction) {
  const std::vector<int>& results = plan_.VariablesOf(instruction);
  for (size_t leaf = 0; leaf < results.size(); ++leaf) {
    const int64_t updated = UpdatedOperand(instruction, static_cast<int64_t>(leaf));
    if (updated < 0) continue;
    const int array = plan_.VariableOf(*instruction.operand(updated));
    const Variable& result = plan_.variable(results[leaf]);
    if (plan_.variable(array).slot != result.slot)
      Copy(Address(results[leaf]), Address(array), ShapeUtil::ByteSizeOf(result.shape));
  }
}

absl::StatusOr<std::vector<llvm::Value*>> ProgramEmitter::EmitFunctions(
    const HloInstruction& instruction) {
  std::vector<llvm::Value*> all;
  for (const HloComputation* computation : CompiledFunctions(instruction)) {
    llvm::Function*& function = functions_[KeyOf(*computation)];
    if (function == nullptr) {
      HILO_ASSIGN_OR_RETURN(
          function,
          EmitCompiledFunction(unit_, *computation, absl::StrCat("function_", functions_.size())));
    }
    all.push_back(function);
  }
  return all;
}

absl::Status ProgramEmitter::EmitLibraryCall(const HloInstruction& instruction) {
  HILO_ASSIGN_OR_RETURN(const std::vector<llvm::Value*> functions, EmitFunctions(instruction));
  CopyUpdatedOperands(instruction);
  llvm::FunctionType* call = llvm::FunctionType::get(
      b_.getInt1Ty(), {b_.getPtrTy(), b_.getInt64Ty(), b_.getPtrTy()}, false);
  llvm::CallInst* succeeded = b_.CreateCall(
      call, frame_fields_[kCall],
      {function_->getArg(0), b_.getInt64(shared_.calls.size()), ArrayList(instruction, functions)});
  succeeded->addRetAttr(llvm::Attribute::ZExt);
  llvm::BasicBlock* next = llvm::BasicBlock::Create(b_.getContext(), "called", function_);
  b_.CreateCondBr(succeeded, next, failed_);
  b_.SetInsertPoint(next);
  shared_.calls.push_back(MakeLibraryCall(instruction));
  return absl::OkStatus();
}

// The result has the operand's memory, or starts as a copy of it.
absl::Status ProgramEmitter::EmitUpdate(const HloInstruction& instruction) {
  const int result = plan_.VariableOf(instruction);
  const Shape& shape = instruction.shape();
  const Shape& update = instruction.operand(1)->shape();
  CopyUpdatedOperands(instruction);
  if (ShapeUtil::IsZeroElementArray(update)) return absl::OkStatus();
  Position start;
  for (int d = 0; d < shape.dimensions_size(); ++d) {
    const HloInstruction& index = *instruction.operand(2 + d);
    HILO_ASSIGN_OR_RETURN(const Lanes value, InRegister(plan_.VariableOf(index)));
    start.push_back({ClampStart(b_, index.shape().element_type(), value,
                                shape.dimensions(d) - update.dimensions(d))});
  }
  // Runs along the last dimension.
  const int rank = shape.dimensions_size();
  const int64_t columns = rank == 0 ? 1 : update.dimensions(rank - 1);
  const int64_t run = columns * primitive_util::ByteWidth(shape.element_type());
  std::vector<int64_t> outer;
  for (int d = 0; d + 1 < rank; ++d) outer.push_back(update.dimensions(d));
  const int source = plan_.VariableOf(*instruction.operand(1));
  if (IsInRegister(source)) {
    HILO_ASSIGN_OR_RETURN(const Lanes value, InRegister(source));
    if (absl::c_all_of(outer, [](int64_t size) { return size == 1; })) {
      if (rank > 0) start.back().step = 1;
      StoreAt(b_, shape, value, Address(result), start, nullptr);
      return absl::OkStatus();
    }
    Store(b_, shape.element_type(), value, Address(source), 1, nullptr);
  }
  llvm::Value* from = Address(source);
  llvm::Value* to = Address(result);
  return EmitLoopNest(
             b_, outer, {},
             [&](absl::Span<llvm::Value* const> index, Carried) -> absl::StatusOr<Carried> {
               llvm::Value* target = b_.getInt64(0);
               llvm::Value* origin = b_.getInt64(0);
               for (int d = 0; d < rank; ++d) {
                 llvm::Value* at = start[d].base;
                 if (d + 1 < rank) {
                   at = b_.CreateAdd(at, index[d]);
                   origin = b_.CreateAdd(
                       b_.CreateMul(origin,
                                    b_.getInt64(static_cast<uint64_t>(update.dimensions(d)))),
                       index[d]);
                 }
                 target = b_.CreateAdd(
                     b_.CreateMul(target, b_.getInt64(static_cast<uint64_t>(shape.dimensions(d)))),
                     at);
               }
               const uint64_t bytes =
                   static_cast<uint64_t>(primitive_util::ByteWidth(shape.element_type()));
               llvm::Value* to_run =
                   b_.CreateGEP(b_.getInt8Ty(), to, b_.CreateMul(target, b_.getInt64(bytes)));
               llvm::Value* from_run =
                   b_.CreateGEP(b_.getInt8Ty(), from,
                                b_.CreateMul(origin, b_.getInt64(static_cast<uint64_t>(run))));
               b_.CreateMemCpy(to_run, llvm::Align(1), from_run, llvm::Align(1),
                               static_cast<uint64_t>(run));
               return Carried();
             })
      .status();
}

// Each target gets what its source has had, in places where others are sources and targets.
absl::Status ProgramEmitter::Exchange(absl::Span<llvm::Value* const> targets,
                                      absl::Span<llvm::Value* const> sources, int64_t bytes) {
  const auto exchange = [&](int64_t begin, int64_t end, int64_t step) {
    llvm::Type* type = WithLanes(b_.getInt8Ty(), static_cast<int>(step));
    return EmitLoop(b_, b_.getInt64(begin), b_.getInt64(end), step, [&](llvm::Value* i) {
      std::vector<llvm::Value*> values;
      for (llvm::Value* source : sources) {
        values.push_back(
            b_.CreateAlignedLoad(type, b_.CreateGEP(b_.getInt8Ty(), source, i), llvm::Align(1)));
      }
      for (size_t k = 0; k < targets.size(); ++k) {
        b_.CreateAlignedStore(values[k], b_.CreateGEP(b_.getInt8Ty(), targets[k], i),
                              llvm::Align(1));
      }
      return absl::OkStatus();
    });
  };
  constexpr int64_t kStep = 64;
  const int64_t whole = bytes / kStep * kStep;
  if (whole > 0) HILO_RETURN_IF_ERROR(exchange(0, whole, kStep));
  return whole < bytes ? exchange(whole, bytes, 1) : absl::OkStatus();
}

absl::Status ProgramEmitter::Assign(absl::Span<const int> to, absl::Span<const int> from) {
  struct Move {
    Slot to, from;
    int64_t bytes;
  };
  std::vector<Move> moves;
  for (size_t i = 0; i < to.size(); ++i) {
    if (IsInRegister(to[i])) continue;
    const Slot target = plan_.variable(to[i]).slot;
    const Slot source = plan_.variable(from[i]).slot;
    if (target == source && !IsInRegister(from[i])) continue;
    if (IsInRegister(from[i])) {
      HILO_ASSIGN_OR_RETURN(const Lanes value, InRegister(from[i]));
      Store(b_, plan_.variable(to[i]).shape.element_type(), value, Address(to[i]), 1, nullptr);
    } else {
      moves.push_back({target, source, ShapeUtil::ByteSizeOf(plan_.variable(to[i]).shape)});
    }
  }
  // What nobody reads any more is written first; what is left then are cycles of arrays of one
  // size.
  while (!moves.empty()) {
    const auto free = absl::c_find_if(moves, [&](const Move& move) {
      return absl::c_none_of(
          moves, [&](const Move& other) { return other.from == move.to && &other != &move; });
    });
    if (free != moves.end()) {
      Copy(Address(free->to, free->bytes), Address(free->from, free->bytes), free->bytes);
      moves.erase(free);
      continue;
    }
    std::vector<Move> cycle = {moves.front()};
    while (true) {
      const auto next =
          absl::c_find_if(moves, [&](const Move& move) { return move.to == cycle.back().from; });
      if (next == moves.end() || next->to == cycle.front().to) break;
      cycle.push_back(*next);
    }
    std::vector<llvm::Value*> sources, targets;
    for (const Move& move : cycle) {
      sources.push_back(Address(move.from, move.bytes));
      targets.push_back(Address(move.to, move.bytes));
    }
    HILO_RETURN_IF_ERROR(Exchange(targets, sources, cycle[0].bytes));
    for (const Move& done : cycle) {
      moves.erase(absl::c_find_if(moves, [&](const Move& move) { return move.to == done.to; }));
    }
  }
  return absl::OkStatus();
}

absl::Status ProgramEmitter::EmitWhile(const HloInstruction& loop) {
  const std::vector<int>& state = plan_.VariablesOf(loop);
  const std::vector<int>& initial = plan_.VariablesOf(*loop.operand(0));
  HILO_RETURN_IF_ERROR(Assign(state, initial));
  // All are read before any is defined, which can overwrite where others lie.
  std::vector<Lanes> first(state.size());
  for (size_t i = 0; i < state.size(); ++i) {
    if (!IsInRegister(state[i])) continue;
    HILO_ASSIGN_OR_RETURN(first[i], InRegister(initial[i]));
  }
  if (plan_.VariablesOf(*loop.while_body()->root_instruction()) == state && !loop.HasSideEffect()) {
    // Nothing changes: such a loop never begins, or never ends.
    for (size_t i = 0; i < state.size(); ++i) {
      if (IsInRegister(state[i])) Define(state[i], first[i]);
    }
    return absl::OkStatus();
  }
  const std::vector<int>& next = plan_.VariablesOf(*loop.while_body()->root_instruction());
  std::vector<int> carried;  // positions of what is in registers
  std::vector<Lanes> values;
  for (size_t i = 0; i < state.size(); ++i) {
    if (!IsInRegister(state[i])) continue;
    if (next[i] == state[i]) {
      Define(state[i], first[i]);
      continue;
    }
    carried.push_back(static_cast<int>(i));
    values.push_back(ToPassed(b_, first[i]));
  }
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* head = llvm::BasicBlock::Create(b_.getContext(), "while", function_);
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  std::vector<std::pair<llvm::PHINode*, llvm::PHINode*>> phis;
  for (const Lanes& value : values) {
    const auto phi = [&](llvm::Value* first) -> llvm::PHINode* {
      if (first == nullptr) return nullptr;
      llvm::PHINode* node = b_.CreatePHI(first->getType(), 2);
      node->addIncoming(first, before);
      return node;
    };
    phis.push_back({phi(value.re), phi(value.im)});
  }
  for (size_t k = 0; k < carried.size(); ++k) {
    const int variable = state[carried[k]];
    Define(variable,
           FromPassed(b_, plan_.variable(variable).shape, {phis[k].first, phis[k].second}));
  }
  HILO_RETURN_IF_ERROR(EmitComputation(*loop.while_condition()));
  HILO_ASSIGN_OR_RETURN(const Lanes goes_on,
                        InRegister(plan_.VariableOf(*loop.while_condition()->root_instruction())));
  llvm::BasicBlock* body = llvm::BasicBlock::Create(b_.getContext(), "do", function_);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(b_.getContext(), "done", function_);
  b_.CreateCondBr(goes_on.re, body, after);
  b_.SetInsertPoint(body);
  HILO_RETURN_IF_ERROR(EmitComputation(*loop.while_body()));
  std::vector<Lanes> next_values;
  for (int position : carried) {
    HILO_ASSIGN_OR_RETURN(const Lanes value, InRegister(next[position]));
    next_values.push_back(ToPassed(b_, value));
  }
  HILO_RETURN_IF_ERROR(Assign(state, next));
  for (size_t k = 0; k < carried.size(); ++k) {
    phis[k].first->addIncoming(next_values[k].re, b_.GetInsertBlock());
    if (phis[k].second != nullptr)
      phis[k].second->addIncoming(next_values[k].im, b_.GetInsertBlock());
  }
  b_.CreateBr(head);
  b_.SetInsertPoint(after);
  return absl::OkStatus();
}

absl::Status ProgramEmitter::EmitConditional(const HloInstruction& conditional) {
  const HloInstruction& selector = *conditional.operand(0);
  HILO_ASSIGN_OR_RETURN(const Lanes chosen, InRegister(plan_.VariableOf(selector)));
  const int branches = conditional.branch_count();
  const std::vector<int>& results = plan_.VariablesOf(conditional);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(b_.getContext(), "joined", function_);
  std::vector<llvm::BasicBlock*> blocks;
  for (int i = 0; i < branches; ++i)
    blocks.push_back(llvm::BasicBlock::Create(b_.getContext(), "branch", function_));
  if (selector.shape().element_type() == PRED) {
    b_.CreateCondBr(chosen.re, blocks[0], blocks[1]);
  } else {
    // An index out of range takes the last branch.
    llvm::SwitchInst* select = b_.CreateSwitch(chosen.re, blocks.back(), branches);
    for (int i = 0; i + 1 < branches; ++i)
      select->addCase(
          llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(chosen.re->getType(), i)),
          blocks[i]);
  }
  std::vector<std::vector<Lanes>> values(branches);
  std::vector<llvm::BasicBlock*> ends;
  for (int i = 0; i < branches; ++i) {
    b_.SetInsertPoint(blocks[i]);
    const HloComputation& branch = *conditional.branch_computation(i);
    HILO_RETURN_IF_ERROR(EmitComputation(branch));
    const std::vector<int>& own = plan_.VariablesOf(*branch.root_instruction());
    HILO_RETURN_IF_ERROR(Assign(results, own));
    for (size_t k = 0; k < results.size(); ++k) {
      if (!IsInRegister(results[k])) continue;
      HILO_ASSIGN_OR_RETURN(const Lanes value, InRegister(own[k]));
      values[i].push_back(ToPassed(b_, value));
    }
    ends.push_back(b_.GetInsertBlock());
    b_.CreateBr(after);
  }
  b_.SetInsertPoint(after);
  std::vector<std::pair<int, Lanes>> joined;
  size_t at = 0;
  for (int result : results) {
    if (!IsInRegister(result)) continue;
    const auto phi = [&](llvm::Value* Lanes::*part) -> llvm::Value* {
      if (values[0][at].*part == nullptr) return nullptr;
      llvm::PHINode* node = b_.CreatePHI((values[0][at].*part)->getType(), branches);
      for (int i = 0; i < branches; ++i) node->addIncoming(values[i][at].*part, ends[i]);
      return node;
    };
    joined.push_back({result, {phi(&Lanes::re), phi(&Lanes::im)}});
    ++at;
  }
  for (const auto& [result, value] : joined)
    Define(result, FromPassed(b_, plan_.variable(result).shape, value));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<EmittedProgram> EmitProgram(const HloModule& module, const MemoryPlan& plan,
                                           const codegen::Target& target, bool wants_llvm_ir) {
  Units units;
  Unit& entry = *units.emplace_back(std::make_unique<Unit>(module, target));
  HILO_ASSIGN_OR_RETURN(const KernelSet kernels, KernelSet::Make(module, target, units));
  Shared shared = {module, plan, kernels, units};
  shared.must_be_in_memory.resize(plan.variable_count());
  shared.only_memory.resize(plan.variable_count());
  MemoryFinder(shared).Visit(*module.entry_computation(), 0);
  HILO_RETURN_IF_ERROR(ProgramEmitter(shared, entry, runtime::kEntryName, false).EmitEntry());
  HILO_RETURN_IF_ERROR(Finish(units, wants_llvm_ir));
  EmittedProgram program;
  for (const auto& unit : units) {
    program.objects.push_back(unit->object());
    program.llvm_ir += unit->llvm_ir();
  }
  program.calls = std::move(shared.calls);
  program.arena_bytes = shared.arena_bytes;
  return program;
}

}  // namespace xla::cpu

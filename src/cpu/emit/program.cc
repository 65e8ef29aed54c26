#include "cpu/emit/program.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "codegen/loops/kernel.h"
#include "codegen/program/plan.h"
#include "cpu/emit/compiled_function.h"
#include "cpu/emit/elements.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/frame.h"
#include "cpu/emit/functions.h"
#include "cpu/emit/kernel_set.h"
#include "cpu/emit/lanes.h"
#include "cpu/emit/loops.h"
#include "cpu/emit/registers.h"
#include "cpu/emit/unit.h"
#include "cpu/jit/machine_code.h"
#include "cpu/plan/factor_bytes.h"
#include "cpu/plan/library.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "runtime/program.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using program::Array;
using program::Assignment;
using program::Block;
using program::Copies;
using program::Place;
using program::Plan;
using program::Step;
using Kind = Step::Kind;

// LLVM writes out short copies as loads and stores, all of which it compares with each other: what
// goes beyond so many bytes in a function is copied by calls.
constexpr int64_t kMostBytesByLoads = 512;
// Larger arrays are copied by the runtime, on several threads.
constexpr int64_t kLeastBytesByRuntime = 256 * 1024;

// A value like this that comes from several blocks, and one of them.
Lanes Phi(Builder& b, const Lanes& value) {
  return {b.CreatePHI(value.re->getType(), 2),
          value.im == nullptr ? nullptr : b.CreatePHI(value.im->getType(), 2)};
}
void AddIncoming(const Lanes& phi, const Lanes& value, llvm::BasicBlock* block) {
  llvm::cast<llvm::PHINode>(phi.re)->addIncoming(value.re, block);
  if (phi.im != nullptr) llvm::cast<llvm::PHINode>(phi.im)->addIncoming(value.im, block);
}

// What the functions of a program share.
struct Shared {
  const Plan& plan;
  Units& units;
  std::vector<runtime::ListedArray> lists = {};
  std::vector<runtime::LibraryCall> calls = {};
  int functions = 0;
  int64_t launch_sites = 0;
};

// One function of a program.
class ProgramEmitter {
 public:
  // What a function gets besides the program's frame, and what it says.
  enum class Role { kEntry, kMayFail, kOfUnits };
  ProgramEmitter(Shared& shared, Unit& unit, absl::string_view name, Role role);

  absl::Status Emit(const Block& block);
  // Block after block, with units that the function gets.
  absl::Status EmitBlocks(const Step& step);
  llvm::Function* function() const { return function_; }

 private:
  absl::Status EmitSteps(const Block& block);
  void EmitEnd(const Block& block);
  absl::Status EmitStep(const Step& step);
  absl::Status EmitOperation(const Step& step);
  absl::Status EmitCompute(const Step& step);
  absl::Status EmitLaunch(const Step& launch);
  absl::Status EmitSlice(const Step& step);
  absl::Status EmitRepeat(const Step& repeat);
  absl::Status EmitCall(const Step& call);
  int64_t FactorBytesOf(const HloComputation& computation);
  void EmitLibraryCall(llvm::Value* number, llvm::Value* arrays);
  absl::Status EmitUpdate(const Step& update);
  absl::Status EmitWhile(const Step& loop);
  absl::Status EmitConditional(const Step& conditional);
  absl::Status EmitFunction(const Step& step);
  absl::Status EmitReturn(const Step& step);

  // The end of a region, if it is one.
  void Stamp(int region, llvm::Value* trips = nullptr);
  // Runs a kernel, or what is like one, for the units of a step or of the block that is at hand.
  void CallForUnits(llvm::Function* kernel, llvm::Value* arrays, const Step& step);
  // Of an array of so many bytes, those that the units at hand have: where they begin, and how
  // many.
  struct Part {
    llvm::Value *begin, *bytes;
  };
  Part PartOf(int64_t bytes);
  void GoOnWhere(llvm::Value* succeeded);
  bool IsInRegister(int array) const { return plan_.arrays[array].in_register; }

  // What a library kernel calls: a kernel, or the computations that it applies to scalars.
  absl::StatusOr<std::vector<llvm::Value*>> EmitFunctions(const Step& step);
  llvm::Function* KernelFunctionOf(const Step& step);
  void Launch(const Step& launch, llvm::Value* arrays);

  // An array in registers and the value that it gets.
  using Values = std::vector<std::pair<int, Lanes>>;
  // Copies arrays, which is a region where it has a number, and reads what arrays in registers get.
  absl::StatusOr<Values> Assign(absl::Span<const Assignment> assignments, const Copies& copies,
                                int region);
  absl::Status Exchange(absl::Span<llvm::Value* const> targets,
                        absl::Span<llvm::Value* const> sources, llvm::Value* bytes);
  void Copy(llvm::Value* to, llvm::Value* from, llvm::Value* bytes);

  Shared& shared_;
  const Plan& plan_;
  Unit& unit_;
  Builder b_;
  llvm::Function* function_;
  Frame frame_;
  llvm::BasicBlock* failed_;             // returns
  std::optional<loops::Strips> strips_;  // of units, if the function gets some,
  llvm::Value* first_unit_ = nullptr;    // and those of the block at hand
  llvm::Value* end_of_units_ = nullptr;
  int64_t bytes_by_loads_ = 0;
  absl::flat_hash_map<std::string, llvm::Function*> functions_;
  absl::flat_hash_map<const HloComputation*, int64_t> factor_bytes_;
};

// What is called with a frame, and with a range of units if it is a function of them.
llvm::Function* NewFunction(Unit& unit, absl::string_view name, ProgramEmitter::Role role) {
  using Role = ProgramEmitter::Role;
  llvm::LLVMContext& context = unit.module().getContext();
  std::vector<llvm::Type*> arguments = {llvm::PointerType::getUnqual(context)};
  if (role == Role::kOfUnits) arguments.resize(3, llvm::Type::getInt64Ty(context));
  llvm::Type* result =
      role == Role::kMayFail ? llvm::Type::getInt1Ty(context) : llvm::Type::getVoidTy(context);
  return llvm::Function::Create(
      llvm::FunctionType::get(result, arguments, false),
      role == Role::kOfUnits ? llvm::Function::InternalLinkage : llvm::Function::ExternalLinkage,
      llvm::StringRef(name.data(), name.size()), unit.module());
}

ProgramEmitter::ProgramEmitter(Shared& shared, Unit& unit, absl::string_view name, Role role)
    : shared_(shared),
      plan_(shared.plan),
      unit_(unit),
      b_(unit.module().getContext(), unit.target()),
      function_(NewFunction(unit, name, role)),
      frame_(plan_, shared.lists, b_, function_),
      failed_(llvm::BasicBlock::Create(b_.getContext(), "failed", function_)) {
  llvm::ReturnInst::Create(b_.getContext(), role == Role::kMayFail ? b_.getFalse() : nullptr,
                           failed_);
}

absl::Status ProgramEmitter::Emit(const Block& block) {
  HILO_RETURN_IF_ERROR(EmitSteps(block));
  EmitEnd(block);
  return absl::OkStatus();
}

void ProgramEmitter::EmitEnd(const Block& block) {
  if (function_->getReturnType()->isVoidTy()) {
    b_.CreateRetVoid();
  } else {
    b_.CreateRet(b_.getTrue());
  }
  if (block.is_cold) GenerateQuickly(*function_);
}

absl::Status ProgramEmitter::EmitBlocks(const Step& step) {
  strips_ = step.strips;
  llvm::Value* end = function_->getArg(2);
  const auto emit = [&](llvm::Value* first) -> absl::Status {
    first_unit_ = first;
    end_of_units_ = b_.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, end,
        b_.CreateAdd(first, b_.getInt64(static_cast<uint64_t>(step.units_of_block))));
    const Block& block = step.blocks[0];
    HILO_RETURN_IF_ERROR(EmitSteps(block));
    HILO_ASSIGN_OR_RETURN(const Values last, Assign(block.assignments, block.copies, block.copied));
    for (const auto& [array, value] : last) frame_.Define(array, value);
    return absl::OkStatus();
  };
  HILO_RETURN_IF_ERROR(EmitLoop(b_, function_->getArg(1), end, step.units_of_block, emit));
  EmitEnd(step.blocks[0]);
  return absl::OkStatus();
}

absl::Status ProgramEmitter::EmitSteps(const Block& block) {
  for (const Step& step : block.steps) HILO_RETURN_IF_ERROR(EmitStep(step));
  return absl::OkStatus();
}

absl::Status ProgramEmitter::EmitStep(const Step& step) {
  HILO_RETURN_IF_ERROR(EmitOperation(step));
  if (step.kind != Kind::kWhile) Stamp(step.region);
  return absl::OkStatus();
}

void ProgramEmitter::Stamp(int region, llvm::Value* trips) {
  if (region < 0) return;
  llvm::Value* frame = function_->getArg(0);
  llvm::FunctionType* type = llvm::FunctionType::get(
      b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()}, false);
  b_.CreateCall(type, frame_.LoadField(kStamp),
                {frame, b_.getInt64(static_cast<uint64_t>(region)),
                 trips == nullptr ? b_.getInt64(0) : trips});
}

absl::Status ProgramEmitter::EmitOperation(const Step& step) {
  switch (step.kind) {
    case Kind::kCompute:
      return EmitCompute(step);
    case Kind::kLaunch:
      return EmitLaunch(step);
    case Kind::kSlice:
      return EmitSlice(step);
    case Kind::kCall:
      return EmitCall(step);
    case Kind::kAwait:
      EmitLibraryCall(b_.getInt64(static_cast<uint64_t>(runtime::AwaitOf(step.beside))),
                      llvm::ConstantPointerNull::get(b_.getPtrTy()));
      return absl::OkStatus();
    case Kind::kUpdate:
      return EmitUpdate(step);
    case Kind::kAssign: {
      HILO_ASSIGN_OR_RETURN(const Values values,
                            Assign(step.assignments, step.copies, step.copied));
      for (const auto& [array, value] : values) frame_.Define(array, value);
      return absl::OkStatus();
    }
    case Kind::kWhile:
      return EmitWhile(step);
    case Kind::kConditional:
      return EmitConditional(step);
    case Kind::kFunction:
      return EmitFunction(step);
    case Kind::kRepeat:
      return EmitRepeat(step);
    case Kind::kReturn:
      return EmitReturn(step);
  }
  return absl::OkStatus();
}

absl::Status ProgramEmitter::EmitReturn(const Step& step) {
  const Array& array = plan_.arrays[step.reads[0]];
  llvm::Value* result = frame_.Address({Place::kResult, step.result});
  if (!array.in_register) {
    if (array.bytes() > 0) {
      Copy(result, frame_.Address(array.slot), b_.getInt64(static_cast<uint64_t>(array.bytes())));
    }
    return absl::OkStatus();
  }
  HILO_ASSIGN_OR_RETURN(const Lanes value, frame_.InRegister(step.reads[0]));
  Store(b_, array.shape.element_type(), value, result, 1, nullptr);
  return absl::OkStatus();
}

absl::Status ProgramEmitter::EmitFunction(const Step& step) {
  const std::string name = absl::StrCat("part_", shared_.functions++);
  if (step.units > 0) {
    ProgramEmitter emitter(shared_, unit_, name, Role::kOfUnits);
    HILO_RETURN_IF_ERROR(emitter.EmitBlocks(step));
    CallForUnits(emitter.function(), function_->getArg(0), step);
    return absl::OkStatus();
  }
  Unit& unit = *shared_.units.emplace_back(std::make_unique<Unit>(*plan_.module, unit_.target()));
  HILO_RETURN_IF_ERROR(ProgramEmitter(shared_, unit, name, Role::kMayFail).Emit(step.blocks[0]));
  const llvm::FunctionCallee callee =
      unit_.module().getOrInsertFunction(name, b_.getInt1Ty(), b_.getPtrTy());
  GoOnWhere(b_.CreateCall(callee, {function_->getArg(0)}));
  return absl::OkStatus();
}

void ProgramEmitter::GoOnWhere(llvm::Value* succeeded) {
  llvm::BasicBlock* next = llvm::BasicBlock::Create(b_.getContext(), "called", function_);
  b_.CreateCondBr(succeeded, next, failed_);
  b_.SetInsertPoint(next);
}

absl::Status ProgramEmitter::EmitCompute(const Step& step) {
  llvm::Value* memory =
      step.memory_operand < 0 ? nullptr : frame_.Address(step.reads[step.memory_operand]);
  std::vector<Lanes> operands(step.reads.size());
  for (int i = 0; i < static_cast<int>(operands.size()); ++i) {
    if (i == step.memory_operand) continue;
    HILO_ASSIGN_OR_RETURN(operands[i], frame_.InRegister(step.reads[i]));
  }
  HILO_ASSIGN_OR_RETURN(const Lanes value,
                        EmitInRegisters(b_, *step.instruction, operands, memory));
  frame_.Define(step.writes[0], value);
  return absl::OkStatus();
}

absl::Status ProgramEmitter::EmitLaunch(const Step& launch) {
  HILO_RETURN_IF_ERROR(Assign(launch.assignments, launch.copies, launch.copied).status());
  Launch(launch, frame_.List(launch, {}, strips_.has_value()));
  return absl::OkStatus();
}

absl::Status ProgramEmitter::EmitRepeat(const Step& repeat) {
  const std::vector<Step>& launches = repeat.blocks[0].steps;
  const size_t arrays = launches[0].reads.size() + launches[0].writes.size();
  llvm::Value* lists = frame_.List(launches[0]);
  for (size_t i = 1; i < launches.size(); ++i) frame_.AddList(launches[i]);
  return EmitLoop(b_, b_.getInt64(0), b_.getInt64(launches.size() * arrays),
                  static_cast<int64_t>(arrays), [&](llvm::Value* first) {
                    Launch(launches[0], b_.CreateGEP(b_.getPtrTy(), lists, first));
                    return absl::OkStatus();
                  });
}

void ProgramEmitter::Launch(const Step& launch, llvm::Value* arrays) {
  llvm::Function* function = KernelFunctionOf(launch);
  CallForUnits(function, arrays, launch);
}

void ProgramEmitter::CallForUnits(llvm::Function* kernel, llvm::Value* arrays, const Step& step) {
  if (strips_.has_value()) {
    b_.CreateCall(kernel, {arrays, first_unit_, end_of_units_});
    return;
  }
  llvm::Value* units = b_.getInt64(static_cast<uint64_t>(step.units));
  if (step.least == 0) {
    b_.CreateCall(kernel, {arrays, b_.getInt64(0), units});
    return;
  }
  llvm::Type *pointer = b_.getPtrTy(), *number = b_.getInt64Ty();
  llvm::FunctionType* parallel = llvm::FunctionType::get(
      b_.getVoidTy(), {pointer, pointer, pointer, number, number, number}, false);
  b_.CreateCall(
      parallel, frame_.Field(kParallel),
      {function_->getArg(0), kernel, arrays, units, b_.getInt64(static_cast<uint64_t>(step.least)),
       b_.getInt64(static_cast<uint64_t>(shared_.launch_sites++))});
}

ProgramEmitter::Part ProgramEmitter::PartOf(int64_t bytes) {
  const auto number = [&](int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); };
  if (!strips_.has_value()) return {number(0), number(bytes)};
  const auto& [elements, row, strip] = *strips_;
  llvm::Value* strips = number((row + strip - 1) / strip);
  const auto before = [&](llvm::Value* unit) {
    llvm::Value* rows = b_.CreateMul(b_.CreateUDiv(unit, strips), number(row));
    llvm::Value* inside = b_.CreateMul(b_.CreateURem(unit, strips), number(strip));
    return b_.CreateMul(b_.CreateAdd(rows, inside), number(bytes / elements));
  };
  llvm::Value* begin = before(first_unit_);
  return {begin, b_.CreateSub(before(end_of_units_), begin)};
}

absl::Status ProgramEmitter::EmitSlice(const Step& step) {
  llvm::Value* offset = nullptr;
  for (const program::Inside::Start& start : plan_.arrays[step.writes[0]].inside->starts) {
    HILO_ASSIGN_OR_RETURN(const Lanes index, frame_.InRegister(start.index));
    llvm::Value* own = b_.CreateMul(
        ClampStart(b_, plan_.arrays[start.index].shape.element_type(), index, start.most),
        b_.getInt64(static_cast<uint64_t>(start.bytes)));
    offset = offset == nullptr ? own : b_.CreateAdd(offset, own);
  }
  if (offset != nullptr) frame_.MoveSlice(step.writes[0], offset);
  return absl::OkStatus();
}

llvm::Function* ProgramEmitter::KernelFunctionOf(const Step& step) {
  llvm::FunctionType* type = llvm::FunctionType::get(
      b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()}, false);
  auto* function = llvm::cast<llvm::Function>(
      unit_.module().getOrInsertFunction(KernelName(step.kernel), type).getCallee());
  // Linked into the same memory.
  function->setDSOLocal(true);
  return function;
}

absl::StatusOr<std::vector<llvm::Value*>> ProgramEmitter::EmitFunctions(const Step& step) {
  if (step.kernel >= 0) return std::vector<llvm::Value*>{KernelFunctionOf(step)};
  std::vector<llvm::Value*> all;
  for (const HloComputation* computation : CompiledFunctions(*step.instruction)) {
    llvm::Function*& function = functions_[program::KeyOf(*computation)];
    if (function == nullptr) {
      HILO_ASSIGN_OR_RETURN(
          function,
          EmitCompiledFunction(unit_, *computation, absl::StrCat("function_", functions_.size())));
    }
    all.push_back(function);
  }
  return all;
}

absl::Status ProgramEmitter::EmitCall(const Step& step) {
  const HloInstruction& instruction = *step.instruction;
  if (LibraryKernelName(instruction).empty()) return NoCode(instruction);
  HILO_ASSIGN_OR_RETURN(const std::vector<llvm::Value*> functions, EmitFunctions(step));
  HILO_RETURN_IF_ERROR(Assign(step.assignments, step.copies, step.copied).status());
  EmitLibraryCall(b_.getInt64(shared_.calls.size()), frame_.List(step, functions));
  shared_.calls.push_back(MakeLibraryCall(instruction));
  shared_.calls.back().beside = step.beside;
  shared_.calls.back().factor_bytes = FactorBytesOf(*instruction.parent());
  return absl::OkStatus();
}

int64_t ProgramEmitter::FactorBytesOf(const HloComputation& computation) {
  const auto [found, is_new] = factor_bytes_.try_emplace(&computation);
  if (is_new) found->second = FactorBytes(computation);
  return found->second;
}

void ProgramEmitter::EmitLibraryCall(llvm::Value* number, llvm::Value* arrays) {
  llvm::FunctionType* call = llvm::FunctionType::get(
      b_.getInt1Ty(), {b_.getPtrTy(), b_.getInt64Ty(), b_.getPtrTy()}, false);
  llvm::CallInst* succeeded =
      b_.CreateCall(call, frame_.Field(kCall), {function_->getArg(0), number, arrays});
  succeeded->addRetAttr(llvm::Attribute::ZExt);
  GoOnWhere(succeeded);
}

absl::Status ProgramEmitter::EmitUpdate(const Step& step) {
  const Shape& shape = step.instruction->shape();
  const Shape& update = step.instruction->operand(1)->shape();
  HILO_RETURN_IF_ERROR(Assign(step.assignments, step.copies, step.copied).status());
  if (ShapeUtil::IsZeroElementArray(update)) return absl::OkStatus();
  Position start;
  for (int d = 0; d < shape.dimensions_size(); ++d) {
    HILO_ASSIGN_OR_RETURN(const Lanes value, frame_.InRegister(step.reads[2 + d]));
    start.push_back({ClampStart(b_, step.instruction->operand(2 + d)->shape().element_type(), value,
                                shape.dimensions(d) - update.dimensions(d))});
  }
  // Runs along the last dimension.
  const int rank = shape.dimensions_size();
  const int64_t columns = rank == 0 ? 1 : update.dimensions(rank - 1);
  const int64_t run = columns * primitive_util::ByteWidth(shape.element_type());
  std::vector<int64_t> outer;
  for (int d = 0; d + 1 < rank; ++d) outer.push_back(update.dimensions(d));
  llvm::Value* to = frame_.Address(step.writes[0]);
  if (step.memory_operand < 0) {  // one run
    HILO_ASSIGN_OR_RETURN(const Lanes value, frame_.InRegister(step.reads[1]));
    if (rank > 0) start.back().step = 1;
    StoreAt(b_, shape, value, to, start, nullptr);
    return absl::OkStatus();
  }
  llvm::Value* from = frame_.Address(step.reads[1]);
  if (strips_.has_value()) {
    llvm::Value* origin = b_.getInt64(0);
    for (int d = 0; d < rank; ++d) {
      llvm::Value* size = b_.getInt64(static_cast<uint64_t>(shape.dimensions(d)));
      origin = b_.CreateAdd(b_.CreateMul(origin, size), start[d].base);
    }
    const auto [begin, bytes] = PartOf(ShapeUtil::ByteSizeOf(update));
    llvm::Value* width =
        b_.getInt64(static_cast<uint64_t>(primitive_util::ByteWidth(shape.element_type())));
    llvm::Value* target = b_.CreateAdd(b_.CreateMul(origin, width), begin);
    Copy(b_.CreateGEP(b_.getInt8Ty(), to, target), b_.CreateGEP(b_.getInt8Ty(), from, begin),
         bytes);
    return absl::OkStatus();
  }
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
               Copy(to_run, from_run, b_.getInt64(static_cast<uint64_t>(run)));
               return Carried();
             })
      .status();
}

void ProgramEmitter::Copy(llvm::Value* to, llvm::Value* from, llvm::Value* bytes) {
  // Of a number that is known only at run time, LLVM makes a call by itself.
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(bytes);
  const int64_t by_loads = number == nullptr ? 0 : number->getSExtValue();
  if (by_loads >= kLeastBytesByRuntime) {
    llvm::FunctionType* copy = llvm::FunctionType::get(
        b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty()}, false);
    b_.CreateCall(copy, frame_.LoadField(kCopy), {to, from, bytes});
    return;
  }
  if (bytes_by_loads_ + by_loads <= kMostBytesByLoads) {
    bytes_by_loads_ += by_loads;
    b_.CreateMemCpy(to, llvm::Align(1), from, llvm::Align(1), bytes);
    return;
  }
  const llvm::FunctionCallee function = unit_.module().getOrInsertFunction(
      "memcpy", b_.getPtrTy(), b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty());
  b_.CreateCall(function, {to, from, bytes});
}

// Each target gets what its source has had, in places where others are sources and targets.
absl::Status ProgramEmitter::Exchange(absl::Span<llvm::Value* const> targets,
                                      absl::Span<llvm::Value* const> sources, llvm::Value* bytes) {
  const auto exchange = [&](llvm::Value* begin, llvm::Value* end, int64_t step) {
    llvm::Type* type = WithLanes(b_.getInt8Ty(), static_cast<int>(step));
    return EmitLoop(b_, begin, end, step, [&](llvm::Value* i) {
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
  llvm::Value* whole = b_.CreateAnd(bytes, ~uint64_t{kStep - 1});
  HILO_RETURN_IF_ERROR(exchange(b_.getInt64(0), whole, kStep));
  return whole == bytes ? absl::OkStatus() : exchange(whole, bytes, 1);
}

absl::StatusOr<ProgramEmitter::Values> ProgramEmitter::Assign(
    absl::Span<const Assignment> assignments, const Copies& copies, int region) {
  // All are read before any is written, which can overwrite where others lie.
  Values values;
  for (const Assignment& each : assignments) {
    if (!IsInRegister(each.to)) continue;
    HILO_ASSIGN_OR_RETURN(const Lanes value, frame_.InRegister(each.from));
    values.push_back({each.to, value});
  }
  for (const std::vector<Assignment>& group : copies) {
    const auto [begin, bytes] = PartOf(plan_.arrays[group[0].to].bytes());
    std::vector<llvm::Value*> sources, targets;
    for (const Assignment& each : group) {
      targets.push_back(b_.CreateGEP(b_.getInt8Ty(), frame_.Address(each.to), begin));
      sources.push_back(b_.CreateGEP(b_.getInt8Ty(), frame_.Address(each.from), begin));
    }
    if (group.size() == 1) {
      Copy(targets[0], sources[0], bytes);
    } else {
      HILO_RETURN_IF_ERROR(Exchange(targets, sources, bytes));
    }
  }
  Stamp(region);
  return values;
}

absl::Status ProgramEmitter::EmitWhile(const Step& loop) {
  const Block &condition = loop.blocks[0], &body = loop.blocks[1];
  HILO_ASSIGN_OR_RETURN(const Values first, Assign(loop.assignments, loop.copies, loop.copied));
  absl::flat_hash_set<int> changing;
  for (const Assignment& each : body.assignments) changing.insert(each.to);
  Values carried;
  for (const auto& [array, value] : first) {
    if (changing.contains(array)) {
      carried.push_back({array, ToPassed(b_, value)});
    } else {
      frame_.Define(array, value);
    }
  }
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* head = llvm::BasicBlock::Create(b_.getContext(), "while", function_);
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  llvm::PHINode* trips = loop.region < 0 ? nullptr : b_.CreatePHI(b_.getInt64Ty(), 2);
  if (trips != nullptr) trips->addIncoming(b_.getInt64(0), before);
  std::vector<Lanes> phis;
  for (const auto& [array, value] : carried) phis.push_back(Phi(b_, value));
  for (size_t k = 0; k < carried.size(); ++k) {
    const auto& [array, value] = carried[k];
    AddIncoming(phis[k], value, before);
    frame_.Define(array, FromPassed(b_, plan_.arrays[array].shape, phis[k]));
  }
  HILO_RETURN_IF_ERROR(EmitSteps(condition));
  HILO_ASSIGN_OR_RETURN(const Lanes goes_on, frame_.InRegister(loop.condition));
  llvm::BasicBlock* again = llvm::BasicBlock::Create(b_.getContext(), "do", function_);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(b_.getContext(), "done", function_);
  b_.CreateCondBr(goes_on.re, again, after);
  b_.SetInsertPoint(again);
  HILO_RETURN_IF_ERROR(EmitSteps(body));
  // In the order of the state, as `carried` is.
  HILO_ASSIGN_OR_RETURN(const Values next, Assign(body.assignments, body.copies, body.copied));
  for (size_t k = 0; k < next.size(); ++k)
    AddIncoming(phis[k], ToPassed(b_, next[k].second), b_.GetInsertBlock());
  if (trips != nullptr)
    trips->addIncoming(b_.CreateAdd(trips, b_.getInt64(1)), b_.GetInsertBlock());
  b_.CreateBr(head);
  b_.SetInsertPoint(after);
  Stamp(loop.region, trips);
  return absl::OkStatus();
}

absl::Status ProgramEmitter::EmitConditional(const Step& conditional) {
  HILO_ASSIGN_OR_RETURN(const Lanes chosen, frame_.InRegister(conditional.condition));
  const size_t branches = conditional.blocks.size();
  llvm::BasicBlock* after = llvm::BasicBlock::Create(b_.getContext(), "joined", function_);
  std::vector<llvm::BasicBlock*> blocks;
  for (size_t i = 0; i < branches; ++i)
    blocks.push_back(llvm::BasicBlock::Create(b_.getContext(), "branch", function_));
  if (plan_.arrays[conditional.condition].shape.element_type() == PRED) {
    b_.CreateCondBr(chosen.re, blocks[0], blocks[1]);
  } else {
    // An index out of range takes the last branch.
    llvm::SwitchInst* select =
        b_.CreateSwitch(chosen.re, blocks.back(), static_cast<unsigned>(branches));
    for (size_t i = 0; i + 1 < branches; ++i)
      select->addCase(
          llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(chosen.re->getType(), i)),
          blocks[i]);
  }
  std::vector<Values> values;  // of each branch
  std::vector<llvm::BasicBlock*> ends;
  for (size_t i = 0; i < branches; ++i) {
    b_.SetInsertPoint(blocks[i]);
    const Block& branch = conditional.blocks[i];
    HILO_RETURN_IF_ERROR(EmitSteps(branch));
    HILO_ASSIGN_OR_RETURN(values.emplace_back(),
                          Assign(branch.assignments, branch.copies, branch.copied));
    for (auto& [array, value] : values.back()) value = ToPassed(b_, value);
    ends.push_back(b_.GetInsertBlock());
    b_.CreateBr(after);
  }
  b_.SetInsertPoint(after);
  Values joined;
  for (size_t k = 0; k < values[0].size(); ++k) {
    const Lanes phi = Phi(b_, values[0][k].second);
    for (size_t i = 0; i < branches; ++i) AddIncoming(phi, values[i][k].second, ends[i]);
    joined.push_back({values[0][k].first, phi});
  }
  for (const auto& [array, value] : joined)
    frame_.Define(array, FromPassed(b_, plan_.arrays[array].shape, value));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<EmittedProgram> EmitProgram(const Plan& plan, bool wants_llvm_ir) {
  Units units;
  Unit& entry = *units.emplace_back(std::make_unique<Unit>(*plan.module, *plan.target));
  HILO_RETURN_IF_ERROR(EmitKernels(plan, units));
  Shared shared = {plan, units};
  HILO_RETURN_IF_ERROR(
      ProgramEmitter(shared, entry, runtime::kEntryName, ProgramEmitter::Role::kEntry)
          .Emit(plan.entry));
  HILO_RETURN_IF_ERROR(Finish(units, wants_llvm_ir));
  EmittedProgram program;
  for (const auto& unit : units) {
    program.objects.push_back(unit->object());
    program.llvm_ir += unit->llvm_ir();
  }
  program.lists = std::move(shared.lists);
  program.calls = std::move(shared.calls);
  program.launch_sites = shared.launch_sites;
  return program;
}

}  // namespace xla::cpu

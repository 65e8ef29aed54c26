#include "cpu/emit/kernel_function.h"

#include <algorithm>

#include "base/status_macros.h"
#include "cpu/emit/functions.h"
#include "cpu/emit/loops.h"

namespace xla::cpu {

KernelFunction::KernelFunction(Unit& unit, const HloComputation& computation,
                               const std::string& name)
    : computation_(computation), b_(unit.module().getContext(), unit.target()) {
  llvm::Type* pointer = b_.getPtrTy();
  llvm::FunctionType* type = llvm::FunctionType::get(
      b_.getVoidTy(), {pointer, b_.getInt64Ty(), b_.getInt64Ty()}, /*isVarArg=*/false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, unit.module());
  KeepExcessPrecision(*function_);
  begin_ = function_->getArg(1);
  end_ = function_->getArg(2);
  b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "entry", function_));
  const Shape& result = computation.root_instruction()->shape();
  const int64_t results = result.IsTuple() ? result.tuple_shapes_size() : 1;
  for (int64_t i = 0; i < computation.num_parameters() + results; ++i) {
    arrays_.push_back(
        b_.CreateLoad(pointer, b_.CreateConstGEP1_64(pointer, function_->getArg(0), i)));
  }
}

int KernelFunction::LanesFor(int64_t count) const {
  return loops::LanesFor(computation_, b_.target().vector_bits, count);
}

Elements::Leaf KernelFunction::Leaf() {
  return [this](Builder& b, int lanes, const HloInstruction& instruction, const Position& position,
                llvm::Value* mask) -> absl::StatusOr<Lanes> {
    if (instruction.opcode() != HloOpcode::kParameter) return NoCode(instruction);
    return LoadAt(b, instruction.shape(), Array(instruction.parameter_number()), position, lanes,
                  mask);
  };
}

llvm::Constant* FirstLanes(Builder& b, int lanes, int64_t count) {
  std::vector<llvm::Constant*> bits;
  for (int i = 0; i < lanes; ++i) bits.push_back(b.getInt1(i < count));
  return lanes == 1 ? bits[0] : llvm::ConstantVector::get(bits);
}

absl::Status KernelFunction::EmitLoopBehind(
    llvm::Value* begin, llvm::Value* end, int64_t step,
    absl::FunctionRef<absl::Status(llvm::Value*, Builder&)> body) {
  llvm::BasicBlock* block = llvm::BasicBlock::Create(b_.getContext(), "before", function_);
  b_.CreateBr(block);
  b_.SetInsertPoint(block);
  llvm::Instruction* marker = b_.CreateUnreachable();
  Builder before(marker, b_);
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(b_.getContext(), "columns", function_);
  b_.SetInsertPoint(loop);
  HILO_RETURN_IF_ERROR(
      EmitLoop(b_, begin, end, step, [&](llvm::Value* i) { return body(i, before); }));
  before.CreateBr(loop);
  marker->eraseFromParent();
  return absl::OkStatus();
}

absl::Status KernelFunction::ForEachColumn(
    int64_t columns,
    absl::FunctionRef<absl::Status(llvm::Value*, int, llvm::Value*, Builder&)> body) {
  const int lanes = LanesFor(columns);
  const int64_t whole = columns / lanes * lanes;
  if (whole > 0) {
    HILO_RETURN_IF_ERROR(EmitLoopBehind(b_.getInt64(0), b_.getInt64(whole), lanes,
                                        [&](llvm::Value* column, Builder& before) {
                                          return body(column, lanes, nullptr, before);
                                        }));
  }
  if (whole == columns) return absl::OkStatus();
  // The tail stands alone, so that everything is invariant; it needs no block before it.
  return body(b_.getInt64(whole), lanes, FirstLanes(b_, lanes, columns - whole), b_);
}

}  // namespace xla::cpu

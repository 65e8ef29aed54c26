#include "cpu/emit/compiled_function.h"

#include <algorithm>
#include <vector>

#include "base/status_macros.h"
#include "codegen/program/plan.h"
#include "codegen/program/register_form.h"
#include "cpu/emit/lanes.h"
#include "cpu/emit/loops.h"
#include "cpu/emit/scalar_function.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Scalars of which a function gets or gives many: their type and the list of their arrays.
struct Column {
  PrimitiveType type;
  llvm::Value* array;
};

class FunctionEmitter {
 public:
  FunctionEmitter(Unit& unit, const HloComputation& computation, const std::string& name)
      : computation_(computation), b_(unit.module().getContext(), unit.target()) {
    llvm::Type* pointer = b_.getPtrTy();
    function_ = llvm::Function::Create(
        llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, b_.getInt64Ty()}, false),
        llvm::Function::InternalLinkage, name, unit.module());
    b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "entry", function_));
  }

  absl::StatusOr<llvm::Function*> Emit() {
    for (const HloInstruction* parameter : computation_.parameter_instructions())
      Add(parameter->shape(), 0, arguments_);
    for (const Shape& leaf : program::ArrayLeaves(computation_.root_instruction()->shape()))
      Add(leaf, 1, results_);
    llvm::Value* count = function_->getArg(2);
    const int lanes = b_.target().vector_bits / widest_;
    llvm::Value* whole = b_.CreateSub(count, b_.CreateSRem(count, b_.getInt64(lanes)));
    HILO_RETURN_IF_ERROR(EmitRange(b_.getInt64(0), whole, lanes));
    HILO_RETURN_IF_ERROR(EmitRange(whole, count, 1));
    b_.CreateRetVoid();
    return function_;
  }

 private:
  void Add(const Shape& scalar, int list, std::vector<Column>& columns) {
    const PrimitiveType type = scalar.element_type();
    widest_ = std::max(widest_, ComputingBits(type));
    columns.push_back(
        {type,
         b_.CreateLoad(b_.getPtrTy(), b_.CreateConstGEP1_64(b_.getPtrTy(), function_->getArg(list),
                                                            columns.size()))});
  }

  absl::Status EmitRange(llvm::Value* begin, llvm::Value* end, int lanes) {
    return EmitLoop(b_, begin, end, lanes, [&](llvm::Value* i) -> absl::Status {
      const auto element = [&](const Column& column) {
        const int64_t bytes = primitive_util::ByteWidth(column.type);
        return b_.CreateGEP(b_.getInt8Ty(), column.array,
                            b_.CreateMul(i, b_.getInt64(static_cast<uint64_t>(bytes))));
      };
      std::vector<Lanes> values;
      for (const Column& argument : arguments_)
        values.push_back(Load(b_, argument.type, element(argument), 1, lanes, nullptr));
      HILO_ASSIGN_OR_RETURN(values, ApplyScalarFunction(b_, computation_, values));
      for (size_t k = 0; k < results_.size(); ++k)
        Store(b_, results_[k].type, values[k], element(results_[k]), 1, nullptr);
      return absl::OkStatus();
    });
  }

  const HloComputation& computation_;
  Builder b_;
  llvm::Function* function_;
  std::vector<Column> arguments_, results_;
  int widest_ = 8;  // bits
};

}  // namespace

absl::StatusOr<llvm::Function*> EmitCompiledFunction(Unit& unit, const HloComputation& computation,
                                                     const std::string& name) {
  if (computation.num_parameters() == 0 || !program::IsScalarFunction(computation)) {
    return Unimplemented("the cpu back end compiles no function of what computation %s computes",
                         computation.name());
  }
  return FunctionEmitter(unit, computation, name).Emit();
}

}  // namespace xla::cpu

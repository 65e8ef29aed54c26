#include "codegen/program/register_form.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "codegen/loops/schedule.h"
#include "codegen/program/plan.h"
#include "ir/graph.h"
#include "ir/records.h"
#include "passes/cost.h"
#include "xla/shape_util.h"

namespace xla::program {
namespace {

using passes::Decision;

constexpr int64_t kMaxBits = 4096;
// Functions are written out for each vector of a value.
constexpr int64_t kMaxBitsOfFunctions = 1024;
// Larger matrices are multiplied by a library kernel.
constexpr int64_t kMaxMatrixElements = 4096;

int64_t BitsOf(const Shape& shape) {
  const int parts = ShapeUtil::ElementIsComplex(shape) ? 2 : 1;
  return loops::ComputingBits(shape) * parts;
}

// Products and quotients of complex numbers ask whether there are infinities.
bool IsLong(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  return passes::HasManyInstructions(instruction) ||
         (ShapeUtil::ElementIsComplex(instruction.shape()) &&
          (opcode == HloOpcode::kMultiply || opcode == HloOpcode::kDivide));
}

// Which operand of a dot is the matrix in memory, if the other one is a vector in registers;
// otherwise -1.
int MatrixInMemory(const HloInstruction& dot) {
  if (dot.opcode() != HloOpcode::kDot || dot.operand_count() != 2) return -1;
  const PrimitiveType type = dot.shape().element_type();
  if (type != F32 && type != F64) return -1;
  const auto& dimensions = dot.attributes_as<DotAttributes>();
  if (dimensions.lhs_contracting.size() != 1 || !dimensions.lhs_batch.empty()) return -1;
  const int matrix = FitsRegisters(dot.operand(0)->shape()) ? 1 : 0;
  const Shape& in_memory = dot.operand(matrix)->shape();
  const Shape& vector = dot.operand(1 - matrix)->shape();
  if (in_memory.element_type() != type || vector.element_type() != type ||
      in_memory.dimensions_size() != 2 || in_memory.is_dynamic() || !FitsRegisters(vector) ||
      ShapeUtil::ElementsIn(in_memory) > kMaxMatrixElements) {
    return -1;
  }
  const int64_t depth = in_memory.dimensions(matrix == 0 ? dimensions.lhs_contracting[0]
                                                         : dimensions.rhs_contracting[0]);
  return ShapeUtil::ElementsIn(vector) == depth ? matrix : -1;
}

// Whether all that the root needs, besides a tuple at the root, is as wanted.
bool AllNeeded(const HloComputation& computation,
               absl::FunctionRef<bool(const HloInstruction&)> condition) {
  return absl::c_all_of(
      NeededFor({computation.root_instruction()}), [&](const HloInstruction* each) {
        return (each->opcode() == HloOpcode::kTuple && each->IsRoot()) || condition(*each);
      });
}

// Also small arrays and tuples on the way from scalars to scalars.
bool HasOnlyRegisters(const HloComputation& computation) {
  for (const HloInstruction* parameter : computation.parameter_instructions()) {
    if (!ShapeUtil::IsScalar(parameter->shape())) return false;
  }
  for (const Shape& leaf : ArrayLeaves(computation.root_instruction()->shape())) {
    if (!ShapeUtil::IsScalar(leaf)) return false;
  }
  return AllNeeded(computation, [](const HloInstruction& instruction) {
    if (IsAlias(instruction)) return true;
    return instruction.opcode() == HloOpcode::kConstant ? FitsRegisters(instruction.shape())
                                                        : HasRegisterForm(instruction);
  });
}

}  // namespace

bool FitsRegisters(const Shape& shape) {
  if (!shape.IsArray() || shape.is_dynamic()) return false;
  const int64_t count = ShapeUtil::ElementsIn(shape);
  return 0 < count && count <= passes::kMaxRegisterElements && BitsOf(shape) <= kMaxBits;
}

int64_t OperandInMemory(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kDynamicSlice)
    return instruction.operand(0)->shape().is_dynamic() ? -1 : 0;
  for (const HloInstruction* operand : instruction.operands()) {
    if (!FitsRegisters(operand->shape())) return MatrixInMemory(instruction);
  }
  return -1;
}

Decision CanBeInRegisters(const HloInstruction& instruction) {
  if (!FitsRegisters(instruction.shape())) return Decision::No("it does not fit registers");
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (i != OperandInMemory(instruction) && !FitsRegisters(instruction.operand(i)->shape()))
      return Decision::No("operand $0 of $1 does not fit registers", static_cast<double>(i),
                          HloOpcodeString(instruction.opcode()));
  }
  const auto if_true = [&](bool has_form) {
    return has_form ? Decision::Yes()
                    : Decision::No("$1 like this one has no form in registers", 0,
                                   HloOpcodeString(instruction.opcode()));
  };
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kIota:
    case HloOpcode::kPad:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      return Decision::Yes();
    case HloOpcode::kDot:
      // Sums of products of reals that become integers are rounded in between.
      return if_true(!ShapeUtil::ElementIsIntegral(instruction.shape()) ||
                     ShapeUtil::ElementIsIntegral(instruction.operand(0)->shape()));
    case HloOpcode::kReduce:
      return if_true(instruction.operand_count() == 2 && IsScalarFunction(*instruction.to_apply()));
    default:
      if (IsLong(instruction) && BitsOf(instruction.shape()) > kMaxBitsOfFunctions) {
        return Decision::No("the code of $1 is long", 0, HloOpcodeString(instruction.opcode()));
      }
      return if_true(IsElementwiseHere(instruction));
  }
}

bool HasRegisterForm(const HloInstruction& instruction) {
  return static_cast<bool>(CanBeInRegisters(instruction));
}

bool IsElementwiseHere(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kMap) return IsScalarFunction(*instruction.to_apply());
  return (instruction.IsElementwise() && instruction.opcode() != HloOpcode::kFusion) ||
         instruction.opcode() == HloOpcode::kBitcastConvert;
}

bool HasOnlyScalars(const HloComputation& computation) {
  return AllNeeded(computation, [](const HloInstruction& instruction) {
    if (!ShapeUtil::IsScalar(instruction.shape())) return false;
    return instruction.opcode() == HloOpcode::kParameter ||
           instruction.opcode() == HloOpcode::kConstant || IsElementwiseHere(instruction);
  });
}

bool IsScalarFunction(const HloComputation& computation) {
  return HasOnlyScalars(computation) || HasOnlyRegisters(computation);
}

}  // namespace xla::program

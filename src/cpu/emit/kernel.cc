#include "cpu/emit/kernel.h"

#include "cpu/emit/element_kernel.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/running_reduce.h"
#include "cpu/emit/scalar_function.h"
#include "xla/shape_util.h"

namespace xla::cpu {

absl::StatusOr<Kernel> EmitKernel(Unit& unit, const HloComputation& computation,
                                  const std::string& name) {
  switch (computation.root_instruction()->opcode()) {
    case HloOpcode::kScatter:
      return EmitScatter(unit, computation, name);
    case HloOpcode::kSelectAndScatter:
      return EmitSelectAndScatter(unit, computation, name);
    case HloOpcode::kReduceWindow:
      return IsRunningReduce(*computation.root_instruction())
                 ? EmitRunningReduce(unit, computation, name)
                 : EmitElementKernel(unit, computation, name);
    default:
      return EmitElementKernel(unit, computation, name);
  }
}

bool CanBeInKernel(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kConstant:
      return ShapeUtil::IsEffectiveScalar(instruction.shape());
    case HloOpcode::kIota:
    case HloOpcode::kBroadcast:
    case HloOpcode::kReshape:
    case HloOpcode::kTranspose:
    case HloOpcode::kSlice:
    case HloOpcode::kReverse:
    case HloOpcode::kConcatenate:
    case HloOpcode::kPad:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kGather:
      return true;
    case HloOpcode::kReduceWindow:
      return IsScalarFunction(*instruction.to_apply()) && !IsRunningReduce(instruction);
    case HloOpcode::kReduce:
      return instruction.dimensions().empty() && IsScalarFunction(*instruction.to_apply());
    default:
      return IsElementwiseHere(instruction);
  }
}

}  // namespace xla::cpu

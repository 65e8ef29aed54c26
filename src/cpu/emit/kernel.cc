#include "cpu/emit/kernel.h"

#include "cpu/emit/element_kernel.h"
#include "cpu/emit/elementwise.h"
#include "xla/shape_util.h"

namespace xla::cpu {
absl::StatusOr<Kernel> EmitKernel(llvm::Module& module, const HloComputation& computation,
                                  const std::string& name) {
  return EmitElementKernel(module, computation, name);
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
      return true;
    default:
      return IsElementwiseHere(instruction);
  }
}

}  // namespace xla::cpu

#include "xla/service/layout_assignment.h"

#include "ir/op_info.h"

namespace xla {

bool LayoutAssignment::InstructionCanChangeLayout(const HloInstruction* instruction) {
  switch (instruction->opcode()) {
    case HloOpcode::kCopy:
      return true;
    case HloOpcode::kAllGather:
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllToAll:
    case HloOpcode::kCholesky:
    case HloOpcode::kCollectiveBroadcast:
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kPad:
    case HloOpcode::kReduceScatter:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kReverse:
    case HloOpcode::kSelectAndScatter:
    case HloOpcode::kSetDimensionSize:
    case HloOpcode::kSlice:
    case HloOpcode::kSort:
    case HloOpcode::kTriangularSolve:
      return false;
    default:
      return !HasTrait(instruction->opcode(), kElementwise);
  }
}

}  // namespace xla

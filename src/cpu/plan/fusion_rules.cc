#include "cpu/plan/fusion_rules.h"

#include "absl/algorithm/container.h"
#include "cpu/emit/kernel.h"
#include "cpu/emit/running_reduce.h"
#include "cpu/emit/scalar_function.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

constexpr int64_t kMinFusedUpdate = 8;

}  // namespace

bool IsKernelReduce(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kReduce && !instruction.dimensions().empty() &&
         IsScalarFunction(*instruction.to_apply());
}

bool IsClosedKernel(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kScatter) return IsScalarFunction(*instruction.to_apply());
  if (IsRunningReduce(instruction)) return true;
  return instruction.opcode() == HloOpcode::kSelectAndScatter &&
         IsScalarFunction(*instruction.select()) && IsScalarFunction(*instruction.scatter());
}

// Reshapes at the borders of fusions are other names of the same memory.
bool CanBeKernel(const HloInstruction& instruction) {
  return (CanBeInKernel(instruction) && instruction.opcode() != HloOpcode::kConstant &&
          instruction.opcode() != HloOpcode::kReshape) ||
         IsKernelReduce(instruction) || IsClosedKernel(instruction);
}

bool IsFree(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kConstant:
      return ShapeUtil::IsEffectiveScalar(instruction.shape());
    case HloOpcode::kIota:
      return true;
    case HloOpcode::kBroadcast:
    case HloOpcode::kReshape:
      return ShapeUtil::IsEffectiveScalar(instruction.operand(0)->shape());
    default:
      return false;
  }
}

bool ReadsRepeatedly(const HloInstruction& user, const HloInstruction& operand) {
  switch (user.opcode()) {
    case HloOpcode::kBroadcast:
      return true;
    case HloOpcode::kDynamicUpdateSlice:
      return &operand != user.operand(1) || &operand == user.operand(0);
    case HloOpcode::kGather: {
      if (&operand == user.operand(0)) return true;
      const auto& sizes = user.attributes_as<GatherAttributes>().slice_sizes;
      return absl::c_any_of(sizes, [](int64_t size) { return size > 1; });
    }
    case HloOpcode::kScatter: {
      // Only updates of whole rows are worth it, and numbers that are put together to indices of
      // single elements, which knows each of them; what is updated must lie in memory.
      const int64_t number = user.operand_index(&operand);
      const auto& window = user.attributes_as<ScatterAttributes>().update_window_dims;
      if (number == user.operand_count() / 2 && window.empty() &&
          operand.opcode() == HloOpcode::kConcatenate &&
          operand.dimensions(0) == user.attributes_as<ScatterAttributes>().index_vector_dim) {
        return false;
      }
      const int64_t last = operand.shape().dimensions_size() - 1;
      return number <= user.operand_count() / 2 || window.empty() || window.back() != last ||
             operand.shape().dimensions(last) < kMinFusedUpdate;
    }
    case HloOpcode::kReduceWindow:
    case HloOpcode::kSelectAndScatter:
      if (&operand != user.operand(0) || IsRunningReduce(user)) return false;
      return absl::c_any_of(user.window().dimensions(), [](const WindowDimension& dimension) {
        return dimension.size() > 1 &&
               (dimension.stride() < dimension.size() || dimension.window_dilation() > 1);
      });
    default:
      return false;
  }
}

}  // namespace xla::cpu

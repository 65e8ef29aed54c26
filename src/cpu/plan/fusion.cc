#include "cpu/plan/fusion.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cpu/emit/kernel.h"
#include "cpu/emit/registers.h"
#include "cpu/emit/scalar_function.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

bool IsKernelReduce(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kReduce && !instruction.dimensions().empty() &&
         IsScalarFunction(*instruction.to_apply());
}

bool IsKernelScatter(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kScatter) return IsScalarFunction(*instruction.to_apply());
  return instruction.opcode() == HloOpcode::kSelectAndScatter &&
         IsScalarFunction(*instruction.select()) && IsScalarFunction(*instruction.scatter());
}

// Cheaper to compute again than to read.
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

constexpr int64_t kMinFusedUpdate = 8;

// Whether elements of the operand are read more than once, or few of them.
bool ReadsRepeatedly(const HloInstruction& user, const HloInstruction& operand) {
  switch (user.opcode()) {
    case HloOpcode::kBroadcast:
      return true;
    case HloOpcode::kGather: {
      if (&operand == user.operand(0)) return true;
      const auto& sizes = user.attributes_as<GatherAttributes>().slice_sizes;
      return absl::c_any_of(sizes, [](int64_t size) { return size > 1; });
    }
    case HloOpcode::kScatter: {
      // Only updates of whole rows are worth it; what is updated must lie in memory.
      const int64_t number = user.operand_index(&operand);
      const auto& window = user.attributes_as<ScatterAttributes>().update_window_dims;
      const int64_t last = operand.shape().dimensions_size() - 1;
      return number <= user.operand_count() / 2 || window.empty() || window.back() != last ||
             operand.shape().dimensions(last) < kMinFusedUpdate;
    }
    case HloOpcode::kReduceWindow:
    case HloOpcode::kSelectAndScatter:
      if (&operand != user.operand(0)) return false;
      return absl::c_any_of(user.window().dimensions(), [](const WindowDimension& dimension) {
        return dimension.size() > 1 &&
               (dimension.stride() < dimension.size() || dimension.window_dilation() > 1);
      });
    default:
      return false;
  }
}

class Fuser {
 public:
  explicit Fuser(HloComputation& computation) : computation_(computation) {}

  absl::StatusOr<bool> Run() {
    const std::vector<HloInstruction*> order = computation_.MakeInstructionPostOrder();
    for (size_t i = order.size(); i-- > 0;) Assign(*order[i]);
    bool changed = false;
    for (HloInstruction* root : order) {
      if (!root_of_.contains(root) || root_of_.at(root) != root) continue;
      HILO_RETURN_IF_ERROR(Outline(*root));
      changed = true;
    }
    return changed;
  }

 private:
  // Reshapes at the borders of fusions are other names of the same memory.
  static bool CanStandAlone(const HloInstruction& instruction) {
    return (CanBeInKernel(instruction) && instruction.opcode() != HloOpcode::kConstant &&
            instruction.opcode() != HloOpcode::kReshape) ||
           IsKernelReduce(instruction) || IsKernelScatter(instruction);
  }
  static bool HasSeveralResults(const HloInstruction& instruction) {
    return instruction.shape().IsTuple() && (instruction.opcode() == HloOpcode::kReduce ||
                                             instruction.opcode() == HloOpcode::kReduceWindow ||
                                             instruction.opcode() == HloOpcode::kScatter);
  }

  void Assign(HloInstruction& instruction) {
    if (HasRegisterForm(instruction)) return;
    if (instruction.shape().IsTuple()) {
      if (HasSeveralResults(instruction) && CanStandAlone(instruction))
        root_of_[&instruction] = &instruction;
      return;
    }
    HloInstruction* root = CommonRoot(instruction);
    if (root != nullptr && CanBeInKernel(instruction) && WorthJoining(instruction)) {
      root_of_[&instruction] = root;
    } else if (CanStandAlone(instruction)) {
      root_of_[&instruction] = &instruction;
    }
  }

  // The root of the fusion that all users are in, or null.
  HloInstruction* CommonRoot(const HloInstruction& instruction) const {
    if (instruction.IsRoot() || instruction.users().empty()) return nullptr;
    HloInstruction* root = nullptr;
    for (const HloInstruction* user : instruction.users()) {
      const auto found = root_of_.find(user);
      if (found == root_of_.end() || (root != nullptr && found->second != root)) return nullptr;
      root = found->second;
    }
    return root;
  }

  // Nothing is computed more often than it has elements.
  static bool WorthJoining(const HloInstruction& instruction) {
    return IsFree(instruction) ||
           absl::c_none_of(instruction.users(), [&](const HloInstruction* user) {
             return ReadsRepeatedly(*user, instruction);
           });
  }

  absl::Status Outline(HloInstruction& root) {
    HloComputation::Builder builder(absl::StrCat("fused_", root.name()));
    std::vector<HloInstruction*> operands;
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> clones;
    const auto inside = [&](const HloInstruction* each) {
      const auto found = root_of_.find(each);
      return (found != root_of_.end() && found->second == &root) || IsFree(*each);
    };
    const auto add_parameter = [&](HloInstruction* each) {
      operands.push_back(each);
      const int64_t number = static_cast<int64_t>(operands.size()) - 1;
      return builder.AddInstruction(
          HloInstruction::CreateParameter(number, each->shape(), absl::StrCat("p", number)));
    };
    // What is updated in place is a parameter of its own, even if the same is read elsewhere.
    const auto is_updated = [&](const HloInstruction* user, int64_t i) {
      return user == &root && root.opcode() == HloOpcode::kScatter &&
             i < root.operand_count() / 2 && !inside(root.operand(i));
    };
    // Operands first, without recursion.
    std::vector<std::pair<HloInstruction*, bool>> stack = {{&root, false}};
    while (!stack.empty()) {
      auto [instruction, ready] = stack.back();
      stack.pop_back();
      if (clones.contains(instruction)) continue;
      if (!inside(instruction)) {
        clones[instruction] = add_parameter(instruction);
        continue;
      }
      if (!ready) {
        stack.push_back({instruction, true});
        for (int64_t i = instruction->operand_count(); i-- > 0;) {
          if (!is_updated(instruction, i))
            stack.push_back({instruction->mutable_operand(i), false});
        }
        continue;
      }
      std::vector<HloInstruction*> own;
      for (int64_t i = 0; i < instruction->operand_count(); ++i) {
        HloInstruction* operand = instruction->mutable_operand(i);
        own.push_back(is_updated(instruction, i) ? add_parameter(operand) : clones.at(operand));
      }
      clones[instruction] =
          builder.AddInstruction(instruction->CloneWithNewOperands(instruction->shape(), own));
    }
    HloComputation* fused =
        computation_.parent()->AddEmbeddedComputation(builder.Build(clones.at(&root)));
    HloInstruction* fusion = computation_.AddInstruction(HloInstruction::CreateFusion(
        root.shape(),
        root.opcode() == HloOpcode::kReduce ? HloInstruction::FusionKind::kInput
                                            : HloInstruction::FusionKind::kLoop,
        operands, fused));
    return computation_.ReplaceInstruction(&root, fusion);
  }

  HloComputation& computation_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> root_of_;
};

void CollectSequential(HloComputation* computation, std::vector<HloComputation*>& all) {
  all.push_back(computation);
  for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
    if (instruction->opcode() != HloOpcode::kWhile &&
        instruction->opcode() != HloOpcode::kConditional) {
      continue;
    }
    for (HloComputation* callee : instruction->called_computations())
      CollectSequential(callee, all);
  }
}

}  // namespace

absl::StatusOr<bool> FuseLoops(HloModule& module) {
  std::vector<HloComputation*> computations;
  CollectSequential(module.entry_computation(), computations);
  bool changed = false;
  for (HloComputation* computation : computations) {
    HILO_ASSIGN_OR_RETURN(const bool fused, Fuser(*computation).Run());
    changed |= fused;
  }
  return changed;
}

}  // namespace xla::cpu

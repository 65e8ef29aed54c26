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
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

bool IsKernelReduce(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kReduce && !instruction.dimensions().empty() &&
         IsScalarFunction(*instruction.to_apply());
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
           IsKernelReduce(instruction);
  }

  void Assign(HloInstruction& instruction) {
    if (HasRegisterForm(instruction)) return;
    if (instruction.shape().IsTuple() && !IsKernelReduce(instruction)) return;
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
           absl::c_none_of(instruction.users(), [](const HloInstruction* user) {
             return user->opcode() == HloOpcode::kBroadcast;
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
    // Operands first, without recursion.
    std::vector<std::pair<HloInstruction*, bool>> stack = {{&root, false}};
    while (!stack.empty()) {
      auto [instruction, ready] = stack.back();
      stack.pop_back();
      if (clones.contains(instruction)) continue;
      if (!inside(instruction)) {
        clones[instruction] = builder.AddInstruction(HloInstruction::CreateParameter(
            static_cast<int64_t>(operands.size()), instruction->shape(),
            absl::StrCat("p", operands.size())));
        operands.push_back(instruction);
        continue;
      }
      if (!ready) {
        stack.push_back({instruction, true});
        for (int64_t i = instruction->operand_count(); i-- > 0;)
          stack.push_back({instruction->mutable_operand(i), false});
        continue;
      }
      std::vector<HloInstruction*> own;
      for (const HloInstruction* operand : instruction->operands())
        own.push_back(clones.at(operand));
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

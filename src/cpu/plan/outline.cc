#include "cpu/plan/outline.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "codegen/program/plan.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

class Outliner {
 public:
  Outliner(absl::Span<HloInstruction* const> outputs,
           absl::FunctionRef<bool(const HloInstruction&)> inside)
      : outputs_(outputs), inside_(inside), builder_(absl::StrCat("fused_", outputs[0]->name())) {}

  std::unique_ptr<HloComputation> Make() {
    for (HloInstruction* output : outputs_) Clone(*output);
    if (outputs_.size() == 1) return builder_.Build(clones_.at(outputs_[0]));
    std::vector<HloInstruction*> roots;
    for (HloInstruction* output : outputs_) roots.push_back(clones_.at(output));
    return builder_.Build(builder_.AddInstruction(HloInstruction::CreateTuple(roots)));
  }
  const std::vector<HloInstruction*>& operands() const { return operands_; }

 private:
  HloInstruction* AddParameter(HloInstruction* operand) {
    const int64_t number = static_cast<int64_t>(operands_.size());
    operands_.push_back(operand);
    return builder_.AddInstruction(
        HloInstruction::CreateParameter(number, operand->shape(), absl::StrCat("p", number)));
  }

  // What a scatter updates in place is a parameter of its own, even if the same is read elsewhere.
  bool IsOwnParameter(const HloInstruction& user, int64_t i) const {
    return &user == outputs_[0] && user.opcode() == HloOpcode::kScatter &&
           program::IsUpdatedInPlace(user, i) && !inside_(*user.operand(i));
  }

  // Operands first, without recursion.
  void Clone(HloInstruction& output) {
    std::vector<std::pair<HloInstruction*, bool>> stack = {{&output, false}};
    while (!stack.empty()) {
      auto [instruction, ready] = stack.back();
      stack.pop_back();
      if (clones_.contains(instruction)) continue;
      if (!inside_(*instruction)) {
        clones_[instruction] = AddParameter(instruction);
        continue;
      }
      if (!ready) {
        stack.push_back({instruction, true});
        for (int64_t i = instruction->operand_count(); i-- > 0;) {
          if (!IsOwnParameter(*instruction, i))
            stack.push_back({instruction->mutable_operand(i), false});
        }
        continue;
      }
      std::vector<HloInstruction*> own;
      for (int64_t i = 0; i < instruction->operand_count(); ++i) {
        HloInstruction* operand = instruction->mutable_operand(i);
        own.push_back(IsOwnParameter(*instruction, i) ? AddParameter(operand)
                                                      : clones_.at(operand));
      }
      clones_[instruction] =
          builder_.AddInstruction(instruction->CloneWithNewOperands(instruction->shape(), own));
    }
  }

  const absl::Span<HloInstruction* const> outputs_;
  const absl::FunctionRef<bool(const HloInstruction&)> inside_;
  HloComputation::Builder builder_;
  std::vector<HloInstruction*> operands_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> clones_;
};

}  // namespace

HloInstruction* Outline(HloComputation& computation, absl::Span<HloInstruction* const> outputs,
                        absl::FunctionRef<bool(const HloInstruction&)> inside) {
  Outliner outliner(outputs, inside);
  HloComputation* fused = computation.parent()->AddEmbeddedComputation(outliner.Make());
  fused->SetExecutionThread(computation.execution_thread());
  return computation.AddInstruction(HloInstruction::CreateFusion(fused->root_instruction()->shape(),
                                                                 HloInstruction::FusionKind::kLoop,
                                                                 outliner.operands(), fused));
}

absl::Status ReplaceUse(HloInstruction& old, HloInstruction& user, HloInstruction& result) {
  for (int64_t i : user.operand_indices(&old))
    HILO_RETURN_IF_ERROR(old.ReplaceUseWith(&user, static_cast<int>(i), &result));
  return absl::OkStatus();
}

absl::Status ReplaceUses(HloInstruction& old, HloInstruction& result) {
  const std::vector<HloInstruction*> users = old.users();
  for (HloInstruction* user : users) HILO_RETURN_IF_ERROR(ReplaceUse(old, *user, result));
  if (old.IsRoot()) old.parent()->set_root_instruction(&result);
  return absl::OkStatus();
}

absl::Status ReplaceByFusion(HloComputation& computation, absl::Span<HloInstruction* const> outputs,
                             HloInstruction& fusion) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    HloInstruction* result = &fusion;
    if (outputs.size() > 1) {
      result = computation.AddInstruction(
          HloInstruction::CreateGetTupleElement(&fusion, static_cast<int64_t>(i)));
    }
    HILO_RETURN_IF_ERROR(ReplaceUses(*outputs[i], *result));
  }
  return absl::OkStatus();
}

}  // namespace xla::cpu

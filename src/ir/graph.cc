#include "ir/graph.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla {

std::string SanitizeName(absl::string_view name) {
  if (name.empty()) return "_";
  std::string result(name);
  if (!absl::ascii_isalpha(result[0]) && result[0] != '_') result[0] = '_';
  for (char& c : result) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '.' && c != '-') c = '_';
  }
  // Names of element types are words of the grammar; tuples and buffers are written without theirs.
  if (primitive_util::IsPrimitiveTypeName(result) && result != "tuple" && result != "buffer") {
    result += "_";
  }
  if (absl::StartsWith(result, "__") && !absl::StartsWith(result, "__xla_")) result[0] = 'a';
  return result;
}

void NormalizeAttributes(HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kCompare) {
    auto& compare = instruction.mutable_attributes_as<CompareAttributes>();
    if (!compare.type.has_value() || instruction.operand_count() == 0) return;
    const Shape& operand = instruction.operand(0)->shape();
    if (!operand.IsArray()) return;
    const Comparison::Type default_type =
        Comparison::DefaultComparisonType(operand.element_type());
    if (*compare.type == static_cast<int>(default_type)) compare.type.reset();
  } else if (instruction.opcode() == HloOpcode::kFusion) {
    for (HloComputation* fused : instruction.called_computations()) fused->set_is_fusion(true);
  } else if (instruction.SupportsPrecisionConfig() &&
             instruction.opcode() != HloOpcode::kCustomCall) {
    constexpr int kFactors = 2;
    auto* precision = instruction.mutable_precision_config()->mutable_operand_precision();
    if (precision->empty()) precision->Resize(kFactors, PrecisionConfig::DEFAULT);
  }
}

absl::Status CheckResultAccuracy(const ResultAccuracy& accuracy) {
  if (!accuracy.has_tolerance()) return absl::OkStatus();
  const ResultAccuracy::Tolerance& tolerance = accuracy.tolerance();
  if (tolerance.atol() >= 0 && tolerance.rtol() >= 0 && tolerance.ulps() >= 0) {
    return absl::OkStatus();
  }
  return InvalidArgument("Negative tolerance: atol=%g, rtol=%g, ulps=%d", tolerance.atol(),
                         tolerance.rtol(), tolerance.ulps());
}

bool SideEffects::Has(const HloInstruction& instruction) {
  if (instruction.HasSideEffectNoRecurse()) return true;
  return absl::c_any_of(instruction.called_computations(),
                        [this](const HloComputation* callee) { return Has(*callee); });
}

bool SideEffects::Has(const HloComputation& computation) {
  std::vector<const HloComputation*> stack = {&computation};
  while (!stack.empty()) {
    const HloComputation* top = stack.back();
    const auto [found, is_new] = states_.try_emplace(top, State::kOpen);
    if (!is_new) {
      if (found->second == State::kOpen) found->second = Conclude(*top);
      stack.pop_back();
      continue;
    }
    for (const HloInstruction* instruction : top->instructions()) {
      for (const HloComputation* callee : instruction->called_computations()) {
        if (!states_.contains(callee)) stack.push_back(callee);
      }
    }
  }
  return states_.at(&computation) == State::kHasSideEffect;
}

SideEffects::State SideEffects::Conclude(const HloComputation& computation) const {
  for (const HloInstruction* instruction : computation.instructions()) {
    if (instruction->HasSideEffectNoRecurse()) return State::kHasSideEffect;
    for (const HloComputation* callee : instruction->called_computations()) {
      if (states_.at(callee) == State::kHasSideEffect) return State::kHasSideEffect;
    }
  }
  return State::kPure;
}

absl::flat_hash_set<const HloInstruction*> NeededFor(std::vector<const HloInstruction*> values) {
  absl::flat_hash_set<const HloInstruction*> needed;
  while (!values.empty()) {
    const HloInstruction* value = values.back();
    values.pop_back();
    if (!needed.insert(value).second) continue;
    values.insert(values.end(), value->operands().begin(), value->operands().end());
  }
  return needed;
}

}  // namespace xla

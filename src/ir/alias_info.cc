#include "xla/hlo/analysis/alias_info.h"

namespace xla {
namespace {

using Pairs = std::vector<AliasInfo::InPlacePair>;

// Element i of the result is operand i, updated; without a tuple, the result is operand 0.
Pairs OperandsInOrder(const HloInstruction& user, int64_t count) {
  Pairs pairs;
  for (int64_t i = 0; i < count; ++i) {
    pairs.push_back({{i, {}}, user.shape().IsTuple() ? ShapeIndex{i} : ShapeIndex{}});
  }
  return pairs;
}

Pairs DeclaredAliases(const HloInstruction& user) {
  Pairs pairs;
  for (const auto& [result_index, operand] : user.output_to_operand_aliasing()) {
    pairs.push_back({{operand.first, operand.second}, result_index});
  }
  return pairs;
}

Pairs State(const HloInstruction& loop) {
  Pairs pairs;
  ShapeUtil::ForEachSubshape(loop.shape(), [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsArray()) pairs.push_back({{0, index}, index});
  });
  return pairs;
}

}  // namespace

std::vector<AliasInfo::InPlacePair> AliasInfo::GetInPlaceInputOutputPairs(
    const HloInstruction* user) const {
  if (auto pairs = GetNonDefaultInPlaceInputOutputPairs(user); pairs.has_value()) return *pairs;
  switch (user->opcode()) {
    case HloOpcode::kDynamicUpdateSlice:
      return OperandsInOrder(*user, 1);
    case HloOpcode::kScatter:
      return OperandsInOrder(*user, user->operand_count() / 2);
    case HloOpcode::kAllReduceStart:
      return OperandsInOrder(*user, user->operand_count());
    case HloOpcode::kWhile:
      return State(*user);
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
    case HloOpcode::kCustomCall:
    case HloOpcode::kAsyncStart:
      return DeclaredAliases(*user);
    default:
      return {};
  }
}

}  // namespace xla

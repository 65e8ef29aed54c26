#include <vector>

#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

HloInstruction* Spread(GraphBuilder& builder, const LiteralSlice& literal) {
  if (!literal.shape().IsTuple()) return builder.Constant(literal.Clone());
  std::vector<HloInstruction*> parts;
  for (int i = 0; i < literal.shape().tuple_shapes_size(); ++i)
    parts.push_back(Spread(builder, LiteralSlice(literal, {i})));
  return builder.Tuple(parts);
}

absl::StatusOr<HloInstruction*> ExpandConstant(HloInstruction& instruction) {
  GraphBuilder builder(instruction);
  if (instruction.opcode() == HloOpcode::kConstant && instruction.shape().IsTuple())
    return Spread(builder, instruction.literal());
  if (instruction.opcode() == HloOpcode::kGetDimensionSize &&
      !instruction.operand(0)->shape().is_dynamic()) {
    const int64_t dimension = instruction.attributes_as<OneDimensionAttributes>().dimension;
    return builder.Constant(LiteralUtil::CreateR0<int32_t>(
        static_cast<int32_t>(instruction.operand(0)->shape().dimensions(dimension))));
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<bool> ExpandConstants(HloModule& module) {
  return ReplaceEach(module, ExpandConstant);
}

}  // namespace xla::passes

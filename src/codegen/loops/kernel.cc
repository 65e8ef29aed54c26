#include "codegen/loops/kernel.h"

#include "codegen/loops/schedule.h"
#include "xla/shape_util.h"

namespace xla::loops {

Values ResultsOf(const HloComputation& computation) {
  const HloInstruction& root = *computation.root_instruction();
  if (root.opcode() != HloOpcode::kTuple) return {&root};
  return Values(root.operands().begin(), root.operands().end());
}

const Shape& ComputedShape(const HloInstruction& result) {
  if (result.opcode() == HloOpcode::kDynamicUpdateSlice) return result.operand(1)->shape();
  return result.shape().IsTuple() ? result.shape().tuple_shapes(0) : result.shape();
}

int64_t ArraysOf(const HloInstruction& result) {
  return result.shape().IsTuple() ? result.shape().tuple_shapes_size() : 1;
}

bool IsReduction(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kReduce && !instruction.dimensions().empty();
}

int64_t ElementsAlong(const Kernel& kernel, const Node& vector) {
  int64_t elements = 1;
  for (int d : vector.dimensions) elements *= kernel.sizes[d];
  return elements;
}

int64_t Units(const Kernel& kernel) {
  const Node& grid = kernel.body[0];
  int64_t units = 1;
  for (size_t i = 0; i < grid.dimensions.size(); ++i)
    units *= (kernel.sizes[grid.dimensions[i]] + grid.steps[i] - 1) / grid.steps[i];
  if (grid.strip == 0) return units;
  int64_t elements = 1;
  ForEachNode(kernel, [&](const Node& node) {
    if (node.kind == Node::Kind::kVector) elements = ElementsAlong(kernel, node);
  });
  return units * ((elements + grid.strip - 1) / grid.strip);
}

}  // namespace xla::loops

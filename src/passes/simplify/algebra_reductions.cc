#include <vector>

#include "absl/algorithm/container.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/simplify/algebra.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// The opcode of a function that applies one operation to its two parameters, in order.
std::optional<HloOpcode> BinaryFunction(const HloComputation& function) {
  const HloInstruction& root = *function.root_instruction();
  if (function.num_parameters() != 2 || root.operand_count() != 2 || !root.IsElementwise() ||
      root.opcode() == HloOpcode::kCompare || root.opcode() == HloOpcode::kMap ||
      root.operand(0) != function.parameter_instruction(0) ||
      root.operand(1) != function.parameter_instruction(1)) {
    return std::nullopt;
  }
  return root.opcode();
}

// Over dimensions of size 1, each element meets the initial value once; over none, nothing happens
// to it.
HloInstruction* Reduce(HloInstruction& reduce) {
  if (reduce.operand_count() != 2) return nullptr;
  HloInstruction* x = reduce.mutable_operand(0);
  HloInstruction* initial = reduce.mutable_operand(1);
  GraphBuilder b(reduce);
  if (ShapeUtil::ElementsIn(x->shape()) == 0) {
    return reduce.shape().dimensions_size() == 0
               ? initial
               : b.Broadcast(initial, reduce.shape().dimensions());
  }
  const std::optional<HloOpcode> opcode = BinaryFunction(*reduce.to_apply());
  if (!opcode.has_value() || reduce.dimensions().empty() ||
      x->shape().element_type() != reduce.shape().element_type() ||
      initial->shape().element_type() != reduce.shape().element_type() ||
      !absl::c_all_of(reduce.dimensions(),
                      [&](int64_t d) { return x->shape().dimensions(static_cast<int>(d)) == 1; })) {
    return nullptr;
  }
  return b.Binary(*opcode, initial, b.Reshape(x, reduce.shape().dimensions()));
}

// There is nothing to order.
HloInstruction* Sort(HloInstruction& sort) {
  const auto& attributes = sort.attributes_as<SortAttributes>();
  if (sort.operand(0)->shape().dimensions(static_cast<int>(attributes.dimension)) > 1)
    return nullptr;
  if (!sort.shape().IsTuple()) return sort.mutable_operand(0);
  return GraphBuilder(sort).Tuple(sort.operands());
}

// The best of one is that one.
HloInstruction* TopK(HloInstruction& top) {
  HloInstruction* x = top.mutable_operand(0);
  const Shape &values = top.shape().tuple_shapes(0), &indices = top.shape().tuple_shapes(1);
  if (x->shape().dimensions(x->shape().dimensions_size() - 1) != 1 ||
      values.dimensions() != x->shape().dimensions()) {
    return nullptr;
  }
  GraphBuilder b(top);
  return b.Tuple({x, b.Broadcast(b.Number(indices.element_type(), 0), indices.dimensions(), {})});
}

constexpr OpcodeRule kReductionRules[] = {
    {HloOpcode::kReduce, Reduce},
    {HloOpcode::kSort, Sort},
    {HloOpcode::kTopK, TopK},
};

}  // namespace

absl::Span<const OpcodeRule> ReductionRules() { return kReductionRules; }

}  // namespace xla::passes

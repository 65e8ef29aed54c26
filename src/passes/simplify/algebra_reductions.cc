#include <vector>

#include "absl/algorithm/container.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/reducer.h"
#include "passes/simplify/algebra.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"
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

// Arrays that are stacked to be reduced are combined one after the other.
constexpr int64_t kMostStacked = 16;

// Whether an array is many of one index along a dimension that is reduced, for nobody else.
bool IsStacked(const HloInstruction& x, absl::Span<const int64_t> reduced) {
  if (x.opcode() != HloOpcode::kConcatenate || x.operand_count() > kMostStacked ||
      x.user_count() > 1 || !absl::c_linear_search(reduced, x.dimensions(0))) {
    return false;
  }
  return absl::c_all_of(x.operands(), [&](const HloInstruction* part) {
    return part->shape().dimensions(static_cast<int>(x.dimensions(0))) == 1;
  });
}

// A reduction over arrays that are stacked: of their combination over what other dimensions there
// are. Narrow numbers are added up as wider ones.
HloInstruction* ReduceStacked(HloInstruction& reduce, HloOpcode opcode) {
  HloInstruction& stack = *reduce.mutable_operand(0);
  HloInstruction* initial = reduce.mutable_operand(1);
  const PrimitiveType type = reduce.shape().element_type();
  const bool is_narrow =
      primitive_util::IsFloatingPointType(type) && primitive_util::BitWidth(type) < 32;
  if (!IsStacked(stack, reduce.dimensions()) || !IsAssociative(opcode) || is_narrow) return nullptr;
  GraphBuilder b(reduce);
  const int64_t dimension = stack.dimensions(0);
  std::vector<int64_t> sizes(stack.shape().dimensions().begin(), stack.shape().dimensions().end());
  sizes.erase(sizes.begin() + dimension);
  const bool is_all = reduce.dimensions().size() == 1;
  HloInstruction* combined = is_all ? initial : nullptr;
  for (HloInstruction* part : stack.operands()) {
    HloInstruction* x = b.Reshape(part, sizes);
    combined = combined == nullptr ? x : b.Binary(opcode, combined, x);
  }
  if (is_all) return combined;
  std::vector<int64_t> others;
  for (int64_t d : reduce.dimensions()) {
    if (d != dimension) others.push_back(d < dimension ? d : d - 1);
  }
  return b.Add(
      HloInstruction::CreateReduce(reduce.shape(), combined, initial, others, reduce.to_apply()));
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
      initial->shape().element_type() != reduce.shape().element_type()) {
    return nullptr;
  }
  if (HloInstruction* of_parts = ReduceStacked(reduce, *opcode)) return of_parts;
  if (!absl::c_all_of(reduce.dimensions(),
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

#include <algorithm>
#include <map>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/loops/schedule.h"
#include "passes/reducer.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::loops {
namespace {

// One node for the reductions that wait for no other, one for those that wait for them, and so on:
// what is reduced in the same loops is computed together.
std::vector<Node> ReductionsByDepth(const HloComputation& computation) {
  absl::flat_hash_map<const HloInstruction*, int> depths;
  std::map<int, Node> nodes;
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    int depth = 0;
    for (const HloInstruction* operand : instruction->operands())
      depth = std::max(depth, depths[operand]);
    if (IsReduction(*instruction)) {
      nodes.try_emplace(depth, Node{Node::Kind::kReduce})
          .first->second.values.push_back(instruction);
      ++depth;
    }
    depths[instruction] = depth;
  }
  std::vector<Node> in_order;
  for (auto& [depth, node] : nodes) in_order.push_back(std::move(node));
  return in_order;
}

// Whether rows of elements are reduced one after the other, rather than several interleaved.
bool ByRows(const HloInstruction& reduce, const Sizes& sizes) {
  if (!ReducesRows(reduce)) return false;
  const Shape& kept = ComputedShape(reduce);
  const int64_t columns = reduce.operand(0)->shape().dimensions().back();
  return static_cast<int64_t>(sizes.size()) > kept.dimensions_size() ||
         kept.dimensions_size() == 0 || columns >= kShortRow || kept.dimensions().back() < columns;
}

bool Compares(const HloInstruction& instruction, int64_t x, int64_t y) {
  const auto is = [&](int64_t operand, int64_t parameter) {
    return instruction.operand(operand)->opcode() == HloOpcode::kParameter &&
           instruction.operand(operand)->parameter_number() == parameter;
  };
  return instruction.opcode() == HloOpcode::kCompare &&
         ((is(0, x) && is(1, y)) || (is(0, y) && is(1, x)));
}

// Sums, products and the like have neutral elements. The place of an extreme value may be found in
// any order where the function itself decides between equals by comparing places; others, such as
// the place of whichever of several equals comes first, depend on it.
Node::Order OrderOf(const HloInstruction& reduce) {
  const HloComputation& function = *reduce.to_apply();
  const HloOpcode opcode = function.root_instruction()->opcode();
  if (passes::ReducingOperationOf(function).has_value()) {
    const PrimitiveType type = function.root_instruction()->shape().element_type();
    // Infinite complex numbers change when they are multiplied by 1.
    const bool is_exact = !primitive_util::IsComplexType(type) || opcode == HloOpcode::kAdd;
    return is_exact && passes::NeutralElement(opcode, type).has_value() ? Node::Order::kFromNeutral
           : passes::IsAssociative(opcode)                              ? Node::Order::kFromFirst
                                                                        : Node::Order::kInOrder;
  }
  const bool compares_places = reduce.operand_count() == 4 && !passes::IsAssociative(opcode) &&
                               absl::c_any_of(function.instructions(), [](const auto* each) {
                                 return Compares(*each, 1, 3);
                               });
  return compares_places ? Node::Order::kFromFirst : Node::Order::kInOrder;
}

}  // namespace

Kernel Lower(const HloComputation& computation) {
  Kernel kernel;
  kernel.computation = &computation;
  const Values results = ResultsOf(computation);
  const Shape* largest = &ComputedShape(*results[0]);
  for (const HloInstruction* result : results) {
    if (ComputedShape(*result).dimensions_size() > largest->dimensions_size())
      largest = &ComputedShape(*result);
  }
  kernel.sizes.assign(largest->dimensions().begin(), largest->dimensions().end());
  std::vector<Node> reductions = ReductionsByDepth(computation);
  const int rank = largest->dimensions_size();
  const bool by_rows = !reductions.empty() && ByRows(*reductions[0].values[0], kernel.sizes);
  // Dimensions of units; loops have the others.
  const int of_rows =
      by_rows ? ComputedShape(*reductions[0].values[0]).dimensions_size() : std::max(rank - 1, 0);

  Node grid = {Node::Kind::kGrid};
  for (int d = 0; d < of_rows; ++d) grid.dimensions.push_back(d);
  grid.steps.assign(of_rows, 1);
  std::vector<Node> stores;
  int64_t number = 0;
  for (Node& node : reductions) {
    node.by_rows = by_rows;
    node.order = by_rows ? Node::Order::kFromNeutral : Node::Order::kInOrder;
    for (const HloInstruction* reduce : node.values)
      node.order = std::max(node.order, OrderOf(*reduce));
    std::vector<Node>& place = !by_rows ? stores : of_rows == 0 ? kernel.before : grid.body;
    place.push_back(std::move(node));
  }
  for (const HloInstruction* result : results) {
    Node store = {Node::Kind::kStore};
    store.result = number;
    store.values = {result};
    number += ArraysOf(*result);
    const bool is_of_row = of_rows == rank || ComputedShape(*result).dimensions_size() < rank;
    (is_of_row ? grid.body : stores).push_back(std::move(store));
  }
  if (of_rows < rank) {
    Node nest = {Node::Kind::kVector};
    nest.dimensions = {rank - 1};
    nest.end = kernel.sizes.back();
    nest.body = std::move(stores);
    for (int d = rank - 2; d >= of_rows; --d) {
      Node loop = {Node::Kind::kLoop};
      loop.dimensions = {d};
      loop.body.push_back(std::move(nest));
      nest = std::move(loop);
    }
    grid.body.push_back(std::move(nest));
  }
  kernel.body.push_back(std::move(grid));
  return kernel;
}

}  // namespace xla::loops

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/loops/schedule.h"
#include "passes/cost.h"
#include "xla/primitive_util.h"

namespace xla::loops {
namespace {

// The loops that run along rows in vectors: reductions, and results from what they give.
std::vector<Node*> RowLoops(Kernel& kernel) {
  std::vector<Node*> loops;
  for (std::vector<Node>* nodes : {&kernel.before, &kernel.body[0].body}) {
    for (Node& node : *nodes) {
      const bool is_vectors = node.order != Node::Order::kInOrder;
      if ((node.kind == Node::Kind::kReduce && is_vectors) || node.kind == Node::Kind::kVector)
        loops.push_back(&node);
    }
  }
  const bool has_results = !loops.empty() && loops.back()->kind == Node::Kind::kVector;
  const bool has_rows = !loops.empty() && loops.front()->by_rows;
  if (!has_results || !has_rows) loops.clear();
  return loops;
}

Values ComputedIn(const Node& loop) {
  Values values;
  for (const HloInstruction* reduce : loop.values) {
    for (int64_t i = 0; i < reduce->operand_count() / 2; ++i) values.push_back(reduce->operand(i));
  }
  for (const Node& store : loop.body) values.push_back(store.values[0]);
  return values;
}

}  // namespace

void KeepRowValues(Kernel& kernel, const Conditions& conditions) {
  const std::vector<Node*> loops = RowLoops(kernel);
  absl::flat_hash_map<const HloInstruction*, std::vector<Node*>> loops_of;
  for (Node* loop : loops) {
    ForEachAtSameIndex(ComputedIn(*loop), kernel.sizes,
                       [&](const HloInstruction& each) { loops_of[&each].push_back(loop); });
  }
  int64_t bytes_left = conditions.target.row_scratch_bytes;
  for (const HloInstruction* instruction : kernel.computation->MakeInstructionPostOrder()) {
    const auto found = loops_of.find(instruction);
    if (found == loops_of.end() || found->second.size() < 2 || !passes::IsExpensive(*instruction))
      continue;
    const PrimitiveType type = instruction->shape().element_type();
    const int64_t bytes =
        kernel.sizes.back() * primitive_util::ByteWidth(
                                  type == BF16 && conditions.keeps_excess_precision ? F32 : type) +
        64;
    if (bytes > bytes_left) continue;
    bytes_left -= bytes;
    kernel.scratch.push_back(instruction);
    found->second[0]->stores.push_back(instruction);
    for (size_t i = 1; i < found->second.size(); ++i)
      found->second[i]->loads.push_back(instruction);
  }
}

}  // namespace xla::loops

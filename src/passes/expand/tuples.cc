#include <memory>
#include <vector>

#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"

namespace xla::passes {
namespace {

// The array of which `sparse` has some elements and their places in blocks along a dimension: each
// element goes where the number of the place in the block is its own.
HloInstruction* Dense(GraphBuilder& builder, HloInstruction* sparse,
                      const SparsityConfig::TensorSparsityConfig& sparsity) {
  HloInstruction* values = builder.Part(sparse, 0);
  HloInstruction* places = builder.Part(sparse, 1);
  const PrimitiveType type = values->shape().element_type();
  const PrimitiveType place_type = places->shape().element_type();
  // [..., blocks, places in a block, elements of a block, ...]
  std::vector<int64_t> stored, blocked, dense, from;
  for (int64_t d = 0; d < values->shape().dimensions_size(); ++d) {
    const int64_t size = values->shape().dimensions(d);
    const bool is_sparse = d == sparsity.dimension();
    const int64_t blocks = is_sparse ? size / sparsity.num_non_zero() : size;
    from.push_back(static_cast<int64_t>(blocked.size()));
    stored.push_back(blocks);
    blocked.push_back(blocks);
    dense.push_back(is_sparse ? blocks * sparsity.block_size() : size);
    if (!is_sparse) continue;
    stored.push_back(sparsity.num_non_zero());
    from.push_back(static_cast<int64_t>(blocked.size()) + 1);
    blocked.push_back(sparsity.block_size());
    blocked.push_back(sparsity.num_non_zero());
  }
  const auto spread = [&](HloInstruction* x) {
    return builder.Broadcast(builder.Reshape(x, stored), blocked, from);
  };
  const int64_t place = sparsity.dimension() + 1;
  HloInstruction* number = builder.Iota(place_type, blocked, place);
  HloInstruction* is_here = builder.Compare(Comparison::Direction::kEq, spread(places), number);
  HloInstruction* found = builder.Select(is_here, spread(values), builder.Number(type, 0));
  return builder.Reshape(builder.Sum(found, {place + 1}), dense);
}

// A sparse operand of a convolution is a tuple of elements and places.
HloInstruction* ConvolveDense(HloInstruction& convolution) {
  auto attributes =
      std::make_unique<ConvolutionAttributes>(convolution.attributes_as<ConvolutionAttributes>());
  const SparsityConfig sparsity = attributes->sparsity;
  if (!sparsity.has_lhs() && !sparsity.has_rhs()) return nullptr;
  GraphBuilder builder(convolution);
  HloInstruction* lhs = convolution.mutable_operand(0);
  HloInstruction* rhs = convolution.mutable_operand(1);
  if (sparsity.has_lhs()) lhs = Dense(builder, lhs, sparsity.lhs());
  if (sparsity.has_rhs()) rhs = Dense(builder, rhs, sparsity.rhs());
  attributes->sparsity.Clear();
  return builder.Add(HloInstruction::Create(HloOpcode::kConvolution, convolution.shape(),
                                            {lhs, rhs}, std::move(attributes), {}));
}

absl::StatusOr<HloInstruction*> ExpandTupleInstruction(HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kConvolution) return ConvolveDense(instruction);
  const bool is_copy = instruction.opcode() == HloOpcode::kCopy && instruction.shape().IsTuple();
  return is_copy ? instruction.mutable_operand(0) : nullptr;
}

}  // namespace

absl::StatusOr<bool> ExpandTupleOperations(HloModule& module) {
  return ReplaceEach(module, ExpandTupleInstruction);
}

}  // namespace xla::passes

#include "ir/kept_dimensions.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "ir/index_map.h"
#include "ir/op_info.h"
#include "ir/records.h"

namespace xla {
namespace {

KeptDimensions EqualLeadingDimensions(const Shape& from, const Shape& to) {
  KeptDimensions kept(to.dimensions_size());
  for (int d = 0; d < std::min(from.dimensions_size(), to.dimensions_size()); ++d) {
    if (from.dimensions(d) != to.dimensions(d)) break;
    kept[d] = OperandDimension{0, d};
  }
  return kept;
}

KeptDimensions ByIndexMap(const HloInstruction& instruction, const IndexMap& map) {
  const Shape& operand = instruction.operand(0)->shape();
  KeptDimensions kept(map.dimensions);
  for (int d = 0; d < operand.dimensions_size(); ++d) {
    const int variable = map.results[d].AsVariable();
    if (variable >= 0 && variable < map.dimensions && map.sizes[variable] == operand.dimensions(d))
      kept[variable] = OperandDimension{0, d};
  }
  return kept;
}

// Dimensions of slices are those of the operand; all others are those of the start indices.
KeptDimensions OfGather(const HloInstruction& gather) {
  const auto& attributes = gather.attributes_as<GatherAttributes>();
  const Shape& operand = gather.operand(0)->shape();
  KeptDimensions kept(gather.shape().dimensions_size());
  auto to = attributes.offset_dims.begin();
  for (int d = 0; d < operand.dimensions_size(); ++d) {
    if (absl::c_linear_search(attributes.collapsed_slice_dims, d) ||
        absl::c_linear_search(attributes.operand_batching_dims, d)) {
      continue;
    }
    if (operand.dimensions(d) == attributes.slice_sizes[d]) kept[*to] = OperandDimension{0, d};
    ++to;
  }
  int64_t batch = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(kept.size()); ++d) {
    if (absl::c_linear_search(attributes.offset_dims, d)) continue;
    if (batch == attributes.index_vector_dim) ++batch;
    kept[d] = OperandDimension{1, batch++};
  }
  return kept;
}

}  // namespace

std::optional<KeptDimensions> FindKeptDimensions(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBitcast:
    case HloOpcode::kBitcastConvert:
      return EqualLeadingDimensions(instruction.operand(0)->shape(), instruction.shape());
    case HloOpcode::kGather:
      return OfGather(instruction);
    case HloOpcode::kBroadcast:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      break;
    default:
      if (!HasTrait(instruction.opcode(), kElementwise) || instruction.operand_count() != 1)
        return std::nullopt;
      break;
  }
  const std::optional<IndexMap> map = OperandMap(instruction, 0);
  if (!map.has_value()) return std::nullopt;
  return ByIndexMap(instruction, *map);
}

}  // namespace xla

#include "passes/partition/propagate.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_instructions.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

// Which dimension of an operand each dimension of the result goes along with; -1 for none.
using DimensionMap = std::vector<int64_t>;

DimensionMap Identity(int64_t rank) {
  DimensionMap map(rank);
  absl::c_iota(map, 0);
  return map;
}

// Of a reshape: dimensions that keep their size, with equal products before them.
DimensionMap ReshapeMap(const Shape& from, const Shape& to) {
  DimensionMap map(to.dimensions_size(), -1);
  int64_t before_from = 1, before_to = 1;
  for (int i = 0, j = 0; i < from.dimensions_size() && j < to.dimensions_size();) {
    if (before_from == before_to && from.dimensions(i) == to.dimensions(j)) map[j] = i;
    const bool takes_from = before_from <= before_to;
    const bool takes_to = before_to <= before_from;
    if (takes_from) before_from *= from.dimensions(i++);
    if (takes_to) before_to *= to.dimensions(j++);
  }
  return map;
}

DimensionMap ReduceMap(const HloInstruction& reduce) {
  DimensionMap map;
  for (int64_t i = 0; i < reduce.operand(0)->shape().dimensions_size(); ++i) {
    if (!absl::c_linear_search(reduce.dimensions(), i)) map.push_back(i);
  }
  return map;
}

DimensionMap DotMap(const HloInstruction& dot, int operand) {
  const DotDimensionNumbers& numbers = dot.dot_dimension_numbers();
  const auto& batch = numbers.lhs_batch_dimensions();
  const auto& own_batch =
      operand == 0 ? numbers.lhs_batch_dimensions() : numbers.rhs_batch_dimensions();
  const auto& contracting =
      operand == 0 ? numbers.lhs_contracting_dimensions() : numbers.rhs_contracting_dimensions();
  const DimensionVector free = GetNonContractingDims(
      dot.operand(operand)->shape().dimensions_size(), contracting, own_batch);
  DimensionMap map(dot.shape().dimensions_size(), -1);
  absl::c_copy(own_batch, map.begin());
  if (operand == 0) {
    absl::c_copy(free, map.begin() + batch.size());
  } else {
    absl::c_copy(free, map.end() - static_cast<int64_t>(free.size()));
  }
  return map;
}

// Dimensions of which the result has all elements.
DimensionMap SameSizeMap(const Shape& from, const Shape& to) {
  DimensionMap map(to.dimensions_size(), -1);
  for (int i = 0; i < to.dimensions_size(); ++i) {
    if (from.dimensions(i) == to.dimensions(i)) map[i] = i;
  }
  return map;
}

// None where the operand says nothing about the result.
std::optional<DimensionMap> MapOf(const HloInstruction& instruction, int operand) {
  const Shape& from = instruction.operand(operand)->shape();
  const Shape& to = instruction.shape();
  if (!from.IsArray() || !to.IsArray()) return std::nullopt;
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast: {
      DimensionMap map(to.dimensions_size(), -1);
      for (size_t i = 0; i < instruction.dimensions().size(); ++i)
        map[instruction.dimensions(i)] = static_cast<int64_t>(i);
      return map;
    }
    case HloOpcode::kTranspose:
      return DimensionMap(instruction.dimensions().begin(), instruction.dimensions().end());
    case HloOpcode::kReshape:
      return ReshapeMap(from, to);
    case HloOpcode::kReduce:
      if (operand != 0) return std::nullopt;
      return ReduceMap(instruction);
    case HloOpcode::kDot:
      if (operand > 1) return std::nullopt;
      return DotMap(instruction, operand);
    case HloOpcode::kSlice:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kPad:
      if (operand != 0) return std::nullopt;
      return SameSizeMap(from, to);
    case HloOpcode::kConcatenate:
      return SameSizeMap(from, to);
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kCopy:
    case HloOpcode::kReverse:
    case HloOpcode::kBitcastConvert:
      if (operand != 0 || !ShapeUtil::SameDimensions(from, to)) return std::nullopt;
      return Identity(to.dimensions_size());
    default:
      if (!HasTrait(instruction.opcode(), kElementwise) || !ShapeUtil::SameDimensions(from, to))
        return std::nullopt;
      return Identity(to.dimensions_size());
  }
}

// The operand's sharding with the dimensions of the result; devices that differ along dimensions
// that the result does not have hold the same.
std::optional<HloSharding> Follow(const HloSharding& sharding, const DimensionMap& map) {
  if (!sharding.IsTiled() || sharding.IsManualSubgroup()) return std::nullopt;
  const HloSharding tiled = sharding.IsNamed() ? HloSharding::V3ToV2Sharding(sharding) : sharding;
  if (!tiled.IsTiled()) return std::nullopt;
  const TileAssignment& from = tiled.tile_assignment();
  std::vector<int> permutation;
  std::vector<int64_t> sizes;
  int64_t tiles = 1;
  for (const int64_t dimension : map) {
    sizes.push_back(dimension < 0 ? 1 : from.dim(dimension));
    tiles *= sizes.back();
    if (dimension >= 0) permutation.push_back(static_cast<int>(dimension));
  }
  if (tiles == 1) return std::nullopt;
  for (int i = 0; i < from.num_dimensions(); ++i) {
    if (!absl::c_linear_search(permutation, i)) permutation.push_back(i);
  }
  sizes.push_back(from.num_elements() / tiles);
  const TileAssignment assignment = from.Transpose(permutation).Reshape(sizes);
  return HloSharding::PartialTile(assignment);
}

int64_t TileCount(const std::optional<HloSharding>& sharding) {
  return sharding.has_value() ? sharding->NumTiles() : 1;
}

std::optional<HloSharding> FromOperands(const HloInstruction& instruction,
                                        const Shardings& shardings) {
  std::optional<HloSharding> best;
  for (int i = 0; i < instruction.operand_count(); ++i) {
    const auto found = shardings.find(instruction.operand(i));
    if (found == shardings.end()) continue;
    const std::optional<DimensionMap> map = MapOf(instruction, i);
    if (!map.has_value()) continue;
    std::optional<HloSharding> followed = Follow(found->second, *map);
    if (TileCount(followed) > TileCount(best)) best = std::move(followed);
  }
  return best;
}

// What the program itself says.
std::optional<HloSharding> Stated(const HloInstruction& instruction) {
  if (!instruction.has_sharding() || !instruction.shape().IsArray()) return std::nullopt;
  const HloSharding& sharding = instruction.sharding();
  if (sharding.IsUnknown() || sharding.IsTuple()) return std::nullopt;
  return sharding;
}

}  // namespace

Shardings PropagateShardings(const HloComputation& computation) {
  Shardings shardings;
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    std::optional<HloSharding> sharding = Stated(*instruction);
    if (!sharding.has_value()) sharding = FromOperands(*instruction, shardings);
    if (sharding.has_value()) shardings.insert({instruction, *std::move(sharding)});
  }
  return shardings;
}

}  // namespace xla::passes

#include "passes/partition/shards.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "passes/graph_builder.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

// The number of `values`, of which there is one for each partition, that belongs to this one.
HloInstruction* OfPartition(GraphBuilder& graph, const std::vector<int64_t>& values) {
  HloInstruction* const partition = graph.Add(HloInstruction::CreatePartitionId());
  HloInstruction* const table = graph.Constant(LiteralUtil::CreateR1<int64_t>(values));
  HloInstruction* const value = graph.Add(HloInstruction::CreateDynamicSlice(
      ShapeUtil::MakeShape(S64, {1}), table, {graph.Convert(partition, S64)}, {1}));
  return graph.Reshape(value, {});
}

}  // namespace

absl::StatusOr<Division> Division::Of(const HloSharding& sharding, int64_t rank, int64_t devices) {
  Division division;
  division.tiles_.assign(rank, 1);
  division.tile_of_.assign(devices, std::vector<int64_t>(rank, 0));
  if (sharding.IsUnreduced()) {
    for (int64_t device = 0; device < devices; ++device)
      division.tile_of_[device].push_back(device);
    division.summands_ = rank;
  }
  if (!sharding.IsTiled()) return division;
  const HloSharding tiled = sharding.IsNamed() ? HloSharding::V3ToV2Sharding(sharding) : sharding;
  if (!tiled.IsTiled()) return division;
  const TileAssignment& assignment = tiled.tile_assignment();
  if (assignment.num_elements() != devices) {
    return InvalidArgument("the sharding %s is for %d devices, but the program has %d partitions",
                           sharding.ToString(), assignment.num_elements(), devices);
  }
  if (tiled.TiledDataRank() != rank) {
    return InvalidArgument("the sharding %s does not fit an array of %d dimensions",
                           sharding.ToString(), rank);
  }
  for (int64_t i = 0; i < rank; ++i) division.tiles_[i] = assignment.dim(i);
  const auto& subgroups = tiled.subgroup_types();
  const auto unreduced = absl::c_find(subgroups, OpSharding::UNREDUCED);
  if (unreduced != subgroups.end()) division.summands_ = rank + (unreduced - subgroups.begin());
  bool is_valid = true;
  assignment.Each([&](absl::Span<const int64_t> tile, int64_t device) {
    is_valid = is_valid && 0 <= device && device < devices;
    if (is_valid) division.tile_of_[device].assign(tile.begin(), tile.end());
  });
  if (!is_valid) {
    return InvalidArgument("the sharding %s names devices beyond the %d partitions",
                           sharding.ToString(), devices);
  }
  return division;
}

Division Division::Coarsened(absl::Span<const int64_t> tiles) const {
  Division coarse = *this;
  for (size_t i = 0; i < tiles_.size(); ++i) {
    const int64_t merged = tiles_[i] / tiles[i];
    coarse.tiles_[i] = tiles[i];
    for (std::vector<int64_t>& tile : coarse.tile_of_) {
      // What is left of the coordinate tells devices apart that have the same tile now.
      tile.push_back(tile[i] % merged);
      tile[i] /= merged;
    }
  }
  return coarse;
}

bool Division::IsWhole() const {
  return !summands_.has_value() && absl::c_all_of(tiles_, [](int64_t tiles) { return tiles == 1; });
}

bool Division::GivesSameParts(const Division& other) const {
  if (tiles_ != other.tiles_ || summands_.has_value() != other.summands_.has_value()) return false;
  for (size_t device = 0; device < tile_of_.size(); ++device) {
    const std::vector<int64_t>& tile = tile_of_[device];
    const std::vector<int64_t>& other_tile = other.tile_of_[device];
    if (!std::equal(tile.begin(), tile.begin() + tiles_.size(), other_tile.begin())) return false;
    if (summands_.has_value() && tile[*summands_] != other_tile[*other.summands_]) return false;
  }
  return true;
}

Shape Division::ShardShape(const Shape& whole) const {
  Shape shard = whole;
  for (size_t i = 0; i < tiles_.size(); ++i) {
    if (tiles_[i] != 1) shard.set_dimensions(i, CeilOfRatio(whole.dimensions(i), tiles_[i]));
  }
  return shard;
}

HloInstruction* Division::Summand(HloInstruction& shard) const {
  std::vector<int64_t> is_first;
  for (const std::vector<int64_t>& tile : tile_of_) is_first.push_back(tile[*summands_] == 0);
  GraphBuilder graph(shard);
  HloInstruction* const flag = OfPartition(graph, is_first);
  HloInstruction* const has_it =
      graph.Compare(Comparison::Direction::kNe, flag, graph.Number(S64, 0));
  HloInstruction* const zero = graph.Constant(LiteralUtil::Zero(shard.shape().element_type()));
  const absl::Span<const int64_t> sizes = shard.shape().dimensions();
  return graph.Select(graph.Broadcast(has_it, sizes), &shard, graph.Broadcast(zero, sizes));
}

HloInstruction* Division::Cut(HloInstruction& whole) const {
  if (IsWhole()) return &whole;
  GraphBuilder graph(whole);
  const Shape shard = ShardShape(whole.shape());
  std::vector<HloInstruction*> starts;
  std::vector<std::pair<int64_t, int64_t>> padding;
  for (size_t i = 0; i < tiles_.size(); ++i) {
    padding.emplace_back(0, tiles_[i] * shard.dimensions(i) - whole.shape().dimensions(i));
    if (tiles_[i] == 1) {
      starts.push_back(graph.Number(S64, 0));
      continue;
    }
    std::vector<int64_t> offsets;
    for (const std::vector<int64_t>& tile : tile_of_)
      offsets.push_back(tile[i] * shard.dimensions(i));
    starts.push_back(OfPartition(graph, offsets));
  }
  HloInstruction* source = &whole;
  if (absl::c_any_of(padding, [](const auto& edge) { return edge.second != 0; })) {
    Shape padded = whole.shape();
    for (size_t i = 0; i < tiles_.size(); ++i)
      padded.set_dimensions(i, whole.shape().dimensions(i) + padding[i].second);
    HloInstruction* const zero = graph.Constant(LiteralUtil::Zero(whole.shape().element_type()));
    source =
        graph.Add(HloInstruction::CreatePad(padded, &whole, zero, MakeEdgePaddingConfig(padding)));
  }
  HloInstruction* part = source;
  if (!ShapeUtil::SameDimensions(shard, source->shape())) {
    part = graph.Add(HloInstruction::CreateDynamicSlice(shard, source, starts, shard.dimensions()));
  }
  return summands_.has_value() ? Summand(*part) : part;
}

std::vector<std::vector<int64_t>> Division::GroupsAlong(int64_t dimension) const {
  std::map<std::vector<int64_t>, std::vector<int64_t>> groups;
  for (int64_t device = 0; device < devices(); ++device) {
    std::vector<int64_t> others = tile_of_[device];
    others[dimension] = 0;
    std::vector<int64_t>& group = groups[std::move(others)];
    const int64_t place = tile_of_[device][dimension];
    group.resize(std::max<int64_t>(group.size(), place + 1));
    group[place] = device;
  }
  std::vector<std::vector<int64_t>> result;
  for (auto& [others, group] : groups) result.push_back(std::move(group));
  return result;
}

HloInstruction* Division::Join(HloInstruction& shard, const Shape& whole) const {
  GraphBuilder graph(shard);
  HloInstruction* joined = &shard;
  Shape shape = shard.shape();
  for (size_t i = 0; i < tiles_.size(); ++i) {
    if (tiles_[i] == 1) continue;
    shape.set_dimensions(i, shape.dimensions(i) * tiles_[i]);
    auto groups = std::make_shared<CollectiveDeviceList>(GroupsAlong(i));
    joined = graph.Add(HloInstruction::CreateAllGather(
        shape, {joined}, static_cast<int64_t>(i), std::move(groups), /*constrain_layout=*/false,
        kPartitionsChannel, /*use_global_device_ids=*/true));
  }
  if (summands_.has_value()) {
    HloComputation* const add =
        MakeScalarFunction(*shard.GetModule(), HloOpcode::kAdd, shape.element_type());
    auto groups = std::make_shared<CollectiveDeviceList>(GroupsAlong(*summands_));
    joined =
        graph.Add(HloInstruction::CreateAllReduce(shape, {joined}, add, std::move(groups),
                                                  /*constrain_layout=*/false, kPartitionsChannel,
                                                  /*use_global_device_ids=*/true));
  }
  if (ShapeUtil::SameDimensions(shape, whole)) return joined;
  const std::vector<int64_t> starts(tiles_.size(), 0), strides(tiles_.size(), 1);
  return graph.Add(HloInstruction::CreateSlice(whole, joined, starts, whole.dimensions(), strides));
}

HloInstruction* JoinedArrays::Join(HloInstruction& shard, const Shape& whole,
                                   const Division& division) {
  HloInstruction* const joined = division.Join(shard, whole);
  if (joined != &shard)
    parts_.insert_or_assign(std::string(joined->name()), Parts{&shard, division});
  return joined;
}

HloInstruction* JoinedArrays::Cut(HloInstruction& whole, const Division& division) const {
  HloInstruction* source = &whole;
  while (source->IsCustomCall("Sharding") && source->operand_count() == 1)
    source = source->mutable_operand(0);
  const auto found = parts_.find(std::string(source->name()));
  if (found != parts_.end() && found->second.division.GivesSameParts(division))
    return found->second.shard;
  return division.Cut(whole);
}

}  // namespace xla::passes

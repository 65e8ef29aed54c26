#include "passes/partition/reshard.h"

#include <memory>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

bool IsZero(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kBroadcast) return IsZero(*instruction.operand(0));
  return instruction.opcode() == HloOpcode::kConstant && instruction.literal().IsAll(0);
}

HloInstruction* Zeros(GraphBuilder& graph, const Shape& shape) {
  return graph.Broadcast(graph.Constant(LiteralUtil::Zero(shape.element_type())),
                         shape.dimensions());
}

}  // namespace

HloInstruction* Resharder::Place(GraphBuilder& graph, const AxisList& axes, int64_t factor) {
  if (axes.empty()) return graph.Number(S64, 0);
  std::vector<int64_t> places;
  for (int64_t device = 0; device < axes_.devices(); ++device)
    places.push_back(axes_.Place(axes, device) * factor);
  HloInstruction* const partition = graph.Add(HloInstruction::CreatePartitionId());
  HloInstruction* const table = graph.Constant(LiteralUtil::CreateR1<int64_t>(places));
  HloInstruction* const place = graph.Add(HloInstruction::CreateDynamicSlice(
      ShapeUtil::MakeShape(S64, {1}), table, {graph.Convert(partition, S64)}, {1}));
  return graph.Reshape(place, {});
}

std::vector<std::vector<int64_t>> Resharder::GroupsAlong(const AxisList& along,
                                                         const Tiling& tiling) const {
  AxisList others = Without(tiling.Used(), along);
  others.insert(others.end(), tiling.manual.begin(), tiling.manual.end());
  return axes_.Groups(along, others);
}

HloInstruction* Resharder::Combine(GraphBuilder& graph, HloInstruction* part, HloOpcode combination,
                                   const AxisList& along, const Tiling& tiling) {
  const Shape& shape = part->shape();
  HloComputation* const function =
      MakeScalarFunction(*part->GetModule(), combination, shape.element_type());
  auto groups = std::make_shared<CollectiveDeviceList>(GroupsAlong(along, tiling));
  return graph.Add(HloInstruction::CreateAllReduce(shape, {part}, function, std::move(groups),
                                                   /*constrain_layout=*/false, kPartitionsChannel,
                                                   /*use_global_device_ids=*/true));
}

HloInstruction* Resharder::SendToAll(GraphBuilder& graph, HloInstruction* value,
                                     const AxisList& manual) {
  std::map<int64_t, std::vector<int64_t>> groups;
  for (int64_t device = 0; device < axes_.devices(); ++device)
    groups[axes_.Place(manual, device)].push_back(device);
  std::vector<std::vector<int64_t>> lists;
  for (auto& [place, group] : groups) lists.push_back(std::move(group));
  return graph.Add(HloInstruction::CreateCollectiveBroadcast(
      value->shape(), {value}, std::make_shared<CollectiveDeviceList>(std::move(lists)),
      /*constrain_layout=*/false, kPartitionsChannel));
}

size_t Resharder::CountKept(const Shape& whole, size_t dimension, const Tiling& from,
                            const Tiling& to) const {
  const AxisList& a = from.dimensions[dimension];
  const AxisList& b = to.dimensions[dimension];
  if (a == b) return a.size();
  const int64_t size = whole.dimensions(static_cast<int>(dimension));
  // Parts of parts lie where the parts do only if all are full.
  if (size % axes_.size(a) != 0 || size % axes_.size(b) != 0) return 0;
  size_t kept = 0;
  while (kept < a.size() && kept < b.size() && a[kept] == b[kept]) ++kept;
  return kept;
}

void Resharder::AddSummands(GraphBuilder& graph, const Tiling& wanted, Part& part) {
  const AxisList along = Without(part.tiling.summands, wanted.summands);
  if (along.empty()) return;
  part.instruction = Combine(graph, part.instruction, HloOpcode::kAdd, along, part.tiling);
  part.tiling.summands = Without(part.tiling.summands, along);
}

// Parts of a dimension, which are summands of the whole with zeros around.
void Resharder::SpreadOverZeros(GraphBuilder& graph, const Shape& whole, const Tiling& wanted,
                                Part& part) {
  for (size_t i = 0; i < wanted.dimensions.size(); ++i) {
    AxisList& own = part.tiling.dimensions[i];
    const size_t kept = CountKept(whole, i, part.tiling, wanted);
    const AxisList removed(own.begin() + static_cast<int64_t>(kept), own.end());
    const bool all = absl::c_all_of(
        removed, [&](Axis axis) { return absl::c_linear_search(wanted.summands, axis); });
    const int64_t size = whole.dimensions(static_cast<int>(i));
    if (removed.empty() || !all || size % axes_.size(own) != 0) continue;
    const int64_t part_size = part.instruction->shape().dimensions(static_cast<int>(i));
    Shape shape = part.instruction->shape();
    shape.set_dimensions(static_cast<int>(i), part_size * axes_.size(removed));
    std::vector<HloInstruction*> starts(wanted.dimensions.size(), graph.Number(S64, 0));
    starts[i] = Place(graph, removed, part_size);
    part.instruction = graph.Add(HloInstruction::CreateDynamicUpdateSlice(
        shape, Zeros(graph, shape), part.instruction, starts));
    own.resize(kept);
    part.tiling.summands.insert(part.tiling.summands.end(), removed.begin(), removed.end());
    absl::c_sort(part.tiling.summands);
  }
}

void Resharder::Gather(GraphBuilder& graph, const Shape& whole, const Tiling& wanted, Part& part) {
  for (size_t i = 0; i < wanted.dimensions.size(); ++i) {
    const int dimension = static_cast<int>(i);
    AxisList& own = part.tiling.dimensions[i];
    const size_t kept = CountKept(whole, i, part.tiling, wanted);
    const AxisList removed(own.begin() + static_cast<int64_t>(kept), own.end());
    if (removed.empty()) continue;
    Shape shape = part.instruction->shape();
    shape.set_dimensions(dimension, shape.dimensions(dimension) * axes_.size(removed));
    if (ShapeUtil::IsZeroElementArray(shape)) {
      part.instruction = Zeros(graph, shape);
    } else {
      auto groups = std::make_shared<CollectiveDeviceList>(GroupsAlong(removed, part.tiling));
      part.instruction = graph.Add(HloInstruction::CreateAllGather(
          shape, {part.instruction}, dimension, std::move(groups), /*constrain_layout=*/false,
          kPartitionsChannel, /*use_global_device_ids=*/true));
    }
    own.resize(kept);
    if (kept > 0 || shape.dimensions(dimension) == whole.dimensions(dimension)) continue;
    Shape cut = shape;
    cut.set_dimensions(dimension, whole.dimensions(dimension));
    const std::vector<int64_t> zeros(cut.dimensions_size(), 0), ones(cut.dimensions_size(), 1);
    part.instruction = graph.Add(
        HloInstruction::CreateSlice(cut, part.instruction, zeros, cut.dimensions(), ones));
  }
}

void Resharder::Cut(GraphBuilder& graph, const Shape& whole, const Tiling& wanted, Part& part) {
  Shape shape = part.instruction->shape(), padded = shape;
  std::vector<HloInstruction*> starts;
  std::vector<std::pair<int64_t, int64_t>> padding;
  bool is_cut = false;
  for (size_t i = 0; i < wanted.dimensions.size(); ++i) {
    const int dimension = static_cast<int>(i);
    AxisList& own = part.tiling.dimensions[i];
    const AxisList added(wanted.dimensions[i].begin() + static_cast<int64_t>(own.size()),
                         wanted.dimensions[i].end());
    const int64_t size = shape.dimensions(dimension), parts = axes_.size(added);
    const int64_t part_size = CeilOfRatio(size, parts);
    padding.emplace_back(0, part_size * parts - size);
    padded.set_dimensions(dimension, part_size * parts);
    shape.set_dimensions(dimension, part_size);
    starts.push_back(Place(graph, added, part_size));
    is_cut = is_cut || !added.empty();
    own = wanted.dimensions[i];
  }
  if (!is_cut) return;
  if (!ShapeUtil::SameDimensions(padded, part.instruction->shape())) {
    HloInstruction* const zero = graph.Constant(LiteralUtil::Zero(whole.element_type()));
    part.instruction = graph.Add(
        HloInstruction::CreatePad(padded, part.instruction, zero, MakeEdgePaddingConfig(padding)));
  }
  if (ShapeUtil::SameDimensions(shape, padded)) return;
  part.instruction = graph.Add(
      HloInstruction::CreateDynamicSlice(shape, part.instruction, starts, shape.dimensions()));
}

// The array is a summand of the first of the devices along an axis, zero one of the others.
void Resharder::KeepOnFirst(GraphBuilder& graph, const Tiling& wanted, Part& part) {
  const AxisList added = Without(wanted.summands, part.tiling.summands);
  if (added.empty()) return;
  part.tiling.summands = wanted.summands;
  if (IsZero(*part.instruction)) return;
  const Shape& shape = part.instruction->shape();
  HloInstruction* const is_first =
      graph.Compare(Comparison::Direction::kEq, Place(graph, added, 1), graph.Number(S64, 0));
  part.instruction = graph.Select(graph.Broadcast(is_first, shape.dimensions()), part.instruction,
                                  Zeros(graph, shape));
}

HloInstruction* Resharder::Reshard(const Part& part, const Shape& whole, const Tiling& tiling) {
  if (!whole.IsArray() ||
      (part.tiling.dimensions == tiling.dimensions && part.tiling.summands == tiling.summands))
    return part.instruction;
  const auto known = known_.find({part.instruction, tiling});
  if (known != known_.end()) return known->second;
  GraphBuilder graph(*part.instruction);
  Part moved = part;
  if (!Without(part.tiling.summands, tiling.summands).empty()) {
    // The sum is one for all who ask for parts of it.
    Tiling sum = part.tiling;
    sum.summands = Without(part.tiling.summands, Without(part.tiling.summands, tiling.summands));
    if (part.tiling.dimensions == tiling.dimensions) {
      AddSummands(graph, tiling, moved);
    } else {
      moved = {Reshard(part, whole, sum), sum};
    }
  }
  SpreadOverZeros(graph, whole, tiling, moved);
  Gather(graph, whole, tiling, moved);
  Cut(graph, whole, tiling, moved);
  KeepOnFirst(graph, tiling, moved);
  known_[{part.instruction, tiling}] = moved.instruction;
  return moved.instruction;
}

}  // namespace xla::passes

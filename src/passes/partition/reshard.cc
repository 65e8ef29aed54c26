#include "passes/partition/reshard.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

bool IsZero(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kBroadcast) return IsZero(*instruction.operand(0));
  return instruction.opcode() == HloOpcode::kConstant && instruction.literal().IsAll(0);
}

}  // namespace

double BytesToReshard(const Shape& whole, const Tiling& from, const Tiling& to,
                      const DeviceAxes& axes) {
  if (from.dimensions == to.dimensions && from.summands == to.summands) return 0;
  const auto count = [&](const AxisList& some) { return static_cast<double>(axes.size(some)); };
  double part = static_cast<double>(ShapeUtil::ByteSizeOf(whole)), bytes = 0;
  for (const AxisList& own : from.dimensions) part /= count(own);
  if (const AxisList along = Without(from.summands, to.summands); !along.empty()) {
    const double devices = count(along);
    AxisList scattered = along;
    for (const AxisList& goal : to.dimensions) scattered = Without(scattered, goal);
    bytes += part * (devices - 1) / devices * (scattered.empty() ? 1 : 2);
  }
  AxisLists own = from.dimensions;
  for (size_t i = 0; i < own.size(); ++i) {
    const AxisList& goal = to.dimensions[i];
    if (!IsPrefix(own[i], goal)) continue;
    const AxisList added(goal.begin() + static_cast<int64_t>(own[i].size()), goal.end());
    AxisList used;
    for (const AxisList& other : own) used.insert(used.end(), other.begin(), other.end());
    if (Without(added, used).size() != added.size()) continue;
    own[i] = goal;
    part /= count(added);
  }
  for (size_t i = 0; i < own.size(); ++i) {
    const AxisList& goal = to.dimensions[i];
    if (IsPrefix(own[i], goal)) continue;
    if (count(own[i]) == count(goal)) {
      bytes += part;
      continue;
    }
    size_t kept = 0;
    while (kept < own[i].size() && kept < goal.size() && own[i][kept] == goal[kept]) ++kept;
    const AxisList removed(own[i].begin() + static_cast<int64_t>(kept), own[i].end());
    const bool is_exchanged = absl::c_any_of(
        to.dimensions, [&](const AxisList& other) { return Without(removed, other).empty(); });
    const double devices = count(removed);
    bytes += is_exchanged ? part * (devices - 1) / devices : part * (devices - 1);
    if (!is_exchanged) part *= devices;
  }
  return bytes;
}

HloInstruction* Resharder::OwnNumber(GraphBuilder& graph, absl::Span<const int64_t> of_devices) {
  if (absl::c_all_of(of_devices, [&](int64_t number) { return number == of_devices[0]; }))
    return graph.Constant(LiteralUtil::CreateR0<int64_t>(of_devices[0]));
  HloInstruction* const partition = graph.Add(HloInstruction::CreatePartitionId());
  HloInstruction* const table = graph.Constant(LiteralUtil::CreateR1<int64_t>(of_devices));
  HloInstruction* const number = graph.Add(HloInstruction::CreateDynamicSlice(
      ShapeUtil::MakeShape(S64, {1}), table, {graph.Convert(partition, S64)}, {1}));
  return graph.Reshape(number, {});
}

HloInstruction* Resharder::Zero(GraphBuilder& graph, PrimitiveType type) {
  HloInstruction*& zero = zeros_[{graph.computation(), type}];
  if (zero == nullptr) zero = graph.Constant(LiteralUtil::Zero(type));
  return zero;
}

HloInstruction* Resharder::Zeros(GraphBuilder& graph, const Shape& shape) {
  return graph.Broadcast(Zero(graph, shape.element_type()), shape.dimensions());
}

HloInstruction* Resharder::Place(GraphBuilder& graph, const AxisList& axes, int64_t factor) {
  std::vector<int64_t> places;
  for (int64_t device = 0; device < axes_.devices(); ++device)
    places.push_back(axes_.Place(axes, device) * factor);
  return OwnNumber(graph, places);
}

const DeviceGroups& Resharder::GroupsAlong(const AxisList& along, const Tiling& tiling) {
  AxisList others = Without(tiling.Used(), along);
  others.insert(others.end(), tiling.manual.begin(), tiling.manual.end());
  DeviceGroups& groups = groups_[{along, others}];
  if (groups.empty()) groups = axes_.Groups(along, others);
  return groups;
}

HloInstruction* Resharder::Combine(GraphBuilder& graph, HloInstruction* part, HloOpcode combination,
                                   const AxisList& along, const Tiling& tiling) {
  const Shape& shape = part->shape();
  HloComputation*& function = combinations_[{combination, shape.element_type()}];
  if (function == nullptr)
    function = MakeScalarFunction(*part->GetModule(), combination, shape.element_type());
  auto groups = std::make_shared<CollectiveDeviceList>(GroupsAlong(along, tiling));
  HloInstruction* const sum = graph.Add(HloInstruction::CreateAllReduce(
      shape, {part}, function, std::move(groups), /*constrain_layout=*/false, kPartitionsChannel,
      /*use_global_device_ids=*/true));
  sums_[sum] = {along, tiling};
  return sum;
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

// Dimensions are divided further along axes that nothing else is divided by, before anything is
// sent.
void Resharder::CutAlongFreeAxes(GraphBuilder& graph, const Shape& whole, const Tiling& wanted,
                                 Part& part) {
  Tiling cut = part.tiling;
  for (size_t i = 0; i < wanted.dimensions.size(); ++i) {
    AxisList& own = cut.dimensions[i];
    const AxisList& goal = wanted.dimensions[i];
    const int64_t size = whole.dimensions(static_cast<int>(i));
    if (own.size() >= goal.size() || !IsPrefix(own, goal) || size % axes_.size(goal) != 0) continue;
    while (own.size() < goal.size()) {
      AxisList used = cut.Used();
      used.push_back(goal[own.size()]);
      if (absl::c_linear_search(cut.Used(), used.back()) || !axes_.AreIndependent(used)) break;
      own.push_back(used.back());
    }
  }
  if (cut != part.tiling) Cut(graph, whole, cut, part);
}

AxisList Resharder::Exchangeable(const Shape& whole, size_t from, size_t to, const Tiling& wanted,
                                 const Tiling& own) const {
  const AxisList &a = own.dimensions[from], &b = own.dimensions[to];
  const AxisList& goal = wanted.dimensions[to];
  if (goal.size() <= b.size() || !IsPrefix(b, goal)) return {};
  if (whole.dimensions(static_cast<int>(from)) % axes_.size(a) != 0) return {};
  for (size_t begin = CountKept(whole, from, own, wanted); begin < a.size(); ++begin) {
    const AxisList moved(a.begin() + static_cast<int64_t>(begin), a.end());
    if (moved.size() <= goal.size() - b.size() &&
        std::equal(moved.begin(), moved.end(), goal.begin() + static_cast<int64_t>(b.size())) &&
        whole.dimensions(static_cast<int>(to)) % (axes_.size(b) * axes_.size(moved)) == 0)
      return moved;
  }
  return {};
}

// Each of the devices along the axes gets its piece along dimension `to` of what the others have
// along `from`.
void Resharder::SendBetween(GraphBuilder& graph, size_t from, size_t to, const AxisList& axes,
                            Part& part) {
  const int64_t count = axes_.size(axes);
  std::vector<int64_t> sizes(part.instruction->shape().dimensions().begin(),
                             part.instruction->shape().dimensions().end());
  std::vector<int64_t> result = sizes;
  result[from] *= count;
  result[to] /= count;
  sizes[to] /= count;
  sizes.insert(sizes.begin() + static_cast<int64_t>(to), count);
  HloInstruction* const pieces = graph.Reshape(part.instruction, sizes);
  auto groups = std::make_shared<CollectiveDeviceList>(GroupsAlong(axes, part.tiling));
  HloInstruction* const sent = graph.Add(HloInstruction::CreateAllToAll(
      pieces->shape(), {pieces}, std::move(groups), /*constrain_layout=*/false, kPartitionsChannel,
      static_cast<int64_t>(to)));
  // The number of the sender comes before its place along `from`.
  std::vector<int64_t> order;
  for (size_t i = 0; i < result.size(); ++i) {
    if (i == from) order.push_back(static_cast<int64_t>(to));
    order.push_back(static_cast<int64_t>(i < to ? i : i + 1));
  }
  part.instruction = graph.Reshape(graph.Transpose(sent, order), result);
  AxisList& left = part.tiling.dimensions[from];
  left.resize(left.size() - axes.size());
  AxisList& grown = part.tiling.dimensions[to];
  grown.insert(grown.end(), axes.begin(), axes.end());
}

void Resharder::Exchange(GraphBuilder& graph, const Shape& whole, const Tiling& wanted,
                         Part& part) {
  if (ShapeUtil::IsZeroElementArray(whole)) return;
  for (size_t from = 0; from < wanted.dimensions.size(); ++from) {
    for (size_t to = 0; to < wanted.dimensions.size(); ++to) {
      if (from == to) continue;
      const AxisList axes = Exchangeable(whole, from, to, wanted, part.tiling);
      if (!axes.empty()) SendBetween(graph, from, to, axes, part);
    }
  }
}

std::optional<std::vector<std::pair<int64_t, int64_t>>> Resharder::Moves(const Tiling& from,
                                                                         const Tiling& to) const {
  // Devices by what they have and need: the place along each dimension, and what stays as it is.
  using Key = std::vector<int64_t>;
  const auto key = [&](const Tiling& tiling, int64_t device) {
    Key own = {axes_.Place(from.summands, device), axes_.Place(from.manual, device)};
    for (const AxisList& axes : tiling.dimensions) own.push_back(axes_.Place(axes, device));
    return own;
  };
  std::map<Key, std::vector<int64_t>> senders, receivers;
  std::vector<std::pair<int64_t, int64_t>> moves;
  for (int64_t device = 0; device < axes_.devices(); ++device) {
    const Key has = key(from, device), needs = key(to, device);
    if (has == needs) {
      moves.emplace_back(device, device);
      continue;
    }
    senders[has].push_back(device);
    receivers[needs].push_back(device);
  }
  for (const auto& [place, needing] : receivers) {
    const std::vector<int64_t>& having = senders[place];
    if (having.size() != needing.size()) return std::nullopt;
    for (size_t i = 0; i < having.size(); ++i) moves.emplace_back(having[i], needing[i]);
  }
  return moves;
}

// Sends pieces between dimensions until each is divided into as many parts as wanted, if not along
// the same axes, where that is possible: then parts only have to be sent to where they belong.
void Resharder::Balance(GraphBuilder& graph, const Shape& whole, const Tiling& wanted, Part& part) {
  struct Move {
    size_t from, to;
    AxisList axes;
  };
  if (ShapeUtil::IsZeroElementArray(whole) || !axes_.IsEven(whole, wanted) ||
      !axes_.IsEven(whole, part.tiling))
    return;
  Tiling goal = part.tiling;
  std::vector<Move> moves;
  for (size_t from = 0; from < wanted.dimensions.size(); ++from) {
    for (size_t to = 0; to < wanted.dimensions.size(); ++to) {
      AxisList &own = goal.dimensions[from], &grown = goal.dimensions[to];
      AxisList moved;
      // As many as are not wanted here and wanted there.
      for (size_t count = own.size(); count > 0 && moved.empty(); --count) {
        moved.assign(own.end() - static_cast<int64_t>(count), own.end());
        const int64_t left = axes_.size(own) / axes_.size(moved);
        const int64_t parts = axes_.size(grown) * axes_.size(moved);
        if (from == to || left % axes_.size(wanted.dimensions[from]) != 0 ||
            axes_.size(wanted.dimensions[to]) % parts != 0)
          moved.clear();
      }
      if (moved.empty()) continue;
      own.resize(own.size() - moved.size());
      grown.insert(grown.end(), moved.begin(), moved.end());
      moves.push_back({from, to, std::move(moved)});
    }
  }
  const bool is_balanced = absl::c_equal(
      goal.dimensions, wanted.dimensions,
      [&](const AxisList& a, const AxisList& b) { return axes_.size(a) == axes_.size(b); });
  if (moves.empty() || !is_balanced || !Moves(goal, wanted).has_value()) return;
  for (const Move& move : moves) SendBetween(graph, move.from, move.to, move.axes, part);
}

// Parts that are as large as the wanted ones are sent to where they are wanted.
void Resharder::Permute(GraphBuilder& graph, const Shape& whole, const Tiling& wanted, Part& part) {
  Tiling goal = part.tiling;
  for (size_t i = 0; i < wanted.dimensions.size(); ++i) {
    if (axes_.size(goal.dimensions[i]) == axes_.size(wanted.dimensions[i]))
      goal.dimensions[i] = wanted.dimensions[i];
  }
  if (goal == part.tiling || ShapeUtil::IsZeroElementArray(whole) || !axes_.IsEven(whole, goal) ||
      !axes_.IsEven(whole, part.tiling))
    return;
  const auto moves = Moves(part.tiling, goal);
  if (!moves.has_value()) return;
  part.instruction = graph.Add(HloInstruction::CreateCollectivePermute(
      part.instruction->shape(), part.instruction, *moves, kPartitionsChannel));
  part.tiling = goal;
}

absl::Status Resharder::ScatterSums() {
  for (const CutPart& cut : cuts_) {
    HloInstruction* const all_reduce = cut.slice->mutable_operand(0);
    const auto found = sums_.find(all_reduce);
    if (found == sums_.end() || all_reduce->user_count() != 1) continue;
    const Sum sum = found->second;
    if (!Without(cut.axes, sum.along).empty()) continue;
    GraphBuilder graph(*cut.slice);
    const auto groups = std::make_shared<CollectiveDeviceList>(GroupsAlong(cut.axes, sum.tiling));
    HloInstruction* part = graph.Add(HloInstruction::CreateReduceScatter(
        cut.slice->shape(), {all_reduce->mutable_operand(0)}, all_reduce->to_apply(), groups,
        /*constrain_layout=*/false, kPartitionsChannel, /*use_global_device_ids=*/true,
        cut.dimension));
    const AxisList rest = Without(sum.along, cut.axes);
    if (!rest.empty()) {
      Tiling tiling = sum.tiling;
      tiling.summands = Without(tiling.summands, cut.axes);
      AxisList& along = tiling.dimensions[cut.dimension];
      along.insert(along.end(), cut.axes.begin(), cut.axes.end());
      const HloOpcode combination = all_reduce->to_apply()->root_instruction()->opcode();
      part = Combine(graph, part, combination, rest, tiling);
    }
    HILO_RETURN_IF_ERROR(cut.slice->ReplaceAllUsesWith(part));
    HloComputation& computation = *cut.slice->parent();
    HILO_RETURN_IF_ERROR(computation.RemoveInstruction(cut.slice));
    HILO_RETURN_IF_ERROR(computation.RemoveInstruction(all_reduce));
    sums_.erase(found);
  }
  return absl::OkStatus();
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
  int cut_dimensions = 0;
  int64_t last_cut = 0;
  AxisList last_axes;
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
    if (!added.empty()) {
      ++cut_dimensions;
      last_cut = dimension;
      last_axes = added;
    }
    own = wanted.dimensions[i];
  }
  if (cut_dimensions == 0) return;
  if (!ShapeUtil::SameDimensions(padded, part.instruction->shape())) {
    part.instruction = graph.Add(HloInstruction::CreatePad(padded, part.instruction,
                                                           Zero(graph, whole.element_type()),
                                                           MakeEdgePaddingConfig(padding)));
  }
  if (ShapeUtil::SameDimensions(shape, padded)) return;
  const bool is_full = ShapeUtil::SameDimensions(padded, part.instruction->shape());
  part.instruction = graph.Add(
      HloInstruction::CreateDynamicSlice(shape, part.instruction, starts, shape.dimensions()));
  if (is_full && cut_dimensions == 1) cuts_.push_back({part.instruction, last_cut, last_axes});
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
  CutAlongFreeAxes(graph, whole, tiling, moved);
  Exchange(graph, whole, tiling, moved);
  Balance(graph, whole, tiling, moved);
  Permute(graph, whole, tiling, moved);
  Gather(graph, whole, tiling, moved);
  Cut(graph, whole, tiling, moved);
  KeepOnFirst(graph, tiling, moved);
  known_[{part.instruction, tiling}] = moved.instruction;
  return moved.instruction;
}

}  // namespace xla::passes

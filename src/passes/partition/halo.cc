#include "passes/partition/halo.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "absl/algorithm/container.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

// Whether it is what devices get of a collective-permute that nobody sends them anything by.
bool IsPositiveZero(const HloInstruction& x) {
  if (x.opcode() != HloOpcode::kConstant || x.shape().dimensions_size() != 0) return false;
  const auto* bytes = static_cast<const char*>(x.literal().untyped_data());
  return std::all_of(bytes, bytes + x.literal().size_bytes(), [](char byte) { return byte == 0; });
}

Shape WithSize(const Shape& shape, int64_t dimension, int64_t size) {
  Shape result = shape;
  result.set_dimensions(static_cast<int>(dimension), size);
  return result;
}

// What of its source belongs to a place.
Interval PositionsOf(const RangeSource& source, const Ranges& ranges, int64_t place) {
  const int64_t start = source.offset + ranges.step * place;
  const int64_t begin = std::clamp<int64_t>(source.begin - start, 0, ranges.width);
  return {begin, std::clamp<int64_t>(source.end - start, begin, ranges.width)};
}

// What of all sources does, where this is one interval.
std::optional<Interval> PositionsOf(absl::Span<const RangeSource> sources, const Ranges& ranges,
                                    int64_t place) {
  std::vector<Interval> intervals;
  for (const RangeSource& source : sources) {
    const Interval own = PositionsOf(source, ranges, place);
    if (own.begin < own.end) intervals.push_back(own);
  }
  if (intervals.empty()) return Interval{0, 0};
  absl::c_sort(intervals, [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  Interval all = intervals[0];
  for (const Interval& next : intervals) {
    if (next.begin > all.end) return std::nullopt;
    all.end = std::max(all.end, next.end);
  }
  return all;
}

std::vector<RangeTransfer> TransfersOf(absl::Span<const RangeSource> sources, const Ranges& ranges,
                                       int64_t part_size, int64_t places) {
  std::vector<RangeTransfer> transfers;
  for (const RangeSource& source : sources) {
    for (int64_t place = 0; place < places; ++place) {
      const Interval own = PositionsOf(source, ranges, place);
      const int64_t start = source.offset + ranges.step * place;
      for (int64_t position = own.begin; position < own.end;) {
        const int64_t from = (start + position) / part_size;
        const int64_t end = std::min(own.end, (from + 1) * part_size - start);
        transfers.push_back(
            {from, place, start + position - from * part_size, position, end - position});
        position = end;
      }
    }
  }
  return transfers;
}

// By position; nothing where some would lie on others.
std::optional<std::vector<RangePiece>> PiecesOf(absl::Span<const RangeTransfer> transfers,
                                                int64_t places) {
  std::map<std::pair<int64_t, int64_t>, RangePiece> alike;
  for (const RangeTransfer& transfer : transfers) {
    const int64_t distance = (transfer.to - transfer.from + places) % places;
    const auto [found, is_new] =
        alike.try_emplace({distance, transfer.first - transfer.position},
                          RangePiece{transfer.first, transfer.position, transfer.count, {}});
    RangePiece& piece = found->second;
    const int64_t position = std::min(piece.position, transfer.position);
    piece.count =
        std::max(piece.position + piece.count, transfer.position + transfer.count) - position;
    piece.first += position - piece.position;
    piece.position = position;
    const std::pair<int64_t, int64_t> pair(transfer.from, transfer.to);
    if (!absl::c_linear_search(piece.places, pair)) piece.places.push_back(pair);
  }
  std::vector<RangePiece> pieces;
  for (auto& [key, piece] : alike) pieces.push_back(std::move(piece));
  absl::c_sort(pieces,
               [](const RangePiece& a, const RangePiece& b) { return a.position < b.position; });
  for (size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i].position < pieces[i - 1].position + pieces[i - 1].count) return std::nullopt;
  }
  return pieces;
}

std::vector<std::vector<RangeTransfer>> RoundsOf(absl::Span<const RangeTransfer> transfers) {
  std::vector<std::vector<RangeTransfer>> rounds;
  for (const RangeTransfer& transfer : transfers) {
    const bool is_local = transfer.from == transfer.to;
    const auto takes = [&](const std::vector<RangeTransfer>& round) {
      return (round[0].from == round[0].to) == is_local &&
             absl::c_none_of(round, [&](const RangeTransfer& other) {
               return other.from == transfer.from || other.to == transfer.to;
             });
    };
    const auto round = absl::c_find_if(rounds, takes);
    if (round == rounds.end()) {
      rounds.push_back({transfer});
    } else {
      round->push_back(transfer);
    }
  }
  return rounds;
}

int64_t LongestOf(absl::Span<const RangeTransfer> round) {
  int64_t longest = 0;
  for (const RangeTransfer& transfer : round) longest = std::max(longest, transfer.count);
  return longest;
}

}  // namespace

// ---- Parts of instructions

HloInstruction* HaloExchange::OwnNumber(GraphBuilder& graph, const AxisList& axes,
                                        absl::Span<const int64_t> of_places) {
  std::vector<int64_t> of_devices;
  for (int64_t device = 0; device < axes_.devices(); ++device)
    of_devices.push_back(of_places[axes_.Place(axes, device)]);
  return resharder_.OwnNumber(graph, of_devices);
}

HloInstruction* HaloExchange::KeepWithin(GraphBuilder& graph, HloInstruction* x,
                                         HloInstruction* other, int64_t dimension,
                                         const AxisList& axes,
                                         absl::Span<const Interval> of_places) {
  const int64_t width = x->shape().dimensions(static_cast<int>(dimension));
  std::vector<int64_t> begins, ends;
  for (const Interval& interval : of_places) {
    begins.push_back(interval.begin);
    ends.push_back(interval.end);
  }
  HloInstruction* const position = graph.Iota(S64, {width}, 0);
  HloInstruction* within = nullptr;
  const auto also = [&](Comparison::Direction direction, absl::Span<const int64_t> bounds) {
    HloInstruction* const bound = graph.Broadcast(OwnNumber(graph, axes, bounds), {width});
    HloInstruction* const is_right = graph.Compare(direction, position, bound);
    within = within == nullptr ? is_right : graph.Binary(HloOpcode::kAnd, within, is_right);
  };
  if (absl::c_any_of(begins, [](int64_t begin) { return begin > 0; }))
    also(Comparison::Direction::kGe, begins);
  if (absl::c_any_of(ends, [&](int64_t end) { return end < width; }))
    also(Comparison::Direction::kLt, ends);
  if (within == nullptr) return x;
  if (other->shape().dimensions_size() == 0)
    other = graph.Broadcast(other, x->shape().dimensions());
  return graph.Select(graph.Broadcast(within, x->shape().dimensions(), {dimension}), x, other);
}

HloInstruction* HaloExchange::Slice(GraphBuilder& graph, const Ranges& ranges, HloInstruction* x,
                                    absl::Span<const int64_t> first, int64_t count) {
  const Shape shape = WithSize(x->shape(), ranges.dimension, count);
  if (ShapeUtil::SameDimensions(shape, x->shape())) return x;
  std::vector<int64_t> starts(shape.dimensions_size(), 0);
  const std::vector<int64_t> ones(shape.dimensions_size(), 1);
  std::vector<int64_t> limits(shape.dimensions().begin(), shape.dimensions().end());
  if (absl::c_all_of(first, [&](int64_t number) { return number == first[0]; })) {
    starts[ranges.dimension] = first[0];
    limits[ranges.dimension] += first[0];
    return graph.Add(HloInstruction::CreateSlice(shape, x, starts, limits, ones));
  }
  std::vector<HloInstruction*> own(shape.dimensions_size(), graph.Number(S64, 0));
  own[ranges.dimension] = OwnNumber(graph, ranges.axes, first);
  return graph.Add(HloInstruction::CreateDynamicSlice(shape, x, own, shape.dimensions()));
}

HloInstruction* HaloExchange::Align(GraphBuilder& graph, const Ranges& ranges, HloInstruction* x,
                                    absl::Span<const int64_t> first, HloInstruction* outside) {
  const int64_t size = x->shape().dimensions(static_cast<int>(ranges.dimension));
  const int64_t low = std::max<int64_t>(0, -*absl::c_min_element(first));
  const int64_t high = std::max<int64_t>(0, *absl::c_max_element(first) + ranges.width - size);
  if (low > 0 || high > 0) {
    std::vector<std::pair<int64_t, int64_t>> padding(x->shape().dimensions_size(), {0, 0});
    padding[ranges.dimension] = {low, high};
    if (outside == nullptr) outside = resharder_.Zero(graph, x->shape().element_type());
    x = graph.Add(
        HloInstruction::CreatePad(WithSize(x->shape(), ranges.dimension, low + size + high), x,
                                  outside, MakeEdgePaddingConfig(padding)));
  }
  std::vector<int64_t> starts(first.begin(), first.end());
  for (int64_t& start : starts) start += low;
  return Slice(graph, ranges, x, starts, ranges.width);
}

HloInstruction* HaloExchange::Send(GraphBuilder& graph, const Group& group,
                                   absl::Span<const int64_t> first, int64_t count,
                                   absl::Span<const std::pair<int64_t, int64_t>> places) {
  const Ranges& ranges = group.ranges;
  HloInstruction*& sent = sent_[{group.part(),
                                 ranges.dimension,
                                 ranges.axes,
                                 {first.begin(), first.end()},
                                 count,
                                 {places.begin(), places.end()}}];
  if (sent != nullptr) return sent;
  HloInstruction* const piece = Slice(graph, ranges, group.part(), first, count);
  std::vector<std::pair<int64_t, int64_t>> devices;
  for (const std::vector<int64_t>& among : resharder_.GroupsAlong(ranges.axes, group.tiling)) {
    for (const auto& [from, to] : places) devices.emplace_back(among[from], among[to]);
  }
  sent = graph.Add(
      HloInstruction::CreateCollectivePermute(piece->shape(), piece, devices, kPartitionsChannel));
  return sent;
}

HloInstruction* HaloExchange::GatherPart(GraphBuilder& graph, const Group& group) {
  const Ranges& ranges = group.ranges;
  const int64_t size = group.sources[0].size;
  const int64_t all = group.part_size() * axes_.size(ranges.axes);
  auto groups =
      std::make_shared<CollectiveDeviceList>(resharder_.GroupsAlong(ranges.axes, group.tiling));
  HloInstruction* const gathered = graph.Add(HloInstruction::CreateAllGather(
      WithSize(group.part()->shape(), ranges.dimension, all), {group.part()}, ranges.dimension,
      std::move(groups), /*constrain_layout=*/false, kPartitionsChannel,
      /*use_global_device_ids=*/true));
  return Slice(graph, ranges, gathered, {0}, size);
}

// ---- Ranges

HloInstruction* HaloExchange::PutWhole(GraphBuilder& graph, const Group& group,
                                       const RangeSource& source, HloInstruction* below) {
  const Ranges& ranges = group.ranges;
  std::vector<int64_t> first;
  std::vector<Interval> intervals;
  for (int64_t place = 0; place < axes_.size(ranges.axes); ++place) {
    first.push_back(source.offset + ranges.step * place);
    intervals.push_back(PositionsOf(source, ranges, place));
  }
  const bool is_padded = below != nullptr && below->shape().dimensions_size() == 0 &&
                         source.begin == 0 && source.end == source.size;
  HloInstruction* const x = Align(graph, ranges, source.part, first, is_padded ? below : nullptr);
  if (below == nullptr || is_padded) return x;
  return KeepWithin(graph, x, below, ranges.dimension, ranges.axes, intervals);
}

HloInstruction* HaloExchange::PutPieces(GraphBuilder& graph, const Group& group, const Plan& plan,
                                        HloInstruction* below) {
  const Ranges& ranges = group.ranges;
  const int64_t places = axes_.size(ranges.axes);
  // Where nobody sends anything there are zeros.
  bool has_zeros = below != nullptr && IsPositiveZero(*below);
  std::vector<HloInstruction*> parts;
  int64_t end = 0;
  const auto fill_to = [&](int64_t position) {
    if (position == end) return;
    const Shape shape = WithSize(group.part()->shape(), ranges.dimension, position - end);
    parts.push_back(resharder_.Zeros(graph, shape));
  };
  for (const RangePiece& piece : plan.pieces) {
    fill_to(piece.position);
    end = piece.position + piece.count;
    parts.push_back(piece.is_local()
                        ? Slice(graph, ranges, group.part(), {piece.first}, piece.count)
                        : Send(graph, group, std::vector<int64_t>(places, piece.first), piece.count,
                               piece.places));
    std::vector<bool> gets(places, piece.is_local());
    for (const auto& [from, to] : piece.places) gets[to] = true;
    for (int64_t place = 0; place < places; ++place) {
      const Interval& own = plan.intervals[place];
      has_zeros = has_zeros && (!gets[place] || (own.begin <= piece.position && own.end >= end));
    }
  }
  fill_to(ranges.width);
  HloInstruction* const all =
      parts.size() == 1 ? parts[0]
                        : graph.Add(HloInstruction::CreateConcatenate(
                              WithSize(group.part()->shape(), ranges.dimension, ranges.width),
                              parts, ranges.dimension));
  if (below == nullptr || has_zeros) return all;
  return KeepWithin(graph, all, below, ranges.dimension, ranges.axes, plan.intervals);
}

HloInstruction* HaloExchange::PutRounds(GraphBuilder& graph, const Group& group, const Plan& plan,
                                        HloInstruction* below) {
  const Ranges& ranges = group.ranges;
  const int64_t places = axes_.size(ranges.axes);
  for (const std::vector<RangeTransfer>& round : plan.rounds) {
    const bool is_local = round[0].from == round[0].to;
    const int64_t count = is_local ? group.part_size() : LongestOf(round);
    // Shorter pieces are sent with what lies beside them.
    const auto begin_of = [&](const RangeTransfer& transfer) {
      return std::min(transfer.first, group.part_size() - count);
    };
    const auto offset_of = [&](const RangeTransfer& transfer) {
      return transfer.first - begin_of(transfer) - transfer.position;
    };
    // Places without a part in the round do as the first that has one.
    std::vector<int64_t> first(places, begin_of(round[0])), offsets(places, offset_of(round[0]));
    std::vector<Interval> intervals(places, Interval{0, 0});
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (const RangeTransfer& transfer : round) {
      first[transfer.from] = begin_of(transfer);
      offsets[transfer.to] = offset_of(transfer);
      intervals[transfer.to] = {transfer.position, transfer.position + transfer.count};
      pairs.emplace_back(transfer.from, transfer.to);
    }
    HloInstruction* const piece = is_local ? group.part() : Send(graph, group, first, count, pairs);
    HloInstruction* const aligned = Align(graph, ranges, piece, offsets, nullptr);
    below = below == nullptr
                ? aligned
                : KeepWithin(graph, aligned, below, ranges.dimension, ranges.axes, intervals);
  }
  return below;
}

HaloExchange::Plan HaloExchange::MakePlan(const Group& group, int64_t places) {
  const std::vector<RangeTransfer> transfers =
      TransfersOf(group.sources, group.ranges, group.part_size(), places);
  if (transfers.empty()) return {Plan::Kind::kNothing, {}, {}, {}};
  std::vector<Interval> intervals;
  std::optional<std::vector<RangePiece>> pieces = PiecesOf(transfers, places);
  for (int64_t place = 0; place < places && pieces.has_value(); ++place) {
    const std::optional<Interval> own = PositionsOf(group.sources, group.ranges, place);
    if (own.has_value()) {
      intervals.push_back(*own);
    } else {
      pieces.reset();
    }
  }
  std::vector<std::vector<RangeTransfer>> rounds = RoundsOf(transfers);
  // Elements that all devices get.
  const int64_t of_all = places * (places - 1) * group.part_size();
  int64_t of_pieces = pieces.has_value() ? 0 : of_all, of_rounds = 0;
  if (pieces.has_value()) {
    for (const RangePiece& piece : *pieces)
      of_pieces += piece.is_local() ? 0 : piece.count * std::ssize(piece.places);
  }
  for (const std::vector<RangeTransfer>& round : rounds)
    of_rounds += round[0].from == round[0].to ? 0 : LongestOf(round) * std::ssize(round);
  if (std::min(of_pieces, of_rounds) >= of_all && of_all > 0)
    return {Plan::Kind::kWhole, {}, {}, {}};
  if (pieces.has_value() && of_pieces <= of_rounds)
    return {Plan::Kind::kPieces, *std::move(pieces), std::move(intervals), {}};
  return {Plan::Kind::kRounds, {}, {}, std::move(rounds)};
}

const HaloExchange::Plan& HaloExchange::PlanOf(const Group& group) {
  const Ranges& ranges = group.ranges;
  const int64_t places = axes_.size(ranges.axes);
  PlanKey key = {places, ranges.step, ranges.width, group.part_size()};
  for (const RangeSource& source : group.sources) {
    for (const int64_t number : {source.offset, source.begin, source.end}) key.push_back(number);
  }
  const auto [plan, is_new] = plans_.try_emplace(std::move(key));
  if (is_new) plan->second = MakePlan(group, places);
  return plan->second;
}

HloInstruction* HaloExchange::Put(GraphBuilder& graph, const Group& group, HloInstruction* below) {
  const Plan& plan = PlanOf(group);
  switch (plan.kind) {
    case Plan::Kind::kNothing:
      return below;
    case Plan::Kind::kWhole: {
      HloInstruction* const whole = GatherPart(graph, group);
      for (RangeSource source : group.sources) {
        source.part = whole;
        below = PutWhole(graph, group, source, below);
      }
      return below;
    }
    case Plan::Kind::kPieces:
      return PutPieces(graph, group, plan, below);
    case Plan::Kind::kRounds:
      break;
  }
  return PutRounds(graph, group, plan, below);
}

HloInstruction* HaloExchange::Fetch(GraphBuilder& graph, const Ranges& ranges,
                                    const Tiling& tiling) {
  HloInstruction* result = ranges.outside;
  std::vector<bool> is_done(ranges.sources.size(), false);
  for (size_t i = 0; i < ranges.sources.size(); ++i) {
    if (is_done[i]) continue;
    Group group{ranges, tiling, {}};
    for (size_t k = i; k < ranges.sources.size(); ++k) {
      const RangeSource& source = ranges.sources[k];
      if (source.part != ranges.sources[i].part || (k > i && !source.is_divided)) continue;
      is_done[k] = true;
      group.sources.push_back(source);
    }
    result = ranges.sources[i].is_divided ? Put(graph, group, result)
                                          : PutWhole(graph, group, group.sources[0], result);
  }
  if (result != nullptr && result->shape().dimensions_size() > 0) return result;
  const Shape shape = WithSize(ranges.sources[0].part->shape(), ranges.dimension, ranges.width);
  if (result == nullptr) return resharder_.Zeros(graph, shape);
  return graph.Broadcast(result, shape.dimensions());
}

}  // namespace xla::passes

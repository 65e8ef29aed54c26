#include "passes/partition/local.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "ir/records.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

bool Contains(const AxisList& axes, Axis axis) { return absl::c_linear_search(axes, axis); }

using LoopFlags = absl::InlinedVector<bool, 8>;

// Loops that may be divided into unequal parts: each dimension that they walk along is theirs
// alone, and the sizes are not what somebody else relies on.
LoopFlags FindUneven(const HloInstruction& instruction, const LoopMap& map,
                     absl::Span<const Shape* const> operand_shapes) {
  LoopFlags may_be_uneven(map.loops.size(), instruction.opcode() != HloOpcode::kCustomCall);
  for (const auto* list : {&map.operands, &map.results}) {
    for (const LoopMap::Dimensions& dimensions : *list) {
      for (const LoopMap::Dimension& dimension : dimensions) {
        for (const int loop : dimension)
          may_be_uneven[loop] = may_be_uneven[loop] && dimension.size() == 1;
      }
    }
  }
  // What is left of a dimension when sizes have no more in common belongs to no loop.
  const auto keep_even_parts = [&](const LoopMap::Dimensions& dimensions, const Shape& shape) {
    for (size_t i = 0; i < dimensions.size(); ++i) {
      if (dimensions[i].size() != 1) continue;
      const int loop = dimensions[i][0];
      if (map.loops[loop].size != shape.dimensions(static_cast<int>(i)))
        may_be_uneven[loop] = false;
    }
  };
  if (instruction.opcode() == HloOpcode::kReshape) {
    keep_even_parts(map.operands[0], *operand_shapes[0]);
    keep_even_parts(map.results[0], instruction.shape());
  }
  // Where there are no elements, there is nothing to tell apart either.
  const auto is_empty = [](const Shape& shape) {
    return shape.IsArray() && ShapeUtil::IsZeroElementArray(shape);
  };
  if (is_empty(instruction.shape()) ||
      absl::c_any_of(operand_shapes, [&](const Shape* shape) { return is_empty(*shape); }))
    may_be_uneven.assign(map.loops.size(), false);
  // Beyond the last turn a walk would read what other turns do.
  for (const auto& dimensions : map.walks) {
    for (const std::optional<LoopMap::Walk>& walk : dimensions) {
      if (!walk.has_value()) continue;
      for (const LoopMap::Walk::Step& step : walk->steps) {
        if (map.loops[step.loop].kind == LoopMap::Kind::kSum) may_be_uneven[step.loop] = false;
      }
    }
  }
  return may_be_uneven;
}

// How many of the operands are such that summands of them all give summands of the result: those of
// sums and of everything that only moves elements. None where the result is no linear function.
int64_t LinearOperands(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kAdd:
    case HloOpcode::kConcatenate:
    case HloOpcode::kCopy:
    case HloOpcode::kNegate:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kSubtract:
    case HloOpcode::kTranspose:
      return instruction.operand_count();
    case HloOpcode::kDynamicSlice:
      return 1;
    case HloOpcode::kDynamicUpdateSlice:
      return 2;
    case HloOpcode::kBroadcast:
      // Many sums of the same would be taken later.
      return ShapeUtil::ElementsIn(instruction.shape()) ==
                     ShapeUtil::ElementsIn(instruction.operand(0)->shape())
                 ? 1
                 : 0;
    case HloOpcode::kConvert: {
      const PrimitiveType from = instruction.operand(0)->shape().element_type();
      const PrimitiveType to = instruction.shape().element_type();
      const bool is_wider = primitive_util::IsFloatingPointType(from) &&
                            primitive_util::IsFloatingPointType(to) &&
                            primitive_util::BitWidth(to) > primitive_util::BitWidth(from);
      return is_wider ? 1 : 0;
    }
    default:
      return 0;
  }
}

int64_t FloorOfRatio(int64_t x, int64_t y) { return x / y - (x % y < 0 ? 1 : 0); }

// What a device reads where the loop of one step is divided; nothing where not all read alike.
std::optional<PartOfWalk> PartOf(const LoopMap::Walk& walk, const LoopMap::Walk::Step& divided,
                                 const LoopDivision& division, const LoopMap& map,
                                 const DeviceAxes& axes) {
  int64_t least = walk.offset, most = walk.offset + walk.extent - 1, step = 0;
  for (const LoopMap::Walk::Step& each : walk.steps) {
    int64_t turns = map.loops[each.loop].size;
    if (each.loop == divided.loop) {
      turns = CeilOfRatio(turns, axes.size(division.loops[each.loop]));
      step = each.factor * turns;
    }
    (each.factor < 0 ? least : most) += each.factor * (turns - 1);
  }
  const int64_t first = -FloorOfRatio(-least, walk.divisor);
  const int64_t last = FloorOfRatio(most, walk.divisor);
  if (step % walk.divisor != 0 || first > last) return std::nullopt;
  return PartOfWalk{
      division.loops[divided.loop], step / walk.divisor,       first, last - first + 1,
      first * walk.divisor - least, most - last * walk.divisor};
}

bool IsCombined(LoopMap::Kind kind) {
  return kind == LoopMap::Kind::kSum || kind == LoopMap::Kind::kPick;
}

class LoopDivider {
 public:
  LoopDivider(const HloInstruction& instruction, const LoopMap& map,
              absl::Span<const Shape* const> operand_shapes, const DeviceAxes& axes)
      : map_(map), axes_(axes), may_be_uneven_(FindUneven(instruction, map, operand_shapes)) {
    division_.loops.resize(map.loops.size());
  }

  void FollowResults(absl::Span<const Tiling> results) {
    LoopFlags is_set(map_.loops.size(), false);
    ForEachShare(map_.results, results, [&](int loop, const AxisList& share) {
      AxisList& own = division_.loops[loop];
      const LoopMap::Kind kind = map_.loops[loop].kind;
      if (kind != LoopMap::Kind::kEach && kind != LoopMap::Kind::kNear) return;
      if (!is_set[loop]) {
        own = Unused(share);
      } else if (own != share) {
        own.clear();
      }
      is_set[loop] = true;
    });
    KeepWhole();
  }

  // Divides loops of which each turn gives something of its own as the operands are, whatever the
  // results want.
  void FollowEach(absl::Span<const Tiling> operands) {
    ForEachShare(map_.operands, operands, [&](int loop, const AxisList& share) {
      AxisList& own = division_.loops[loop];
      if (map_.loops[loop].kind == LoopMap::Kind::kEach && own.empty()) own = Free(share, operands);
    });
    KeepWhole();
  }

  // Divides sums as all operands are divided along them, or as the first is that is, whatever the
  // results want.
  void FollowSums(absl::Span<const Tiling> operands, bool agree) {
    absl::InlinedVector<std::optional<AxisList>, 4> shared(map_.loops.size());
    ForEachShare(map_.operands, operands, [&](int loop, const AxisList& share) {
      std::optional<AxisList>& all = shared[loop];
      if (agree) {
        all = all.has_value() && *all != share ? AxisList() : share;
      } else if (!all.has_value() || all->empty()) {
        all = share;
      }
    });
    for (size_t loop = 0; loop < shared.size(); ++loop) {
      if (map_.loops[loop].kind == LoopMap::Kind::kSum && shared[loop].has_value())
        division_.loops[loop] = Free(*shared[loop], operands);
    }
    KeepWhole();
  }

  void FollowOperands(absl::Span<const Tiling> operands, bool divides_picks) {
    ForEachShare(map_.operands, operands, [&](int loop, const AxisList& share) {
      AxisList& own = division_.loops[loop];
      const LoopMap::Kind kind = map_.loops[loop].kind;
      if (!IsCombined(kind) || !own.empty()) return;
      if (kind == LoopMap::Kind::kPick && !divides_picks) return;
      own = Free(share, operands);
    });
    KeepWhole();
    for (size_t i = 0; i < map_.loops.size(); ++i) {
      if (!IsCombined(map_.loops[i].kind)) continue;
      const AxisList& own = division_.loops[i];
      division_.sums.insert(division_.sums.end(), own.begin(), own.end());
    }
    absl::c_sort(division_.sums);
  }

  // Axes along which all operands are summands.
  void KeepSummands(absl::Span<const Tiling> operands) {
    if (operands.empty()) return;
    division_.linear_operands = operands.size();
    for (const Axis axis : operands[0].summands) {
      const bool all = absl::c_all_of(
          operands, [&](const Tiling& tiling) { return Contains(tiling.summands, axis); });
      AxisList used = Used();
      if (!all || Contains(used, axis)) continue;
      used.push_back(axis);
      if (axes_.AreIndependent(std::move(used))) division_.summands.push_back(axis);
    }
  }

  LoopDivision& division() { return division_; }
  bool IsWhole() const {
    return absl::c_all_of(division_.loops, [](const AxisList& axes) { return axes.empty(); });
  }

 private:
  AxisList Used() const {
    AxisList used = division_.summands;
    for (const AxisList& axes : division_.loops) {
      for (const Axis axis : axes) used.push_back(axis);
    }
    return used;
  }

  // The axes of a dimension, shared out among its loops, the first first. What does not come out
  // even is left out, if that matters.
  AxisLists ShareOut(const AxisList& axes, const LoopMap::Dimension& dimension) const {
    AxisLists shares(dimension.size());
    size_t next = 0;
    for (size_t i = 0; i < dimension.size() && next < axes.size(); ++i) {
      int64_t left = map_.loops[dimension[i]].size;
      while (next < axes.size() && left > 1 && left % axes_.size(axes[next]) == 0) {
        left /= axes_.size(axes[next]);
        shares[i].push_back(axes[next++]);
      }
      if (left > 1) break;
    }
    return shares;
  }

  // Calls do_share(loop, axes) for each loop along each dimension of arrays that are divided like
  // this.
  void ForEachShare(absl::Span<const LoopMap::Dimensions> arrays, absl::Span<const Tiling> tilings,
                    absl::FunctionRef<void(int, const AxisList&)> do_share) const {
    for (size_t i = 0; i < arrays.size(); ++i) {
      for (size_t d = 0; d < arrays[i].size(); ++d) {
        const LoopMap::Dimension& dimension = arrays[i][d];
        const AxisList& axes = tilings[i].dimensions[d];
        if (dimension.size() == 1 &&
            (axes.empty() || (may_be_uneven_[dimension[0]] && map_.loops[dimension[0]].size > 1))) {
          do_share(dimension[0], axes);
          continue;
        }
        const AxisLists shares = ShareOut(axes, dimension);
        for (size_t k = 0; k < dimension.size(); ++k) do_share(dimension[k], shares[k]);
      }
    }
  }

  // Of axes that may be used elsewhere, the first that are not.
  AxisList Unused(const AxisList& axes) const {
    AxisList used = Used(), unused;
    for (const Axis axis : axes) {
      if (Contains(used, axis)) break;
      used.push_back(axis);
      if (!axes_.AreIndependent(used)) break;
      unused.push_back(axis);
    }
    return unused;
  }

  // The first of the axes that serve nothing else.
  AxisList Free(const AxisList& axes, absl::Span<const Tiling> operands) const {
    AxisList used = Used(), free;
    for (const Axis axis : axes) {
      const bool is_taken =
          Contains(used, axis) || absl::c_any_of(operands, [&](const Tiling& tiling) {
            return Contains(tiling.manual, axis) || Contains(tiling.summands, axis);
          });
      if (is_taken) break;
      used.push_back(axis);
      if (!axes_.AreIndependent(used)) break;
      free.push_back(axis);
    }
    return free;
  }

  // A dimension can be divided along a loop only where the loops before it are divided into single
  // turns.
  void KeepWhole() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto* list : {&map_.operands, &map_.results}) {
        for (const LoopMap::Dimensions& dimensions : *list) {
          for (const LoopMap::Dimension& dimension : dimensions) changed |= KeepWhole(dimension);
        }
      }
      for (const auto& dimensions : map_.walks) {
        for (const std::optional<LoopMap::Walk>& walk : dimensions)
          changed |= walk.has_value() && KeepWhole(*walk);
      }
    }
  }
  bool KeepWhole(const LoopMap::Dimension& dimension) {
    if (dimension.size() < 2) return false;
    bool is_single = true, changed = false;
    for (const int loop : dimension) {
      AxisList& own = division_.loops[loop];
      if (!is_single && !own.empty()) {
        own.clear();
        changed = true;
      }
      is_single = is_single && axes_.size(own) == map_.loops[loop].size;
    }
    return changed;
  }

  // One of the loops that walk along a dimension can be divided, and only where all of its parts
  // read as many elements.
  bool KeepWhole(const LoopMap::Walk& walk) {
    bool is_first = true, changed = false;
    for (const LoopMap::Walk::Step& step : walk.steps) {
      AxisList& own = division_.loops[step.loop];
      if (own.empty()) continue;
      if (is_first && PartOf(walk, step, division_, map_, axes_).has_value()) {
        is_first = false;
        continue;
      }
      own.clear();
      changed = true;
    }
    return changed;
  }

  const LoopMap& map_;
  const DeviceAxes& axes_;
  const LoopFlags may_be_uneven_;
  LoopDivision division_;
};

// What devices send each other where loops are divided in some way, and the share of it if others
// who have the same operands need them sent in the same way.
struct BytesSent {
  double all = 0, shared = 0;
};

BytesSent BytesOf(const HloInstruction& instruction, const LoopMap& map,
                  const LoopDivision& division, absl::Span<const Tiling> results,
                  absl::Span<const Tiling> operands, absl::Span<const Shape* const> operand_shapes,
                  const DeviceAxes& axes) {
  BytesSent sent;
  for (size_t i = 0; i < operands.size(); ++i) {
    Tiling needed = division.TilingOf(map.operands[i], operands[i].manual);
    if (i < division.linear_operands) needed.summands = division.summands;
    const double bytes = BytesToReshard(*operand_shapes[i], operands[i], needed, axes);
    const int64_t users = instruction.operand(static_cast<int64_t>(i))->user_count();
    sent.all += bytes;
    sent.shared += bytes / static_cast<double>(std::max<int64_t>(users, 1));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    Tiling made = division.TilingOf(map.results[i], results[i].manual);
    made.summands = division.sums;
    made.summands.insert(made.summands.end(), division.summands.begin(), division.summands.end());
    const Shape& shape = instruction.shape();
    const double bytes = BytesToReshard(
        shape.IsTuple() ? shape.tuple_shapes(static_cast<int>(i)) : shape, made, results[i], axes);
    sent.all += bytes;
    sent.shared += bytes;
  }
  return sent;
}

// With the sizes that the result has now.
HloInstruction* MakeIota(GraphBuilder& graph, const HloInstruction& iota, const Shape& shape,
                         const Tiling& tiling, Resharder& resharder) {
  const int64_t along = iota.attributes_as<IotaAttributes>().iota_dimension;
  const AxisList& axes = tiling.dimensions[along];
  if (axes.empty()) return graph.Add(HloInstruction::CreateIota(shape, along));
  HloInstruction* const start =
      resharder.Place(graph, axes, shape.dimensions(static_cast<int>(along)));
  HloInstruction* const numbers =
      graph.Binary(HloOpcode::kAdd, graph.Iota(S64, shape.dimensions(), along),
                   graph.Broadcast(start, shape.dimensions()));
  return graph.Convert(numbers, shape.element_type());
}

HloInstruction* MakeWindowed(GraphBuilder& graph, const HloInstruction& instruction,
                             const Shape& shape, absl::Span<HloInstruction* const> operands,
                             const WalksOfOperand& walks) {
  HloInstruction* const local = graph.Add(instruction.CloneWithNewOperands(shape, operands));
  Window window = instruction.window();
  for (int i = 0; i < window.dimensions_size(); ++i) {
    int64_t dimension = i;
    if (instruction.opcode() == HloOpcode::kConvolution) {
      const ConvolutionDimensionNumbers& numbers = instruction.convolution_dimension_numbers();
      dimension = numbers.input_spatial_dimensions(i);
      const int64_t kernel = numbers.kernel_spatial_dimensions(i);
      window.mutable_dimensions(i)->set_size(
          operands[1]->shape().dimensions(static_cast<int>(kernel)));
    }
    const PartOfWalk* part = PartAlong(walks, dimension);
    if (part == nullptr) continue;
    window.mutable_dimensions(i)->set_padding_low(part->low);
    window.mutable_dimensions(i)->set_padding_high(part->high);
  }
  local->set_window(window);
  return local;
}

// Where the update begins, as a dynamic-update-slice takes it.
HloInstruction* ClampStart(GraphBuilder& graph, HloInstruction* start, int64_t most) {
  // Numbers that S64 cannot hold are beyond it all.
  if (start->shape().element_type() == U64) {
    start = graph.Binary(HloOpcode::kMinimum, start,
                         graph.Constant(LiteralUtil::CreateR0<uint64_t>(most)));
  }
  start = graph.Binary(HloOpcode::kMaximum, graph.Convert(start, S64), graph.Number(S64, 0));
  return graph.Binary(HloOpcode::kMinimum, start,
                      graph.Constant(LiteralUtil::CreateR0<int64_t>(most)));
}

// The elements that lie in a part that begins at `place`, where `x` begins at `start`.
HloInstruction* ElementsOfPart(GraphBuilder& graph, HloInstruction* x, int64_t dimension,
                               int64_t part_size, HloInstruction* place, HloInstruction* start) {
  std::vector<std::pair<int64_t, int64_t>> padding(x->shape().dimensions_size(), {0, 0});
  padding[dimension] = {part_size, part_size};
  Shape padded = x->shape(), shape = x->shape();
  padded.set_dimensions(static_cast<int>(dimension),
                        x->shape().dimensions(static_cast<int>(dimension)) + 2 * part_size);
  shape.set_dimensions(static_cast<int>(dimension), part_size);
  // Of zero bits, which not all types have a zero of.
  HloInstruction* const zero =
      graph.Constant(Literal(ShapeUtil::MakeShape(x->shape().element_type(), {})));
  HloInstruction* const within =
      graph.Add(HloInstruction::CreatePad(padded, x, zero, MakeEdgePaddingConfig(padding)));
  std::vector<HloInstruction*> starts(x->shape().dimensions_size(), graph.Number(S64, 0));
  starts[dimension] =
      graph.Binary(HloOpcode::kAdd, graph.Binary(HloOpcode::kSubtract, place, start),
                   graph.Constant(LiteralUtil::CreateR0<int64_t>(part_size)));
  return graph.Add(HloInstruction::CreateDynamicSlice(shape, within, starts, shape.dimensions()));
}

// Along divided dimensions, a device has those elements of the update that lie in its part; along
// others the update is what it was.
HloInstruction* MakeUpdate(GraphBuilder& graph, const HloInstruction& instruction,
                           const Tiling& tiling, absl::Span<HloInstruction* const> operands,
                           const WalksOfOperand& walks, const Shape& whole_update,
                           Resharder& resharder) {
  const Shape& whole = instruction.shape();
  HloInstruction *update = operands[1], *covered = nullptr;
  std::vector<HloInstruction*> starts(operands.begin() + 2, operands.end());
  bool is_partial = false;  // along other dimensions
  for (int i = 0; i < whole.dimensions_size(); ++i) {
    const int64_t size = whole_update.dimensions(i);
    if (tiling.dimensions[i].empty()) is_partial |= size != whole.dimensions(i);
    if (tiling.dimensions[i].empty() || size == whole.dimensions(i)) continue;
    const int64_t part_size = operands[0]->shape().dimensions(i);
    HloInstruction* const place = resharder.Place(graph, tiling.dimensions[i], part_size);
    HloInstruction* const start = ClampStart(graph, starts[i], whole.dimensions(i) - size);
    if (PartAlong(walks, i) == nullptr)
      update = ElementsOfPart(graph, update, i, part_size, place, start);
    HloInstruction* const number = graph.Binary(
        HloOpcode::kAdd, graph.Iota(S64, {part_size}, 0),
        graph.Broadcast(graph.Binary(HloOpcode::kSubtract, place, start), {part_size}));
    HloInstruction* const is_within = graph.Binary(
        HloOpcode::kAnd, graph.Compare(Comparison::Direction::kGe, number, graph.Number(S64, 0)),
        graph.Compare(Comparison::Direction::kLt, number,
                      graph.Constant(LiteralUtil::CreateR0<int64_t>(size))));
    starts[i] = graph.Number(starts[i]->shape().element_type(), 0);
    // Of the shape that the update has in the end.
    std::vector<int64_t> sizes(whole_update.dimensions().begin(), whole_update.dimensions().end());
    for (int k = 0; k < whole.dimensions_size(); ++k) {
      if (!tiling.dimensions[k].empty()) sizes[k] = operands[0]->shape().dimensions(k);
    }
    HloInstruction* const mask = graph.Broadcast(is_within, sizes, {i});
    covered = covered == nullptr ? mask : graph.Binary(HloOpcode::kAnd, covered, mask);
  }
  if (covered == nullptr)
    return graph.Add(instruction.CloneWithNewOperands(operands[0]->shape(), operands));
  if (!is_partial) return graph.Select(covered, update, operands[0]);
  HloInstruction* const old = graph.Add(HloInstruction::CreateDynamicSlice(
      update->shape(), operands[0], starts, update->shape().dimensions()));
  return graph.Add(HloInstruction::CreateDynamicUpdateSlice(
      operands[0]->shape(), operands[0], graph.Select(covered, update, old), starts));
}

// Of dynamic slices: 0 where they have come as they lie in the result.
std::vector<HloInstruction*> StartsOnPart(GraphBuilder& graph,
                                          absl::Span<HloInstruction* const> starts,
                                          const WalksOfOperand& walks) {
  std::vector<HloInstruction*> own(starts.begin(), starts.end());
  for (size_t i = 0; i < own.size(); ++i) {
    if (PartAlong(walks, i) != nullptr) own[i] = graph.Number(own[i]->shape().element_type(), 0);
  }
  return own;
}

// Whether nothing has to be sent: each element is made of those at its index, and all arrays are
// divided in the same way.
bool IsDividedAlike(const HloInstruction& instruction, const LoopMap& map,
                    absl::Span<const Tiling> results, absl::Span<const Tiling> operands) {
  if (!instruction.IsElementwise() || results.size() != 1 || !results[0].summands.empty() ||
      ShapeUtil::IsZeroElementArray(instruction.shape()))
    return false;
  for (size_t i = 0; i < map.loops.size(); ++i) {
    if (map.loops[i].kind != LoopMap::Kind::kEach ||
        (map.loops[i].size == 1 && !results[0].dimensions[i].empty()))
      return false;
  }
  return absl::c_all_of(operands, [&](const Tiling& tiling) {
    return tiling.dimensions == results[0].dimensions && tiling.summands.empty();
  });
}

}  // namespace

Tiling LoopDivision::TilingOf(const LoopMap::Dimensions& dimensions, const AxisList& manual) const {
  Tiling tiling = Tiling::Whole(static_cast<int64_t>(dimensions.size()), manual);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    for (const int loop : dimensions[i]) {
      for (const Axis axis : loops[loop]) tiling.dimensions[i].push_back(axis);
    }
  }
  return tiling;
}

PartsOfWalks LoopDivision::PartsOf(const LoopMap& map, const DeviceAxes& axes) const {
  PartsOfWalks parts(map.operands.size());
  for (size_t i = 0; i < map.walks.size(); ++i) {
    for (size_t d = 0; d < map.walks[i].size(); ++d) {
      if (!map.walks[i][d].has_value()) continue;
      for (const LoopMap::Walk::Step& step : map.walks[i][d]->steps) {
        if (loops[step.loop].empty()) continue;
        std::optional<PartOfWalk> part = PartOf(*map.walks[i][d], step, *this, map, axes);
        if (!part.has_value()) continue;
        parts[i].resize(map.walks[i].size());
        parts[i][d] = *std::move(part);
      }
    }
  }
  return parts;
}

LoopDivision DivideLoops(const HloInstruction& instruction, const LoopMap& map,
                         absl::Span<const Tiling> results, absl::Span<const Tiling> operands,
                         absl::Span<const Shape* const> operand_shapes, const DeviceAxes& axes) {
  if (IsDividedAlike(instruction, map, results, operands)) {
    LoopDivision division;
    division.loops = results[0].dimensions;
    return division;
  }
  // A list of numbers is the same on all devices.
  if (instruction.opcode() == HloOpcode::kConstant && !instruction.literal().IsAllFirst())
    return std::move(LoopDivider(instruction, map, operand_shapes, axes).division());
  // The first way to divide them than which none sends fewer bytes.
  std::optional<LoopDivision> best;
  BytesSent least;
  const auto consider = [&](LoopDivider& way, bool others_share) {
    const BytesSent bytes =
        BytesOf(instruction, map, way.division(), results, operands, operand_shapes, axes);
    if (best.has_value() && bytes.all >= (others_share ? least.shared : least.all)) return;
    best = std::move(way.division());
    least = bytes;
  };
  const auto linear = operands.first(LinearOperands(instruction));
  // Others who need the sums as well have them sent once.
  bool is_alone = true, has_summands = false;
  for (size_t i = 0; i < linear.size(); ++i) {
    has_summands = has_summands || !linear[i].summands.empty();
    is_alone = is_alone && instruction.operand(static_cast<int64_t>(i))->user_count() == 1;
  }
  const auto keep = [&] {
    LoopDivider keeping(instruction, map, operand_shapes, axes);
    keeping.KeepSummands(linear);
    if (keeping.division().summands.empty()) return;
    keeping.FollowResults(results);
    keeping.FollowOperands(operands, /*divides_picks=*/true);
    consider(keeping, /*others_share=*/false);
  };
  if (has_summands && is_alone) keep();
  const bool has_picks = absl::c_any_of(
      map.loops, [](const LoopMap::Loop& loop) { return loop.kind == LoopMap::Kind::kPick; });
  // What sums or turns of one operand ask for is done only where it takes fewer bytes even if all
  // others who have the operands share with another way what that has to send.
  enum class First { kResults, kAgreedSums, kSums, kEach };
  for (const First first : {First::kResults, First::kAgreedSums, First::kSums, First::kEach}) {
    for (const bool divides_picks : {true, false}) {
      if (best.has_value() && least.all == 0) break;
      LoopDivider way(instruction, map, operand_shapes, axes);
      if (first == First::kAgreedSums || first == First::kSums)
        way.FollowSums(operands, /*agree=*/first == First::kAgreedSums);
      if (first == First::kEach) way.FollowEach(operands);
      if ((first != First::kResults && way.IsWhole()) || !(divides_picks || has_picks)) continue;
      if (first != First::kEach) way.FollowResults(results);
      way.FollowOperands(operands, divides_picks);
      way.KeepSummands(linear);
      consider(way, /*others_share=*/first == First::kSums || first == First::kEach);
    }
  }
  if (has_summands && !is_alone) keep();
  return *std::move(best);
}

HloInstruction* IdentityOf(GraphBuilder& graph, HloOpcode combination, PrimitiveType type) {
  switch (combination) {
    case HloOpcode::kMaximum:
      return graph.Constant(LiteralUtil::MinValue(type));
    case HloOpcode::kMinimum:
      return graph.Constant(LiteralUtil::MaxValue(type));
    case HloOpcode::kAnd:
      return graph.Unary(HloOpcode::kNot, graph.Constant(LiteralUtil::Zero(type)));
    default:
      // A sum with positive zero would lose the sign of a negative one.
      if (primitive_util::IsComplexType(type))
        return graph.Unary(HloOpcode::kNegate, graph.Constant(LiteralUtil::Zero(type)));
      return type == F16 || type == BF16 || type == F32 || type == F64
                 ? graph.Number(type, -0.0)
                 : graph.Constant(LiteralUtil::Zero(type));
  }
}

HloInstruction* MakeLocal(GraphBuilder& graph, const HloInstruction& instruction,
                          const Shape& shape, const Tiling& tiling,
                          absl::Span<HloInstruction* const> operands, const PartsOfWalks& walks,
                          absl::Span<const Shape* const> operand_shapes, Resharder& resharder) {
  switch (instruction.opcode()) {
    case HloOpcode::kConstant: {
      if (ShapeUtil::SameDimensions(shape, instruction.shape())) break;
      return graph.Broadcast(
          graph.Constant(LiteralUtil::GetFirstScalarLiteral(instruction.literal())),
          shape.dimensions());
    }
    case HloOpcode::kIota:
      return MakeIota(graph, instruction, shape, tiling, resharder);
    case HloOpcode::kSlice: {
      std::vector<int64_t> starts = instruction.slice_starts(), limits = instruction.slice_limits();
      for (size_t i = 0; i < limits.size(); ++i) {
        if (tiling.dimensions[i].empty()) continue;
        starts[i] = 0;
        limits[i] = operands[0]->shape().dimensions(static_cast<int>(i));
      }
      return graph.Add(HloInstruction::CreateSlice(shape, operands[0], starts, limits,
                                                   instruction.slice_strides()));
    }
    case HloOpcode::kPad: {
      PaddingConfig config = instruction.padding_config();
      for (size_t i = 0; i < walks[0].size(); ++i) {
        const PartOfWalk* part = PartAlong(walks[0], i);
        if (part == nullptr) continue;
        config.mutable_dimensions(static_cast<int>(i))->set_edge_padding_low(part->low);
        config.mutable_dimensions(static_cast<int>(i))->set_edge_padding_high(part->high);
      }
      return graph.Add(HloInstruction::CreatePad(shape, operands[0], operands[1], config));
    }
    // Along a divided dimension, operands have come as they lie in the result.
    case HloOpcode::kConcatenate: {
      const int64_t along = instruction.dimensions(0);
      if (tiling.dimensions[along].empty()) break;
      return operands[0];
    }
    case HloOpcode::kConvolution:
    case HloOpcode::kReduceWindow:
      return MakeWindowed(graph, instruction, shape, operands, walks[0]);
    case HloOpcode::kDynamicSlice:
      return graph.Add(HloInstruction::CreateDynamicSlice(
          shape, operands[0], StartsOnPart(graph, operands.subspan(1), walks[0]),
          shape.dimensions()));
    case HloOpcode::kDynamicUpdateSlice:
      return MakeUpdate(graph, instruction, tiling, operands, walks[1], *operand_shapes[1],
                        resharder);
    case HloOpcode::kGather: {
      const GatherDimensionNumbers& numbers = instruction.gather_dimension_numbers();
      std::vector<int64_t> sizes = instruction.gather_slice_sizes();
      int offset = 0;
      for (size_t i = 0; i < sizes.size(); ++i) {
        if (absl::c_linear_search(numbers.collapsed_slice_dims(), i) ||
            absl::c_linear_search(numbers.operand_batching_dims(), i))
          continue;
        sizes[i] = shape.dimensions(static_cast<int>(numbers.offset_dims(offset++)));
      }
      return graph.Add(HloInstruction::CreateGather(
          shape, operands[0], operands[1], numbers, sizes,
          instruction.attributes_as<GatherAttributes>().indices_are_sorted));
    }
    case HloOpcode::kCustomCall: {
      HloInstruction* const call = graph.Add(instruction.CloneWithNewOperands(shape, operands));
      auto& layouts = call->mutable_attributes_as<CustomCallAttributes>().operand_layouts;
      for (size_t i = 0; layouts.has_value() && i < layouts->size(); ++i) {
        for (int d = 0; d < (*layouts)[i].dimensions_size(); ++d)
          (*layouts)[i].set_dimensions(d, operands[i]->shape().dimensions(d));
      }
      return call;
    }
    default:
      break;
  }
  return graph.Add(instruction.CloneWithNewOperands(shape, operands));
}

std::optional<int64_t> DimensionOfFewElements(const HloInstruction& instruction,
                                              const Shape& operand, const Tiling& own,
                                              const Tiling& result, const DeviceAxes& axes) {
  const bool is_slice = instruction.opcode() == HloOpcode::kSlice;
  const int rank = operand.dimensions_size();
  if (!is_slice &&
      (instruction.opcode() != HloOpcode::kDynamicSlice || instruction.operand_count() != 1 + rank))
    return std::nullopt;
  if (primitive_util::IsComplexType(operand.element_type()) ||
      primitive_util::BitWidth(operand.element_type()) % 8 != 0)
    return std::nullopt;
  for (int i = 0; i < rank; ++i) {
    const int64_t size = instruction.shape().dimensions(i), parts = axes.size(own.dimensions[i]);
    const int64_t part_size = CeilOfRatio(operand.dimensions(i), parts);
    if (!own.dimensions[i].empty() && result.dimensions[i].empty() && size > 0 &&
        2 * size < (parts - 1) * part_size && (!is_slice || instruction.slice_strides(i) == 1))
      return i;
  }
  return std::nullopt;
}

HloInstruction* MakeOwnElements(GraphBuilder& graph, const HloInstruction& slice,
                                const Shape& shape, int64_t dimension, const AxisList& axes,
                                absl::Span<HloInstruction* const> operands, const Shape& operand,
                                Resharder& resharder) {
  const int d = static_cast<int>(dimension);
  const int64_t size = shape.dimensions(d);
  const int64_t part_size = operands[0]->shape().dimensions(d);
  HloInstruction* const place = resharder.Place(graph, axes, part_size);
  if (slice.opcode() == HloOpcode::kDynamicSlice) {
    HloInstruction* const start =
        ClampStart(graph, operands[1 + dimension], operand.dimensions(d) - size);
    std::vector<HloInstruction*> starts(operands.begin() + 1, operands.end());
    starts[dimension] = graph.Number(starts[dimension]->shape().element_type(), 0);
    return graph.Add(HloInstruction::CreateDynamicSlice(
        shape, ElementsOfPart(graph, operands[0], dimension, size, start, place), starts,
        shape.dimensions()));
  }
  HloInstruction* const start =
      graph.Constant(LiteralUtil::CreateR0<int64_t>(slice.slice_starts(d)));
  HloInstruction* const elements =
      ElementsOfPart(graph, operands[0], dimension, size, start, place);
  std::vector<int64_t> starts = slice.slice_starts(), limits = slice.slice_limits();
  for (int i = 0; i < shape.dimensions_size(); ++i) {
    if (i != d && shape.dimensions(i) == slice.shape().dimensions(i)) continue;
    starts[i] = 0;
    limits[i] = elements->shape().dimensions(i);
  }
  return graph.Add(
      HloInstruction::CreateSlice(shape, elements, starts, limits, slice.slice_strides()));
}

}  // namespace xla::passes

#include "passes/partition/local.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/records.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

bool Contains(const AxisList& axes, Axis axis) { return absl::c_linear_search(axes, axis); }

// The axes of a dimension, shared out among its loops, the first first. What does not come out even
// is left out.
std::vector<AxisList> ShareOut(const AxisList& axes, const LoopMap::Dimension& dimension,
                               const LoopMap& map, const DeviceAxes& all) {
  std::vector<AxisList> shares(dimension.size());
  size_t next = 0;
  for (size_t i = 0; i < dimension.size() && next < axes.size(); ++i) {
    int64_t left = map.loops[dimension[i]].size;
    while (next < axes.size() && left > 1 && left % all.size(axes[next]) == 0) {
      left /= all.size(axes[next]);
      shares[i].push_back(axes[next++]);
    }
    if (left > 1) break;
  }
  return shares;
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

class LoopDivider {
 public:
  LoopDivider(const LoopMap& map, const DeviceAxes& axes) : map_(map), axes_(axes) {
    division_.loops.resize(map.loops.size());
  }

  void FollowResults(absl::Span<const Tiling> results) {
    std::vector<bool> is_set(map_.loops.size(), false);
    for (size_t i = 0; i < map_.results.size(); ++i) {
      for (size_t d = 0; d < map_.results[i].size(); ++d) {
        const LoopMap::Dimension& dimension = map_.results[i][d];
        const auto shares = ShareOut(results[i].dimensions[d], dimension, map_, axes_);
        for (size_t k = 0; k < dimension.size(); ++k) {
          AxisList& own = division_.loops[dimension[k]];
          if (map_.loops[dimension[k]].kind != LoopMap::Kind::kEach) continue;
          if (!is_set[dimension[k]]) {
            own = Unused(shares[k]);
          } else if (own != shares[k]) {
            own.clear();
          }
          is_set[dimension[k]] = true;
        }
      }
    }
    KeepWhole();
  }

  // Divides sums as all operands are divided along them, whatever the results want.
  void FollowSums(absl::Span<const Tiling> operands) {
    std::vector<std::optional<AxisList>> shared(map_.loops.size());
    for (size_t i = 0; i < map_.operands.size(); ++i) {
      for (size_t d = 0; d < map_.operands[i].size(); ++d) {
        const LoopMap::Dimension& dimension = map_.operands[i][d];
        const auto shares = ShareOut(operands[i].dimensions[d], dimension, map_, axes_);
        for (size_t k = 0; k < dimension.size(); ++k) {
          std::optional<AxisList>& all = shared[dimension[k]];
          all = all.has_value() && *all != shares[k] ? AxisList() : shares[k];
        }
      }
    }
    for (size_t loop = 0; loop < shared.size(); ++loop) {
      if (map_.loops[loop].kind == LoopMap::Kind::kSum && shared[loop].has_value())
        division_.loops[loop] = Free(*shared[loop], operands);
    }
    KeepWhole();
  }

  void FollowOperands(absl::Span<const Tiling> operands) {
    for (size_t i = 0; i < map_.operands.size(); ++i) {
      for (size_t d = 0; d < map_.operands[i].size(); ++d) {
        const LoopMap::Dimension& dimension = map_.operands[i][d];
        const auto shares = ShareOut(operands[i].dimensions[d], dimension, map_, axes_);
        for (size_t k = 0; k < dimension.size(); ++k) {
          AxisList& own = division_.loops[dimension[k]];
          if (map_.loops[dimension[k]].kind != LoopMap::Kind::kSum || !own.empty()) continue;
          own = Free(shares[k], operands);
        }
      }
    }
    KeepWhole();
    for (size_t i = 0; i < map_.loops.size(); ++i) {
      if (map_.loops[i].kind != LoopMap::Kind::kSum) continue;
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
      used.insert(used.end(), division_.summands.begin(), division_.summands.end());
      if (!all || Contains(used, axis)) continue;
      used.push_back(axis);
      if (axes_.AreIndependent(std::move(used))) division_.summands.push_back(axis);
    }
  }

  LoopDivision& division() { return division_; }

 private:
  AxisList Used() const {
    AxisList used;
    for (const AxisList& axes : division_.loops) used.insert(used.end(), axes.begin(), axes.end());
    return used;
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
    }
  }
  bool KeepWhole(const LoopMap::Dimension& dimension) {
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

  const LoopMap& map_;
  const DeviceAxes& axes_;
  LoopDivision division_;
};

// What devices send each other where loops are divided like this.
double BytesOf(const HloInstruction& instruction, const LoopMap& map, const LoopDivision& division,
               absl::Span<const Tiling> results, absl::Span<const Tiling> operands,
               absl::Span<const Shape* const> operand_shapes, const DeviceAxes& axes) {
  double bytes = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    Tiling needed = division.TilingOf(map.operands[i], operands[i].manual);
    needed.summands = operands[i].summands;
    bytes += BytesToReshard(*operand_shapes[i], operands[i], needed, axes);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    Tiling made = division.TilingOf(map.results[i], results[i].manual);
    made.summands = division.sums;
    const Shape& shape = instruction.shape();
    bytes += BytesToReshard(shape.IsTuple() ? shape.tuple_shapes(static_cast<int>(i)) : shape, made,
                            results[i], axes);
  }
  return bytes;
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

}  // namespace

Tiling LoopDivision::TilingOf(const LoopMap::Dimensions& dimensions, const AxisList& manual) const {
  Tiling tiling = Tiling::Whole(static_cast<int64_t>(dimensions.size()), manual);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    for (const int loop : dimensions[i]) {
      tiling.dimensions[i].insert(tiling.dimensions[i].end(), loops[loop].begin(),
                                  loops[loop].end());
    }
  }
  return tiling;
}

LoopDivision DivideLoops(const HloInstruction& instruction, const LoopMap& map,
                         absl::Span<const Tiling> results, absl::Span<const Tiling> operands,
                         absl::Span<const Shape* const> operand_shapes, const DeviceAxes& axes) {
  LoopDivider divider(map, axes);
  // A list of numbers is the same on all devices.
  if (instruction.opcode() == HloOpcode::kConstant && !instruction.literal().IsAllFirst())
    return std::move(divider.division());
  const auto finish = [&](LoopDivider& with) {
    with.FollowResults(results);
    with.FollowOperands(operands);
    with.KeepSummands(operands.first(LinearOperands(instruction)));
  };
  finish(divider);
  LoopDivider summing(map, axes);
  summing.FollowSums(operands);
  if (absl::c_all_of(summing.division().loops, [](const AxisList& own) { return own.empty(); }))
    return std::move(divider.division());
  finish(summing);
  const auto bytes = [&](LoopDivider& with) {
    return BytesOf(instruction, map, with.division(), results, operands, operand_shapes, axes);
  };
  const bool is_less = bytes(summing) < bytes(divider);
  return std::move((is_less ? summing : divider).division());
}

HloInstruction* MakeLocal(GraphBuilder& graph, const HloInstruction& instruction,
                          const Shape& shape, const Tiling& tiling,
                          absl::Span<HloInstruction* const> operands, Resharder& resharder) {
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
      std::vector<int64_t> limits = instruction.slice_limits();
      for (size_t i = 0; i < limits.size(); ++i) {
        if (!tiling.dimensions[i].empty())
          limits[i] = operands[0]->shape().dimensions(static_cast<int>(i));
      }
      return graph.Add(HloInstruction::CreateSlice(shape, operands[0], instruction.slice_starts(),
                                                   limits, instruction.slice_strides()));
    }
    case HloOpcode::kDynamicSlice:
      return graph.Add(HloInstruction::CreateDynamicSlice(shape, operands[0], operands.subspan(1),
                                                          shape.dimensions()));
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

}  // namespace xla::passes

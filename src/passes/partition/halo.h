// Ranges of a divided dimension that are not the parts: what windows, shifts and the like need.
#ifndef HILO_PASSES_PARTITION_HALO_H_
#define HILO_PASSES_PARTITION_HALO_H_

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/container/node_hash_map.h"
#include "absl/types/span.h"
#include "passes/graph_builder.h"
#include "passes/partition/axes.h"
#include "passes/partition/reshard.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// Elements along one dimension of an array. Element `offset + step * p + t` of the array belongs at
// position t of the device at place p, if it is one of those from `begin` to `end`.
struct RangeSource {
  HloInstruction* part;  // that the device has: its own, or where `is_divided` is not set, all
  bool is_divided;
  int64_t size;  // of the dimension of the whole array
  int64_t offset;
  int64_t begin, end;
};

// Of each device so many positions along a dimension, each filled by one of the sources or by none.
struct Ranges {
  int64_t dimension;
  AxisList axes;  // along which devices have their places and parts
  int64_t step, width;
  std::vector<RangeSource> sources;
  // What lies where no source is: a scalar; nothing where it does not matter.
  HloInstruction* outside = nullptr;
};

// Which positions of a device are meant, for all places.
struct Interval {
  int64_t begin, end;
};

// Elements of the part of the device at place `from`, from its `first` on, which belong at
// `position` of the device at place `to`.
struct RangeTransfer {
  int64_t from, to, first, position, count;
};

// Transfers that are alike but for the places: those that send to themselves, or to others as far
// away.
struct RangePiece {
  int64_t first, position, count;
  std::vector<std::pair<int64_t, int64_t>> places;  // from, to
  bool is_local() const { return places[0].first == places[0].second; }
};

class HaloExchange {
 public:
  HaloExchange(const DeviceAxes& axes, Resharder& resharder) : axes_(axes), resharder_(resharder) {}

  // Sends of each part what others need of it, where this is less than all. `tiling` is that of
  // the sources' arrays.
  HloInstruction* Fetch(GraphBuilder& graph, const Ranges& ranges, const Tiling& tiling);

  // `x` where the device at a place along the axes has one of these positions along the dimension,
  // else `other`, a scalar or an array like it.
  HloInstruction* KeepWithin(GraphBuilder& graph, HloInstruction* x, HloInstruction* other,
                             int64_t dimension, const AxisList& axes,
                             absl::Span<const Interval> of_places);

 private:
  // Sources that are made of the same part.
  struct Group {
    const Ranges& ranges;
    const Tiling& tiling;
    std::vector<RangeSource> sources;

    HloInstruction* part() const { return sources[0].part; }
    int64_t part_size() const {
      return part()->shape().dimensions(static_cast<int>(ranges.dimension));
    }
  };

  // Who sends what to whom. It depends on sizes alone, and layers of a network have the same.
  struct Plan {
    enum class Kind { kNothing, kWhole, kPieces, kRounds };
    Kind kind;
    std::vector<RangePiece> pieces;   // by position
    std::vector<Interval> intervals;  // that the pieces fill, by place
    // No place sends twice in a round, or gets anything twice. What stays where it is goes in
    // rounds of its own.
    std::vector<std::vector<RangeTransfer>> rounds;
  };
  const Plan& PlanOf(const Group& group);
  static Plan MakePlan(const Group& group, int64_t places);

  // Each gives the ranges with what the group has in them, and elsewhere `below`, which may be
  // nothing.
  HloInstruction* Put(GraphBuilder& graph, const Group& group, HloInstruction* below);
  HloInstruction* PutWhole(GraphBuilder& graph, const Group& group, const RangeSource& source,
                           HloInstruction* below);
  HloInstruction* PutPieces(GraphBuilder& graph, const Group& group, const Plan& plan,
                            HloInstruction* below);
  HloInstruction* PutRounds(GraphBuilder& graph, const Group& group, const Plan& plan,
                            HloInstruction* below);

  HloInstruction* GatherPart(GraphBuilder& graph, const Group& group);
  // `count` elements of the part of each sender, from its number `first` on, for a receiver.
  HloInstruction* Send(GraphBuilder& graph, const Group& group, absl::Span<const int64_t> first,
                       int64_t count, absl::Span<const std::pair<int64_t, int64_t>> places);
  // As wide as the range: at position 0 lies the element of `x` that the place's number says.
  HloInstruction* Align(GraphBuilder& graph, const Ranges& ranges, HloInstruction* x,
                        absl::Span<const int64_t> first, HloInstruction* outside);
  HloInstruction* Slice(GraphBuilder& graph, const Ranges& ranges, HloInstruction* x,
                        absl::Span<const int64_t> first, int64_t count);
  HloInstruction* OwnNumber(GraphBuilder& graph, const AxisList& axes,
                            absl::Span<const int64_t> of_places);

  // Places, step, width, size of a part, and of each source its offset, begin and end.
  using PlanKey = absl::InlinedVector<int64_t, 8>;
  using SentKey = std::tuple<const HloInstruction*, int64_t, AxisList, std::vector<int64_t>,
                             int64_t, std::vector<std::pair<int64_t, int64_t>>>;

  const DeviceAxes& axes_;
  Resharder& resharder_;
  absl::node_hash_map<PlanKey, Plan> plans_;
  absl::flat_hash_map<SentKey, HloInstruction*> sent_;
};

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_HALO_H_

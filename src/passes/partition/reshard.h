// Arrays on their way from one tiling to another.
#ifndef HILO_PASSES_PARTITION_RESHARD_H_
#define HILO_PASSES_PARTITION_RESHARD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "passes/graph_builder.h"
#include "passes/partition/axes.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape.h"

namespace xla::passes {

// That a collective has a channel says that its groups are of partitions. All may have the same.
inline constexpr int64_t kPartitionsChannel = 1;

// Each device's part of an array.
struct Part {
  HloInstruction* instruction;
  Tiling tiling;
};

// About how many bytes each device receives until an array of shape `whole` is in another tiling,
// as Resharder goes about it.
double BytesToReshard(const Shape& whole, const Tiling& from, const Tiling& to,
                      const DeviceAxes& axes);

using DeviceGroups = std::vector<std::vector<int64_t>>;

class Resharder {
 public:
  explicit Resharder(const DeviceAxes& axes) : axes_(axes) {}

  // The part, of an array of shape `whole`, that belongs to another tiling. What is asked for twice
  // is sent once.
  HloInstruction* Reshard(const Part& part, const Shape& whole, const Tiling& tiling);

  // The combination of what the devices along `along` have; `tiling` is that of the array.
  HloInstruction* Combine(GraphBuilder& graph, HloInstruction* part, HloOpcode combination,
                          const AxisList& along, const Tiling& tiling);

  // An array as the first device has it of those that agree along the manual axes.
  HloInstruction* SendToAll(GraphBuilder& graph, HloInstruction* value, const AxisList& manual);

  // Where of a sum nothing but parts is needed, devices add up only these. To be called when all is
  // sent.
  absl::Status ScatterSums();

  // Of these numbers, one for each device, its own, as a scalar S64.
  HloInstruction* OwnNumber(GraphBuilder& graph, absl::Span<const int64_t> of_devices);
  // One zero for all of a computation, as what it fills is often not needed in the end.
  HloInstruction* Zero(GraphBuilder& graph, PrimitiveType type);
  HloInstruction* Zeros(GraphBuilder& graph, const Shape& shape);
  // The number of the device's tile along axes, times `factor`, as a scalar S64.
  HloInstruction* Place(GraphBuilder& graph, const AxisList& axes, int64_t factor);
  // The devices that exchange parts of an array along axes of its tiling.
  const DeviceGroups& GroupsAlong(const AxisList& along, const Tiling& tiling);

 private:
  // Steps of Reshard: each changes the part and its tiling.
  void AddSummands(GraphBuilder& graph, const Tiling& wanted, Part& part);
  void SpreadOverZeros(GraphBuilder& graph, const Shape& whole, const Tiling& wanted, Part& part);
  void CutAlongFreeAxes(GraphBuilder& graph, const Shape& whole, const Tiling& wanted, Part& part);
  void Exchange(GraphBuilder& graph, const Shape& whole, const Tiling& wanted, Part& part);
  void Balance(GraphBuilder& graph, const Shape& whole, const Tiling& wanted, Part& part);
  void Permute(GraphBuilder& graph, const Shape& whole, const Tiling& wanted, Part& part);
  void Gather(GraphBuilder& graph, const Shape& whole, const Tiling& wanted, Part& part);
  void Cut(GraphBuilder& graph, const Shape& whole, const Tiling& wanted, Part& part);
  void KeepOnFirst(GraphBuilder& graph, const Tiling& wanted, Part& part);

  // Of the axes at the end of dimension `from`, those that can be sent to the end of `to` at once.
  AxisList Exchangeable(const Shape& whole, size_t from, size_t to, const Tiling& wanted,
                        const Tiling& own) const;
  void SendBetween(GraphBuilder& graph, size_t from, size_t to, const AxisList& axes, Part& part);
  // Which device sends its part to which, so that each has that of another tiling; nothing where
  // that is not possible.
  std::optional<std::vector<std::pair<int64_t, int64_t>>> Moves(const Tiling& from,
                                                                const Tiling& to) const;

  // The axes that a dimension keeps.
  size_t CountKept(const Shape& whole, size_t dimension, const Tiling& from,
                   const Tiling& to) const;
  // A sum of the parts that devices along some axes have.
  struct Sum {
    AxisList along;
    Tiling tiling;  // before
  };
  // A part that is cut of an array along one dimension.
  struct CutPart {
    HloInstruction* slice;
    int64_t dimension;
    AxisList axes;
  };

  const DeviceAxes& axes_;
  std::map<std::pair<AxisList, AxisList>, DeviceGroups> groups_;  // along, others
  absl::flat_hash_map<std::pair<const HloComputation*, PrimitiveType>, HloInstruction*> zeros_;
  std::map<std::pair<HloOpcode, PrimitiveType>, HloComputation*> combinations_;
  std::map<const HloInstruction*, Sum> sums_;
  std::vector<CutPart> cuts_;
  std::map<std::pair<const HloInstruction*, Tiling>, HloInstruction*> known_;
};

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_RESHARD_H_

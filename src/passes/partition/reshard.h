// Arrays on their way from one tiling to another.
#ifndef HILO_PASSES_PARTITION_RESHARD_H_
#define HILO_PASSES_PARTITION_RESHARD_H_

#include <cstdint>
#include <map>
#include <utility>

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

  // The number of the device's tile along axes, times `factor`, as a scalar S64.
  HloInstruction* Place(GraphBuilder& graph, const AxisList& axes, int64_t factor);

 private:
  // Steps of Reshard: each changes the part and its tiling.
  void AddSummands(GraphBuilder& graph, const Tiling& wanted, Part& part);
  void SpreadOverZeros(GraphBuilder& graph, const Shape& whole, const Tiling& wanted, Part& part);
  void Gather(GraphBuilder& graph, const Shape& whole, const Tiling& wanted, Part& part);
  void Cut(GraphBuilder& graph, const Shape& whole, const Tiling& wanted, Part& part);
  void KeepOnFirst(GraphBuilder& graph, const Tiling& wanted, Part& part);

  // The axes that a dimension keeps.
  size_t CountKept(const Shape& whole, size_t dimension, const Tiling& from,
                   const Tiling& to) const;
  // The devices that exchange parts of an array along axes of its tiling.
  std::vector<std::vector<int64_t>> GroupsAlong(const AxisList& along, const Tiling& tiling) const;

  const DeviceAxes& axes_;
  std::map<std::pair<const HloInstruction*, Tiling>, HloInstruction*> known_;
};

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_RESHARD_H_

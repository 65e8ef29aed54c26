// Shardings that the program leaves open.
#ifndef HILO_PASSES_PARTITION_PROPAGATE_H_
#define HILO_PASSES_PARTITION_PROPAGATE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "passes/partition/axes.h"
#include "passes/partition/loop_map.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::passes {

// Of the arrays of a shape, which mostly are one.
using TilingList = absl::InlinedVector<Tiling, 1>;

// How the arrays of a module are divided: as the program says and, where it leaves that open, as
// the arrays that they are made of or that are made of them. Wherever an index map has one loop
// along dimensions of several arrays, what divides one of these comes to divide the others, first
// through element-wise operations and through loops and branches, then through all others. Where
// they go different ways, nothing follows. Parameters and results of the program are divided into
// equal parts unless it says otherwise.
class Tilings {
 public:
  // Of a module as PrepareForTilings leaves it. Parameters of the entry that are open stay whole
  // unless the module's configuration allows otherwise. `maps` are those of the module.
  // InvalidArgument for shardings that do not fit what they are given to.
  static absl::StatusOr<Tilings> Of(const HloModule& module, LoopMaps& maps, DeviceAxes& axes);

  // Of the arrays of an instruction's shape, depth first.
  const TilingList& of(const HloInstruction& instruction) const {
    return tilings_.at(&instruction);
  }
  // Not of what functions of reductions and the like compute.
  bool Has(const HloInstruction& instruction) const { return tilings_.contains(&instruction); }
  // Of the arrays of the entry's result.
  const TilingList& outputs() const { return outputs_; }

 private:
  using Map = absl::flat_hash_map<const HloInstruction*, TilingList>;

  Tilings(Map tilings, TilingList outputs)
      : tilings_(std::move(tilings)), outputs_(std::move(outputs)) {}

  Map tilings_;
  TilingList outputs_;
};

// Leaves no calls, and gives loops and branches computations of their own.
absl::Status PrepareForTilings(HloModule& module);

// The leaves of a shape, depth first. An empty tuple has none.
absl::InlinedVector<const Shape*, 1> LeavesOf(const Shape& shape);
int64_t CountLeaves(const Shape& shape);

// Of what belongs to the leaves of a tuple, what belongs to those of one of its elements.
template <typename List>
List OfElement(const HloInstruction& get_tuple_element, const List& of_tuple) {
  const Shape& tuple = get_tuple_element.operand(0)->shape();
  int64_t begin = 0;
  for (int64_t i = 0; i < get_tuple_element.tuple_index(); ++i)
    begin += CountLeaves(tuple.tuple_shapes(i));
  const auto first = of_tuple.begin() + begin;
  return List(first, first + CountLeaves(get_tuple_element.shape()));
}

// SPMDFullToShardShape and SPMDShardToFullShape, at the edges of manual regions: which axes of an
// array, divided by the sharding of the whole, the region takes as its own in each dimension.
// InvalidArgument where the shapes of whole and part say otherwise.
absl::StatusOr<AxisLists> ManualAxes(const HloInstruction& call, const Shape& whole,
                                     const Shape& part, const Tiling& stated,
                                     const AxisList& manual, const DeviceAxes& axes);

// What a sharding says of an instruction's arrays, one tiling for each.
absl::StatusOr<TilingList> StatedTilings(const HloInstruction& instruction, DeviceAxes& axes);

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_PROPAGATE_H_

// Shardings that the program leaves open.
#ifndef HILO_PASSES_PARTITION_PROPAGATE_H_
#define HILO_PASSES_PARTITION_PROPAGATE_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "passes/partition/axes.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::passes {

// How the arrays of a module are divided: as the program says and, where it leaves that open, as
// the arrays that they are made of or that are made of them. Wherever an index map has one loop
// along dimensions of several arrays, what divides one of these comes to divide the others, first
// through element-wise operations and through loops and branches, then through all others. Where
// they go different ways, nothing follows. Parameters and results of the program are divided into
// equal parts unless it says otherwise.
class Tilings {
 public:
  // There must be no calls, and loops and branches must have computations of their own. Parameters
  // of the entry that are open stay whole unless the module's configuration allows otherwise.
  // InvalidArgument for shardings that do not fit what they are given to.
  static absl::StatusOr<Tilings> Of(const HloModule& module, DeviceAxes& axes);

  // Of the arrays of an instruction's shape, depth first.
  const std::vector<Tiling>& of(const HloInstruction& instruction) const {
    return tilings_.at(&instruction);
  }
  // Of the arrays of the entry's result.
  const std::vector<Tiling>& outputs() const { return outputs_; }

 private:
  absl::flat_hash_map<const HloInstruction*, std::vector<Tiling>> tilings_;
  std::vector<Tiling> outputs_;
};

// The leaves of a shape, depth first. An empty tuple has none.
std::vector<const Shape*> LeavesOf(const Shape& shape);

// Of what belongs to the leaves of a tuple, what belongs to those of one of its elements.
template <typename T>
std::vector<T> OfElement(const HloInstruction& get_tuple_element, const std::vector<T>& of_tuple) {
  const Shape& tuple = get_tuple_element.operand(0)->shape();
  size_t begin = 0;
  for (int64_t i = 0; i < get_tuple_element.tuple_index(); ++i)
    begin += LeavesOf(tuple.tuple_shapes(i)).size();
  const auto first = of_tuple.begin() + static_cast<int64_t>(begin);
  const size_t count = LeavesOf(get_tuple_element.shape()).size();
  return std::vector<T>(first, first + static_cast<int64_t>(count));
}

// SPMDFullToShardShape and SPMDShardToFullShape, at the edges of manual regions: which axes of an
// array, divided by the sharding of the whole, the region takes as its own in each dimension.
// InvalidArgument where the shapes of whole and part say otherwise.
absl::StatusOr<std::vector<AxisList>> ManualAxes(const HloInstruction& call, const Shape& whole,
                                                 const Shape& part, const Tiling& stated,
                                                 const AxisList& manual, const DeviceAxes& axes);

// What a sharding says of an instruction's arrays, one tiling for each.
absl::StatusOr<std::vector<Tiling>> StatedTilings(const HloInstruction& instruction,
                                                  DeviceAxes& axes);

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_PROPAGATE_H_

// What one device does of an instruction.
#ifndef HILO_PASSES_PARTITION_LOCAL_H_
#define HILO_PASSES_PARTITION_LOCAL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "passes/partition/axes.h"
#include "passes/partition/loop_map.h"
#include "passes/partition/reshard.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// What a device reads along a dimension of an operand for its part of a loop: of the device at
// place p along the axes the elements from first + step * p on.
struct PartOfWalk {
  AxisList axes;
  int64_t step, first, count;
  // What the first turn reads before these, and the last turn behind them, where elements lie
  // apart.
  int64_t low, high;
};
// Of the dimensions of an operand, where a loop is divided that walks along it; empty where there
// is none.
using WalksOfOperand = std::vector<std::optional<PartOfWalk>>;
using PartsOfWalks = absl::InlinedVector<WalksOfOperand, 4>;

inline bool IsWalked(const WalksOfOperand& walks) { return !walks.empty(); }
inline const PartOfWalk* PartAlong(const WalksOfOperand& walks, size_t dimension) {
  return IsWalked(walks) && walks[dimension].has_value() ? &*walks[dimension] : nullptr;
}

// How the loops of an instruction are divided.
struct LoopDivision {
  AxisLists loops;
  AxisList sums;      // all axes of loops whose turns are combined
  AxisList summands;  // axes along which the first operands are summands and the results are, too
  size_t linear_operands = 0;

  // What that makes of an array whose dimensions belong to these loops.
  Tiling TilingOf(const LoopMap::Dimensions& dimensions, const AxisList& manual) const;
  PartsOfWalks PartsOf(const LoopMap& map, const DeviceAxes& axes) const;
};

// Each loop as the results want it, unless an element needs others along the loop; loops whose
// turns are combined as the operands are divided. Where both want the same devices, or the operands
// are divided in another way than the results, as it takes fewer bytes to be sent; and what one
// turn gives is picked from parts only where that takes fewer, too. Sums of summands stay such
// where they would be scattered one by one otherwise. `operand_shapes` are those of the whole
// arrays.
LoopDivision DivideLoops(const HloInstruction& instruction, const LoopMap& map,
                         absl::Span<const Tiling> results, absl::Span<const Tiling> operands,
                         absl::Span<const Shape* const> operand_shapes, const DeviceAxes& axes);

// The number of a type that a combination leaves every other number as it is with, as a scalar.
HloInstruction* IdentityOf(GraphBuilder& graph, HloOpcode combination, PrimitiveType type);

// The instruction on parts; of several results the tuple of their parts. `shape` is theirs, and
// `tiling` that of the first. Operands have what `walks` says. `operand_shapes` are those of the
// whole arrays.
HloInstruction* MakeLocal(GraphBuilder& graph, const HloInstruction& instruction,
                          const Shape& shape, const Tiling& tiling,
                          absl::Span<HloInstruction* const> operands, const PartsOfWalks& walks,
                          absl::Span<const Shape* const> operand_shapes, Resharder& resharder);

// A dimension along which an operand is divided, and a slice or dynamic slice takes so little of it
// that each device rather sends what it has of that than all devices everything. Nothing where
// there is none. The result is not divided there.
std::optional<int64_t> DimensionOfFewElements(const HloInstruction& instruction,
                                              const Shape& operand, const Tiling& own,
                                              const Tiling& result, const DeviceAxes& axes);

// Such a slice, of a part: what the device has of it, and zeros.
HloInstruction* MakeOwnElements(GraphBuilder& graph, const HloInstruction& slice,
                                const Shape& shape, int64_t dimension, const AxisList& axes,
                                absl::Span<HloInstruction* const> operands, const Shape& operand,
                                Resharder& resharder);

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_LOCAL_H_

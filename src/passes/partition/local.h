// What one device does of an instruction.
#ifndef HILO_PASSES_PARTITION_LOCAL_H_
#define HILO_PASSES_PARTITION_LOCAL_H_

#include <vector>

#include "absl/types/span.h"
#include "passes/partition/axes.h"
#include "passes/partition/loop_map.h"
#include "passes/partition/reshard.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// How the loops of an instruction are divided.
struct LoopDivision {
  std::vector<AxisList> loops;
  AxisList sums;      // all axes of loops whose turns are combined
  AxisList summands;  // axes along which the first operands are summands and the results are, too
  size_t linear_operands = 0;

  // What that makes of an array whose dimensions belong to these loops.
  Tiling TilingOf(const LoopMap::Dimensions& dimensions, const AxisList& manual) const;
};

// Each loop as the results want it, unless an element needs others along the loop; loops whose
// turns are combined as the operands are divided. Where both want the same devices, as it takes
// fewer bytes to be sent. `operand_shapes` are those of the whole arrays.
LoopDivision DivideLoops(const HloInstruction& instruction, const LoopMap& map,
                         absl::Span<const Tiling> results, absl::Span<const Tiling> operands,
                         absl::Span<const Shape* const> operand_shapes, const DeviceAxes& axes);

// The instruction on parts; of several results the tuple of their parts. `shape` is theirs, and
// `tiling` that of the first.
HloInstruction* MakeLocal(GraphBuilder& graph, const HloInstruction& instruction,
                          const Shape& shape, const Tiling& tiling,
                          absl::Span<HloInstruction* const> operands, Resharder& resharder);

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_LOCAL_H_

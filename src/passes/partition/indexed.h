// Gathers and scatters, where each device has a part of what the indices point into.
#ifndef HILO_PASSES_PARTITION_INDEXED_H_
#define HILO_PASSES_PARTITION_INDEXED_H_

#include <vector>

#include "absl/types/span.h"
#include "passes/graph_builder.h"
#include "passes/partition/local.h"
#include "passes/partition/loop_map.h"
#include "passes/partition/reshard.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape.h"

namespace xla::passes {

// As MakeLocal. Indices count from the beginning of the part, so that a scatter leaves out what
// belongs to others; what a gather would take of others is what changes no sum.
HloInstruction* MakeIndexed(GraphBuilder& graph, const HloInstruction& instruction,
                            const LoopMap& map, const LoopDivision& division, const Shape& shape,
                            const Tiling& tiling, absl::Span<HloInstruction* const> operands,
                            const PartsOfWalks& walks,
                            absl::Span<const Shape* const> operand_shapes, Resharder& resharder);

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_INDEXED_H_

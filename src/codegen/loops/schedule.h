// How the loops of a kernel come about. Each pass makes one kind of decision; what the next one
// needs to know of it is in the loops.
#ifndef HILO_CODEGEN_LOOPS_SCHEDULE_H_
#define HILO_CODEGEN_LOOPS_SCHEDULE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "codegen/loops/kernel.h"
#include "codegen/target.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::loops {

// What schedules depend on.
struct Conditions {
  const codegen::Target& target;
  bool keeps_excess_precision = false;  // values of BF16 are not rounded until they are stored
};

struct SchedulePass {
  absl::string_view name;
  void (*run)(Kernel& kernel, const Conditions& conditions);
};
// In the order in which they run.
absl::Span<const SchedulePass> SchedulePasses();

// The loops of a fused computation, whose dimensions are merged (merge_dimensions.h), behind all
// passes, or behind the last one that is wanted.
absl::StatusOr<Kernel> Schedule(const HloComputation& computation, const Conditions& conditions,
                                absl::string_view last = "");

// Loops over units and elements, in which every reduction and every result has its place. All
// reductions reduce the same dimensions. Where these are the last ones, a row of elements is
// reduced first, and then the results of the same row are computed from it while it is in the
// cache: they have the dimensions that are kept, or these and some more. Where the last dimension
// is kept, or rows are very short, adjacent reductions are interleaved.
Kernel Lower(const HloComputation& computation);

// What takes long to compute and is needed in several loops over the same row stays in memory.
void KeepRowValues(Kernel& kernel, const Conditions& conditions);
// Each part of a dimension where another operand of a concatenation begins, or padding begins or
// ends, has loops of its own, which do not ask. Concatenations and padding may be read through
// slices, reversals and each other.
void SplitAtBoundaries(Kernel& kernel, const Conditions& conditions);
// Transposes whose operands are contiguous along another dimension than the last one are
// read in tiles. Where the last one stays and is short, so are rows that are adjacent there.
void TileTransposes(Kernel& kernel, const Conditions& conditions);
// Where rows are short, the lanes of a vector belong to several rows; so do those of reductions by
// functions that take long.
void MergeShortRows(Kernel& kernel, const Conditions& conditions);
// Lanes, tails, and interleaved accumulators and vectors.
void Vectorize(Kernel& kernel, const Conditions& conditions);
// Long rows are several units of work. The array that a scatter updates is divided, not its
// updates, which are taken in order: by rows or columns that no update leaves.
void Partition(Kernel& kernel, const Conditions& conditions);

// ---- For passes

// Whether Partition divides what a scatter updates by columns.
bool HasUnitsOfColumns(const HloInstruction& scatter);

// Few elements are too short for vectors along them.
constexpr int64_t kShortRow = 4;
// Larger tiles do not fit the registers.
constexpr int64_t kMaxTileRows = 16;
// Of a kernel whose loops are split at boundaries, so many instructions are in all of its parts
// together.
constexpr int64_t kMaxInstructionsOfParts = 512;

// The bits of a lane with an element of the type in registers.
int ComputingBits(PrimitiveType type);
// Of all elements of an array.
int64_t ComputingBits(const Shape& shape);
// As many lanes as fit into a register with the widest elements of the computation, or as a row of
// `count` elements needs.
int LanesFor(const HloComputation& computation, int vector_bits, int64_t count);
// The lanes of the masked vector for what is left of `count` elements behind vectors of `lanes`: a
// half, a quarter, ... of them that is enough; 0 where nothing is left.
int TailLanesFor(int64_t count, int lanes);

// How many accumulators a reduction by rows has, over which vectors of a row are distributed in
// turn: where sums are rounded, always as many as the row is long enough for, so that equal rows
// have equal sums whatever else a kernel computes.
int AccumulatorsOf(const Node& node);

// Whether the reduced dimensions have the last one among them, so that adjacent elements in memory
// are reduced to one element.
bool ReducesRows(const HloInstruction& reduce);

// Calls for each node, those around others first.
void ForEachNode(const Kernel& kernel, absl::FunctionRef<void(const Node&)> visit);
// Functions of numbers whose code is long.
bool HasFunctions(const HloComputation& computation);
// Reductions or a scan.
bool HasReductions(const Kernel& kernel);
// The one loop over the last dimension, directly inside of the grid, that passes start from; null
// where other passes have changed that, or there is none.
Node* OnlyVector(Kernel& kernel);

// Calls for each instruction that is computed at the index of one of `from`, which have the
// dimensions `sizes`, because element-wise operations lead to it.
void ForEachAtSameIndex(const Values& from, const Sizes& sizes,
                        absl::FunctionRef<void(const HloInstruction&)> visit);

}  // namespace xla::loops

#endif  // HILO_CODEGEN_LOOPS_SCHEDULE_H_

// What may be in a kernel, and how it is read there.
#ifndef HILO_CPU_PLAN_FUSION_RULES_H_
#define HILO_CPU_PLAN_FUSION_RULES_H_

#include "absl/functional/function_ref.h"
#include "codegen/loops/schedule.h"
#include "passes/decision.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether kernels compute an instruction like this where they need its elements.
bool CanBeInKernel(const HloInstruction& instruction);

// Reductions that are roots of kernels; what is the one result of a kernel of its own kind.
bool IsKernelReduce(const HloInstruction& instruction);
// Whether a reduction keeps the first dimensions, of those with more than one element.
bool ReducesLastDimensions(const HloInstruction& reduce);
bool IsClosedKernel(const HloInstruction& instruction);

// Whether a kernel can have the instruction as its only result.
bool CanBeKernel(const HloInstruction& instruction);

// Whether an instruction outside of kernels takes its operands and gives its result in registers.
// What has more elements than few registers hold is left to kernels that can have it.
passes::Decision StaysInRegisters(const HloInstruction& instruction);

// Whether a kernel begins with a dynamic-update-slice: it computes the update where it belongs, or
// copies it there.
bool StartsUpdate(const HloInstruction& instruction);

// Cheaper to compute again than to read.
bool IsFree(const HloInstruction& instruction);

using loops::kMaxInstructionsOfParts;

// Whether it is a transpose with other rows than what is transposed has.
bool MovesLastDimension(const HloInstruction& x);

// Whether it is a large transpose, all of which is wanted, of rows that are best read in tiles.
bool IsTransposedInTiles(const HloInstruction& x);

// A concatenation of so many arrays that code for each of them would be too much: they are computed
// by themselves, where they belong in the result if that is possible, or copied there. So is one of
// a transpose, for which its own kernel has tiles.
bool IsJoinedInMemory(const HloInstruction& instruction);

// A pad of short rows, most of whose result is padding and is wanted in memory: a library kernel
// fills the result and puts the rows between.
bool IsFilledInMemory(const HloInstruction& instruction);

// Whether a broadcast adds dimensions behind those of its operand, not counting any of one element.
bool HasFirstDimensions(const Shape& operand, const HloInstruction& broadcast);

// Whether elements of the operand are read more than once, or few of them.
bool ReadsRepeatedly(const HloInstruction& user, const HloInstruction& operand);

// Whether an instruction reads from an array just what the dynamic-update-slice is about to write
// over.
bool ReadsWhereWritten(const HloInstruction& instruction, const HloInstruction& update);

// Whether the update of a dynamic-update-slice, with what would be computed along with it, reads
// the array in other places, so that it has to be whole before anything is written.
bool ReadsElsewhere(const HloInstruction& update);

// Whether it is a large array transposed so that neither the lanes of vectors nor what is reduced
// one after the other are adjacent in memory. Kernels of its own read it in tiles.
bool IsReadAcrossRows(const HloInstruction& instruction, const HloInstruction& reduce);

// Whether it is a large array transposed so that no row of it is adjacent in memory, where
// `row_rank` dimensions of more than one element tell rows from one another.
bool HasRowsApart(const HloInstruction& transpose, int row_rank);

// Whether it is a large array transposed whose rows are divided anew in the same kernel, which
// `is_here` knows, so that no loop goes along any of them.
bool IsReadInPieces(const HloInstruction& instruction,
                    absl::FunctionRef<bool(const HloInstruction&)> is_here);
// Whether reduced windows are many and would be computed one by one, because a reshape asks for
// them in rows of another length. `is_here` says what is in the kernel.
bool IsWindowInPieces(const HloInstruction& instruction,
                      absl::FunctionRef<bool(const HloInstruction&)> is_here);

// Whether adjacent elements of a concatenation come from different operands, so that they are not
// computed as vectors.
bool IsOfShortParts(const HloInstruction& concatenate);

// Whether a reduction of rows of two or three elements would read it element by element, because
// the rows do not follow one another where something that it is computed from has them. Computed by
// itself, it has vectors of several rows, and is one row for the reduction.
bool IsReducedInShortRows(const HloInstruction& instruction, const HloInstruction& reduce);

// Whether it is a transpose that such a concatenation of the same kernel would read element by
// element, with what it is computed from. Kernels of its own compute vectors along its operand.
bool IsStackedAcrossRows(const HloInstruction& instruction,
                         absl::FunctionRef<bool(const HloInstruction&)> is_here);

// Whether much is computed for an array and for nothing else. Then it is better read from caches
// than computed in a long kernel: processors overlap steps of short loops. `place` is where an
// instruction stands in an order of the computation.
bool IsEndOfLongPart(const HloInstruction& instruction,
                     absl::FunctionRef<int(const HloInstruction&)> place);

// What an element costs to compute with all that it needs and that can be in the same kernel.
double CostWithOperands(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // HILO_CPU_PLAN_FUSION_RULES_H_

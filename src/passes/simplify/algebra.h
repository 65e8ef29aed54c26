// The rules of SimplifyAlgebra, one table a family. None of them changes a value: not NaN, not
// infinities, not the sign of a zero; sums and products of floats keep their order.
#ifndef HILO_PASSES_SIMPLIFY_ALGEBRA_H_
#define HILO_PASSES_SIMPLIFY_ALGEBRA_H_

#include <vector>

#include "absl/types/span.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/simplify/rewriter.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla::passes {

struct OpcodeRule {
  HloOpcode opcode;
  Rule apply;
};

absl::Span<const OpcodeRule> ArithmeticRules();
absl::Span<const OpcodeRule> LogicRules();
absl::Span<const OpcodeRule> TypeRules();
absl::Span<const OpcodeRule> ShapeRules();
absl::Span<const OpcodeRule> SliceRules();
absl::Span<const OpcodeRule> IndexRules();
absl::Span<const OpcodeRule> PadRules();
absl::Span<const OpcodeRule> ReductionRules();
absl::Span<const OpcodeRule> UpdateRules();
absl::Span<const OpcodeRule> ConvolutionRules();
absl::Span<const OpcodeRule> DotRules();
absl::Span<const OpcodeRule> TransposeRules();

// For element-wise operations: operands that are stretched alike are stretched afterwards.
HloInstruction* StretchAfterwards(HloInstruction& instruction);

// The element that get-tuple-element takes from a tuple operation, or what a tuple has all elements
// of; null where the instruction is neither.
HloInstruction* WithoutTuple(HloInstruction& instruction);

// For all operations: the value, where operands are constants and it is cheap to compute and to
// keep.
HloInstruction* Fold(HloInstruction& instruction);

Sizes PermutationOf(const HloInstruction& transpose);

// What a comparison gives whose elements are all known to be `value`.
HloInstruction* Truth(HloInstruction& comparison, bool value);

// What begins and ends there along each dimension; the array itself where that is all.
using Ranges = std::vector<SliceRange>;
HloInstruction* MakeSlice(GraphBuilder& b, HloInstruction* x, const Ranges& ranges);
// The same of all along every dimension but one.
HloInstruction* MakeSlice(GraphBuilder& b, HloInstruction* x, int64_t along,
                          const SliceRange& range);
HloInstruction* MakeConcatenate(GraphBuilder& b, const Shape& shape,
                                absl::Span<HloInstruction* const> parts, int64_t dimension);

}  // namespace xla::passes

#endif  // HILO_PASSES_SIMPLIFY_ALGEBRA_H_

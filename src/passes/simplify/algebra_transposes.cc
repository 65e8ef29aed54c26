// Transposes come behind what takes parts of them, so that less is transposed, or nothing.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/simplify/algebra.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Whether it transposes for users of one kind alone: others want the whole of it.
bool IsTransposeFor(HloOpcode opcode, const HloInstruction& x) {
  return x.opcode() == HloOpcode::kTranspose && !x.shape().is_dynamic() &&
         absl::c_all_of(x.users(),
                        [&](const HloInstruction* user) { return user->opcode() == opcode; });
}

HloInstruction* SliceOfTranspose(HloInstruction& slice) {
  HloInstruction* x = slice.mutable_operand(0);
  if (!IsTransposeFor(HloOpcode::kSlice, *x) || slice.shape().is_dynamic()) return nullptr;
  const Sizes permutation = PermutationOf(*x);
  const Ranges& of_transpose = slice.attributes_as<SliceAttributes>().ranges;
  Ranges ranges(permutation.size());
  for (size_t d = 0; d < permutation.size(); ++d) ranges[permutation[d]] = of_transpose[d];
  GraphBuilder b(slice);
  return b.Transpose(MakeSlice(b, x->mutable_operand(0), ranges), permutation);
}

HloInstruction* ReverseOfTranspose(HloInstruction& reverse) {
  HloInstruction* x = reverse.mutable_operand(0);
  if (!IsTransposeFor(HloOpcode::kReverse, *x)) return nullptr;
  const Sizes permutation = PermutationOf(*x);
  Sizes dimensions;
  for (int64_t d : reverse.dimensions()) dimensions.push_back(permutation[d]);
  GraphBuilder b(reverse);
  HloInstruction* source = x->mutable_operand(0);
  return b.Transpose(b.Add(HloInstruction::CreateReverse(source->shape(), source, dimensions)),
                     permutation);
}

// In the order in which elements are reduced anyway.
HloInstruction* ReduceOfTranspose(HloInstruction& reduce) {
  HloInstruction* x = reduce.mutable_operand(0);
  if (reduce.operand_count() != 2 || !IsTransposeFor(HloOpcode::kReduce, *x) || x->user_count() > 1)
    return nullptr;
  const Sizes permutation = PermutationOf(*x);
  Sizes reduced, kept;
  for (size_t d = 0; d < permutation.size(); ++d) {
    const bool is_reduced = absl::c_linear_search(reduce.dimensions(), static_cast<int64_t>(d));
    (is_reduced ? reduced : kept).push_back(permutation[d]);
  }
  if (!absl::c_is_sorted(reduced)) return nullptr;
  HloInstruction* source = x->mutable_operand(0);
  Sizes in_order = kept, sizes, order;
  absl::c_sort(in_order);
  for (int64_t d : in_order) sizes.push_back(source->shape().dimensions(static_cast<int>(d)));
  for (int64_t d : kept) order.push_back(absl::c_find(in_order, d) - in_order.begin());
  GraphBuilder b(reduce);
  const Shape shape = ShapeUtil::MakeShape(reduce.shape().element_type(), sizes);
  return b.Transpose(b.Add(HloInstruction::CreateReduce(shape, source, reduce.mutable_operand(1),
                                                        reduced, reduce.to_apply())),
                     order);
}

constexpr OpcodeRule kTransposeRules[] = {
    {HloOpcode::kSlice, SliceOfTranspose},
    {HloOpcode::kReverse, ReverseOfTranspose},
    {HloOpcode::kReduce, ReduceOfTranspose},
};

}  // namespace

absl::Span<const OpcodeRule> TransposeRules() { return kTransposeRules; }

}  // namespace xla::passes

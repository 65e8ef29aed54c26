// Reshapes: the elements that there are stay in order, without gaps.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "ir/records.h"
#include "ir/reshape_groups.h"
#include "passes/dynamic/operations.h"
#include "xla/literal_util.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

// The dimensions of the result that may take what the others leave, the first choice first.
std::vector<int64_t> Candidates(const SizedOperation& reshape, const ReshapeGroup& group) {
  const int64_t inferred =
      reshape.instruction.attributes_as<ReshapeAttributes>().inferred_dimension;
  std::vector<int64_t> candidates;
  if (inferred >= group.to && inferred < group.to_end) candidates.push_back(inferred);
  for (int64_t d = group.to; d < group.to_end; ++d) {
    if (d != inferred && reshape.declared.is_dynamic_dimension(static_cast<int>(d)))
      candidates.push_back(d);
  }
  for (int64_t d = group.to; d < group.to_end && candidates.empty(); ++d) {
    if (reshape.declared.dimensions(static_cast<int>(d)) != 1) candidates.push_back(d);
  }
  if (candidates.empty() && group.to < group.to_end) candidates.push_back(group.to);
  return candidates;
}

void SetGroupSizes(SizeBuilder& builder, const SizedOperation& reshape, const ReshapeGroup& group,
                   ArraySizes& sizes) {
  std::vector<HloInstruction*> from;
  for (int64_t d = group.from; d < group.from_end; ++d)
    from.push_back(builder.SizeOf(*reshape.operand(0), reshape.operands[0], d));
  HloInstruction* count = builder.ProductOf(from);
  const auto bounds = reshape.declared.dimensions();
  HloInstruction* found = nullptr;
  for (int64_t d : Candidates(reshape, group)) {
    int64_t others = 1;
    for (int64_t other = group.to; other < group.to_end; ++other) {
      if (other != d) others *= bounds[other];
    }
    if (others == 0) continue;
    HloInstruction* bound = builder.Size(bounds[d]);
    HloInstruction* size = builder.Over(count, others);
    HloInstruction* fits = builder.Binary(
        HloOpcode::kAnd,
        builder.Compare(ComparisonDirection::kEq, builder.Times(size, others), count),
        builder.Compare(ComparisonDirection::kLe, size, bound));
    size = builder.Binary(HloOpcode::kMinimum, size, bound);
    if (found == nullptr) {
      sizes[d] = size;
      found = fits;
    } else {
      sizes[d] = builder.Select(found, bound, size);
      found = builder.Binary(HloOpcode::kOr, found, fits);
    }
  }
}

// Whether elements lie in the same places: sizes only say how many of the first dimension there
// are.
bool StaysInPlace(absl::Span<const int64_t> bounds, const ArraySizes& sizes, int64_t first,
                  int64_t end) {
  bool leads = true;
  for (int64_t d = first; d < end; ++d) {
    if (sizes[d] != nullptr && !leads) return false;
    leads &= bounds[d] == 1;
  }
  return true;
}

}  // namespace

absl::StatusOr<SizedValue> ResolveReshape(const SizedOperation& operation) {
  HloInstruction& reshape = operation.instruction;
  SizeBuilder builder(reshape);
  Shape declared = operation.operand(0)->shape();
  const auto to = reshape.shape().dimensions();
  const ArraySizes& from_sizes = operation.operands[0];
  ArraySizes sizes(to.size());
  for (size_t d = 0; d < from_sizes.size(); ++d)
    declared.set_dynamic_dimension(static_cast<int>(d), from_sizes[d] != nullptr);
  const auto from = declared.dimensions();
  bool moves = false;
  for (const ReshapeGroup& group : ReshapeGroups(declared, operation.declared)) {
    const auto own =
        absl::MakeConstSpan(from_sizes).subspan(group.from, group.from_end - group.from);
    if (absl::c_all_of(own, [](const HloInstruction* size) { return size == nullptr; })) continue;
    SetGroupSizes(builder, operation, group, sizes);
    moves |= !StaysInPlace(from, from_sizes, group.from, group.from_end) ||
             !StaysInPlace(to, sizes, group.to, group.to_end);
  }
  if (!moves) return SizedValue{&reshape, {sizes}};
  return SizedValue{builder.Refill(operation.operand(0), from_sizes, to, sizes), {sizes}};
}

}  // namespace xla::passes

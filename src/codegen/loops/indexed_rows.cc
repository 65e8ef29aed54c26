#include "codegen/loops/indexed_rows.h"

#include "absl/algorithm/container.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "xla/shape.h"

namespace xla::loops {

Rows RowsOf(const HloInstruction& instruction) {
  const bool is_gather = instruction.opcode() == HloOpcode::kGather;
  if (!is_gather && (instruction.opcode() != HloOpcode::kScatter || instruction.shape().IsTuple()))
    return {};
  const auto rows_of = [&](const auto& in_picked, const auto& collapsed, const auto& batching,
                           const auto& indexed) -> Rows {
    Rows rows = {instruction.operand(0), is_gather ? &instruction : instruction.operand(2)};
    const auto sizes = rows.array->shape().dimensions(), picked = rows.picked->shape().dimensions();
    const auto windows = static_cast<int64_t>(in_picked.size());
    for (int64_t i = 1; i <= windows; ++i) {
      const int64_t d = static_cast<int64_t>(sizes.size()) - i;
      const auto is_in = [&](const auto& list) { return absl::c_linear_search(list, d); };
      if (in_picked[windows - i] != static_cast<int64_t>(picked.size()) - i || is_in(collapsed) ||
          is_in(batching) || is_in(indexed) || picked[picked.size() - i] != sizes[d]) {
        break;
      }
      rows.window = i;
      rows.elements *= sizes[d];
    }
    return rows;
  };
  if (is_gather) {
    const auto& gather = instruction.attributes_as<GatherAttributes>();
    return rows_of(gather.offset_dims, gather.collapsed_slice_dims, gather.operand_batching_dims,
                   gather.start_index_map);
  }
  const auto& scatter = instruction.attributes_as<ScatterAttributes>();
  return rows_of(scatter.update_window_dims, scatter.inserted_window_dims,
                 scatter.input_batching_dims, scatter.scatter_dims_to_operand_dims);
}

Picks PicksOf(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kGather) return {};
  const auto& gather = instruction.attributes_as<GatherAttributes>();
  const absl::Span<const int64_t> sizes = instruction.shape().dimensions();
  const absl::Span<const int64_t> indices = instruction.operand(1)->shape().dimensions();
  const auto rank = static_cast<int64_t>(indices.size());
  if (!gather.operand_batching_dims.empty() || gather.index_vector_dim < rank - 1) return {};
  Picks picks = {0, sizes.size() - gather.offset_dims.size()};
  for (size_t i = 0; i < gather.offset_dims.size(); ++i) {
    const auto d = static_cast<size_t>(gather.offset_dims[i]);
    if (d == picks.first) {
      ++picks.first;
    } else if (d != i + picks.count) {
      return {};
    }
  }
  picks.elements = Product(sizes.subspan(picks.first, picks.count));
  picks.stride = Product(sizes.subspan(picks.first + picks.count));
  if (gather.index_vector_dim < rank) picks.index = indices.back();
  return picks;
}

bool IsScatteredInto(const HloInstruction& root, const HloInstruction& x) {
  return root.opcode() == HloOpcode::kScatter && root.operand(0) == &x &&
         x.opcode() == HloOpcode::kParameter && x.user_count() == 1 && RowsOf(root).elements > 1;
}

}  // namespace xla::loops

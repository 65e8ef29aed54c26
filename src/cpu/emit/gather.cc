#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "cpu/emit/elements.h"
#include "cpu/emit/elementwise.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {

// The start of each slice is looked up where the lanes' batch coordinates say: where those are the
// same for all lanes, so is the start, and neighbours stay neighbours.
absl::StatusOr<Lanes> Elements::Gather(const HloInstruction& instruction, const Position& position,
                                       llvm::Value* mask) {
  const auto& attributes = instruction.attributes_as<GatherAttributes>();
  const HloInstruction& operand = *instruction.operand(0);
  const HloInstruction& indices = *instruction.operand(1);
  if (ShapeUtil::IsZeroElementArray(operand.shape()))
    return IntegerConstant(b_, operand.shape().element_type(), 0, lanes_);

  Position batch, moved(operand.shape().dimensions_size(), Coordinate{b_.getInt64(0)});
  for (size_t d = 0; d < position.size(); ++d) {
    if (!absl::c_linear_search(attributes.offset_dims, static_cast<int64_t>(d)))
      batch.push_back(position[d]);
  }
  size_t offset = 0;
  for (int64_t d = 0; d < operand.shape().dimensions_size(); ++d) {
    if (!absl::c_linear_search(attributes.collapsed_slice_dims, d) &&
        !absl::c_linear_search(attributes.operand_batching_dims, d)) {
      moved[d] = position[attributes.offset_dims[offset++]];
    }
  }
  const int64_t vector_dimension = attributes.index_vector_dim;
  for (size_t k = 0; k < attributes.operand_batching_dims.size(); ++k) {
    const int64_t d = attributes.start_indices_batching_dims[k];
    moved[attributes.operand_batching_dims[k]] = batch[d < vector_dimension ? d : d - 1];
  }

  for (size_t k = 0; k < attributes.start_index_map.size(); ++k) {
    const int64_t d = attributes.start_index_map[k];
    const int64_t room = operand.shape().dimensions(d) - attributes.slice_sizes[d];
    if (room == 0) continue;
    Position at = batch;
    if (vector_dimension < indices.shape().dimensions_size())
      at.insert(at.begin() + vector_dimension, Coordinate{b_.getInt64(k)});
    HILO_ASSIGN_OR_RETURN(const Coordinate start, SliceStart(indices, at, room, mask));
    moved[d] = Plus(moved[d], start);
  }
  return At(operand, moved, mask);
}

absl::StatusOr<Coordinate> Elements::SliceStart(const HloInstruction& indices,
                                                const Position& position, int64_t room,
                                                llvm::Value* mask) {
  const PrimitiveType type = indices.shape().element_type();
  const bool is_safe = mask == nullptr || llvm::isa<llvm::Constant>(mask);
  if (const int level = LevelOf(position); level < level_ && is_safe)
    return At(level).SliceStart(indices, position, room, nullptr);
  const bool is_uniform =
      absl::c_all_of(position, [](const Coordinate& x) { return x.IsSameForAll(); });
  if (!is_uniform && lanes_ > 1) {
    HILO_ASSIGN_OR_RETURN(const Lanes start, At(indices, position, mask));
    return Coordinate{nullptr, 0, ClampStart(b_, type, start, room), level_};
  }
  // One look-up for all lanes, if there are any.
  llvm::Value* any = is_safe ? nullptr : lanes_ == 1 ? mask : b_.CreateOrReduce(mask);
  Elements scalars(b_, 1, leaf_);
  HILO_ASSIGN_OR_RETURN(const Lanes start,
                        (lanes_ == 1 ? *this : scalars).At(indices, position, any));
  return Coordinate{ClampStart(b_, type, start, room), 0, nullptr, level_};
}

}  // namespace xla::cpu

#include "cpu/plan/widen_elements.h"

#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "passes/graph_builder.h"
#include "passes/replace.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// Smaller arrays are rather computed with what is around them.
constexpr int64_t kLeastElementsWidened = 4096;
constexpr int kMostOfBroadcasts = 32;

PrimitiveType TypeOfBytes(int64_t bytes) {
  switch (bytes) {
    case 2:
      return U16;
    case 4:
      return U32;
    case 8:
      return U64;
    case 16:
      return C128;
    default:
      return PRIMITIVE_TYPE_INVALID;
  }
}

// Whether all that an array is computed from is repeated in it. It is no array in memory then, but
// computed where the transposed one has its elements.
bool IsOfBroadcasts(const HloInstruction& array) {
  std::vector<const HloInstruction*> waiting = {&array};
  for (int looked = 0; !waiting.empty(); ++looked) {
    const HloInstruction& each = *waiting.back();
    waiting.pop_back();
    if (each.opcode() == HloOpcode::kBroadcast || each.opcode() == HloOpcode::kIota) continue;
    if (looked == kMostOfBroadcasts || !each.IsElementwise() || each.operand_count() == 0 ||
        each.user_count() > 1) {
      return false;
    }
    absl::c_copy(each.operands(), std::back_inserter(waiting));
  }
  return true;
}

absl::StatusOr<HloInstruction*> WidenTransposed(HloInstruction& transpose) {
  const Shape& shape = transpose.shape();
  if (transpose.opcode() != HloOpcode::kTranspose || !shape.is_static() ||
      ShapeUtil::ElementsIn(shape) < kLeastElementsWidened ||
      primitive_util::BitWidth(shape.element_type()) < 8 || IsOfBroadcasts(*transpose.operand(0))) {
    return nullptr;
  }
  int64_t rank = shape.dimensions_size();
  int64_t bytes = primitive_util::ByteWidth(shape.element_type());
  while (rank > 0 && transpose.dimensions(rank - 1) == rank - 1)
    bytes *= shape.dimensions(static_cast<int>(--rank));
  const PrimitiveType wide = TypeOfBytes(bytes);
  if (wide == PRIMITIVE_TYPE_INVALID || bytes == primitive_util::ByteWidth(shape.element_type()))
    return nullptr;
  passes::GraphBuilder b(transpose);
  const auto bitcast = [&](HloInstruction* x, PrimitiveType type, absl::Span<const int64_t> sizes) {
    return b.Add(
        HloInstruction::CreateUnary(ShapeUtil::MakeShape(type, sizes), HloOpcode::kBitcast, x));
  };
  HloInstruction* x = transpose.mutable_operand(0);
  x = bitcast(x, wide, x->shape().dimensions().first(rank));
  x = b.Transpose(x, transpose.dimensions().first(rank));
  return bitcast(x, shape.element_type(), shape.dimensions());
}

}  // namespace

absl::StatusOr<bool> WidenElements(HloModule& module) {
  return passes::ReplaceEach(module, WidenTransposed);
}

}  // namespace xla::cpu

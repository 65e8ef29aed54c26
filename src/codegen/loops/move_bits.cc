#include "codegen/loops/move_bits.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::loops {
namespace {

// The type of the bits of a small float, or the type itself.
PrimitiveType BitsOf(PrimitiveType type) {
  if (!primitive_util::IsFloatingPointType(type)) return type;
  const int bits = primitive_util::BitWidth(type);
  return bits == 8 || bits == 16 ? primitive_util::UnsignedIntegralTypeForBitWidth(bits) : type;
}

bool HasSmallFloats(const HloInstruction& instruction) {
  bool has_some = false;
  ShapeUtil::ForEachLeafShape(instruction.shape(), [&](const Shape& leaf, const auto&) {
    has_some |= leaf.IsArray() && BitsOf(leaf.element_type()) != leaf.element_type();
  });
  return has_some;
}

bool Moves(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kConstant:
    case HloOpcode::kCopy:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kGather:
    case HloOpcode::kPad:
    case HloOpcode::kParameter:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSelect:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
    case HloOpcode::kTuple:
      return true;
    default:
      return false;
  }
}

// Whether there are small floats, and nothing but moves of them.
bool OnlyMovesSmallFloats(const HloComputation& computation) {
  return absl::c_any_of(computation.instructions(),
                        [](const HloInstruction* each) { return HasSmallFloats(*each); }) &&
         absl::c_all_of(computation.instructions(), [](const HloInstruction* each) {
           const bool reads_some = absl::c_any_of(
               each->operands(),
               [](const HloInstruction* operand) { return HasSmallFloats(*operand); });
           return Moves(*each) || !(reads_some || HasSmallFloats(*each));
         });
}

void MoveBitsOf(Shape* shape) {
  ShapeUtil::ForEachMutableLeafShape(shape, [](Shape* leaf, const auto&) {
    if (leaf->IsArray()) leaf->set_element_type(BitsOf(leaf->element_type()));
  });
}

}  // namespace

std::unique_ptr<HloComputation> MoveBits(std::unique_ptr<HloComputation> computation) {
  if (!OnlyMovesSmallFloats(*computation)) return computation;
  HloComputation::Replacements constants;
  for (const HloInstruction* each : computation->instructions()) {
    if (each->opcode() != HloOpcode::kConstant || !HasSmallFloats(*each)) continue;
    Shape shape = each->shape();
    MoveBitsOf(&shape);
    constants[each] = HloInstruction::CreateConstant(each->literal().BitcastConvert(shape).value());
  }
  std::unique_ptr<HloComputation> moved = computation->CloneWithReplacements(&constants);
  for (HloInstruction* each : moved->instructions()) MoveBitsOf(each->mutable_shape());
  return moved;
}

}  // namespace xla::loops

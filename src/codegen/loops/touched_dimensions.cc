#include "codegen/loops/touched_dimensions.h"

#include "absl/algorithm/container.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "xla/primitive_util.h"

namespace xla::loops {

bool TouchesDimensions(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kSlice:
    case HloOpcode::kPad:
    case HloOpcode::kReverse:
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
      return true;
    default:
      return false;
  }
}

bool IsTouched(const HloInstruction& instruction, int64_t d) {
  const auto size = [&](const HloInstruction& each) { return each.shape().dimensions(d); };
  switch (instruction.opcode()) {
    case HloOpcode::kSlice: {
      const auto& range = instruction.attributes_as<SliceAttributes>().ranges[d];
      return range.start != 0 || range.stride != 1 ||
             size(instruction) != size(*instruction.operand(0));
    }
    case HloOpcode::kPad: {
      const auto& padding = instruction.padding_config().dimensions(static_cast<int>(d));
      return padding.edge_padding_low() != 0 || padding.edge_padding_high() != 0 ||
             padding.interior_padding() != 0;
    }
    case HloOpcode::kReverse:
    case HloOpcode::kConcatenate:
      return absl::c_linear_search(instruction.dimensions(), d);
    case HloOpcode::kDynamicUpdateSlice:
      return size(instruction) != size(*instruction.operand(1));
    default:  // dynamic-slice
      return size(instruction) != size(*instruction.operand(0));
  }
}

int64_t DimensionOfRanges(const HloInstruction& instruction) {
  if (!TouchesDimensions(instruction)) return -1;
  int64_t d = instruction.shape().dimensions_size() - 1;
  while (d >= 0 && !IsTouched(instruction, d)) --d;
  if (d < 0 || instruction.shape().dimensions(static_cast<int>(d)) == 1) return -1;
  const auto fits = [&](const Shape& part, const Shape& array) {
    const Shape& start = instruction.operands().back()->shape();
    const int64_t elements = array.dimensions(static_cast<int>(d)) * RowMajorStrides(array)[d];
    return part.dimensions(static_cast<int>(d)) > 1 &&
           primitive_util::FitsInIntegralType(elements, start.element_type());
  };
  switch (instruction.opcode()) {
    case HloOpcode::kSlice:
      return instruction.attributes_as<SliceAttributes>().ranges[d].stride == 1 ? d : -1;
    case HloOpcode::kPad:
      return instruction.padding_config().dimensions(static_cast<int>(d)).interior_padding() == 0
                 ? d
                 : -1;
    case HloOpcode::kConcatenate:
      return d;
    case HloOpcode::kDynamicSlice:
      return fits(instruction.shape(), instruction.operand(0)->shape()) ? d : -1;
    case HloOpcode::kDynamicUpdateSlice:
      return fits(instruction.operand(1)->shape(), instruction.shape()) ? d : -1;
    default:
      return -1;
  }
}

}  // namespace xla::loops

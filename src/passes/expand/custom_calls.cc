#include "ir/records.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// TopK(array) = (values[..., k], s32 indices[..., k])
absl::StatusOr<HloInstruction*> Expand(HloInstruction& call) {
  if (!call.IsCustomCall("TopK") || call.operand_count() != 1 || !call.shape().IsTuple() ||
      call.shape().tuple_shapes_size() != 2 || !call.operand(0)->shape().IsArray()) {
    return nullptr;
  }
  const Shape& operand = call.operand(0)->shape();
  const Shape& values = call.shape().tuple_shapes(0);
  const Shape& indices = call.shape().tuple_shapes(1);
  const int last = operand.dimensions_size() - 1;
  if (last < 0 || operand.is_dynamic() || indices.element_type() != S32 ||
      values.element_type() != operand.element_type() ||
      !ShapeUtil::SameDimensions(values, indices) || values.dimensions_size() != last + 1 ||
      values.dimensions().first(last) != operand.dimensions().first(last) ||
      values.dimensions(last) > operand.dimensions(last)) {
    return nullptr;
  }
  HloInstruction* top = call.parent()->AddInstruction(
      HloInstruction::CreateVariadic(call.shape(), HloOpcode::kTopK, {call.mutable_operand(0)}));
  top->mutable_attributes_as<TopKAttributes>().k = values.dimensions(last);
  return top;
}

}  // namespace

absl::StatusOr<bool> ExpandCustomCalls(HloModule& module) { return ReplaceEach(module, Expand); }

}  // namespace xla::passes

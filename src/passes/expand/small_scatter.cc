#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Larger arrays are better updated in place.
constexpr int64_t kMaxElements = 64;

// What becomes of all elements if they are updated: null where that is not one operation.
HloInstruction* Updated(GraphBuilder& builder, const HloComputation& combiner,
                        HloInstruction* array, HloInstruction* update) {
  const HloInstruction& root = *combiner.root_instruction();
  if (root.opcode() == HloOpcode::kParameter) return root.parameter_number() == 1 ? update : array;
  const bool is_binary =
      root.opcode() == HloOpcode::kAdd || root.opcode() == HloOpcode::kMultiply ||
      root.opcode() == HloOpcode::kMaximum || root.opcode() == HloOpcode::kMinimum;
  if (!is_binary || root.operand(0)->opcode() != HloOpcode::kParameter ||
      root.operand(1)->opcode() != HloOpcode::kParameter ||
      root.shape().element_type() != array->shape().element_type()) {
    return nullptr;
  }
  const auto argument = [&](int64_t i) {
    return root.operand(i)->parameter_number() == 0 ? array : update;
  };
  return builder.Binary(root.opcode(), argument(0), argument(1));
}

// One element of a small array is updated: all are looked at, so that it can stay in registers.
absl::StatusOr<HloInstruction*> Expand(HloInstruction& scatter) {
  if (scatter.opcode() != HloOpcode::kScatter || scatter.operand_count() != 3) return nullptr;
  HloInstruction* array = scatter.mutable_operand(0);
  HloInstruction* indices = scatter.mutable_operand(1);
  HloInstruction* update = scatter.mutable_operand(2);
  const Shape& shape = array->shape();
  const PrimitiveType type = indices->shape().element_type();
  const int64_t count = ShapeUtil::ElementsIn(shape);
  if (shape.is_dynamic() || indices->shape().is_dynamic() || update->shape().is_dynamic() ||
      count == 0 || count > kMaxElements || ShapeUtil::ElementsIn(update->shape()) != 1 ||
      primitive_util::BitWidth(type) < 8) {
    return nullptr;
  }
  const auto& dimensions = scatter.attributes_as<ScatterAttributes>().scatter_dims_to_operand_dims;
  const int64_t components = static_cast<int64_t>(dimensions.size());
  if (components == 0 || ShapeUtil::ElementsIn(indices->shape()) != components) return nullptr;

  GraphBuilder builder(scatter);
  update = builder.Broadcast(builder.Reshape(update, {}), shape.dimensions());
  HloInstruction* updated = Updated(builder, *scatter.to_apply(), array, update);
  if (updated == nullptr) return nullptr;
  HloInstruction* vector = builder.Reshape(indices, {components});
  HloInstruction* here = nullptr;
  for (int64_t d = 0; d < shape.dimensions_size(); ++d) {
    HloInstruction* index = nullptr;
    for (int64_t k = 0; k < components; ++k) {
      if (dimensions[k] == d) index = builder.Element(vector, k);
    }
    if (index == nullptr) {
      if (shape.dimensions(d) == 1) continue;
      index = builder.Number(type, 0);
    }
    HloInstruction* at =
        builder.Compare(Comparison::Direction::kEq, builder.Iota(type, shape.dimensions(), d),
                        builder.Broadcast(index, shape.dimensions()));
    here = here == nullptr ? at : builder.Binary(HloOpcode::kAnd, here, at);
  }
  return builder.Select(here, updated, array);
}

}  // namespace

absl::StatusOr<bool> ExpandSmallScatters(HloModule& module) { return ReplaceEach(module, Expand); }

}  // namespace xla::passes

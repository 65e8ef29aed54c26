#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "data/sizes.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/layout_util.h"
#include "xla/permutation_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// So far are transposes moved towards what is computed first.
constexpr int kMaxDepth = 16;

// How many arrays have to be transposed for a transposed value.
int64_t TransposesFor(const HloInstruction& x, absl::Span<const int64_t> permutation, int depth) {
  switch (x.opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kIota:
      return 0;
    case HloOpcode::kTranspose:
      return IsIdentityPermutation(ComposePermutations(x.dimensions(), permutation)) ? 0 : 1;
    default:
      break;
  }
  if (!x.IsElementwise() || x.operand_count() == 0 || x.user_count() > 1 || depth == 0) return 1;
  int64_t transposes = 0;
  for (const HloInstruction* operand : x.operands()) {
    if (operand->shape().dimensions_size() == x.shape().dimensions_size())
      transposes += TransposesFor(*operand, permutation, depth - 1);
  }
  return transposes;
}

HloInstruction* Transposed(HloInstruction& x, absl::Span<const int64_t> permutation, int depth) {
  GraphBuilder builder(x);
  if (x.opcode() == HloOpcode::kTranspose) {
    return builder.Transpose(x.mutable_operand(0),
                             ComposePermutations(x.dimensions(), permutation));
  }
  if (!x.IsElementwise() || x.operand_count() == 0 || x.user_count() > 1 || depth == 0 ||
      TransposesFor(x, permutation, depth) > 1)
    return builder.Transpose(&x, permutation);
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : x.operands()) {
    operands.push_back(operand->shape().dimensions_size() == x.shape().dimensions_size()
                           ? Transposed(*operand, permutation, depth - 1)
                           : operand);
  }
  const Shape shape =
      ShapeUtil::MakeShape(x.shape().element_type(), Permute(x.shape().dimensions(), permutation));
  return builder.Add(x.CloneWithNewOperands(shape, operands));
}

// The value with each array's dimensions in the order in which its layout has them. `shape` becomes
// that of the result.
HloInstruction* LaidOut(HloInstruction& value, Shape& shape) {
  GraphBuilder builder(value);
  if (shape.IsTuple()) {
    std::vector<HloInstruction*> parts;
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      HloInstruction* part =
          value.opcode() == HloOpcode::kTuple ? value.mutable_operand(i) : builder.Part(&value, i);
      parts.push_back(LaidOut(*part, *shape.mutable_tuple_shapes(i)));
    }
    return builder.Tuple(parts);
  }
  if (!HasOwnLayout(shape)) return &value;
  Sizes permutation(shape.layout().minor_to_major().rbegin(),
                    shape.layout().minor_to_major().rend());
  shape = ShapeUtil::MakeShape(shape.element_type(),
                               ShapeUtil::PermuteDimensions(permutation, shape).dimensions());
  return Transposed(value, permutation, kMaxDepth);
}

bool HasOwnLayouts(const Shape& shape) {
  if (!shape.IsTuple()) return HasOwnLayout(shape);
  return absl::c_any_of(shape.tuple_shapes(), HasOwnLayouts);
}

}  // namespace

const Shape& DeclaredResult(const HloModule& module) {
  return module.config().has_entry_computation_layout()
             ? module.entry_computation_layout().result_shape()
             : module.entry_computation()->root_instruction()->shape();
}

bool HasOwnLayout(const Shape& shape) {
  return shape.IsArray() && shape.is_static() && shape.has_layout() &&
         !LayoutUtil::IsMonotonicWithDim0Major(shape.layout());
}

absl::StatusOr<bool> LayOutResults(HloModule& module) {
  Shape shape = DeclaredResult(module);
  if (!HasOwnLayouts(shape)) return false;
  HloComputation& entry = *module.entry_computation();
  HloInstruction* root = LaidOut(*entry.root_instruction(), shape);
  entry.set_root_instruction(root, /*accept_different_shape=*/true);
  if (module.config().has_entry_computation_layout()) {
    *module.mutable_entry_computation_layout()->mutable_result_layout() = ShapeLayout(shape);
  }
  HILO_RETURN_IF_ERROR(RemoveDeadCode(module).status());
  return true;
}

}  // namespace xla::passes

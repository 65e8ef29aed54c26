#include <memory>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "passes/cost.h"
#include "passes/graph_builder.h"
#include "passes/simplify/algebra.h"
#include "passes/simplify/match.h"
#include "passes/simplify/signs.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Where an update takes place: a predicate, or its opposite, and which dimensions of the array each
// of its own is.
struct Mask {
  HloInstruction* predicate;
  Sizes dimensions;
  bool is_opposite = false;
};

// `fresh` where the mask holds, whose dimensions are these of both.
HloInstruction* Choose(GraphBuilder& b, const Mask& mask, absl::Span<const int64_t> dimensions,
                       HloInstruction* fresh, HloInstruction* old) {
  HloInstruction* predicate = b.Broadcast(mask.predicate, fresh->shape().dimensions(), dimensions);
  return mask.is_opposite ? b.Select(predicate, old, fresh) : b.Select(predicate, fresh, old);
}

// What stands in `other` where the dimensions stand in `list`, if all do.
std::optional<Sizes> Translate(absl::Span<const int64_t> dimensions, absl::Span<const int64_t> list,
                               absl::Span<const int64_t> other) {
  Sizes translated;
  for (int64_t d : dimensions) {
    const auto found = absl::c_find(list, d);
    if (found == list.end()) return std::nullopt;
    translated.push_back(other[found - list.begin()]);
  }
  return translated;
}

// The scatter with indices that lie outside of the array, where updates are left out, unless the
// mask holds. It may say so for each batch.
HloInstruction* MaskScatter(GraphBuilder& b, HloInstruction& scatter, const Mask& mask) {
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  HloInstruction* indices = scatter.mutable_operand(1);
  const PrimitiveType type = indices->shape().element_type();
  const auto batches = Translate(mask.dimensions, attributes.input_batching_dims,
                                 attributes.scatter_indices_batching_dims);
  if (!batches.has_value() || attributes.scatter_dims_to_operand_dims.empty() ||
      !primitive_util::IsSignedIntegralType(type)) {
    return nullptr;
  }
  // Nothing of a window that begins so far in front of the array lies in it.
  const absl::Span<const int64_t> sizes = scatter.shape().dimensions();
  const int64_t size = *absl::c_max_element(sizes);
  if (!primitive_util::FitsInIntegralType(-size, type)) return nullptr;
  HloInstruction* outside =
      b.Broadcast(b.Number(type, static_cast<double>(-size)), indices->shape().dimensions());
  HloInstruction* masked = Choose(b, mask, *batches, indices, outside);
  std::unique_ptr<HloInstruction> made = scatter.CloneWithNewOperands(
      scatter.shape(), {scatter.mutable_operand(0), masked, scatter.mutable_operand(2)});
  auto& flags = made->mutable_attributes_as<ScatterAttributes>();
  flags.indices_are_sorted = flags.unique_indices = false;
  return b.Add(std::move(made));
}

// The update with what is there already, unless the mask holds. It is the same for all elements
// along dimensions of which the update is a part. In registers, a selection costs next to nothing.
HloInstruction* MaskUpdate(GraphBuilder& b, HloInstruction& update, const Mask& mask) {
  HloInstruction* array = update.mutable_operand(0);
  HloInstruction* part = update.mutable_operand(1);
  const auto sizes = part->shape().dimensions();
  if (ShapeUtil::ElementsIn(array->shape()) <= kMaxRegisterElements ||
      update.operand_count() != 2 + array->shape().dimensions_size() ||
      absl::c_any_of(mask.dimensions, [&](int64_t d) {
        return sizes[d] != array->shape().dimensions(static_cast<int>(d));
      })) {
    return nullptr;
  }
  const HloInstruction::InstructionVector operands = update.operands();
  HloInstruction* old = b.Add(HloInstruction::CreateDynamicSlice(
      part->shape(), array, absl::MakeConstSpan(operands).subspan(2), sizes));
  std::vector<HloInstruction*> changed(operands.begin(), operands.end());
  changed[1] = Choose(b, mask, mask.dimensions, part, old);
  return b.Add(update.CloneWithNewOperands(update.shape(), changed));
}

bool IsUpdateOf(const HloInstruction& update, const HloInstruction& array) {
  return (update.opcode() == HloOpcode::kDynamicUpdateSlice ||
          (update.opcode() == HloOpcode::kScatter && update.operand_count() == 3)) &&
         update.operand(0) == &array && update.user_count() == 1 && !update.IsRoot() &&
         !update.HasControlDependencies() && !ShapeUtil::IsZeroElementArray(update.shape()) &&
         !update.shape().is_dynamic();
}

// Between an array and the same array updated: an update of fewer elements, in place.
HloInstruction* SelectUpdated(HloInstruction& select) {
  HloInstruction* predicate = select.mutable_operand(0);
  Mask mask = {predicate};
  if (predicate->opcode() == HloOpcode::kBroadcast) {
    mask.predicate = predicate->mutable_operand(0);
    mask.dimensions.assign(predicate->dimensions().begin(), predicate->dimensions().end());
  } else if (!ShapeUtil::IsScalar(predicate->shape())) {
    return nullptr;
  }
  if (!select.shape().IsArray() || select.shape().dimensions_size() == 0) return nullptr;
  GraphBuilder b(select);
  for (const int64_t updated : {1, 2}) {
    HloInstruction* update = select.mutable_operand(updated);
    if (!IsUpdateOf(*update, *select.operand(3 - updated))) continue;
    mask.is_opposite = updated == 2;
    return update->opcode() == HloOpcode::kScatter ? MaskScatter(b, *update, mask)
                                                   : MaskUpdate(b, *update, mask);
  }
  return nullptr;
}

// Whether adding elements of `zeros` changes none of `x`.
bool ChangesNothing(const HloInstruction& zeros, const HloInstruction& x) {
  if (HasIntegers(x)) return IsAllInteger(zeros, 0);
  return IsAllReal(zeros, -0.0) || (IsAllReal(zeros, 0.0) && IsNeverNegativeZero(x));
}

// A sum with zeros of which a part is updated, as gradients of slices in loops are: the other term,
// of which that part is updated.
HloInstruction* AddToPart(HloInstruction& add) {
  if (ShapeUtil::ElementsIn(add.shape()) <= kMaxRegisterElements) return nullptr;
  for (const int64_t side : {0, 1}) {
    HloInstruction* update = add.mutable_operand(side);
    HloInstruction* array = add.mutable_operand(1 - side);
    if (update->opcode() != HloOpcode::kDynamicUpdateSlice || update->user_count() != 1 ||
        update->HasControlDependencies() || array == update ||
        update->operand_count() != 2 + add.shape().dimensions_size() ||
        2 * ShapeUtil::ElementsIn(update->operand(1)->shape()) >
            ShapeUtil::ElementsIn(add.shape()) ||
        !ChangesNothing(*update->operand(0), *array)) {
      continue;
    }
    GraphBuilder b(add);
    HloInstruction* part = update->mutable_operand(1);
    const HloInstruction::InstructionVector operands = update->operands();
    HloInstruction* old = b.Add(HloInstruction::CreateDynamicSlice(
        part->shape(), array, absl::MakeConstSpan(operands).subspan(2),
        part->shape().dimensions()));
    std::vector<HloInstruction*> changed(operands.begin(), operands.end());
    changed[0] = array;
    changed[1] =
        side == 1 ? b.Binary(HloOpcode::kAdd, old, part) : b.Binary(HloOpcode::kAdd, part, old);
    return b.Add(update->CloneWithNewOperands(update->shape(), changed));
  }
  return nullptr;
}

constexpr OpcodeRule kUpdateRules[] = {
    {HloOpcode::kAdd, AddToPart},
    {HloOpcode::kSelect, SelectUpdated},
};

}  // namespace

absl::Span<const OpcodeRule> UpdateRules() { return kUpdateRules; }

}  // namespace xla::passes

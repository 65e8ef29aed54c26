#include "passes/dynamic/operations.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "ir/kept_dimensions.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

int64_t Rank(const HloInstruction& instruction) { return instruction.shape().dimensions_size(); }

// ---- Operations on arrays that are alike ----------------------------------------------------

// Sizes of 1 stretch where another operand has another size.
absl::StatusOr<SizedValue> ResolveElementwise(const SizedOperation& operation) {
  SizeBuilder builder(operation.instruction);
  const auto has_rank = [&](int64_t k) {
    return Rank(*operation.operand(k)) == Rank(operation.instruction);
  };
  ArraySizes sizes(Rank(operation.instruction));
  for (size_t d = 0; d < sizes.size(); ++d) {
    std::vector<int64_t> differing;
    for (int64_t k = 0; k < operation.count(); ++k) {
      HloInstruction* own = has_rank(k) ? operation.operands[k][d] : nullptr;
      if (own == nullptr) continue;
      if (differing.empty() || own != operation.operands[differing.back()][d])
        differing.push_back(k);
    }
    if (differing.empty()) continue;
    sizes[d] = operation.operands[differing[0]][d];
    if (differing.size() == 1) continue;
    HloInstruction* one = builder.Size(1);
    const auto is_one = [&](int64_t k) {
      return builder.Compare(ComparisonDirection::kEq, operation.operands[k][d], one);
    };
    for (size_t i = 1; i < differing.size(); ++i) {
      sizes[d] = builder.Select(builder.Compare(ComparisonDirection::kEq, sizes[d], one),
                                operation.operands[differing[i]][d], sizes[d]);
    }
    for (int64_t k = 0; k < operation.count(); ++k) {
      if (!has_rank(k) || operation.operands[k][d] == nullptr) continue;
      HloInstruction* array = operation.operand(k);
      HILO_RETURN_IF_ERROR(operation.Replace(
          k, builder.Select(is_one(k), builder.Stretch(array, static_cast<int64_t>(d)), array)));
    }
  }
  return SizedValue{&operation.instruction, {sizes}};
}

// A scalar predicate takes one of the two as it is.
absl::StatusOr<SizedValue> ResolveChoice(const SizedOperation& operation) {
  SizeBuilder builder(operation.instruction);
  ArraySizes sizes(Rank(operation.instruction));
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (operation.operands[1][d] == nullptr && operation.operands[2][d] == nullptr) continue;
    const int64_t dimension = static_cast<int64_t>(d);
    sizes[d] =
        builder.Select(operation.operand(0),
                       builder.SizeOf(*operation.operand(1), operation.operands[1], dimension),
                       builder.SizeOf(*operation.operand(2), operation.operands[2], dimension));
  }
  return SizedValue{&operation.instruction, {sizes}};
}

// ---- Operations that change sizes -----------------------------------------------------------

absl::StatusOr<SizedValue> ResolveSetDimensionSize(const SizedOperation& operation) {
  SizeBuilder builder(operation.instruction);
  const int64_t dimension = operation.instruction.attributes_as<OneDimensionAttributes>().dimension;
  ArraySizes sizes = operation.operands[0];
  if (operation.declared.is_dynamic_dimension(static_cast<int>(dimension))) {
    sizes[dimension] =
        builder.AsSize(operation.operand(1),
                       operation.instruction.shape().dimensions(static_cast<int>(dimension)));
  }
  return SizedValue{operation.operand(0), {sizes}};
}

absl::StatusOr<SizedValue> ResolveGetDimensionSize(const SizedOperation& operation) {
  SizeBuilder builder(operation.instruction);
  const int64_t dimension = operation.instruction.attributes_as<OneDimensionAttributes>().dimension;
  return SizedValue{builder.SizeOf(*operation.operand(0), operation.operands[0], dimension), {{}}};
}

absl::StatusOr<SizedValue> ResolveDynamicReshape(const SizedOperation& operation) {
  SizeBuilder builder(operation.instruction);
  const Shape& shape = operation.instruction.shape();
  ArraySizes sizes(shape.dimensions_size());
  for (int d = 0; d < shape.dimensions_size(); ++d) {
    if (operation.declared.is_dynamic_dimension(d))
      sizes[d] = builder.AsSize(operation.operand(d + 1), shape.dimensions(d));
  }
  return SizedValue{
      builder.Refill(operation.operand(0), operation.operands[0], shape.dimensions(), sizes),
      {sizes}};
}

// Each operand is written behind the elements of those before it, over their padding.
absl::StatusOr<SizedValue> ResolveConcatenate(const SizedOperation& operation) {
  HloInstruction& concatenate = operation.instruction;
  const int64_t dimension = concatenate.attributes_as<OneDimensionAttributes>().dimension;
  SizeBuilder builder(concatenate);
  ArraySizes sizes(Rank(concatenate));
  for (int64_t d = 0; d < Rank(concatenate); ++d) {
    if (d != dimension) sizes[d] = operation.Common(0, operation.count(), d);
  }
  const bool moves = absl::c_any_of(
      operation.operands, [&](const ArraySizes& own) { return own[dimension] != nullptr; });
  if (!moves) return SizedValue{&concatenate, {sizes}};
  HloInstruction* result =
      builder.Broadcast(builder.Constant(LiteralUtil::Zero(concatenate.shape().element_type())),
                        concatenate.shape().dimensions());
  std::vector<HloInstruction*> starts(Rank(concatenate), builder.Size(0));
  for (int64_t k = 0; k < operation.count(); ++k) {
    HloInstruction* operand = operation.operand(k);
    result = builder.Add(
        HloInstruction::CreateDynamicUpdateSlice(concatenate.shape(), result, operand, starts));
    starts[dimension] = builder.Binary(HloOpcode::kAdd, starts[dimension],
                                       builder.SizeOf(*operand, operation.operands[k], dimension));
  }
  sizes[dimension] = starts[dimension];
  return SizedValue{result, {sizes}};
}

absl::StatusOr<SizedValue> ResolvePad(const SizedOperation& operation) {
  HloInstruction& pad = operation.instruction;
  SizeBuilder builder(pad);
  ArraySizes sizes = operation.operands[0];
  std::vector<int64_t> padded;
  for (int d = 0; d < pad.shape().dimensions_size(); ++d) {
    const auto& padding = pad.padding_config().dimensions(d);
    const int64_t step = padding.interior_padding() + 1;
    const int64_t edges = padding.edge_padding_low() + padding.edge_padding_high();
    if (sizes[d] == nullptr || (step == 1 && edges == 0 && padding.edge_padding_low() == 0))
      continue;
    padded.push_back(d);
    HloInstruction* inner = builder.Plus(builder.Times(builder.Plus(sizes[d], -1), step), 1);
    sizes[d] = builder.Clamp(
        builder.Plus(builder.Binary(HloOpcode::kMaximum, inner, builder.Size(0)), edges),
        pad.shape().dimensions(d));
  }
  HILO_RETURN_IF_ERROR(operation.Replace(
      0, builder.Mask(operation.operand(0), operation.operands[0], padded, operation.operand(1))));
  return SizedValue{&pad, {sizes}};
}

// Beyond the sizes of the update, what is there is written again.
absl::StatusOr<SizedValue> ResolveDynamicUpdateSlice(const SizedOperation& operation) {
  SizeBuilder builder(operation.instruction);
  HloInstruction* update = operation.operand(1);
  HloInstruction* inside = builder.Inside(update->shape().dimensions(), operation.operands[1],
                                          AllDimensions(update->shape().dimensions_size()));
  if (inside != nullptr) {
    std::vector<HloInstruction*> starts;
    for (int64_t k = 2; k < operation.count(); ++k) starts.push_back(operation.operand(k));
    HloInstruction* old = builder.Add(HloInstruction::CreateDynamicSlice(
        update->shape(), operation.operand(0), starts, update->shape().dimensions()));
    HILO_RETURN_IF_ERROR(operation.Replace(1, builder.Select(inside, update, old)));
  }
  return SizedValue{&operation.instruction, {operation.operands[0]}};
}

absl::StatusOr<SizedValue> ResolveReverse(const SizedOperation& operation) {
  SizeBuilder builder(operation.instruction);
  HloInstruction* result = &operation.instruction;
  const ArraySizes& sizes = operation.operands[0];
  for (int64_t d : operation.instruction.dimensions()) {
    if (sizes[d] == nullptr) continue;
    const int64_t bound = result->shape().dimensions(static_cast<int>(d));
    result = builder.Rotate(result, d,
                            builder.Binary(HloOpcode::kSubtract, builder.Size(bound), sizes[d]));
  }
  return SizedValue{result, {sizes}};
}

// What lies beyond the size is chosen last.
absl::StatusOr<SizedValue> ResolveTopK(const SizedOperation& operation) {
  HloInstruction& top = operation.instruction;
  SizeBuilder builder(top);
  const auto& attributes = top.attributes_as<TopKAttributes>();
  const PrimitiveType type = operation.operand(0)->shape().element_type();
  if (primitive_util::IsComplexType(type)) return NoDynamicForm(top);
  HloInstruction* last = builder.Constant(attributes.largest ? LiteralUtil::MinValue(type)
                                                             : LiteralUtil::MaxValue(type));
  ArraySizes sizes = operation.operands[0];
  HILO_RETURN_IF_ERROR(operation.Replace(
      0,
      builder.Mask(operation.operand(0), sizes, {static_cast<int64_t>(sizes.size()) - 1}, last)));
  if (sizes.back() != nullptr) sizes.back() = builder.Clamp(sizes.back(), attributes.k);
  return SizedValue{&top, {sizes, sizes}};
}

// Rows and columns beyond the size are those of an identity matrix.
HloInstruction* WithIdentity(SizeBuilder& builder, HloInstruction* matrices,
                             const ArraySizes& sizes) {
  const int64_t column = Rank(*matrices) - 1;
  const auto bounds = matrices->shape().dimensions();
  HloInstruction* diagonal =
      builder.Compare(ComparisonDirection::kEq, builder.Iota(S32, bounds, column - 1),
                      builder.Iota(S32, bounds, column));
  HloInstruction* inside = builder.Inside(bounds, sizes, {column - 1, column});
  return inside == nullptr
             ? matrices
             : builder.Select(inside, matrices,
                              builder.Convert(diagonal, matrices->shape().element_type()));
}

absl::StatusOr<SizedValue> ResolveCholesky(const SizedOperation& operation) {
  SizeBuilder builder(operation.instruction);
  ArraySizes sizes = operation.operands[0];
  const int64_t column = Rank(operation.instruction) - 1;
  HloInstruction*& rows = sizes[column - 1];
  HloInstruction*& columns = sizes[column];
  if (rows == nullptr) rows = columns;
  if (columns == nullptr) columns = rows;
  HILO_RETURN_IF_ERROR(operation.Replace(0, WithIdentity(builder, operation.operand(0), sizes)));
  return SizedValue{&operation.instruction, {sizes}};
}

absl::StatusOr<SizedValue> ResolveTriangularSolve(const SizedOperation& operation) {
  SizeBuilder builder(operation.instruction);
  ArraySizes matrix = operation.operands[0], sizes = operation.operands[1];
  const int64_t column = Rank(operation.instruction) - 1;
  const bool left = operation.instruction.attributes_as<TriangularSolveAttributes>().left_side;
  const int64_t side = left ? column - 1 : column;
  HloInstruction* size = matrix[column];
  for (HloInstruction* other : {matrix[column - 1], sizes[side]})
    size = size == nullptr ? other : size;
  matrix[column - 1] = matrix[column] = sizes[side] = size;
  for (int64_t d = 0; d < column - 1; ++d) {
    if (sizes[d] == nullptr) sizes[d] = matrix[d];
  }
  HILO_RETURN_IF_ERROR(operation.Replace(0, WithIdentity(builder, operation.operand(0), matrix)));
  HILO_RETURN_IF_ERROR(
      operation.Replace(1, builder.MaskWithZero(operation.operand(1), sizes, {side})));
  return SizedValue{&operation.instruction, {sizes}};
}

}  // namespace

HloInstruction* SizedOperation::Common(int64_t first, int64_t last, int64_t dimension) const {
  for (int64_t k = first; k < last; ++k) {
    if (dimension < static_cast<int64_t>(operands[k].size()) && operands[k][dimension] != nullptr)
      return operands[k][dimension];
  }
  return nullptr;
}

absl::Status NoDynamicForm(const HloInstruction& instruction) {
  return Unimplemented("there is no code for %s of arrays with dynamic sizes: %s",
                       HloOpcodeString(instruction.opcode()), instruction.ToString());
}

absl::StatusOr<SizedValue> ResolveOperation(const SizedOperation& operation) {
  HloInstruction& instruction = operation.instruction;
  switch (instruction.opcode()) {
    case HloOpcode::kSetDimensionSize:
      return ResolveSetDimensionSize(operation);
    case HloOpcode::kGetDimensionSize:
      return ResolveGetDimensionSize(operation);
    case HloOpcode::kDynamicReshape:
      return ResolveDynamicReshape(operation);
    case HloOpcode::kConcatenate:
      return ResolveConcatenate(operation);
    case HloOpcode::kPad:
      return ResolvePad(operation);
    case HloOpcode::kDynamicUpdateSlice:
      return ResolveDynamicUpdateSlice(operation);
    case HloOpcode::kReverse:
      return ResolveReverse(operation);
    case HloOpcode::kReshape:
      return ResolveReshape(operation);
    case HloOpcode::kReduce:
      return ResolveReduce(operation);
    case HloOpcode::kReduceWindow:
      return ResolveReduceWindow(operation);
    case HloOpcode::kSelectAndScatter:
      return ResolveSelectAndScatter(operation);
    case HloOpcode::kConvolution:
      return ResolveConvolution(operation);
    case HloOpcode::kBatchNormGrad:
    case HloOpcode::kBatchNormInference:
    case HloOpcode::kBatchNormTraining:
      return ResolveBatchNorm(operation);
    case HloOpcode::kFft:
      return ResolveFft(operation);
    case HloOpcode::kDot:
    case HloOpcode::kRaggedDot:
    case HloOpcode::kScaledDot:
      return ResolveDot(operation);
    case HloOpcode::kSort:
      return ResolveSort(operation);
    case HloOpcode::kScatter:
      return ResolveScatter(operation);
    case HloOpcode::kTopK:
      return ResolveTopK(operation);
    case HloOpcode::kCholesky:
      return ResolveCholesky(operation);
    case HloOpcode::kTriangularSolve:
      return ResolveTriangularSolve(operation);
    case HloOpcode::kSelect:
      if (Rank(*operation.operand(0)) == 0 && Rank(instruction) > 0)
        return ResolveChoice(operation);
      break;
    case HloOpcode::kMap:
      return ResolveElementwise(operation);
    default:
      break;
  }
  if (instruction.shape().IsArray()) {
    if (const auto kept = FindKeptDimensions(instruction); kept.has_value()) {
      ArraySizes sizes(kept->size());
      for (size_t d = 0; d < sizes.size(); ++d) {
        const std::optional<OperandDimension>& from = (*kept)[d];
        if (from.has_value()) sizes[d] = operation.operands[from->operand][from->dimension];
      }
      return SizedValue{&instruction, {sizes}};
    }
    if (HasTrait(instruction.opcode(), kElementwise)) return ResolveElementwise(operation);
  }
  return NoDynamicForm(instruction);
}

}  // namespace xla::passes

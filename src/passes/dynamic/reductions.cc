// Operations that bring many elements together: what lies beyond the sizes must not be among them.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "ir/records.h"
#include "passes/dynamic/operations.h"
#include "passes/expand/batch_norm.h"
#include "passes/graph_builder.h"
#include "passes/reducer.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/window_util.h"

namespace xla::passes {
namespace {

// What changes nothing when it is reduced with something; nothing if that is not known.
std::optional<Literal> Identity(const HloComputation& reducer) {
  return NeutralElement(reducer, reducer.root_instruction()->shape().element_type());
}

Shape Scalar(PrimitiveType type) { return ShapeUtil::MakeShape(type, {}); }

HloInstruction* AddParameter(HloComputation::Builder& builder, int64_t number, const Shape& shape) {
  return builder.AddInstruction(HloInstruction::CreateParameter(number, shape, "p"));
}

// A reducer of elements that say whether they are there: of two that are, what the reducer makes of
// them; else the one that is.
HloComputation* WithPresence(HloModule& module, const HloComputation& reducer) {
  HloComputation::Builder builder("reduce_present");
  const int64_t count = reducer.num_parameters() / 2;
  std::vector<HloInstruction*> own, present;
  for (int64_t side = 0; side < 2; ++side) {
    for (int64_t k = 0; k < count; ++k) {
      own.push_back(AddParameter(builder, side * (count + 1) + k,
                                 reducer.parameter_instruction(side * count + k)->shape()));
    }
    present.push_back(AddParameter(builder, side * (count + 1) + count, Scalar(PRED)));
  }
  const std::vector<HloInstruction*> both = CopyInto(builder, reducer, own);
  std::vector<HloInstruction*> results;
  for (int64_t k = 0; k < count; ++k) {
    const auto select = [&](HloInstruction* predicate, HloInstruction* x, HloInstruction* y) {
      return builder.AddInstruction(
          HloInstruction::CreateTernary(x->shape(), HloOpcode::kSelect, predicate, x, y));
    };
    results.push_back(select(present[1], select(present[0], both[k], own[count + k]), own[k]));
  }
  results.push_back(builder.AddInstruction(
      HloInstruction::CreateBinary(Scalar(PRED), HloOpcode::kOr, present[0], present[1])));
  builder.AddInstruction(HloInstruction::CreateTuple(results));
  return module.AddEmbeddedComputation(builder.Build());
}

// The first `count` parts of a tuple as what an operation with `shape` gives.
HloInstruction* FirstParts(SizeBuilder& builder, HloInstruction* tuple, const Shape& shape,
                           int64_t count) {
  if (!shape.IsTuple()) return builder.Part(tuple, 0);
  std::vector<HloInstruction*> parts;
  for (int64_t k = 0; k < count; ++k) parts.push_back(builder.Part(tuple, k));
  return builder.Tuple(parts);
}

std::vector<Shape> Leaves(const Shape& shape) {
  if (!shape.IsTuple()) return {shape};
  return {shape.tuple_shapes().begin(), shape.tuple_shapes().end()};
}

ArraySizes CommonSizes(const SizedOperation& operation, int64_t first, int64_t last) {
  ArraySizes sizes(operation.operands[first].size());
  for (size_t d = 0; d < sizes.size(); ++d)
    sizes[d] = operation.Common(first, last, static_cast<int64_t>(d));
  return sizes;
}

// How often a window fits into a size.
HloInstruction* WindowCount(SizeBuilder& builder, const WindowDimension& window,
                            HloInstruction* size, HloInstruction* window_size, int64_t limit) {
  HloInstruction* dilated =
      builder.Plus(builder.Times(builder.Plus(size, -1), window.base_dilation()), 1);
  HloInstruction* padded =
      builder.Plus(builder.Binary(HloOpcode::kMaximum, dilated, builder.Size(0)),
                   window.padding_low() + window.padding_high());
  HloInstruction* extent =
      builder.Plus(builder.Times(builder.Plus(window_size, -1), window.window_dilation()), 1);
  HloInstruction* room = builder.Binary(HloOpcode::kSubtract, padded, extent);
  HloInstruction* zero = builder.Size(0);
  // Quotients of negative numbers would be rounded up.
  HloInstruction* count = builder.Plus(
      builder.Over(builder.Binary(HloOpcode::kMaximum, room, zero), window.stride()), 1);
  return builder.Clamp(
      builder.Select(builder.Compare(ComparisonDirection::kLt, room, zero), zero, count), limit);
}

HloInstruction* WindowCount(SizeBuilder& builder, const WindowDimension& window,
                            HloInstruction* size, int64_t limit) {
  return WindowCount(builder, window, size, builder.Size(window.size()), limit);
}

// Windows that begin where the operand does may be shorter: what is beyond changes nothing. Others
// would have to be left out as a whole, or not, by their actual size.
absl::Status MaskWindows(SizeBuilder& builder, const SizedOperation& operation,
                         const ArraySizes& updates) {
  const HloInstruction& scatter = operation.instruction;
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  std::vector<int64_t> masked;
  int64_t to = -1;
  for (int64_t d : attributes.update_window_dims) {
    do {
      ++to;
    } while (absl::c_linear_search(attributes.inserted_window_dims, to) ||
             absl::c_linear_search(attributes.input_batching_dims, to));
    if (updates[d] == nullptr) continue;
    if (absl::c_linear_search(attributes.scatter_dims_to_operand_dims, to))
      return NoDynamicForm(scatter);
    masked.push_back(d);
  }
  if (masked.empty()) return absl::OkStatus();
  std::optional<Literal> identity = Identity(*scatter.to_apply());
  if (!identity.has_value()) return NoDynamicForm(scatter);
  const int64_t last = scatter.operand_count() - 1;
  return operation.Replace(last, builder.Mask(operation.operand(last), updates, masked,
                                              builder.Constant(*std::move(identity))));
}

// Of two elements with their places, the one that `select` chooses.
std::unique_ptr<HloComputation> Chooser(const HloComputation& select) {
  HloComputation::Builder builder("choose");
  const std::vector<Shape> shapes = {select.parameter_instruction(0)->shape(), Scalar(S64)};
  std::vector<HloInstruction*> x, y, results;
  for (int64_t k = 0; k < 2; ++k) x.push_back(AddParameter(builder, k, shapes[k]));
  for (int64_t k = 0; k < 2; ++k) y.push_back(AddParameter(builder, 2 + k, shapes[k]));
  HloInstruction* is_first = CopyInto(builder, select, {{x[0], y[0]}})[0];
  for (int64_t k = 0; k < 2; ++k) {
    results.push_back(builder.AddInstruction(
        HloInstruction::CreateTernary(shapes[k], HloOpcode::kSelect, is_first, x[k], y[k])));
  }
  builder.AddInstruction(HloInstruction::CreateTuple(results));
  return builder.Build();
}

// Of each window the place of the element that is selected among those within the sizes, counted in
// row-major order; -1 of windows without any.
HloInstruction* SelectedPlaces(SizeBuilder& builder, const SizedOperation& operation) {
  const HloInstruction& instruction = operation.instruction;
  HloInstruction* operand = operation.operand(0);
  const auto bounds = operand->shape().dimensions();
  const auto windows = operation.operand(1)->shape().dimensions();
  HloInstruction* places =
      builder.Reshape(builder.Iota(S64, {ShapeUtil::ElementsIn(operand->shape())}, 0), bounds);
  HloInstruction* inside =
      builder.Inside(bounds, operation.operands[0], AllDimensions(Rank(*operand)));
  if (inside == nullptr)
    inside = builder.Broadcast(builder.Constant(LiteralUtil::CreateR0<bool>(true)), bounds);
  const PrimitiveType type = operand->shape().element_type();
  std::vector<Shape> results;
  for (PrimitiveType each : {type, S64, PRED})
    results.push_back(ShapeUtil::MakeShape(each, windows));
  HloInstruction* selected = builder.Add(HloInstruction::CreateReduceWindow(
      ShapeUtil::MakeTupleShape(results), {{operand, places, inside}},
      {{builder.Nothing(type), builder.Constant(LiteralUtil::CreateR0<int64_t>(-1)),
        builder.Constant(LiteralUtil::CreateR0<bool>(false))}},
      instruction.window(),
      WithPresence(*instruction.GetModule(), *Chooser(*instruction.called_computations()[0]))));
  return builder.Part(selected, 1);
}

// Whether no window has elements on both sides of a size, and sources end where the operand does:
// sizes of batches and features, mostly.
bool KeepsSizesApart(const SizedOperation& operation) {
  const ArraySizes &sizes = operation.operands[0], &sources = operation.operands[1];
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == nullptr && sources[d] == nullptr) continue;
    const WindowDimension& window = operation.instruction.window().dimensions(static_cast<int>(d));
    if (!window_util::IsTrivialWindowDimension(window)) return false;
    if (sources[d] != nullptr && sources[d] != sizes[d]) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<SizedValue> ResolveReduce(const SizedOperation& operation) {
  HloInstruction& reduce = operation.instruction;
  SizeBuilder builder(reduce);
  const int64_t count = reduce.operand_count() / 2;
  const ArraySizes sizes = CommonSizes(operation, 0, count);
  const std::vector<int64_t> reduced(reduce.dimensions().begin(), reduce.dimensions().end());
  ArraySizes kept;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!absl::c_linear_search(reduced, static_cast<int64_t>(d))) kept.push_back(sizes[d]);
  }
  const std::vector<ArraySizes> result_sizes(count, kept);
  const auto bounds = operation.operand(0)->shape().dimensions();
  HloInstruction* inside = builder.Inside(bounds, sizes, reduced);
  if (inside == nullptr) return SizedValue{&reduce, result_sizes};
  if (std::optional<Literal> identity = Identity(*reduce.to_apply()); identity.has_value()) {
    HILO_RETURN_IF_ERROR(operation.Replace(
        0, builder.Select(inside, operation.operand(0), builder.Constant(*std::move(identity)))));
    return SizedValue{&reduce, result_sizes};
  }
  std::vector<HloInstruction*> operands, initial;
  std::vector<Shape> shapes = Leaves(reduce.shape());
  for (int64_t k = 0; k < count; ++k) {
    operands.push_back(operation.operand(k));
    initial.push_back(operation.operand(count + k));
  }
  operands.push_back(inside);
  initial.push_back(builder.Constant(LiteralUtil::CreateR0<bool>(true)));
  shapes.push_back(ShapeUtil::MakeShape(PRED, shapes[0].dimensions()));
  HloInstruction* all = builder.Add(
      HloInstruction::CreateReduce(ShapeUtil::MakeTupleShape(shapes), operands, initial, reduced,
                                   WithPresence(*reduce.GetModule(), *reduce.to_apply())));
  return SizedValue{FirstParts(builder, all, reduce.shape(), count), result_sizes};
}

// What lies beyond the sizes is like the padding around, which changes nothing.
absl::StatusOr<SizedValue> ResolveReduceWindow(const SizedOperation& operation) {
  HloInstruction& instruction = operation.instruction;
  SizeBuilder builder(instruction);
  const int64_t count = instruction.operand_count() / 2;
  const ArraySizes sizes = CommonSizes(operation, 0, count);
  const Shape result = Leaves(instruction.shape())[0];
  ArraySizes result_sizes(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == nullptr) continue;
    result_sizes[d] = WindowCount(builder, instruction.window().dimensions(static_cast<int>(d)),
                                  sizes[d], result.dimensions(static_cast<int>(d)));
  }
  const std::optional<Literal> identity = Identity(*instruction.to_apply());
  for (int64_t k = 0; k < count; ++k) {
    HloInstruction* nothing =
        identity.has_value() ? builder.Constant(identity->Clone()) : operation.operand(count + k);
    HILO_RETURN_IF_ERROR(operation.Replace(
        k, builder.Mask(operation.operand(k), sizes,
                        AllDimensions(static_cast<int64_t>(sizes.size())), nothing)));
  }
  return SizedValue{&instruction, std::vector<ArraySizes>(count, result_sizes)};
}

// A window selects among the elements within the sizes; sources beyond theirs are scattered to
// places that there are not.
absl::StatusOr<SizedValue> ResolveSelectAndScatter(const SizedOperation& operation) {
  HloInstruction& instruction = operation.instruction;
  const ArraySizes& sizes = operation.operands[0];
  if (KeepsSizesApart(operation)) return SizedValue{&instruction, {sizes}};
  SizeBuilder builder(instruction);
  ArraySizes source_sizes = operation.operands[1];
  HloInstruction* source = operation.operand(1);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == nullptr || source_sizes[d] != nullptr) continue;
    const int dimension = static_cast<int>(d);
    source_sizes[d] = WindowCount(builder, instruction.window().dimensions(dimension), sizes[d],
                                  source->shape().dimensions(dimension));
  }
  HloInstruction* places =
      builder.Mask(SelectedPlaces(builder, operation), source_sizes, AllDimensions(Rank(*source)),
                   builder.Constant(LiteralUtil::CreateR0<int64_t>(-1)));
  const int64_t count = ShapeUtil::ElementsIn(source->shape());
  HloInstruction* initial =
      builder.Broadcast(operation.operand(2), {ShapeUtil::ElementsIn(instruction.shape())});
  ScatterDimensionNumbers numbers;
  numbers.add_inserted_window_dims(0);
  numbers.add_scatter_dims_to_operand_dims(0);
  numbers.set_index_vector_dim(1);
  HloInstruction* scattered = builder.Add(HloInstruction::CreateScatter(
      initial->shape(), initial, builder.Reshape(places, {count}), builder.Reshape(source, {count}),
      instruction.called_computations()[1], numbers,
      /*indices_are_sorted=*/false, /*unique_indices=*/false));
  return SizedValue{builder.Reshape(scattered, instruction.shape().dimensions()), {sizes}};
}

absl::StatusOr<SizedValue> ResolveConvolution(const SizedOperation& operation) {
  HloInstruction& convolution = operation.instruction;
  SizeBuilder builder(convolution);
  const auto& attributes = convolution.attributes_as<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
  const bool has_groups = attributes.feature_group_count != 1 || attributes.batch_group_count != 1;
  ArraySizes input = operation.operands[0], kernel = operation.operands[1];
  HloInstruction*& input_feature = input[numbers.input_feature_dimension()];
  HloInstruction*& kernel_feature = kernel[numbers.kernel_input_feature_dimension()];
  HloInstruction* batch = input[numbers.input_batch_dimension()];
  HloInstruction* output_feature = kernel[numbers.kernel_output_feature_dimension()];
  if (has_groups && (input_feature != nullptr || kernel_feature != nullptr || batch != nullptr ||
                     output_feature != nullptr)) {
    return NoDynamicForm(convolution);
  }
  if (input_feature == nullptr) input_feature = kernel_feature;
  kernel_feature = input_feature;
  ArraySizes sizes(convolution.shape().dimensions_size());
  sizes[numbers.output_batch_dimension()] = batch;
  sizes[numbers.output_feature_dimension()] = output_feature;
  std::vector<int64_t> input_masked = {numbers.input_feature_dimension()};
  std::vector<int64_t> kernel_masked = {numbers.kernel_input_feature_dimension()};
  for (int i = 0; i < attributes.window.dimensions_size(); ++i) {
    const WindowDimension& window = attributes.window.dimensions(i);
    const int64_t from = numbers.input_spatial_dimensions(i);
    const int64_t of_kernel = numbers.kernel_spatial_dimensions(i);
    const int64_t to = numbers.output_spatial_dimensions(i);
    input_masked.push_back(from);
    kernel_masked.push_back(of_kernel);
    if (input[from] == nullptr && kernel[of_kernel] == nullptr) continue;
    if (kernel[of_kernel] != nullptr && window.window_reversal()) return NoDynamicForm(convolution);
    sizes[to] = WindowCount(builder, window, builder.SizeOf(*operation.operand(0), input, from),
                            builder.SizeOf(*operation.operand(1), kernel, of_kernel),
                            convolution.shape().dimensions(static_cast<int>(to)));
  }
  HILO_RETURN_IF_ERROR(
      operation.Replace(0, builder.MaskWithZero(operation.operand(0), input, input_masked)));
  HILO_RETURN_IF_ERROR(
      operation.Replace(1, builder.MaskWithZero(operation.operand(1), kernel, kernel_masked)));
  return SizedValue{&convolution, {sizes}};
}

// Statistics are those of the elements within the sizes.
absl::StatusOr<SizedValue> ResolveBatchNorm(const SizedOperation& operation) {
  HloInstruction& norm = operation.instruction;
  SizeBuilder builder(norm);
  const int64_t feature = norm.attributes_as<BatchNormAttributes>().feature_index;
  const bool is_grad = norm.opcode() == HloOpcode::kBatchNormGrad;
  ArraySizes sizes = operation.operands[0];
  std::vector<int64_t> others;
  std::vector<HloInstruction*> counts;
  for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) {
    if (is_grad && sizes[d] == nullptr) sizes[d] = operation.operands[4][d];
    if (d == feature) continue;
    others.push_back(d);
    counts.push_back(builder.SizeOf(*operation.operand(0), sizes, d));
  }
  HloInstruction*& features = sizes[feature];
  ArraySizes feature_sizes(1);
  for (int64_t k = 1; k < (is_grad ? 4 : operation.count()); ++k) {
    if (features == nullptr) features = operation.operands[k][0];
  }
  feature_sizes[0] = features;
  HloInstruction* inside =
      builder.Inside(operation.operand(0)->shape().dimensions(), sizes, others);
  HloInstruction* count = inside == nullptr ? nullptr : builder.ProductOf(counts);
  return SizedValue{ExpandBatchNorm(norm, {inside, count}),
                    norm.shape().IsTuple()
                        ? std::vector<ArraySizes>{sizes, feature_sizes, feature_sizes}
                        : std::vector<ArraySizes>{sizes}};
}

// Also of dots with scales or with groups of rows.
absl::StatusOr<SizedValue> ResolveDot(const SizedOperation& operation) {
  HloInstruction& dot = operation.instruction;
  SizeBuilder builder(dot);
  const auto* ragged = dynamic_cast<const RaggedDotAttributes*>(&dot.attributes());
  const DotDimensions& numbers = ragged != nullptr ? static_cast<const DotDimensions&>(*ragged)
                                                   : dot.attributes_as<DotAttributes>();
  ArraySizes lhs = operation.operands[0], rhs = operation.operands[1];
  const auto tie = [&](absl::Span<const int64_t> left, absl::Span<const int64_t> right) {
    for (size_t i = 0; i < left.size(); ++i) {
      if (lhs[left[i]] == nullptr) lhs[left[i]] = rhs[right[i]];
      rhs[right[i]] = lhs[left[i]];
    }
  };
  tie(numbers.lhs_batch, numbers.rhs_batch);
  tie(numbers.lhs_contracting, numbers.rhs_contracting);
  const std::vector<int64_t> left(numbers.lhs_contracting.begin(), numbers.lhs_contracting.end());
  const std::vector<int64_t> right(numbers.rhs_contracting.begin(), numbers.rhs_contracting.end());
  HILO_RETURN_IF_ERROR(operation.Replace(0, builder.MaskWithZero(operation.operand(0), lhs, left)));
  HILO_RETURN_IF_ERROR(
      operation.Replace(1, builder.MaskWithZero(operation.operand(1), rhs, right)));
  for (int64_t k = 2; k < operation.count(); ++k) {
    const ArraySizes& own = operation.operands[k];
    HILO_RETURN_IF_ERROR(operation.Replace(
        k, builder.MaskWithZero(operation.operand(k), own,
                                AllDimensions(static_cast<int64_t>(own.size())))));
  }
  ArraySizes sizes;
  if (ragged != nullptr && absl::c_linear_search(numbers.lhs_contracting, ragged->lhs_ragged[0]))
    sizes.push_back(operation.operands[2].back());
  for (int64_t d : numbers.lhs_batch) sizes.push_back(lhs[d]);
  const auto append_free = [&](const ArraySizes& side, auto&&... used) {
    for (size_t d = 0; d < side.size(); ++d) {
      if (!(absl::c_linear_search(used, static_cast<int64_t>(d)) || ...)) sizes.push_back(side[d]);
    }
  };
  append_free(lhs, numbers.lhs_batch, numbers.lhs_contracting);
  append_free(rhs, numbers.rhs_batch, numbers.rhs_contracting,
              ragged != nullptr ? ragged->rhs_group : Int64List());
  return SizedValue{&dot, {sizes}};
}

// What lies beyond the size is sorted behind everything else.
absl::StatusOr<SizedValue> ResolveSort(const SizedOperation& operation) {
  HloInstruction& sort = operation.instruction;
  SizeBuilder builder(sort);
  const auto& attributes = sort.attributes_as<SortAttributes>();
  const int64_t count = sort.operand_count();
  const ArraySizes sizes = CommonSizes(operation, 0, count);
  const std::vector<ArraySizes> result_sizes(count, sizes);
  const auto bounds = operation.operand(0)->shape().dimensions();
  HloInstruction* inside = builder.Inside(bounds, sizes, {attributes.dimension});
  if (inside == nullptr) return SizedValue{&sort, result_sizes};

  const HloComputation& comparator = *sort.to_apply();
  HloComputation::Builder compare("compare_present");
  std::vector<HloInstruction*> parameters;
  for (const HloInstruction* parameter : comparator.parameter_instructions())
    parameters.push_back(AddParameter(compare, parameter->parameter_number(), parameter->shape()));
  const Shape pred = Scalar(PRED);
  HloInstruction* x = AddParameter(compare, 2 * count, pred);
  HloInstruction* y = AddParameter(compare, 2 * count + 1, pred);
  HloInstruction* before = CopyInto(compare, comparator, parameters)[0];
  HloInstruction* alike =
      compare.AddInstruction(HloInstruction::CreateCompare(pred, x, y, ComparisonDirection::kEq));
  compare.AddInstruction(HloInstruction::CreateTernary(pred, HloOpcode::kSelect, alike, before, x));

  std::vector<HloInstruction*> operands(sort.operands().begin(), sort.operands().end());
  std::vector<Shape> shapes = Leaves(sort.shape());
  operands.push_back(inside);
  shapes.push_back(ShapeUtil::MakeShape(PRED, bounds));
  HloInstruction* all = builder.Add(HloInstruction::CreateSort(
      ShapeUtil::MakeTupleShape(shapes), attributes.dimension, operands,
      sort.GetModule()->AddEmbeddedComputation(compare.Build()), attributes.is_stable));
  return SizedValue{FirstParts(builder, all, sort.shape(), count), result_sizes};
}

// Updates beyond the sizes go to places that there are not.
absl::StatusOr<SizedValue> ResolveScatter(const SizedOperation& operation) {
  HloInstruction& scatter = operation.instruction;
  SizeBuilder builder(scatter);
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  const int64_t count = scatter.operand_count() / 2;
  HloInstruction* indices = operation.operand(count);
  ArraySizes index_sizes = operation.operands[count];
  const ArraySizes updates = CommonSizes(operation, count + 1, scatter.operand_count());
  HILO_RETURN_IF_ERROR(MaskWindows(builder, operation, updates));
  int64_t batch = 0;
  std::vector<int64_t> masked;
  for (int64_t d = 0; d < static_cast<int64_t>(updates.size()); ++d) {
    if (absl::c_linear_search(attributes.update_window_dims, d)) continue;
    if (batch == attributes.index_vector_dim) ++batch;
    if (index_sizes[batch] == nullptr) index_sizes[batch] = updates[d];
    masked.push_back(batch++);
  }
  const PrimitiveType type = indices->shape().element_type();
  HloInstruction* nowhere = builder.Constant(primitive_util::IsUnsignedIntegralType(type)
                                                 ? LiteralUtil::MaxValue(type)
                                                 : LiteralUtil::CreateR0<int64_t>(type, -1));
  HILO_RETURN_IF_ERROR(
      operation.Replace(count, builder.Mask(indices, index_sizes, masked, nowhere)));
  std::vector<ArraySizes> result_sizes;
  for (int64_t k = 0; k < count; ++k) result_sizes.push_back(operation.operands[k]);
  return SizedValue{&scatter, result_sizes};
}

}  // namespace xla::passes

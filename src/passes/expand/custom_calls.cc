#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "eval/known_calls.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/replace.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::passes {
namespace {

// TopK(array) = (values[..., k], s32 indices[..., k])
HloInstruction* ExpandTopK(HloInstruction& call) {
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

// better(x_0, y_0, x_1, y_1, ...) as a computation of best and next elements that gives the better
// ones.
HloComputation* KeepBetter(HloModule& module, const HloComputation& better, int64_t arrays) {
  HloComputation::Builder builder("keep_better");
  std::vector<HloInstruction*> best, next;
  for (std::vector<HloInstruction*>* elements : {&best, &next}) {
    for (int64_t k = 0; k < arrays; ++k) {
      const int64_t number = (elements == &next ? arrays : 0) + k;
      elements->push_back(builder.AddInstruction(HloInstruction::CreateParameter(
          number, better.parameter_instruction(2 * k)->shape(), absl::StrCat("p", number))));
    }
  }
  std::vector<HloInstruction*> compared;
  for (int64_t k = 0; k < arrays; ++k) {
    compared.push_back(next[k]);
    compared.push_back(best[k]);
  }
  HloInstruction* is_better = CopyInto(builder, better, compared)[0];
  std::vector<HloInstruction*> kept;
  for (int64_t k = 0; k < arrays; ++k) {
    kept.push_back(builder.AddInstruction(HloInstruction::CreateTernary(
        best[k]->shape(), HloOpcode::kSelect, is_better, next[k], best[k])));
  }
  if (arrays > 1) builder.AddInstruction(HloInstruction::CreateTuple(kept));
  return module.AddEmbeddedComputation(builder.Build());
}

// The dimension becomes two, one of which is reduced.
HloInstruction* ExpandPartialReduce(HloInstruction& call) {
  const std::optional<int64_t> found = eval::PartialReduceDimension(call);
  if (!found.has_value()) return nullptr;
  const int64_t dimension = *found;
  const int64_t arrays = call.operand_count() / 2;
  const Shape& whole = call.operand(0)->shape();
  const int64_t groups = call.shape().tuple_shapes(0).dimensions(static_cast<int>(dimension));
  if (groups == 0) return nullptr;
  const int64_t turns = CeilOfRatio(whole.dimensions(static_cast<int>(dimension)), groups);
  std::vector<int64_t> padded(whole.dimensions().begin(), whole.dimensions().end());
  padded[dimension] = turns * groups;
  std::vector<int64_t> split = padded;
  split[dimension] = groups;
  split.insert(split.begin() + dimension, turns);

  GraphBuilder builder(call);
  std::vector<HloInstruction*> elements, initial;
  for (int64_t k = 0; k < arrays; ++k) {
    HloInstruction* array = call.mutable_operand(k);
    initial.push_back(call.mutable_operand(arrays + k));
    if (padded[dimension] != whole.dimensions(static_cast<int>(dimension))) {
      PaddingConfig padding = MakeNoPaddingConfig(static_cast<int>(padded.size()));
      padding.mutable_dimensions(static_cast<int>(dimension))
          ->set_edge_padding_high(padded[dimension] -
                                  whole.dimensions(static_cast<int>(dimension)));
      array = builder.Add(HloInstruction::CreatePad(
          ShapeUtil::MakeShape(array->shape().element_type(), padded), array, initial[k], padding));
    }
    elements.push_back(builder.Reshape(array, split));
  }
  HloComputation* keep = KeepBetter(*call.GetModule(), *call.called_computations()[0], arrays);
  const Shape result = arrays == 1 ? call.shape().tuple_shapes(0) : call.shape();
  HloInstruction* best =
      builder.Add(HloInstruction::CreateReduce(result, elements, initial, {dimension}, keep));
  return arrays == 1 ? builder.Tuple({best}) : best;
}

// to[rows[i]] += updates[i]; what is outside of `to` is left out.
HloInstruction* AddAtRows(GraphBuilder& builder, HloInstruction* to, HloInstruction* rows,
                          HloInstruction* updates, bool is_sorted) {
  ScatterDimensionNumbers numbers;
  for (int d = 1; d < updates->shape().dimensions_size(); ++d) numbers.add_update_window_dims(d);
  numbers.add_inserted_window_dims(0);
  numbers.add_scatter_dims_to_operand_dims(0);
  numbers.set_index_vector_dim(1);
  HloModule& module = *builder.computation()->parent();
  return builder.Add(HloInstruction::CreateScatter(
      to->shape(), to, rows, updates,
      MakeScalarFunction(module, HloOpcode::kAdd, to->shape().element_type()), numbers, is_sorted,
      /*unique_indices=*/false));
}

// The row of each element is the number of rows that begin up to it, less one. Rows of the right
// side are multiplied by elements, and the products of each row are added up.
HloInstruction* ExpandSparseProduct(HloInstruction& call) {
  if (!eval::IsSparseProduct(call)) return nullptr;
  GraphBuilder builder(call);
  const Shape& right = call.operand(3)->shape();
  const int64_t count = call.operand(0)->shape().dimensions(0);
  HloInstruction* const zeros =
      builder.Broadcast(builder.Number(right.element_type(), 0), call.shape().dimensions());
  if (ShapeUtil::IsZeroElementArray(right) || count == 0) return zeros;

  HloInstruction* const one = builder.Number(S32, 1);
  HloInstruction* const begins = AddAtRows(
      builder, builder.Broadcast(builder.Number(S32, 0), {count}), call.mutable_operand(1),
      builder.Broadcast(one, call.operand(1)->shape().dimensions()), /*is_sorted=*/false);
  HloInstruction* const rows =
      builder.Binary(HloOpcode::kSubtract, builder.Running(HloOpcode::kAdd, begins), one);

  GatherDimensionNumbers numbers;
  std::vector<int64_t> sizes(right.dimensions().begin(), right.dimensions().end());
  sizes[0] = 1;
  for (int d = 1; d < right.dimensions_size(); ++d) numbers.add_offset_dims(d);
  numbers.add_collapsed_slice_dims(0);
  numbers.add_start_index_map(0);
  numbers.set_index_vector_dim(1);
  Shape gathered = right;
  gathered.set_dimensions(0, count);
  HloInstruction* const factors = builder.Add(
      HloInstruction::CreateGather(gathered, call.mutable_operand(3), call.mutable_operand(2),
                                   numbers, sizes, /*indices_are_sorted=*/false));
  HloInstruction* const products = builder.Binary(
      HloOpcode::kMultiply, builder.Broadcast(call.mutable_operand(0), gathered.dimensions(), {0}),
      factors);
  return AddAtRows(builder, zeros, rows, products, /*is_sorted=*/true);
}

// Somebody may read the elements, and then they are to be the same wherever the program runs.
HloInstruction* ExpandUninitialized(HloInstruction& call) {
  if (!eval::IsUninitialized(call)) return nullptr;
  GraphBuilder builder(call);
  const Shape scalar = ShapeUtil::MakeShape(call.shape().element_type(), {});
  return builder.Broadcast(builder.Constant(Literal::CreateFromShape(scalar)),
                           call.shape().dimensions());
}

absl::StatusOr<HloInstruction*> ExpandCustomCall(HloInstruction& call) {
  if (call.opcode() != HloOpcode::kCustomCall) return nullptr;
  for (const auto expand :
       {ExpandTopK, ExpandPartialReduce, ExpandSparseProduct, ExpandUninitialized}) {
    if (HloInstruction* const expanded = expand(call)) return expanded;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<bool> ExpandCustomCalls(HloModule& module) {
  return ReplaceEach(module, ExpandCustomCall);
}

}  // namespace xla::passes

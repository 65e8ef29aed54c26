#include "cpu/plan/transpose_scatters.h"

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "ir/scatter_windows.h"
#include "passes/graph_builder.h"
#include "passes/replace.h"
#include "passes/simplify/match.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/permutation_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Columns of fewer elements fill no vectors, and fewer updates take no time.
constexpr int64_t kLeastColumn = 8, kLeastUpdates = 4096;
// Transposes may have so many elements for each of the updates; where they have more than one, it
// takes many updates to repay what they take to compile.
constexpr int64_t kMostTransposed = 4, kManyUpdates = 1 << 17;

// How many elements transposes of the scatter's arrays would copy.
int64_t TransposedElements(const HloInstruction& scatter) {
  const auto is_transpose = [](const HloInstruction* each) {
    return each->opcode() == HloOpcode::kTranspose;
  };
  int64_t elements = 0;
  for (const int operand : {0, 2}) {
    const HloInstruction& array = *scatter.operand(operand);
    if (!is_transpose(&array) && !passes::IsSplat(array))
      elements += ShapeUtil::ElementsIn(array.shape());
  }
  const bool is_read_transposed =
      !scatter.users().empty() && absl::c_all_of(scatter.users(), is_transpose);
  return elements + (is_read_transposed ? 0 : ShapeUtil::ElementsIn(scatter.shape()));
}

bool IsWorthTransposes(const HloInstruction& scatter) {
  if (scatter.opcode() != HloOpcode::kScatter || !scatter.shape().IsArray() ||
      scatter.shape().is_dynamic() || scatter.operand(2)->shape().is_dynamic() ||
      scatter.shape().dimensions_size() == 0) {
    return false;
  }
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  const Shape& shape = scatter.operand(2)->shape();
  const int64_t last = scatter.shape().dimensions_size() - 1;
  if (!attributes.input_batching_dims.empty() ||
      !absl::c_linear_search(attributes.inserted_window_dims, last) ||
      Product(ScatterWindowSizes(attributes, scatter.shape(), shape)) < kLeastColumn) {
    return false;
  }
  const int64_t updates = ShapeUtil::ElementsIn(shape), transposed = TransposedElements(scatter);
  return transposed <= updates ? updates >= kLeastUpdates
                               : updates >= kManyUpdates && transposed <= kMostTransposed * updates;
}

// The dimensions of an array with those in `windows` at the end.
Sizes WindowsLast(int64_t rank, absl::Span<const int64_t> windows) {
  Sizes order;
  for (int64_t d = 0; d < rank; ++d) {
    if (!absl::c_linear_search(windows, d)) order.push_back(d);
  }
  order.insert(order.end(), windows.begin(), windows.end());
  return order;
}

HloInstruction* TransposeScatter(HloInstruction& scatter) {
  if (!IsWorthTransposes(scatter)) return nullptr;
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  const auto& inserted = attributes.inserted_window_dims;
  const int64_t rank = scatter.shape().dimensions_size();
  Sizes windows;
  for (int64_t d = 0; d < rank; ++d) {
    if (!absl::c_linear_search(inserted, d)) windows.push_back(d);
  }
  const Sizes order = WindowsLast(rank, windows);
  const Sizes places = InversePermutation(order);

  passes::GraphBuilder b(scatter);
  HloInstruction* array = b.Transpose(scatter.mutable_operand(0), order);
  HloInstruction* updates = scatter.mutable_operand(2);
  const int64_t updates_rank = updates->shape().dimensions_size();
  updates = b.Transpose(updates, WindowsLast(updates_rank, attributes.update_window_dims));
  HloInstruction* rows = b.Add(
      scatter.CloneWithNewOperands(array->shape(), {array, scatter.mutable_operand(1), updates}));
  auto& own = rows->mutable_attributes_as<ScatterAttributes>();
  absl::c_iota(own.inserted_window_dims, 0);
  absl::c_iota(own.update_window_dims, updates_rank - static_cast<int64_t>(windows.size()));
  for (int64_t& d : own.scatter_dims_to_operand_dims) d = places[d];
  return b.Transpose(rows, places);
}

}  // namespace

absl::StatusOr<bool> TransposeScatters(HloModule& module) {
  return passes::ReplaceEach(module, [](HloInstruction& each) -> absl::StatusOr<HloInstruction*> {
    return TransposeScatter(each);
  });
}

}  // namespace xla::cpu

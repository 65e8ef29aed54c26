#include "cpu/plan/split_scatters.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "codegen/loops/schedule.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "ir/scatter_windows.h"
#include "passes/graph_builder.h"
#include "passes/reducer.h"
#include "passes/replace.h"
#include "passes/simplify/algebra.h"
#include "passes/simplify/match.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Looking for its place takes as long as so many elements of an update.
constexpr int64_t kElementsOfLookup = 16;
// Fewer updates are not worth threads.
constexpr int64_t kLeastElements = 256 * 1024;
// The arrays of all parts have one element for so many of updates.
constexpr int64_t kUpdatesOfElement = 16;
constexpr int64_t kMaxParts = 16;
// So many that those which are left over take next to no time.
constexpr int64_t kLeastWithRest = 64 * kMaxParts;

// The first dimension along which there are updates rather than elements of one, or vectors of
// indices rather than their numbers.
int64_t FirstNotIn(absl::Span<const int64_t> dimensions) {
  int64_t d = 0;
  while (absl::c_linear_search(dimensions, d)) ++d;
  return d;
}

// One dimension as two.
HloInstruction* InParts(passes::GraphBuilder& b, HloInstruction* x, int64_t d, int64_t parts) {
  Sizes sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
  sizes[d] /= parts;
  sizes.insert(sizes.begin() + d, parts);
  if (passes::IsSplat(*x)) return b.Broadcast(x->mutable_operand(0), sizes);
  return b.Reshape(x, sizes);
}

void MoveFrom(int64_t first, Int64List& dimensions) {
  for (int64_t& d : dimensions) d += d >= first ? 1 : 0;
}

bool CanSplit(const HloInstruction& scatter) {
  return scatter.opcode() == HloOpcode::kScatter && scatter.shape().IsArray() &&
         !scatter.shape().is_dynamic() && !ShapeUtil::IsZeroElementArray(scatter.shape()) &&
         scatter.attributes_as<ScatterAttributes>().input_batching_dims.empty() &&
         !loops::HasUnitsOfColumns(scatter);
}

// The first dimension of updates in equal parts; the last of them can be left over.
struct Division {
  int64_t parts;
  int64_t rest = 0;
};

// What it is worth to be divided into.
Division DivisionOf(const HloInstruction& scatter) {
  const Shape& updates = scatter.operand(2)->shape();
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  const int64_t window = Product(ScatterWindowSizes(attributes, scatter.shape(), updates));
  const int64_t first = FirstNotIn(attributes.update_window_dims);
  if (window == 0 || first == updates.dimensions_size()) return {1};
  const int64_t elements =
      ShapeUtil::ElementsIn(updates) / window * std::max(window, kElementsOfLookup);
  if (elements < kLeastElements) return {1};
  const int64_t worth = elements / kUpdatesOfElement / ShapeUtil::ElementsIn(scatter.shape());
  const int64_t most = std::min(worth, kMaxParts);
  const int64_t number = updates.dimensions(static_cast<int>(first));
  const int64_t equal = LargestDivisor(number, most);
  // A prime number of updates is no reason to leave them to one thread.
  if (2 * equal >= most || number < kLeastWithRest) return {equal};
  return {most, number % most};
}

// From one place to another along a dimension.
HloInstruction* Between(passes::GraphBuilder& b, HloInstruction* x, int64_t d, int64_t begin,
                        int64_t end) {
  if (!passes::IsSplat(*x)) return passes::MakeSlice(b, x, d, {begin, end, 1});
  Sizes sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
  sizes[d] = end - begin;
  return b.Broadcast(x->mutable_operand(0), sizes);
}

HloInstruction* SplitScatter(HloInstruction& scatter) {
  if (!CanSplit(scatter)) return nullptr;
  const Shape& shape = scatter.shape();
  const std::optional<Literal> neutral =
      passes::NeutralElement(*scatter.to_apply(), shape.element_type());
  const auto [parts, rest] = DivisionOf(scatter);
  if (!neutral.has_value() || parts == 1) return nullptr;

  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  const int64_t of_updates = FirstNotIn(attributes.update_window_dims);
  const int64_t of_indices = FirstNotIn({attributes.index_vector_dim});
  passes::GraphBuilder b(scatter);
  HloInstruction* indices = scatter.mutable_operand(1);
  HloInstruction* updates = scatter.mutable_operand(2);
  const int64_t end = updates->shape().dimensions(static_cast<int>(of_updates)), whole = end - rest;
  HloInstruction* none = b.Constant(neutral->Clone());
  Sizes sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.insert(sizes.begin(), parts);
  HloInstruction* arrays = b.Broadcast(none, sizes);
  HloInstruction* scattered = b.Add(scatter.CloneWithNewOperands(
      arrays->shape(),
      {arrays, InParts(b, Between(b, indices, of_indices, 0, whole), of_indices, parts),
       InParts(b, Between(b, updates, of_updates, 0, whole), of_updates, parts)}));
  auto& own = scattered->mutable_attributes_as<ScatterAttributes>();
  MoveFrom(of_updates, own.update_window_dims);
  MoveFrom(0, own.inserted_window_dims);
  MoveFrom(0, own.scatter_dims_to_operand_dims);
  own.index_vector_dim += own.index_vector_dim > of_indices ? 1 : 0;
  own.input_batching_dims = {0};
  own.scatter_indices_batching_dims = {of_indices};
  HloInstruction* all =
      b.Add(HloInstruction::CreateReduce(shape, scattered, none, {0}, scatter.to_apply()));
  HloInstruction* base = scatter.mutable_operand(0);
  if (rest > 0) {
    base = b.Add(
        scatter.CloneWithNewOperands(shape, {base, Between(b, indices, of_indices, whole, end),
                                             Between(b, updates, of_updates, whole, end)}));
  }
  return passes::Updated(b, *scatter.to_apply(), base, all);
}

}  // namespace

absl::StatusOr<bool> SplitScatters(HloModule& module) {
  return passes::ReplaceEach(module, [](HloInstruction& each) -> absl::StatusOr<HloInstruction*> {
    return SplitScatter(each);
  });
}

}  // namespace xla::cpu

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "ir/scatter_windows.h"
#include "passes/graph_builder.h"
#include "passes/passes.h"
#include "passes/reducer.h"
#include "passes/replace.h"
#include "passes/simplify/match.h"
#include "xla/index_util.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Larger arrays are better updated in place.
constexpr int64_t kMaxElements = 64;
// Larger windows are worth a scatter.
constexpr int64_t kMaxWindow = 64;

bool HasOneWindow(const HloInstruction& scatter) {
  if (scatter.opcode() != HloOpcode::kScatter || scatter.operand_count() != 3) return false;
  const Shape& array = scatter.operand(0)->shape();
  const Shape& indices = scatter.operand(1)->shape();
  const Shape& updates = scatter.operand(2)->shape();
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  const size_t indexed = attributes.scatter_dims_to_operand_dims.size();
  return !array.is_dynamic() && !indices.is_dynamic() && !updates.is_dynamic() &&
         !ShapeUtil::IsZeroElementArray(array) && !ShapeUtil::IsZeroElementArray(updates) &&
         primitive_util::BitWidth(indices.element_type()) >= 8 && indexed > 0 &&
         attributes.input_batching_dims.empty() &&
         ShapeUtil::ElementsIn(indices) == static_cast<int64_t>(indexed);
}

// Whether the window lies inside of the array or outside: it has one element along dimensions that
// are indexed.
bool IsInsideOrOutside(const HloInstruction& scatter, const Sizes& window) {
  return absl::c_all_of(scatter.attributes_as<ScatterAttributes>().scatter_dims_to_operand_dims,
                        [&](int64_t d) { return window[d] == 1; });
}

// Number k of the indices, if it is known.
std::optional<int64_t> KnownIndex(const HloInstruction& indices, int64_t k) {
  if (indices.opcode() == HloOpcode::kConcatenate) {
    // One behind the other, as no other dimension has more than one element.
    for (const HloInstruction* part : indices.operands()) {
      const int64_t count = ShapeUtil::ElementsIn(part->shape());
      if (k < count) return KnownIndex(*part, k);
      k -= count;
    }
  }
  if (indices.opcode() != HloOpcode::kConstant) return KnownInteger(indices);
  const Literal& literal = indices.literal();
  return literal.GetIntegralAsS64(
      IndexUtil::LinearIndexToMultidimensionalIndex(literal.shape(), k));
}

// Where the window starts, if that is known and it lies inside.
std::optional<Sizes> KnownStarts(const HloInstruction& scatter, const Sizes& window) {
  const auto& indexed = scatter.attributes_as<ScatterAttributes>().scatter_dims_to_operand_dims;
  Sizes starts(window.size(), 0);
  for (size_t k = 0; k < indexed.size(); ++k) {
    const auto start = KnownIndex(*scatter.operand(1), static_cast<int64_t>(k));
    const int64_t d = indexed[k];
    const int64_t room = scatter.operand(0)->shape().dimensions(static_cast<int>(d)) - window[d];
    if (!start.has_value() || *start < 0 || *start > room) return std::nullopt;
    starts[d] = *start;
  }
  return starts;
}

// Where the window starts along each dimension; null where the dimension is not indexed.
std::vector<HloInstruction*> Starts(GraphBuilder& builder, HloInstruction& scatter) {
  const auto& dimensions = scatter.attributes_as<ScatterAttributes>().scatter_dims_to_operand_dims;
  std::vector<HloInstruction*> starts(scatter.operand(0)->shape().dimensions_size());
  HloInstruction* indices =
      builder.Reshape(scatter.mutable_operand(1), {static_cast<int64_t>(dimensions.size())});
  for (size_t k = 0; k < dimensions.size(); ++k)
    starts[dimensions[k]] = builder.Element(indices, static_cast<int64_t>(k));
  return starts;
}

// Where all elements are looked at, so that the array can stay in registers: along each dimension
// the window has one element or all.
HloInstruction* UpdateAll(GraphBuilder& builder, HloInstruction& scatter, const Sizes& window) {
  HloInstruction* array = scatter.mutable_operand(0);
  const Shape& shape = array->shape();
  const PrimitiveType type = scatter.operand(1)->shape().element_type();
  const std::vector<HloInstruction*> starts = Starts(builder, scatter);
  Sizes whole, whole_sizes;
  HloInstruction* here = nullptr;
  for (int64_t d = 0; d < shape.dimensions_size(); ++d) {
    if (starts[d] == nullptr && window[d] == shape.dimensions(d)) {
      whole.push_back(d);
      whole_sizes.push_back(shape.dimensions(d));
      continue;
    }
    HloInstruction* start = starts[d] == nullptr ? builder.Number(type, 0) : starts[d];
    HloInstruction* at =
        builder.Compare(Comparison::Direction::kEq, builder.Iota(type, shape.dimensions(), d),
                        builder.Broadcast(start, shape.dimensions()));
    here = here == nullptr ? at : builder.Binary(HloOpcode::kAnd, here, at);
  }
  HloInstruction* update = builder.Broadcast(
      builder.Reshape(scatter.mutable_operand(2), whole_sizes), shape.dimensions(), whole);
  HloInstruction* updated = Updated(builder, *scatter.to_apply(), array, update);
  return updated == nullptr ? nullptr : builder.Select(here, updated, array);
}

// Where the window is read, changed and written, or written as it is unless `inside`, if that is
// not null.
HloInstruction* UpdateAt(GraphBuilder& builder, HloInstruction& scatter, const Sizes& window,
                         const std::vector<HloInstruction*>& starts, HloInstruction* inside) {
  HloInstruction* array = scatter.mutable_operand(0);
  const Shape& shape = array->shape();
  HloInstruction* old = builder.Add(HloInstruction::CreateDynamicSlice(
      ShapeUtil::MakeShape(shape.element_type(), window), array, starts, window));
  HloInstruction* fresh = Updated(builder, *scatter.to_apply(), old,
                                  builder.Reshape(scatter.mutable_operand(2), window));
  if (fresh == nullptr) return nullptr;
  if (inside != nullptr) fresh = builder.Select(builder.Broadcast(inside, window), fresh, old);
  return builder.Add(HloInstruction::CreateDynamicUpdateSlice(shape, array, fresh, starts));
}

HloInstruction* Number(GraphBuilder& builder, int64_t value) {
  return builder.Constant(LiteralUtil::CreateR0<int64_t>(value));
}

// Where it is not known whether the window lies inside.
HloInstruction* UpdateWindow(GraphBuilder& builder, HloInstruction& scatter, const Sizes& window) {
  const Shape& shape = scatter.operand(0)->shape();
  std::vector<HloInstruction*> starts = Starts(builder, scatter);
  HloInstruction* inside = nullptr;
  for (int64_t d = 0; d < shape.dimensions_size(); ++d) {
    if (starts[d] == nullptr) {
      starts[d] = Number(builder, 0);
      continue;
    }
    starts[d] = builder.Convert(starts[d], S64);
    HloInstruction* here = builder.Binary(
        HloOpcode::kAnd, builder.Compare(Comparison::Direction::kGe, starts[d], Number(builder, 0)),
        builder.Compare(Comparison::Direction::kLt, starts[d],
                        Number(builder, shape.dimensions(d))));
    inside = inside == nullptr ? here : builder.Binary(HloOpcode::kAnd, inside, here);
  }
  return UpdateAt(builder, scatter, window, starts, inside);
}

absl::StatusOr<HloInstruction*> ExpandSmallScatter(HloInstruction& scatter) {
  if (!HasOneWindow(scatter)) return nullptr;
  const Shape& shape = scatter.operand(0)->shape();
  GraphBuilder builder(scatter);
  const Sizes window = ScatterWindowSizes(scatter.attributes_as<ScatterAttributes>(),
                                          scatter.operand(0)->shape(), scatter.operand(2)->shape());
  if (const std::optional<Sizes> known = KnownStarts(scatter, window); known.has_value()) {
    std::vector<HloInstruction*> starts;
    for (int64_t start : *known) starts.push_back(Number(builder, start));
    return UpdateAt(builder, scatter, window, starts, nullptr);
  }
  if (!IsInsideOrOutside(scatter, window) ||
      ShapeUtil::ElementsIn(scatter.operand(2)->shape()) > kMaxWindow) {
    return nullptr;
  }
  bool has_rows_only = true;
  for (int64_t d = 0; d < shape.dimensions_size(); ++d)
    has_rows_only = has_rows_only && (window[d] == 1 || window[d] == shape.dimensions(d));
  return has_rows_only && ShapeUtil::ElementsIn(shape) <= kMaxElements
             ? UpdateAll(builder, scatter, window)
             : UpdateWindow(builder, scatter, window);
}

}  // namespace

absl::StatusOr<bool> ExpandSmallScatters(HloModule& module) {
  return ReplaceEach(module, [](HloInstruction& scatter) -> absl::StatusOr<HloInstruction*> {
    HILO_ASSIGN_OR_RETURN(HloInstruction * expanded, ExpandSmallScatter(scatter));
    if (expanded != nullptr && scatter.has_sharding()) expanded->set_sharding(scatter.sharding());
    return expanded;
  });
}

}  // namespace xla::passes

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "ir/scatter_windows.h"
#include "passes/graph_builder.h"
#include "passes/reducer.h"
#include "passes/simplify/algebra.h"
#include "passes/simplify/match.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// With the last dimensions as one with the dimension in front of them.
Sizes MergeLast(absl::Span<const int64_t> sizes, int64_t count) {
  Sizes merged(sizes.begin(), sizes.end() - count);
  for (int64_t size : sizes.last(count)) merged.back() *= size;
  return merged;
}

// How many of its last dimensions a gather takes whole from all windows, behind one of which
// windows have several indices: with them, it is one dimension of adjacent elements.
int64_t WholeDimensionsOfWindows(const HloInstruction& gather) {
  const auto& attributes = gather.attributes_as<GatherAttributes>();
  const Shape& array = gather.operand(0)->shape();
  const auto is_window = [&](int64_t d) {
    return d >= 0 && !absl::c_linear_search(attributes.collapsed_slice_dims, d) &&
           !absl::c_linear_search(attributes.operand_batching_dims, d);
  };
  int64_t d = array.dimensions_size() - 1, elements = 1;
  for (; is_window(d) && attributes.slice_sizes[d] == array.dimensions(static_cast<int>(d)); --d)
    elements *= attributes.slice_sizes[d];
  const int64_t whole = array.dimensions_size() - 1 - d;
  if (elements <= 1 || !is_window(d) || attributes.slice_sizes[d] <= 1) return 0;
  const PrimitiveType type = gather.operand(1)->shape().element_type();
  const int64_t windows = static_cast<int64_t>(attributes.offset_dims.size());
  const bool are_last =
      attributes.offset_dims[windows - 1 - whole] == gather.shape().dimensions_size() - 1 - whole;
  const bool fits =
      primitive_util::FitsInIntegralType(elements * array.dimensions(static_cast<int>(d)), type);
  return are_last && fits ? whole : 0;
}

// `count` numbers of each index vector, from number `first` on.
HloInstruction* NumbersOfIndices(GraphBuilder& b, HloInstruction* indices, int64_t along,
                                 int64_t first, int64_t count) {
  return MakeSlice(b, indices, along, {first, first + count, 1});
}

// Indices of a gather's windows, within bounds and in elements of what dimensions are merged; those
// of dimensions that are whole are 0 and have no place any more.
HloInstruction* IndicesOfMerged(GraphBuilder& b, HloInstruction& gather, int64_t first_whole) {
  const auto& attributes = gather.attributes_as<GatherAttributes>();
  HloInstruction* indices = gather.mutable_operand(1);
  const PrimitiveType type = indices->shape().element_type();
  const Shape& array = gather.operand(0)->shape();
  const int64_t along = attributes.index_vector_dim;
  Sizes sizes(indices->shape().dimensions().begin(), indices->shape().dimensions().end());
  const bool is_scalar = along == static_cast<int64_t>(sizes.size());
  if (!is_scalar) sizes[along] = 1;
  int64_t elements = 1;
  for (int64_t d = first_whole; d < array.dimensions_size(); ++d)
    elements *= array.dimensions(static_cast<int>(d));
  std::vector<HloInstruction*> parts;
  for (size_t i = 0; i < attributes.start_index_map.size(); ++i) {
    const int64_t d = attributes.start_index_map[i];
    if (d >= first_whole) continue;
    HloInstruction* part = indices;
    if (!is_scalar) part = NumbersOfIndices(b, indices, along, static_cast<int64_t>(i), 1);
    if (d + 1 == first_whole) {
      const int64_t most = array.dimensions(static_cast<int>(d)) - attributes.slice_sizes[d];
      const auto number = [&](int64_t value) {
        return b.Broadcast(b.Number(type, static_cast<double>(value)), part->shape().dimensions());
      };
      part = b.Binary(HloOpcode::kMaximum, part, number(0));
      part = b.Binary(HloOpcode::kMinimum, part, number(most));
      part = b.Binary(HloOpcode::kMultiply, part, number(elements));
    }
    parts.push_back(part);
  }
  if (parts.empty()) return nullptr;
  if (is_scalar) return parts[0];
  sizes[along] = static_cast<int64_t>(parts.size());
  return MakeConcatenate(b, ShapeUtil::MakeShape(type, sizes), parts, along);
}

// Of more parts, concatenations are copied together (cpu/plan/fusion_rules.h).
constexpr int64_t kMaxKnownParts = 8, kMaxShortParts = 4;
constexpr int64_t kMaxKnownIndices = 1024;

// The index vectors of a gather or scatter, in the order of the other dimensions, where they are
// known and few.
std::optional<std::vector<Sizes>> KnownVectors(const HloInstruction& indices, int64_t along) {
  const HloInstruction* constant = &indices;
  while (constant->opcode() == HloOpcode::kReshape) constant = constant->operand(0);
  const Shape& shape = indices.shape();
  if (constant->opcode() != HloOpcode::kConstant || shape.element_type() == U64 ||
      ShapeUtil::ElementsIn(shape) > kMaxKnownIndices)
    return std::nullopt;
  const Literal numbers = constant->literal().Convert(S64).value();
  const int64_t length = along < shape.dimensions_size() ? shape.dimensions(along) : 1;
  int64_t distance = 1;
  for (int64_t d = along + 1; d < shape.dimensions_size(); ++d) distance *= shape.dimensions(d);
  std::vector<Sizes> vectors;
  for (int64_t k = 0; length > 0 && k < ShapeUtil::ElementsIn(shape) / length; ++k) {
    Sizes& vector = vectors.emplace_back();
    const int64_t first = k / distance * length * distance + k % distance;
    for (int64_t i = 0; i < length; ++i)
      vector.push_back(numbers.data<int64_t>()[first + i * distance]);
  }
  return vectors;
}

// Adjacent dimensions of an array, in ascending order.
struct DimensionRange {
  int64_t begin = 0, end = 0;

  // All of these; nothing where others lie between them, or there are none.
  static std::optional<DimensionRange> Of(absl::Span<const int64_t> dimensions) {
    if (dimensions.empty()) return std::nullopt;
    const auto [least, most] = std::minmax_element(dimensions.begin(), dimensions.end());
    if (*most - *least + 1 != std::ssize(dimensions)) return std::nullopt;
    return DimensionRange{*least, *most + 1};
  }
  absl::Span<const int64_t> Of(const Shape& shape) const {
    return shape.dimensions().subspan(begin, end - begin);
  }
  // The sizes with one dimension in place of these.
  Sizes Merge(absl::Span<const int64_t> sizes) const {
    Sizes merged(sizes.begin(), sizes.begin() + begin);
    merged.push_back(Product(sizes.subspan(begin, end - begin)));
    merged.insert(merged.end(), sizes.begin() + end, sizes.end());
    return merged;
  }
};

// All dimensions but these.
Sizes DimensionsBut(const Shape& shape, absl::Span<const int64_t> some) {
  Sizes others;
  for (int64_t d = 0; d < shape.dimensions_size(); ++d) {
    if (!absl::c_linear_search(some, d)) others.push_back(d);
  }
  return others;
}

// The number of the element at an index vector whose numbers are those of dimensions[i].
int64_t NumberIn(const DimensionRange& range, const Shape& shape,
                 absl::Span<const int64_t> dimensions, absl::Span<const int64_t> vector) {
  const DimensionVector strides = RowMajorStrides(range.Of(shape));
  int64_t number = 0;
  for (size_t i = 0; i < vector.size(); ++i)
    number += vector[i] * strides[dimensions[i] - range.begin];
  return number;
}

// Of an array the elements with these numbers along one dimension, whole along others; in the
// result they lie along the dimensions from `to.begin` to `to.end`.
HloInstruction* Elements(GraphBuilder& b, HloInstruction* x, int64_t along,
                         absl::Span<const int32_t> numbers, const Shape& shape,
                         const DimensionRange& to) {
  auto attributes = std::make_unique<GatherAttributes>();
  const Sizes flat = to.Merge(shape.dimensions());
  for (int64_t d = 0; d < std::ssize(flat); ++d) {
    if (d != to.begin) attributes->offset_dims.push_back(d);
  }
  attributes->collapsed_slice_dims = {along};
  attributes->start_index_map = {along};
  attributes->index_vector_dim = 1;
  attributes->slice_sizes.assign(x->shape().dimensions().begin(), x->shape().dimensions().end());
  attributes->slice_sizes[along] = 1;
  HloInstruction* const gather = b.Add(HloInstruction::Create(
      HloOpcode::kGather, ShapeUtil::MakeShape(shape.element_type(), flat),
      {x, b.Constant(LiteralUtil::CreateR1<int32_t>(numbers))}, std::move(attributes)));
  return b.Reshape(gather, shape.dimensions());
}

// The dimension along which alone a gather looks up indices, of which it takes one at a time, or
// -1.
int64_t OnlyDimensionOf(const HloInstruction& gather) {
  const auto& attributes = gather.attributes_as<GatherAttributes>();
  if (attributes.start_index_map.size() != 1 || !attributes.operand_batching_dims.empty())
    return -1;
  const int64_t along = attributes.start_index_map[0];
  const Shape& array = gather.operand(0)->shape();
  for (int d = 0; d < array.dimensions_size(); ++d) {
    if (attributes.slice_sizes[d] != (d == along ? 1 : array.dimensions(d))) return -1;
  }
  const bool is_collapsed = absl::MakeConstSpan(attributes.collapsed_slice_dims) ==
                            absl::MakeConstSpan(attributes.start_index_map);
  return is_collapsed ? along : -1;
}

// Indices that are as far apart from each other.
struct Run {
  int64_t first, step, count;
};

// Indices as few runs, nothing where they are many, or most are of one index. Two indices are a run
// if they follow one another or are the same.
std::optional<std::vector<Run>> RunsOf(absl::Span<const int64_t> indices) {
  std::vector<Run> runs;
  for (size_t i = 0; i < indices.size();) {
    if (std::ssize(runs) == kMaxKnownParts) return std::nullopt;
    Run run = {indices[i], i + 1 < indices.size() ? indices[i + 1] - indices[i] : 0, 1};
    while (i + run.count < indices.size() &&
           indices[i + run.count] == run.first + run.count * run.step)
      ++run.count;
    if (run.count == 2 && run.step != 0 && run.step != 1) run.count = 1;
    if (run.count == 1) run.step = 1;
    i += run.count;
    runs.push_back(run);
  }
  if (std::ssize(runs) > kMaxShortParts && 2 * runs.size() > indices.size()) return std::nullopt;
  return runs;
}

HloInstruction* MakeRun(GraphBuilder& b, HloInstruction* x, int64_t along, const Run& run) {
  const int64_t last = run.first + (run.count - 1) * run.step;
  HloInstruction* const slice = MakeSlice(b, x, along,
                                          {std::min(run.first, last), std::max(run.first, last) + 1,
                                           std::max<int64_t>(1, std::abs(run.step))});
  if (run.step > 0) return slice;
  if (run.step < 0) return b.Add(HloInstruction::CreateReverse(slice->shape(), slice, {along}));
  Sizes sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
  Sizes dimensions = DimensionsBut(x->shape(), {along}), others;
  for (int64_t d : dimensions) others.push_back(sizes[d]);
  sizes[along] = run.count;
  return b.Broadcast(b.Reshape(slice, others), sizes, dimensions);
}

// Elements at few indices that are known are slices, one after the other.
HloInstruction* GatherOfKnown(HloInstruction& gather) {
  const int64_t along = OnlyDimensionOf(gather);
  if (along < 0) return nullptr;
  const auto vectors =
      KnownVectors(*gather.operand(1), gather.attributes_as<GatherAttributes>().index_vector_dim);
  if (!vectors.has_value() || vectors->empty()) return nullptr;
  HloInstruction* x = gather.mutable_operand(0);
  const int64_t size = x->shape().dimensions(static_cast<int>(along));
  Sizes indices;
  for (const Sizes& vector : *vectors)
    indices.push_back(std::clamp<int64_t>(vector[0], 0, size - 1));
  const std::optional<std::vector<Run>> runs = RunsOf(indices);
  if (!runs.has_value()) return nullptr;
  GraphBuilder b(gather);
  std::vector<HloInstruction*> slices;
  for (const Run& run : *runs) slices.push_back(MakeRun(b, x, along, run));
  Sizes sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
  sizes[along] = std::ssize(*vectors);
  HloInstruction* joined =
      MakeConcatenate(b, ShapeUtil::MakeShape(x->shape().element_type(), sizes), slices, along);
  // The indices' dimensions lie where the dimension was, and in the result where its windows do
  // not.
  const auto& windows = gather.attributes_as<GatherAttributes>().offset_dims;
  Sizes split(sizes.begin(), sizes.begin() + along), permutation;
  int64_t window = 0;
  const int64_t batches = gather.shape().dimensions_size() - static_cast<int64_t>(windows.size());
  int64_t batch = along;
  for (int64_t d = 0; d < gather.shape().dimensions_size(); ++d) {
    if (absl::c_linear_search(windows, d)) {
      permutation.push_back(window < along ? window : window + batches);
      ++window;
    } else {
      permutation.push_back(batch++);
      split.push_back(gather.shape().dimensions(static_cast<int>(d)));
    }
  }
  split.insert(split.end(), sizes.begin() + along + 1, sizes.end());
  return b.Transpose(b.Reshape(joined, split), permutation);
}

// Single elements along adjacent dimensions, whose indices are known, are such along one dimension
// in place of these.
HloInstruction* GatherAlongMerged(HloInstruction& gather) {
  const auto& old = gather.attributes_as<GatherAttributes>();
  const Shape& array = gather.operand(0)->shape();
  const auto merged = DimensionRange::Of(old.start_index_map);
  const auto batch = DimensionRange::Of(DimensionsBut(gather.shape(), old.offset_dims));
  if (!merged.has_value() || !batch.has_value() || !old.operand_batching_dims.empty() ||
      (old.start_index_map.size() == 1 && batch->end - batch->begin == 1))
    return nullptr;
  for (int64_t d = 0; d < array.dimensions_size(); ++d) {
    const bool is_merged = merged->begin <= d && d < merged->end;
    if (is_merged != absl::c_linear_search(old.collapsed_slice_dims, d) ||
        old.slice_sizes[d] != (is_merged ? 1 : array.dimensions(d)))
      return nullptr;
  }
  const auto vectors = KnownVectors(*gather.operand(1), old.index_vector_dim);
  if (!vectors.has_value() || Product(merged->Of(array)) > std::numeric_limits<int32_t>::max())
    return nullptr;
  std::vector<int32_t> numbers;
  for (Sizes vector : *vectors) {
    for (size_t i = 0; i < vector.size(); ++i)
      vector[i] = std::clamp<int64_t>(vector[i], 0, array.dimensions(old.start_index_map[i]) - 1);
    numbers.push_back(static_cast<int32_t>(NumberIn(*merged, array, old.start_index_map, vector)));
  }
  GraphBuilder b(gather);
  return Elements(b, b.Reshape(gather.mutable_operand(0), merged->Merge(array.dimensions())),
                  merged->begin, numbers, gather.shape(), *batch);
}

// Indexed dimensions of windows that have one element there are left out of the windows.
HloInstruction* CollapseWindows(HloInstruction& gather) {
  const auto& old = gather.attributes_as<GatherAttributes>();
  auto attributes = std::make_unique<GatherAttributes>(old);
  attributes->offset_dims.clear();
  Sizes sizes(gather.shape().dimensions().begin(), gather.shape().dimensions().end());
  int64_t removed = 0;
  size_t window = 0;
  for (int64_t d = 0; d < gather.operand(0)->shape().dimensions_size(); ++d) {
    if (absl::c_linear_search(old.collapsed_slice_dims, d) ||
        absl::c_linear_search(old.operand_batching_dims, d))
      continue;
    const int64_t place = old.offset_dims[window++];
    if (old.slice_sizes[d] == 1 && absl::c_linear_search(old.start_index_map, d)) {
      attributes->collapsed_slice_dims.push_back(d);
      sizes.erase(sizes.begin() + (place - removed++));
    } else {
      attributes->offset_dims.push_back(place - removed);
    }
  }
  if (removed == 0) return nullptr;
  absl::c_sort(attributes->collapsed_slice_dims);
  GraphBuilder b(gather);
  return b.Reshape(
      b.Add(HloInstruction::Create(
          HloOpcode::kGather, ShapeUtil::MakeShape(gather.shape().element_type(), sizes),
          {gather.mutable_operand(0), gather.mutable_operand(1)}, std::move(attributes))),
      gather.shape().dimensions());
}

// Dimensions that windows have as a whole need no index, which could only be 0.
HloInstruction* DropIndicesOfWhole(HloInstruction& gather) {
  const auto& old = gather.attributes_as<GatherAttributes>();
  const Shape& array = gather.operand(0)->shape();
  HloInstruction* indices = gather.mutable_operand(1);
  const auto count = std::ssize(old.start_index_map);
  const auto is_whole = [&](int64_t i) {
    const int64_t d = old.start_index_map[i];
    return old.slice_sizes[d] == array.dimensions(static_cast<int>(d));
  };
  GraphBuilder b(gather);
  Sizes kept;
  std::vector<HloInstruction*> parts;
  for (int64_t i = 0, next = 1; i < count; i = next, next = i + 1) {
    if (is_whole(i)) continue;
    while (next < count && !is_whole(next)) ++next;
    kept.insert(kept.end(), old.start_index_map.begin() + i, old.start_index_map.begin() + next);
    if (next - i == count) return nullptr;
    parts.push_back(NumbersOfIndices(b, indices, old.index_vector_dim, i, next - i));
  }
  if (parts.empty()) return nullptr;
  Sizes sizes(indices->shape().dimensions().begin(), indices->shape().dimensions().end());
  sizes[old.index_vector_dim] = std::ssize(kept);
  const Shape shape = ShapeUtil::MakeShape(indices->shape().element_type(), sizes);
  auto attributes = std::make_unique<GatherAttributes>(old);
  attributes->start_index_map = std::move(kept);
  return b.Add(HloInstruction::Create(
      HloOpcode::kGather, gather.shape(),
      {gather.mutable_operand(0), MakeConcatenate(b, shape, parts, old.index_vector_dim)},
      std::move(attributes)));
}

// Shorter rows are picked element by element as fast.
constexpr int64_t kLeastPickedRow = 8;

// Columns of a transposed array are rows of what it is the transpose of, which are picked first and
// transposed then.
HloInstruction* GatherOfTranspose(HloInstruction& gather) {
  HloInstruction* transpose = gather.mutable_operand(0);
  const int64_t along = OnlyDimensionOf(gather);
  if (along < 0 || transpose->opcode() != HloOpcode::kTranspose) return nullptr;
  const auto places = transpose->dimensions();
  HloInstruction* x = transpose->mutable_operand(0);
  const auto sizes = x->shape().dimensions();
  const int64_t picked = places[along];
  if (Product(sizes.subspan(picked + 1)) < kLeastPickedRow ||
      Product(transpose->shape().dimensions().subspan(along + 1)) >= kLeastPickedRow) {
    return nullptr;
  }
  const auto& old = gather.attributes_as<GatherAttributes>();
  auto attributes = std::make_unique<GatherAttributes>(old);
  attributes->collapsed_slice_dims = attributes->start_index_map = {picked};
  attributes->slice_sizes.assign(sizes.begin(), sizes.end());
  attributes->slice_sizes[picked] = 1;
  // The rows come behind the dimensions of indices.
  Sizes rows, permutation(gather.shape().dimensions_size());
  for (int64_t d : DimensionsBut(gather.shape(), old.offset_dims)) {
    permutation[d] = std::ssize(rows);
    rows.push_back(gather.shape().dimensions(static_cast<int>(d)));
  }
  const int64_t batch = std::ssize(rows);
  absl::c_iota(attributes->offset_dims, batch);
  const Sizes windows = DimensionsBut(transpose->shape(), {along});
  for (size_t i = 0; i < windows.size(); ++i) {
    const int64_t place = places[windows[i]];
    permutation[old.offset_dims[i]] = batch + (place < picked ? place : place - 1);
  }
  for (int64_t d : DimensionsBut(x->shape(), {picked})) rows.push_back(sizes[d]);
  GraphBuilder b(gather);
  return b.Transpose(
      b.Add(HloInstruction::Create(HloOpcode::kGather,
                                   ShapeUtil::MakeShape(gather.shape().element_type(), rows),
                                   {x, gather.mutable_operand(1)}, std::move(attributes))),
      permutation);
}

HloInstruction* Gather(HloInstruction& gather) {
  const Shape& array = gather.operand(0)->shape();
  if (ShapeUtil::IsZeroElementArray(gather.shape()) || ShapeUtil::IsZeroElementArray(array) ||
      gather.shape().is_dynamic() || array.is_dynamic()) {
    return nullptr;
  }
  if (HloInstruction* collapsed = CollapseWindows(gather); collapsed != nullptr) return collapsed;
  if (HloInstruction* parts = GatherOfKnown(gather); parts != nullptr) return parts;
  if (HloInstruction* merged = GatherAlongMerged(gather); merged != nullptr) return merged;
  if (HloInstruction* fewer = DropIndicesOfWhole(gather); fewer != nullptr) return fewer;
  if (HloInstruction* rows = GatherOfTranspose(gather); rows != nullptr) return rows;
  const int64_t whole = WholeDimensionsOfWindows(gather);
  if (whole == 0) return nullptr;
  GraphBuilder b(gather);
  const int64_t first_whole = array.dimensions_size() - whole;
  HloInstruction* indices = IndicesOfMerged(b, gather, first_whole);
  if (indices == nullptr) return nullptr;
  auto attributes = std::make_unique<GatherAttributes>(gather.attributes_as<GatherAttributes>());
  std::erase_if(attributes->start_index_map, [&](int64_t d) { return d >= first_whole; });
  attributes->offset_dims.resize(attributes->offset_dims.size() - whole);
  attributes->slice_sizes = MergeLast(attributes->slice_sizes, whole);
  const PrimitiveType type = array.element_type();
  HloInstruction* merged = b.Add(HloInstruction::Create(
      HloOpcode::kGather, ShapeUtil::MakeShape(type, MergeLast(gather.shape().dimensions(), whole)),
      {b.Reshape(gather.mutable_operand(0), MergeLast(array.dimensions(), whole)), indices},
      std::move(attributes)));
  return b.Reshape(merged, gather.shape().dimensions());
}

// Which update goes to which of the elements along the indexed dimensions, -1 where none does;
// nothing where that is not known, or there are several for one.
std::optional<std::vector<int32_t>> KnownUpdates(const HloInstruction& scatter,
                                                 const DimensionRange& indexed) {
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  const Shape& array = scatter.operand(0)->shape();
  const auto vectors = KnownVectors(*scatter.operand(1), attributes.index_vector_dim);
  const int64_t elements = Product(indexed.Of(array));
  if (!vectors.has_value() || elements > kMaxKnownIndices) return std::nullopt;
  std::vector<int32_t> updates(elements, -1);
  const Sizes& dimensions = attributes.scatter_dims_to_operand_dims;
  for (size_t k = 0; k < vectors->size(); ++k) {
    const Sizes& vector = (*vectors)[k];
    bool is_inside = true;
    for (size_t i = 0; i < vector.size(); ++i)
      is_inside = is_inside && 0 <= vector[i] && vector[i] < array.dimensions(dimensions[i]);
    if (!is_inside) continue;
    int32_t& update = updates[NumberIn(indexed, array, dimensions, vector)];
    if (update >= 0) return std::nullopt;
    update = static_cast<int32_t>(k);
  }
  return updates;
}

// Where it is known which update each element gets, and most get one, all are computed in their
// order.
HloInstruction* Scatter(HloInstruction& scatter) {
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  if (scatter.operand_count() != 3 || !attributes.input_batching_dims.empty()) return nullptr;
  HloInstruction* const array = scatter.mutable_operand(0);
  const Shape& shape = array->shape();
  const auto indexed = DimensionRange::Of(attributes.scatter_dims_to_operand_dims);
  // Of updates, those that say which of the indices they belong to.
  const auto of_indices =
      DimensionRange::Of(DimensionsBut(scatter.operand(2)->shape(), attributes.update_window_dims));
  if (!indexed.has_value() || !of_indices.has_value() || ShapeUtil::IsZeroElementArray(shape) ||
      ShapeUtil::IsZeroElementArray(scatter.operand(2)->shape()))
    return nullptr;
  const Sizes window = ScatterWindowSizes(attributes, shape, scatter.operand(2)->shape());
  for (int64_t d = 0; d < shape.dimensions_size(); ++d) {
    const bool is_indexed = indexed->begin <= d && d < indexed->end;
    if (is_indexed != absl::c_linear_search(attributes.inserted_window_dims, d) ||
        window[d] != (is_indexed ? 1 : shape.dimensions(d)))
      return nullptr;
  }
  const auto updates = KnownUpdates(scatter, *indexed);
  if (!updates.has_value() || !IsOneOperation(*scatter.to_apply(), shape.element_type()))
    return nullptr;
  const int64_t missing = absl::c_count(*updates, -1);
  if (missing * 2 > std::ssize(*updates) && !IsSplat(*array)) return nullptr;
  GraphBuilder b(scatter);
  HloInstruction* const merged = b.Reshape(
      scatter.mutable_operand(2), of_indices->Merge(scatter.operand(2)->shape().dimensions()));
  std::vector<int32_t> numbers;
  for (const int32_t update : *updates) numbers.push_back(std::max(update, 0));
  HloInstruction* const updated =
      Updated(b, *scatter.to_apply(), array,
              Elements(b, merged, of_indices->begin, numbers, shape, *indexed));
  if (missing == 0) return updated;
  Sizes dimensions;
  for (int64_t d = indexed->begin; d < indexed->end; ++d) dimensions.push_back(d);
  Literal has_update(ShapeUtil::MakeShape(PRED, {std::ssize(*updates)}));
  for (size_t i = 0; i < updates->size(); ++i) has_update.data<bool>()[i] = (*updates)[i] >= 0;
  return b.Select(b.Broadcast(b.Reshape(b.Constant(std::move(has_update)), indexed->Of(shape)),
                              shape.dimensions(), dimensions),
                  updated, array);
}

// Without indices, the one window is the whole array.
HloInstruction* ScatterWithoutIndices(HloInstruction& scatter) {
  const auto& attributes = scatter.attributes_as<ScatterAttributes>();
  if (scatter.operand_count() != 3 || !attributes.scatter_dims_to_operand_dims.empty() ||
      !attributes.input_batching_dims.empty() ||
      !SameSizes(*scatter.operand(0), *scatter.operand(2)) ||
      std::ssize(attributes.update_window_dims) != scatter.shape().dimensions_size() ||
      !IsOneOperation(*scatter.to_apply(), scatter.shape().element_type())) {
    return nullptr;
  }
  GraphBuilder b(scatter);
  return Updated(b, *scatter.to_apply(), scatter.mutable_operand(0), scatter.mutable_operand(2));
}

constexpr OpcodeRule kIndexRules[] = {
    {HloOpcode::kGather, Gather},
    {HloOpcode::kScatter, ScatterWithoutIndices},
    {HloOpcode::kScatter, Scatter},
};

}  // namespace

absl::Span<const OpcodeRule> IndexRules() { return kIndexRules; }

}  // namespace xla::passes

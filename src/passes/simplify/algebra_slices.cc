#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "passes/graph_builder.h"
#include "passes/simplify/algebra.h"
#include "passes/simplify/match.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

using Ranges = std::vector<SliceRange>;
const Ranges& RangesOf(const HloInstruction& slice) {
  return slice.attributes_as<SliceAttributes>().ranges;
}

HloInstruction* MakeSlice(GraphBuilder& b, HloInstruction* x, const Ranges& ranges) {
  Sizes starts, limits, strides, sizes;
  for (const SliceRange& range : ranges) {
    starts.push_back(range.start);
    limits.push_back(range.limit);
    strides.push_back(range.stride);
    sizes.push_back(range.limit <= range.start
                        ? 0
                        : (range.limit - range.start + range.stride - 1) / range.stride);
  }
  if (absl::c_equal(sizes, x->shape().dimensions())) return x;
  return b.Add(HloInstruction::CreateSlice(ShapeUtil::MakeShape(x->shape().element_type(), sizes),
                                           x, starts, limits, strides));
}

HloInstruction* MakeConcatenate(GraphBuilder& b, const Shape& shape,
                                absl::Span<HloInstruction* const> parts, int64_t dimension) {
  return parts.size() == 1 ? parts[0]
                           : b.Add(HloInstruction::CreateConcatenate(shape, parts, dimension));
}

// The part of a single operand that the slice lies in.
HloInstruction* SliceOfConcatenate(HloInstruction& slice, HloInstruction& concatenate) {
  Ranges ranges = RangesOf(slice);
  SliceRange& range = ranges[concatenate.dimensions(0)];
  if (range.limit <= range.start) return nullptr;
  int64_t begin = 0;
  for (HloInstruction* operand : concatenate.mutable_operands()) {
    const int64_t size = operand->shape().dimensions(static_cast<int>(concatenate.dimensions(0)));
    if (range.start >= begin && range.limit <= begin + size) {
      range.start -= begin;
      range.limit -= begin;
      GraphBuilder b(slice);
      return MakeSlice(b, operand, ranges);
    }
    begin += size;
  }
  return nullptr;
}

HloInstruction* SliceOfSlice(HloInstruction& slice, HloInstruction& inner) {
  Ranges ranges = RangesOf(slice);
  for (size_t d = 0; d < ranges.size(); ++d) {
    const SliceRange& first = RangesOf(inner)[d];
    SliceRange& range = ranges[d];
    const int64_t count =
        range.limit <= range.start ? 0 : (range.limit - range.start - 1) / range.stride + 1;
    range.start = first.start + range.start * first.stride;
    range.stride *= first.stride;
    range.limit = count == 0 ? range.start : range.start + (count - 1) * range.stride + 1;
  }
  GraphBuilder b(slice);
  return MakeSlice(b, inner.mutable_operand(0), ranges);
}

HloInstruction* SliceOfBroadcast(HloInstruction& slice, HloInstruction& broadcast) {
  GraphBuilder b(slice);
  Ranges ranges;
  for (int64_t d : broadcast.dimensions()) ranges.push_back(RangesOf(slice)[d]);
  HloInstruction* x = broadcast.mutable_operand(0);
  if (!ranges.empty()) x = MakeSlice(b, x, ranges);
  return b.Broadcast(x, slice.shape().dimensions(), broadcast.dimensions());
}

// Within the operand, without what is put between its elements.
HloInstruction* SliceOfPad(HloInstruction& slice, HloInstruction& pad) {
  Ranges ranges = RangesOf(slice);
  for (size_t d = 0; d < ranges.size(); ++d) {
    const auto& padding = pad.padding_config().dimensions(static_cast<int>(d));
    const int64_t low = padding.edge_padding_low();
    ranges[d].start -= low;
    ranges[d].limit -= low;
    if (padding.interior_padding() != 0 || ranges[d].start < 0 ||
        ranges[d].limit > pad.operand(0)->shape().dimensions(static_cast<int>(d))) {
      return nullptr;
    }
  }
  GraphBuilder b(slice);
  return MakeSlice(b, pad.mutable_operand(0), ranges);
}

// A slice of another one that has only lost or got dimensions of one element.
HloInstruction* SliceOfReshape(HloInstruction& slice, HloInstruction& reshape) {
  HloInstruction* inner = reshape.mutable_operand(0);
  if (inner->opcode() != HloOpcode::kSlice || ShapeUtil::IsZeroElementArray(slice.shape()))
    return nullptr;
  const auto long_dimensions = [](const Shape& shape) {
    std::vector<int> found;
    for (int d = 0; d < shape.dimensions_size(); ++d) {
      if (shape.dimensions(d) != 1) found.push_back(d);
    }
    return found;
  };
  const std::vector<int> from = long_dimensions(inner->shape());
  const std::vector<int> to = long_dimensions(reshape.shape());
  if (from.size() != to.size()) return nullptr;
  Ranges ranges(inner->shape().dimensions_size(), {0, 1, 1});
  for (size_t i = 0; i < from.size(); ++i) {
    if (inner->shape().dimensions(from[i]) != reshape.shape().dimensions(to[i])) return nullptr;
    ranges[from[i]] = RangesOf(slice)[to[i]];
  }
  GraphBuilder b(slice);
  return b.Reshape(MakeSlice(b, inner, ranges), slice.shape().dimensions());
}

HloInstruction* Slice(HloInstruction& slice) {
  HloInstruction* x = slice.mutable_operand(0);
  if (SameSizes(slice, *x)) return x;
  GraphBuilder b(slice);
  switch (x->opcode()) {
    case HloOpcode::kSlice:
      return SliceOfSlice(slice, *x);
    case HloOpcode::kConcatenate:
      return SliceOfConcatenate(slice, *x);
    case HloOpcode::kBroadcast:
      return SliceOfBroadcast(slice, *x);
    case HloOpcode::kPad:
      return SliceOfPad(slice, *x);
    case HloOpcode::kReshape:
      return SliceOfReshape(slice, *x);
    case HloOpcode::kIota: {
      const int64_t dimension = x->attributes_as<IotaAttributes>().iota_dimension;
      const SliceRange& range = RangesOf(slice)[dimension];
      if (range.start != 0 || range.stride != 1) return nullptr;
      return b.Iota(slice.shape().element_type(), slice.shape().dimensions(), dimension);
    }
    default:
      return nullptr;
  }
}

// Neighbours that are neighbouring slices of one array are one slice.
bool Adjoin(const HloInstruction& x, const HloInstruction& y, int64_t dimension) {
  if (x.opcode() != HloOpcode::kSlice || y.opcode() != HloOpcode::kSlice ||
      x.operand(0) != y.operand(0)) {
    return false;
  }
  for (size_t d = 0; d < RangesOf(x).size(); ++d) {
    const SliceRange& first = RangesOf(x)[d];
    const SliceRange& second = RangesOf(y)[d];
    if (static_cast<int64_t>(d) != dimension
            ? !(first == second)
            : first.limit != second.start || first.stride != 1 || second.stride != 1) {
      return false;
    }
  }
  return true;
}

// Whether its one user is a concatenation along the same dimension that has it once: the outermost
// of such nested ones takes all of them apart.
bool IsPartOfUser(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kConcatenate || instruction.user_count() != 1 ||
      instruction.IsRoot()) {
    return false;
  }
  const HloInstruction& user = *instruction.users()[0];
  return user.opcode() == HloOpcode::kConcatenate &&
         user.dimensions(0) == instruction.dimensions(0) &&
         absl::c_count(user.operands(), &instruction) == 1;
}

std::vector<HloInstruction*> PartsOf(HloInstruction& concatenate) {
  std::vector<HloInstruction*> parts, waiting = {&concatenate};
  while (!waiting.empty()) {
    HloInstruction* part = waiting.back();
    waiting.pop_back();
    if (part == &concatenate || IsPartOfUser(*part)) {
      const HloInstruction::InstructionVector operands = part->operands();
      waiting.insert(waiting.end(), operands.rbegin(), operands.rend());
    } else {
      parts.push_back(part);
    }
  }
  return parts;
}

HloInstruction* Concatenate(HloInstruction& concatenate) {
  const int64_t dimension = concatenate.dimensions(0);
  GraphBuilder b(concatenate);
  const HloInstruction::InstructionVector operands = concatenate.operands();
  if (operands.size() == 1) return operands[0];
  if (absl::c_all_of(operands, [&](const HloInstruction* operand) {
        return IsSplat(*operand) && operand->operand(0) == operands[0]->operand(0);
      })) {
    return b.Broadcast(operands[0]->mutable_operand(0), concatenate.shape().dimensions());
  }
  if (IsPartOfUser(concatenate)) return nullptr;
  const std::vector<HloInstruction*> all = PartsOf(concatenate);
  std::vector<HloInstruction*> parts;
  bool changed = all.size() != operands.size();
  for (HloInstruction* operand : all) {
    if (operand->shape().dimensions(static_cast<int>(dimension)) == 0) {
      changed = true;
    } else if (!parts.empty() && Adjoin(*parts.back(), *operand, dimension)) {
      Ranges ranges = RangesOf(*parts.back());
      ranges[dimension].limit = RangesOf(*operand)[dimension].limit;
      parts.back() = MakeSlice(b, operand->mutable_operand(0), ranges);
      changed = true;
    } else {
      parts.push_back(operand);
    }
  }
  if (!changed) return nullptr;
  if (parts.empty()) return operands[0];
  return MakeConcatenate(b, concatenate.shape(), parts, dimension);
}

HloInstruction* Pad(HloInstruction& pad) {
  HloInstruction* x = pad.mutable_operand(0);
  GraphBuilder b(pad);
  if (ShapeUtil::ElementsIn(x->shape()) == 0)
    return b.Broadcast(pad.mutable_operand(1), pad.shape().dimensions());
  if (IsSplat(*x) && x->operand(0) == pad.operand(1))
    return b.Broadcast(pad.mutable_operand(1), pad.shape().dimensions());
  Ranges ranges;
  for (int d = 0; d < x->shape().dimensions_size(); ++d) {
    const auto& padding = pad.padding_config().dimensions(d);
    const int64_t size = x->shape().dimensions(d);
    if (padding.edge_padding_low() > 0 || padding.edge_padding_high() > 0 ||
        (padding.interior_padding() != 0 && size > 1)) {
      return nullptr;
    }
    ranges.push_back({-padding.edge_padding_low(), size + padding.edge_padding_high(), 1});
    if (ranges.back().limit < ranges.back().start) return nullptr;
  }
  return MakeSlice(b, x, ranges);
}

// Starts that are known are brought into range, as the operation does.
std::optional<int64_t> KnownStart(const HloInstruction& start, int64_t most) {
  if (most == 0) return 0;
  const std::optional<int64_t> number = KnownInteger(start);
  if (!number.has_value()) return std::nullopt;
  return std::clamp<int64_t>(*number, 0, most);
}

HloInstruction* DynamicSlice(HloInstruction& slice) {
  HloInstruction* x = slice.mutable_operand(0);
  if (SameSizes(slice, *x)) return x;
  GraphBuilder b(slice);
  if (IsSplat(*x)) return b.Broadcast(x->mutable_operand(0), slice.shape().dimensions());
  if (slice.operand_count() != 1 + x->shape().dimensions_size()) return nullptr;
  Ranges ranges;
  for (int d = 0; d < x->shape().dimensions_size(); ++d) {
    const int64_t size = slice.shape().dimensions(d);
    const std::optional<int64_t> start =
        KnownStart(*slice.operand(1 + d), x->shape().dimensions(d) - size);
    if (!start.has_value()) return nullptr;
    ranges.push_back({*start, *start + size, 1});
  }
  return MakeSlice(b, x, ranges);
}

HloInstruction* DynamicUpdateSlice(HloInstruction& update) {
  HloInstruction* part = update.mutable_operand(1);
  if (SameSizes(update, *part)) return part;
  return ShapeUtil::ElementsIn(part->shape()) == 0 ? update.mutable_operand(0) : nullptr;
}

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
    if (!is_scalar) {
      Ranges ranges;
      for (int64_t size : sizes) ranges.push_back({0, size, 1});
      ranges[along] = {static_cast<int64_t>(i), static_cast<int64_t>(i) + 1, 1};
      part = MakeSlice(b, indices, ranges);
    }
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
constexpr int64_t kMaxKnownParts = 8;
constexpr int64_t kMaxKnownIndices = 1024;

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

// Elements at few indices that are known are slices, one after the other.
HloInstruction* GatherOfKnown(HloInstruction& gather) {
  const int64_t along = OnlyDimensionOf(gather);
  const HloInstruction* indices = gather.operand(1);
  while (indices->opcode() == HloOpcode::kReshape) indices = indices->operand(0);
  if (along < 0 || indices->opcode() != HloOpcode::kConstant ||
      indices->shape().element_type() == U64) {
    return nullptr;
  }
  HloInstruction* x = gather.mutable_operand(0);
  const int64_t size = x->shape().dimensions(static_cast<int>(along));
  Ranges whole;
  for (int64_t each : x->shape().dimensions()) whole.push_back({0, each, 1});
  std::vector<Ranges> parts;
  const int64_t count = ShapeUtil::ElementsIn(indices->shape());
  if (count == 0 || count > kMaxKnownIndices) return nullptr;
  const Literal numbers = indices->literal().Convert(S64).value();
  for (int64_t number : numbers.data<int64_t>()) {
    const int64_t start = std::clamp<int64_t>(number, 0, size - 1);
    if (!parts.empty() && parts.back()[along].limit == start) {
      ++parts.back()[along].limit;
      continue;
    }
    if (parts.size() == kMaxKnownParts) return nullptr;
    parts.push_back(whole);
    parts.back()[along] = {start, start + 1, 1};
  }
  GraphBuilder b(gather);
  std::vector<HloInstruction*> slices;
  for (const Ranges& part : parts) slices.push_back(MakeSlice(b, x, part));
  Sizes sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
  sizes[along] = count;
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

HloInstruction* Gather(HloInstruction& gather) {
  const Shape& array = gather.operand(0)->shape();
  if (ShapeUtil::IsZeroElementArray(gather.shape()) || ShapeUtil::IsZeroElementArray(array) ||
      gather.shape().is_dynamic() || array.is_dynamic()) {
    return nullptr;
  }
  if (HloInstruction* parts = GatherOfKnown(gather); parts != nullptr) return parts;
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

constexpr OpcodeRule kSliceRules[] = {
    {HloOpcode::kSlice, Slice},
    {HloOpcode::kConcatenate, Concatenate},
    {HloOpcode::kPad, Pad},
    {HloOpcode::kDynamicSlice, DynamicSlice},
    {HloOpcode::kDynamicUpdateSlice, DynamicUpdateSlice},
    {HloOpcode::kGather, Gather},
};

}  // namespace

absl::Span<const OpcodeRule> SliceRules() { return kSliceRules; }

}  // namespace xla::passes

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

HloInstruction* MakeSlice(GraphBuilder& b, HloInstruction* x, int64_t along,
                          const SliceRange& range) {
  Ranges ranges;
  for (int64_t size : x->shape().dimensions()) ranges.push_back({0, size, 1});
  ranges[along] = range;
  return MakeSlice(b, x, ranges);
}

HloInstruction* MakeConcatenate(GraphBuilder& b, const Shape& shape,
                                absl::Span<HloInstruction* const> parts, int64_t dimension) {
  return parts.size() == 1 ? parts[0]
                           : b.Add(HloInstruction::CreateConcatenate(shape, parts, dimension));
}

namespace {

const Ranges& RangesOf(const HloInstruction& slice) {
  return slice.attributes_as<SliceAttributes>().ranges;
}

// The operand of a concatenation that the ranges lie in, which become ranges of it, or null.
HloInstruction* PartWith(Ranges& ranges, HloInstruction& concatenate) {
  SliceRange& range = ranges[concatenate.dimensions(0)];
  if (range.limit <= range.start) return nullptr;
  int64_t begin = 0;
  for (HloInstruction* operand : concatenate.mutable_operands()) {
    const int64_t size = operand->shape().dimensions(static_cast<int>(concatenate.dimensions(0)));
    if (range.start >= begin && range.limit <= begin + size) {
      range.start -= begin;
      range.limit -= begin;
      return operand;
    }
    begin += size;
  }
  return nullptr;
}

// Ranges of a slice become those of what it is a slice of.
HloInstruction* SlicedWith(Ranges& ranges, HloInstruction& slice) {
  for (size_t d = 0; d < ranges.size(); ++d) {
    const SliceRange& first = RangesOf(slice)[d];
    SliceRange& range = ranges[d];
    const int64_t count =
        range.limit <= range.start ? 0 : (range.limit - range.start - 1) / range.stride + 1;
    range.start = first.start + range.start * first.stride;
    range.stride *= first.stride;
    range.limit = count == 0 ? range.start : range.start + (count - 1) * range.stride + 1;
  }
  return slice.mutable_operand(0);
}

// A slice of what it comes from through slices and concatenations, however many: those of a chain
// of rotations would each be made again for every one behind them.
HloInstruction* SliceOfParts(HloInstruction& slice) {
  Ranges ranges = RangesOf(slice);
  HloInstruction* x = slice.mutable_operand(0);
  for (HloInstruction* from = x; from != nullptr;) {
    x = from;
    from = x->opcode() == HloOpcode::kSlice         ? SlicedWith(ranges, *x)
           : x->opcode() == HloOpcode::kConcatenate ? PartWith(ranges, *x)
                                                    : nullptr;
  }
  if (x == slice.operand(0)) return nullptr;
  GraphBuilder b(slice);
  return MakeSlice(b, x, ranges);
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

// Less is reversed, where that is all that anybody reads.
HloInstruction* SliceOfReverse(HloInstruction& slice, HloInstruction& reverse) {
  if (reverse.user_count() > 1 ||
      2 * ShapeUtil::ElementsIn(slice.shape()) > ShapeUtil::ElementsIn(reverse.shape()))
    return nullptr;
  Ranges ranges = RangesOf(slice);
  for (int64_t d : reverse.dimensions()) {
    const int64_t last = reverse.shape().dimensions(static_cast<int>(d)) - 1;
    const int64_t count = slice.shape().dimensions(static_cast<int>(d));
    if (count == 0) return nullptr;
    SliceRange& range = ranges[d];
    const int64_t first = range.start;
    range.start = last - (first + (count - 1) * range.stride);
    range.limit = last - first + 1;
  }
  GraphBuilder b(slice);
  return b.Add(HloInstruction::CreateReverse(
      slice.shape(), MakeSlice(b, reverse.mutable_operand(0), ranges), reverse.dimensions()));
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
    case HloOpcode::kConcatenate:
      return SliceOfParts(slice);
    case HloOpcode::kBroadcast:
      return SliceOfBroadcast(slice, *x);
    case HloOpcode::kPad:
      return SliceOfPad(slice, *x);
    case HloOpcode::kReverse:
      return SliceOfReverse(slice, *x);
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

constexpr OpcodeRule kSliceRules[] = {
    {HloOpcode::kSlice, Slice},
    {HloOpcode::kConcatenate, Concatenate},
    {HloOpcode::kPad, Pad},
    {HloOpcode::kDynamicSlice, DynamicSlice},
    {HloOpcode::kDynamicUpdateSlice, DynamicUpdateSlice},
};

}  // namespace

absl::Span<const OpcodeRule> SliceRules() { return kSliceRules; }

}  // namespace xla::passes

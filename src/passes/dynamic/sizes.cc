#include "passes/dynamic/sizes.h"

#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "ir/records.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::passes {

bool HasSizes(const ArraySizes& sizes) {
  return absl::c_any_of(sizes, [](const HloInstruction* size) { return size != nullptr; });
}

std::vector<int64_t> AllDimensions(int64_t rank) {
  std::vector<int64_t> all(rank);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

HloInstruction* SizeBuilder::Size(int64_t number) {
  return Constant(LiteralUtil::CreateR0<int32_t>(static_cast<int32_t>(number)));
}

HloInstruction* SizeBuilder::SizeOf(const HloInstruction& array, const ArraySizes& sizes,
                                    int64_t dimension) {
  return sizes[dimension] != nullptr ? sizes[dimension]
                                     : Size(array.shape().dimensions(static_cast<int>(dimension)));
}

HloInstruction* SizeBuilder::AsSize(HloInstruction* integer, int64_t limit) {
  const PrimitiveType type = integer->shape().element_type();
  if (primitive_util::BitWidth(type) >= 32 && type != S32) {
    // The limit fits into the wider type, but the integer not into the narrower one.
    const auto bound = [&](int64_t number) {
      return Constant(LiteralUtil::CreateR0<int64_t>(type, number));
    };
    integer =
        Binary(HloOpcode::kMinimum, Binary(HloOpcode::kMaximum, integer, bound(0)), bound(limit));
  }
  return Clamp(Convert(integer, S32), limit);
}

HloInstruction* SizeBuilder::Clamp(HloInstruction* size, int64_t limit) {
  return Binary(HloOpcode::kMinimum, Binary(HloOpcode::kMaximum, size, Size(0)), Size(limit));
}

HloInstruction* SizeBuilder::Plus(HloInstruction* size, int64_t number) {
  return number == 0 ? size : Binary(HloOpcode::kAdd, size, Size(number));
}

HloInstruction* SizeBuilder::Times(HloInstruction* size, int64_t number) {
  return number == 1 ? size : Binary(HloOpcode::kMultiply, size, Size(number));
}

HloInstruction* SizeBuilder::Over(HloInstruction* size, int64_t divisor) {
  return divisor == 1 ? size : Binary(HloOpcode::kDivide, size, Size(divisor));
}

HloInstruction* SizeBuilder::ProductOf(absl::Span<HloInstruction* const> sizes) {
  HloInstruction* product = nullptr;
  for (HloInstruction* size : sizes)
    product = product == nullptr ? size : Binary(HloOpcode::kMultiply, product, size);
  return product == nullptr ? Size(1) : product;
}

HloInstruction* SizeBuilder::Inside(absl::Span<const int64_t> bounds, const ArraySizes& sizes,
                                    absl::Span<const int64_t> dimensions) {
  HloInstruction* inside = nullptr;
  for (int64_t d : dimensions) {
    if (sizes[d] == nullptr) continue;
    HloInstruction* below =
        Compare(ComparisonDirection::kLt, Iota(S32, bounds, d), Broadcast(sizes[d], bounds));
    inside = inside == nullptr ? below : Binary(HloOpcode::kAnd, inside, below);
  }
  return inside;
}

HloInstruction* SizeBuilder::Mask(HloInstruction* array, const ArraySizes& sizes,
                                  absl::Span<const int64_t> dimensions, HloInstruction* value) {
  HloInstruction* inside = Inside(array->shape().dimensions(), sizes, dimensions);
  return inside == nullptr ? array : Select(inside, array, value);
}

HloInstruction* SizeBuilder::Nothing(PrimitiveType type) {
  return Constant(Literal::CreateFromShape(ShapeUtil::MakeShape(type, {})));
}

HloInstruction* SizeBuilder::MaskWithZero(HloInstruction* array, const ArraySizes& sizes,
                                          absl::Span<const int64_t> dimensions) {
  return Mask(array, sizes, dimensions, Nothing(array->shape().element_type()));
}

HloInstruction* SizeBuilder::Rotate(HloInstruction* array, int64_t dimension,
                                    HloInstruction* start) {
  Shape twice = array->shape();
  twice.set_dimensions(static_cast<int>(dimension),
                       2 * twice.dimensions(static_cast<int>(dimension)));
  std::vector<HloInstruction*> starts(twice.dimensions_size(), Size(0));
  starts[dimension] = start;
  return Add(HloInstruction::CreateDynamicSlice(
      array->shape(), Add(HloInstruction::CreateConcatenate(twice, {array, array}, dimension)),
      starts, array->shape().dimensions()));
}

HloInstruction* SizeBuilder::Stretch(HloInstruction* array, int64_t dimension) {
  const Shape& shape = array->shape();
  if (shape.dimensions(static_cast<int>(dimension)) == 0) return array;
  const std::vector<int64_t> starts(shape.dimensions_size(), 0), strides(starts.size(), 1);
  std::vector<int64_t> limits(shape.dimensions().begin(), shape.dimensions().end());
  limits[dimension] = 1;
  HloInstruction* first = Add(HloInstruction::CreateSlice(
      ShapeUtil::MakeShape(shape.element_type(), limits), array, starts, limits, strides));
  std::vector<int64_t> others = AllDimensions(shape.dimensions_size());
  others.erase(others.begin() + dimension);
  limits.erase(limits.begin() + dimension);
  return Broadcast(Reshape(first, limits), shape.dimensions(), others);
}

HloInstruction* SizeBuilder::Refill(HloInstruction* array, const ArraySizes& from,
                                    absl::Span<const int64_t> bounds, const ArraySizes& to) {
  const Shape old_shape = array->shape();
  const PrimitiveType type = old_shape.element_type();
  const Shape shape = ShapeUtil::MakeShape(type, bounds);
  const int64_t count = ShapeUtil::ElementsIn(old_shape);
  if (count == 0 || ShapeUtil::ElementsIn(shape) == 0) return Broadcast(Nothing(type), bounds);
  const int64_t most = std::max(count, ShapeUtil::ElementsIn(shape));
  const PrimitiveType index_type = most > std::numeric_limits<int32_t>::max() / 2 ? S64 : S32;
  const auto everywhere = [&](HloInstruction* size) {
    return Broadcast(Convert(size, index_type), bounds);
  };
  // The element's number, then where that lies in the operand.
  HloInstruction* number = everywhere(Size(0));
  for (size_t d = 0; d < bounds.size(); ++d) {
    HloInstruction* size = to[d] != nullptr ? to[d] : Size(bounds[d]);
    number = Binary(HloOpcode::kAdd, Binary(HloOpcode::kMultiply, number, everywhere(size)),
                    Iota(index_type, bounds, static_cast<int64_t>(d)));
  }
  HloInstruction* place = everywhere(Size(0));
  int64_t stride = 1;
  for (int d = old_shape.dimensions_size() - 1; d >= 0; --d) {
    HloInstruction* size =
        everywhere(Binary(HloOpcode::kMaximum, SizeOf(*array, from, d), Size(1)));
    HloInstruction* index = Binary(HloOpcode::kRemainder, number, size);
    number = Binary(HloOpcode::kDivide, number, size);
    place = Binary(HloOpcode::kAdd, place,
                   Binary(HloOpcode::kMultiply, index,
                          Constant(LiteralUtil::CreateR0<int64_t>(index_type, stride))));
    stride *= old_shape.dimensions(d);
  }
  auto attributes = std::make_unique<GatherAttributes>();
  attributes->collapsed_slice_dims = {0};
  attributes->start_index_map = {0};
  attributes->slice_sizes = {1};
  attributes->index_vector_dim = static_cast<int64_t>(bounds.size());
  return Add(HloInstruction::Create(HloOpcode::kGather, shape, {Reshape(array, {count}), place},
                                    std::move(attributes)));
}

}  // namespace xla::passes

// The members of ShapeUtil about reshapes, transposes and bitcasts.
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "data/checked_math.h"
#include "xla/layout_util.h"
#include "xla/permutation_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Dimensions [input_begin, input_end) of the input and [output_begin, output_end) of the output
// have the same product of sizes, and no smaller groups have.
struct ReshapeGroup {
  int64_t input_begin, input_end;
  int64_t output_begin, output_end;
};

// Divides a reshape into independent ones; both spans have the same product, no size is 0 and none
// is 1.
std::vector<ReshapeGroup> GroupDimensions(absl::Span<const int64_t> input,
                                          absl::Span<const int64_t> output) {
  std::vector<ReshapeGroup> groups;
  size_t i = 0;
  size_t j = 0;
  while (i < input.size() && j < output.size()) {
    const int64_t input_begin = i;
    const int64_t output_begin = j;
    int64_t input_product = input[i++];
    int64_t output_product = output[j++];
    while (input_product != output_product) {
      if (input_product < output_product) {
        CHECK_LT(i, input.size());
        input_product = SaturatingMultiply(input_product, input[i++]);
      } else {
        CHECK_LT(j, output.size());
        output_product = SaturatingMultiply(output_product, output[j++]);
      }
    }
    groups.push_back({input_begin, static_cast<int64_t>(i), output_begin, static_cast<int64_t>(j)});
  }
  return groups;
}

// The dimensions that are not of size 1, and their sizes.
struct NonTrivialDimensions {
  explicit NonTrivialDimensions(const Shape& shape) {
    for (int64_t i = 0; i < shape.dimensions_size(); ++i) {
      if (shape.dimensions(i) == 1) continue;
      numbers.push_back(i);
      sizes.push_back(shape.dimensions(i));
    }
  }
  DimensionVector numbers;
  DimensionVector sizes;
};

// The dimensions that are not of size 1 in physical order, major first.
DimensionVector NonTrivialMajorToMinor(const Shape& shape) {
  DimensionVector result;
  for (int i = shape.dimensions_size() - 1; i >= 0; --i) {
    const int64_t dimension = shape.layout().minor_to_major(i);
    if (shape.dimensions(dimension) != 1) result.push_back(dimension);
  }
  return result;
}

bool IsPlainArray(const Shape& shape) {
  return shape.IsArray() && shape.has_layout() && shape.layout().tiles().empty() &&
         !shape.is_unbounded_dynamic();
}

bool SameElements(const Shape& a, const Shape& b, bool ignore_element_type) {
  return (ignore_element_type ||
          (ShapeUtil::SameElementType(a, b) &&
           ShapeUtil::ElementSizeInBits(a) == ShapeUtil::ElementSizeInBits(b))) &&
         ShapeUtil::ElementsIn(a) == ShapeUtil::ElementsIn(b);
}

}  // namespace

absl::StatusOr<absl::InlinedVector<int64_t, 3>> ShapeUtil::GetNormalizedLogicalTransposeShape(
    const Shape& input_shape, const Shape& output_shape, absl::Span<int64_t const> dimensions,
    absl::InlinedVector<int64_t, 3>& permutation) {
  permutation.clear();
  if (!IsPermutation(dimensions) ||
      static_cast<int64_t>(dimensions.size()) != input_shape.dimensions_size() ||
      output_shape.dimensions() !=
          absl::MakeConstSpan(Permute(input_shape.dimensions(), dimensions))) {
    return InvalidArgument("{%s} does not transpose %s to %s.", absl::StrJoin(dimensions, ","),
                           input_shape.ToString(), output_shape.ToString());
  }
  for (const Shape* shape : {&input_shape, &output_shape}) {
    if (shape->has_layout() && !LayoutUtil::IsMonotonicWithDim0Major(shape->layout())) {
      return InvalidArgument("%s does not lie in memory as its dimensions are numbered.",
                             shape->ToString(/*print_layout=*/true));
    }
  }
  // Numbers of the input's dimensions when those of size 1 are left out.
  DimensionVector number(dimensions.size(), 0);
  int64_t count = 0;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    number[i] = count;
    count += input_shape.dimensions(i) != 1;
  }
  absl::InlinedVector<int64_t, 3> sizes;
  absl::InlinedVector<int64_t, 3> first_dimension;
  int64_t previous = -2;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t size = output_shape.dimensions(i);
    if (size == 1) continue;
    const int64_t source = number[dimensions[i]];
    if (source == previous + 1) {
      sizes.back() = SaturatingMultiply(sizes.back(), size);
    } else {
      sizes.push_back(size);
      first_dimension.push_back(source);
    }
    previous = source;
  }
  if (sizes.empty()) sizes.push_back(1);
  if (sizes.size() == 1) return sizes;
  absl::InlinedVector<int64_t, 3> sorted = first_dimension;
  absl::c_sort(sorted);
  for (int64_t source : first_dimension) {
    permutation.push_back(absl::c_lower_bound(sorted, source) - sorted.begin());
  }
  return sizes;
}

std::optional<ShapeUtil::ShapeEqualityDescriptor> ShapeUtil::InsertedOrDeleted1SizedDimensions(
    const Shape& shape_pre, const Shape& shape_post) {
  if (!shape_pre.IsArray() || !shape_post.IsArray()) return std::nullopt;
  ShapeEqualityDescriptor result;
  int64_t i = 0;
  int64_t j = 0;
  const int64_t pre_rank = shape_pre.dimensions_size();
  const int64_t post_rank = shape_post.dimensions_size();
  while (i < pre_rank || j < post_rank) {
    if (i < pre_rank && j < post_rank && shape_pre.dimensions(i) == shape_post.dimensions(j)) {
      ++i;
      ++j;
    } else if (i < pre_rank && shape_pre.dimensions(i) == 1) {
      result.deleted_dimensions.push_back(i++);
    } else if (j < post_rank && shape_post.dimensions(j) == 1) {
      result.inserted_dimensions.push_back(j++);
    } else {
      return std::nullopt;
    }
  }
  return result;
}

std::vector<std::pair<int64_t, int64_t>> ShapeUtil::DimensionsUnmodifiedByReshape(
    const Shape& input_shape, const Shape& output_shape) {
  std::vector<std::pair<int64_t, int64_t>> unmodified;
  if (input_shape.dimensions() == output_shape.dimensions()) {
    for (int64_t i = 0; i < input_shape.dimensions_size(); ++i) unmodified.emplace_back(i, i);
    return unmodified;
  }
  if (input_shape.is_unbounded_dynamic() || output_shape.is_unbounded_dynamic() ||
      ElementsIn(input_shape) != ElementsIn(output_shape)) {
    return unmodified;
  }
  const auto bounds = CommonFactors(input_shape.dimensions(), output_shape.dimensions());
  for (size_t i = 0; i + 1 < bounds.size(); ++i) {
    const auto [input, output] = bounds[i];
    if (bounds[i + 1].first == input + 1 && bounds[i + 1].second == output + 1) {
      unmodified.emplace_back(input, output);
    }
  }
  return unmodified;
}

std::optional<std::vector<int64_t>> ShapeUtil::ReshapeLeavesDimensionsUnmodified(
    const Shape& from_shape, const Shape& to_shape, absl::Span<const int64_t> input_dim_indices) {
  const auto unmodified = DimensionsUnmodifiedByReshape(from_shape, to_shape);
  std::vector<int64_t> output_dimensions;
  for (int64_t input_dimension : input_dim_indices) {
    const auto it = absl::c_find_if(
        unmodified, [&](const auto& pair) { return pair.first == input_dimension; });
    if (it == unmodified.end()) return std::nullopt;
    output_dimensions.push_back(it->second);
  }
  return output_dimensions;
}

bool ShapeUtil::TransposeIsBitcast(const Shape& input_shape, const Shape& output_shape,
                                   absl::Span<const int64_t> dimension_mapping,
                                   bool ignore_element_type) {
  if (!IsPlainArray(input_shape) || !IsPlainArray(output_shape)) {
    return IsIdentityPermutation(dimension_mapping) &&
           (ignore_element_type ? EqualIgnoringElementType(input_shape, output_shape)
                                : Equal(input_shape, output_shape));
  }
  if (!SameElements(input_shape, output_shape, ignore_element_type) ||
      !SameRank(input_shape, output_shape) ||
      static_cast<int64_t>(dimension_mapping.size()) != input_shape.dimensions_size()) {
    return false;
  }
  DimensionVector mapped = NonTrivialMajorToMinor(output_shape);
  for (int64_t& dimension : mapped) dimension = dimension_mapping[dimension];
  return mapped == NonTrivialMajorToMinor(input_shape);
}

bool ShapeUtil::ReshapeIsBitcast(const Shape& input_shape, const Shape& output_shape,
                                 bool ignore_element_type) {
  if (!IsPlainArray(input_shape) || !IsPlainArray(output_shape)) {
    return ignore_element_type ? EqualIgnoringElementType(input_shape, output_shape)
                               : Equal(input_shape, output_shape);
  }
  if (!SameElements(input_shape, output_shape, ignore_element_type)) return false;
  if (IsZeroElementArray(input_shape)) return true;
  const std::optional<Shape> aligned = AlignLayouts(input_shape, output_shape);
  return aligned.has_value() &&
         NonTrivialMajorToMinor(*aligned) == NonTrivialMajorToMinor(output_shape);
}

bool ShapeUtil::IsReshapeOrTransposeBitcast(const Shape& a, const Shape& b,
                                            bool ignore_element_type) {
  if (ReshapeIsBitcast(a, b, ignore_element_type)) return true;
  if (!ignore_element_type && !SameElementType(a, b)) return false;
  return IsPlainArray(a) && IsPlainArray(b) && SameElements(a, b, ignore_element_type) &&
         DeduceTransposeDimensionsForBitcast(a, b).has_value();
}

std::optional<std::vector<int64_t>> ShapeUtil::DeduceTransposeDimensionsForBitcast(
    const Shape& input_shape, const Shape& output_shape) {
  if (!IsPlainArray(input_shape) || !IsPlainArray(output_shape) ||
      !SameRank(input_shape, output_shape)) {
    return std::nullopt;
  }
  std::vector<int64_t> dimensions(output_shape.dimensions_size());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t input_dimension = input_shape.layout().minor_to_major(i);
    const int64_t output_dimension = output_shape.layout().minor_to_major(i);
    if (input_shape.dimensions(input_dimension) != output_shape.dimensions(output_dimension)) {
      return std::nullopt;
    }
    dimensions[output_dimension] = input_dimension;
  }
  return dimensions;
}

bool ShapeUtil::BitcastDecompositionTrt::IsTranspose1Identity() const {
  return IsIdentityPermutation(transpose1_dims);
}
bool ShapeUtil::BitcastDecompositionTrt::IsTranspose2Identity() const {
  return IsIdentityPermutation(transpose2_dims);
}

bool ShapeUtil::IsDecomposableBitcast(const Shape& input_shape, const Shape& output_shape) {
  return IsPlainArray(input_shape) && IsPlainArray(output_shape) &&
         SameElements(input_shape, output_shape, /*ignore_element_type=*/false);
}

std::optional<ShapeUtil::BitcastDecompositionTrt> ShapeUtil::DecomposeBitcastToTrt(
    const Shape& input_shape, const Shape& output_shape) {
  if (!IsDecomposableBitcast(input_shape, output_shape)) return std::nullopt;
  BitcastDecompositionTrt result;
  const absl::Span<const int64_t> input_order = input_shape.layout().minor_to_major();
  result.transpose1_dims.assign(input_order.rbegin(), input_order.rend());
  result.transpose1_shape = MakeShapeWithDescendingLayoutAndSamePhysicalLayout(input_shape);
  result.reshape_shape = MakeShapeWithDescendingLayoutAndSamePhysicalLayout(output_shape);
  const std::vector<int64_t> order = LayoutUtil::MakeLogicalToPhysical(output_shape.layout());
  result.transpose2_dims.assign(order.begin(), order.end());
  return result;
}

ShapeUtil::BitcastDecomposition ShapeUtil::DecomposeBitcast(const Shape& input_shape,
                                                            const Shape& output_shape) {
  CHECK(IsDecomposableBitcast(input_shape, output_shape))
      << HumanStringWithLayout(input_shape) << " and " << HumanStringWithLayout(output_shape);
  if (ReshapeIsBitcast(input_shape, output_shape)) return BitcastDecompositionReshape{};
  if (auto dimensions = DeduceTransposeDimensionsForBitcast(input_shape, output_shape)) {
    return BitcastDecompositionTranspose{DimensionVector(dimensions->begin(), dimensions->end())};
  }
  return *DecomposeBitcastToTrt(input_shape, output_shape);
}

std::optional<Shape> ShapeUtil::AlignLayouts(const Shape& input_shape, const Shape& output_shape) {
  if (!IsPlainArray(input_shape) || !output_shape.IsArray() ||
      output_shape.is_unbounded_dynamic() || ElementsIn(input_shape) != ElementsIn(output_shape)) {
    return std::nullopt;
  }
  Shape result = output_shape;
  if (IsZeroElementArray(input_shape)) {
    *result.mutable_layout() = LayoutUtil::GetDefaultLayoutForShape(result);
    return result;
  }
  const NonTrivialDimensions input(input_shape);
  const NonTrivialDimensions output(output_shape);
  const std::vector<ReshapeGroup> groups = GroupDimensions(input.sizes, output.sizes);
  DimensionVector group_of(input_shape.dimensions_size(), 0);
  for (size_t g = 0; g < groups.size(); ++g) {
    for (int64_t i = groups[g].input_begin; i < groups[g].input_end; ++i) {
      group_of[input.numbers[i]] = g;
    }
  }
  // The dimensions of a group must lie next to each other, in row-major order.
  DimensionVector major_to_minor;
  const DimensionVector physical = NonTrivialMajorToMinor(input_shape);
  for (size_t position = 0; position < physical.size();) {
    const ReshapeGroup& group = groups[group_of[physical[position]]];
    for (int64_t i = group.input_begin; i < group.input_end; ++i, ++position) {
      if (position == physical.size() || physical[position] != input.numbers[i]) {
        return std::nullopt;
      }
    }
    for (int64_t i = group.output_begin; i < group.output_end; ++i) {
      major_to_minor.push_back(output.numbers[i]);
    }
  }
  for (int64_t i = 0; i < output_shape.dimensions_size(); ++i) {
    if (output_shape.dimensions(i) == 1) major_to_minor.push_back(i);
  }
  Layout layout = LayoutUtil::MakeLayoutFromMajorToMinor(major_to_minor);
  layout.set_element_size_in_bits(input_shape.layout().element_size_in_bits());
  layout.set_memory_space(input_shape.layout().memory_space());
  *result.mutable_layout() = std::move(layout);
  return result;
}

}  // namespace xla

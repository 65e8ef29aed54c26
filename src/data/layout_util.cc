#include "xla/layout_util.h"

#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "data/checked_math.h"
#include "xla/permutation_util.h"
#include "xla/shape_util.h"

namespace xla {

// ---- Making layouts -----------------------------------------------------------------------------

Layout LayoutUtil::MakeLayout(absl::Span<const int64_t> minor_to_major,
                              absl::Span<const Tile> tiles,
                              int64_t tail_padding_alignment_in_elements,
                              PrimitiveType index_primitive_type,
                              PrimitiveType pointer_primitive_type, int64_t element_size_in_bits,
                              int64_t memory_space, absl::Span<const SplitConfig> split_configs,
                              std::optional<Shape> physical_shape,
                              int64_t dynamic_shape_metadata_prefix_bytes) {
  return Layout(minor_to_major, tiles, index_primitive_type, pointer_primitive_type,
                tail_padding_alignment_in_elements, element_size_in_bits, memory_space,
                split_configs,
                physical_shape ? std::make_unique<Shape>(*std::move(physical_shape)) : nullptr,
                dynamic_shape_metadata_prefix_bytes);
}

Layout LayoutUtil::MakeLayoutFromMajorToMinor(absl::Span<const int64_t> major_to_minor) {
  return Layout(DimensionVector(major_to_minor.rbegin(), major_to_minor.rend()));
}

Layout LayoutUtil::MakeDescendingLayout(int64_t num_dims) {
  Layout layout;
  layout.mutable_minor_to_major()->resize(num_dims);
  std::iota(layout.mutable_minor_to_major()->rbegin(), layout.mutable_minor_to_major()->rend(), 0);
  return layout;
}

Layout LayoutUtil::MakeAscendingLayout(int64_t num_dims) {
  Layout layout;
  layout.mutable_minor_to_major()->resize(num_dims);
  absl::c_iota(*layout.mutable_minor_to_major(), 0);
  return layout;
}

bool LayoutUtil::HasDescendingLayout(const Layout& layout) {
  for (int i = 0; i < layout.minor_to_major_size(); ++i) {
    if (layout.minor_to_major(i) != layout.minor_to_major_size() - 1 - i) return false;
  }
  return true;
}

bool LayoutUtil::HasAscendingLayout(const Layout& layout) {
  return IsIdentityPermutation(layout.minor_to_major());
}

Layout LayoutUtil::GetDefaultLayoutForShape(const Shape& shape) {
  return MakeDescendingLayout(shape.dimensions_size());
}
Layout LayoutUtil::GetDefaultLayoutForRank(int64_t num_dims) {
  return MakeDescendingLayout(num_dims);
}
Layout LayoutUtil::GetDefaultLayoutForR2() { return MakeDescendingLayout(2); }
Layout LayoutUtil::GetDefaultLayoutForR3() { return MakeDescendingLayout(3); }
Layout LayoutUtil::GetDefaultLayoutForR4() { return MakeDescendingLayout(4); }

void LayoutUtil::SetToDefaultLayout(Shape* shape) {
  if (shape->IsTuple()) {
    for (Shape& element : *shape->mutable_tuple_shapes()) SetToDefaultLayout(&element);
  } else if (shape->IsArray()) {
    *shape->mutable_layout() = GetDefaultLayoutForShape(*shape);
  }
}

Shape LayoutUtil::GetWithDefaultLayout(const Shape& shape) {
  Shape result = shape;
  SetToDefaultLayout(&result);
  return result;
}

void LayoutUtil::SetToDefaultLayout(ProgramShape* program_shape) {
  for (int i = 0; i < program_shape->parameters_size(); ++i) {
    SetToDefaultLayout(program_shape->mutable_parameters(i));
  }
  SetToDefaultLayout(program_shape->mutable_result());
}

// ---- Validation ---------------------------------------------------------------------------------

namespace {

absl::Status Invalid(const Layout& layout, const Shape& shape, absl::string_view rule) {
  return InvalidArgument("Layout %s of shape %s: %s.", layout.ToString(), shape.ToString(), rule);
}

absl::Status ValidateTile(const Layout& layout, const Shape& shape, const Tile& tile) {
  int64_t elements = 1;
  const absl::Span<const int64_t> dimensions = tile.dimensions();
  if (dimensions.empty()) return Invalid(layout, shape, "a tile has no dimensions");
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] == Tile::kCombineDimension) {
      if (i + 1 < dimensions.size()) continue;
      return Invalid(layout, shape, "the last dimension of a tile cannot be '*'");
    }
    if (dimensions[i] <= 0) return Invalid(layout, shape, "tile dimensions must be positive");
    if (!CheckedMultiply(elements, dimensions[i], &elements)) {
      return Invalid(layout, shape, "the size of a tile overflows int64");
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateSplitConfig(const Layout& layout, const Shape& shape,
                                 const SplitConfig& config) {
  if (config.dimension() < 0 || config.dimension() >= shape.dimensions_size()) {
    return Invalid(layout, shape, "the dimension of a split config must be within rank");
  }
  const int64_t size = shape.dimensions(LayoutUtil::Major(layout, config.dimension()));
  int64_t previous = -1;
  for (int64_t index : config.split_indices()) {
    if (index <= previous || (size != Shape::kUnboundedSize && index >= size)) {
      return Invalid(layout, shape, "split indices must increase and lie inside the dimension");
    }
    previous = index;
  }
  return absl::OkStatus();
}

absl::Status ValidateArrayLayout(const Layout& layout, const Shape& shape) {
  if (layout.minor_to_major_size() != shape.dimensions_size()) {
    return Invalid(layout, shape, "minor_to_major must have one entry per dimension");
  }
  if (!IsPermutation(layout.minor_to_major())) {
    return Invalid(layout, shape, "minor_to_major must be a permutation of the dimensions");
  }
  for (const Tile& tile : layout.tiles()) {
    HILO_RETURN_IF_ERROR(ValidateTile(layout, shape, tile));
  }
  if (layout.element_size_in_bits() < 0 || layout.memory_space() < 0 ||
      layout.dynamic_shape_metadata_prefix_bytes() < 0) {
    return Invalid(layout, shape, "sizes and the memory space cannot be negative");
  }
  if (layout.tail_padding_alignment_in_elements() < 1) {
    return Invalid(layout, shape, "the tail padding alignment must be positive");
  }
  for (const SplitConfig& config : layout.split_configs()) {
    HILO_RETURN_IF_ERROR(ValidateSplitConfig(layout, shape, config));
  }
  if (layout.has_physical_shape()) {
    return Invalid(layout, shape, "a dense array cannot have a physical shape");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status LayoutUtil::ValidateLayoutForShape(const Layout& layout, const Shape& shape) {
  if (shape.IsArray()) return ValidateArrayLayout(layout, shape);
  if (layout == Layout()) return absl::OkStatus();
  return Invalid(layout, shape, "only arrays have a layout");
}

absl::Status LayoutUtil::ValidateLayoutInShape(const Shape& shape, bool allow_missing_layouts) {
  return ShapeUtil::ForEachLeafShapeWithStatus(
      shape, [&](const Shape& leaf, const ShapeIndex&) -> absl::Status {
        if (!leaf.IsArray()) return absl::OkStatus();
        if (leaf.has_layout()) return ValidateLayoutForShape(leaf.layout(), leaf);
        if (allow_missing_layouts) return absl::OkStatus();
        return InvalidArgument("Shape %s has no layout.", shape.ToString(/*print_layout=*/true));
      });
}

// ---- Layouts in shapes --------------------------------------------------------------------------

void LayoutUtil::ClearLayout(Shape* shape) {
  if (shape->IsTuple()) {
    for (Shape& element : *shape->mutable_tuple_shapes()) ClearLayout(&element);
  } else {
    shape->clear_layout();
  }
}

void LayoutUtil::ClearLayout(ProgramShape* program_shape) {
  for (int i = 0; i < program_shape->parameters_size(); ++i) {
    ClearLayout(program_shape->mutable_parameters(i));
  }
  ClearLayout(program_shape->mutable_result());
}

void LayoutUtil::ClearTiles(Shape* shape) {
  ShapeUtil::ForEachMutableLeafShape(shape, [](Shape* leaf, const ShapeIndex&) {
    if (leaf->has_layout()) leaf->mutable_layout()->clear_tiles();
  });
}

bool LayoutUtil::IsDenseArray(const Shape& shape) { return shape.IsArray(); }

bool LayoutUtil::IsMonotonicWithDim0Minor(const Layout& layout) {
  return absl::c_is_sorted(layout.minor_to_major());
}

bool LayoutUtil::IsMonotonicWithDim0Major(const Layout& layout) {
  return absl::c_is_sorted(layout.minor_to_major(), std::greater<int64_t>());
}

bool LayoutUtil::HasLayout(const Shape& shape) {
  if (shape.IsTuple()) {
    return absl::c_all_of(shape.tuple_shapes(), [](const Shape& s) { return HasLayout(s); });
  }
  return !shape.IsArray() || shape.has_layout();
}

bool LayoutUtil::HasAnyLayout(const Shape& shape) {
  if (shape.IsTuple()) return absl::c_any_of(shape.tuple_shapes(), HasAnyLayout);
  return shape.has_layout();
}

bool LayoutUtil::HasLayout(const ProgramShape& program_shape) {
  return absl::c_all_of(program_shape.parameters(), [](const Shape& s) { return HasLayout(s); }) &&
         HasLayout(program_shape.result());
}

bool LayoutUtil::HasCustomElementSizeInBits(const Shape& shape) {
  if (shape.IsTuple()) return absl::c_any_of(shape.tuple_shapes(), HasCustomElementSizeInBits);
  return shape.has_layout() && shape.layout().element_size_in_bits() != 0;
}

bool LayoutUtil::Equal(const Layout& lhs, const Layout& rhs) { return lhs == rhs; }

absl::Span<const int64_t> LayoutUtil::MinorToMajor(const Shape& shape) {
  return shape.layout().minor_to_major();
}
absl::Span<const int64_t> LayoutUtil::MinorToMajor(const Layout& layout) {
  return layout.minor_to_major();
}
int64_t LayoutUtil::Major(const Layout& layout, int64_t physical_dimension_number) {
  return Minor(layout, layout.minor_to_major_size() - 1 - physical_dimension_number);
}
int64_t LayoutUtil::Minor(const Layout& layout, int64_t physical_dimension_number) {
  CHECK(physical_dimension_number >= 0 && physical_dimension_number < layout.minor_to_major_size())
      << "No physical dimension " << physical_dimension_number << " in " << layout.ToString();
  return layout.minor_to_major(physical_dimension_number);
}

std::vector<int64_t> LayoutUtil::MakeLogicalToPhysical(const Layout& layout) {
  const int64_t rank = layout.minor_to_major_size();
  std::vector<int64_t> logical_to_physical(rank);
  for (int64_t i = 0; i < rank; ++i) logical_to_physical[Major(layout, i)] = i;
  return logical_to_physical;
}

void LayoutUtil::PrintHumanString(Printer* printer, const Layout& layout) { layout.Print(printer); }
std::string LayoutUtil::HumanString(const Layout& layout) { return layout.ToString(); }

absl::Status LayoutUtil::CopyLayoutBetweenShapes(const Shape& src, Shape* dst) {
  if (src.IsTuple() != dst->IsTuple() || src.IsArray() != dst->IsArray() ||
      (src.IsTuple() && src.tuple_shapes_size() != dst->tuple_shapes_size()) ||
      (src.has_layout() && src.dimensions_size() != dst->dimensions_size())) {
    return InvalidArgument("Cannot copy the layout of %s to %s: the shapes differ in structure.",
                           src.ToString(/*print_layout=*/true), dst->ToString());
  }
  if (src.IsTuple()) {
    for (int i = 0; i < src.tuple_shapes_size(); ++i) {
      HILO_RETURN_IF_ERROR(
          CopyLayoutBetweenShapes(src.tuple_shapes(i), dst->mutable_tuple_shapes(i)));
    }
    return absl::OkStatus();
  }
  if (!src.has_layout()) {
    dst->clear_layout();
    return absl::OkStatus();
  }
  HILO_RETURN_IF_ERROR(ValidateLayoutForShape(src.layout(), *dst));
  *dst->mutable_layout() = src.layout();
  return absl::OkStatus();
}

bool LayoutUtil::LayoutsInShapesEqual(const Shape& lhs, const Shape& rhs,
                                      std::optional<Layout::Equal> equal) {
  if (lhs.IsTuple() || rhs.IsTuple()) {
    return lhs.IsTuple() && rhs.IsTuple() &&
           absl::c_equal(
               lhs.tuple_shapes(), rhs.tuple_shapes(),
               [&](const Shape& a, const Shape& b) { return LayoutsInShapesEqual(a, b, equal); });
  }
  if (lhs.has_layout() != rhs.has_layout()) return false;
  return !lhs.has_layout() || equal.value_or(Layout::Equal())(lhs.layout(), rhs.layout());
}

bool LayoutUtil::AreDimensionsConsecutive(const Layout& layout, absl::Span<const int64_t> dims) {
  std::vector<int64_t> positions;
  positions.reserve(dims.size());
  const absl::Span<const int64_t> minor_to_major = layout.minor_to_major();
  for (int64_t dimension : dims) positions.push_back(FindIndex(minor_to_major, dimension));
  absl::c_sort(positions);
  for (size_t i = 1; i < positions.size(); ++i) {
    if (positions[i] != positions[i - 1] + 1) return false;
  }
  return true;
}

namespace {

// The layout with `dim` at the given position of minor_to_major.
Layout MoveDimension(const Layout& layout, int64_t dim, int64_t position) {
  Layout result = layout;
  DimensionVector& minor_to_major = *result.mutable_minor_to_major();
  const auto it = absl::c_find(minor_to_major, dim);
  CHECK(it != minor_to_major.end()) << "No dimension " << dim << " in " << layout.ToString();
  MoveSingleElement(absl::MakeSpan(minor_to_major), it - minor_to_major.begin(), position);
  if (layout.split_configs().empty()) return result;
  const std::vector<int64_t> new_position = LayoutUtil::MakeLogicalToPhysical(result);
  for (int i = 0; i < result.split_configs_size(); ++i) {
    SplitConfig* config = result.mutable_split_configs(i);
    config->set_dimension(new_position[LayoutUtil::Major(layout, config->dimension())]);
  }
  return result;
}

}  // namespace

Layout LayoutUtil::MoveDimToMajor(const Layout& layout, int64_t dim) {
  return MoveDimension(layout, dim, layout.minor_to_major_size() - 1);
}

Layout LayoutUtil::MoveDimToMinor(const Layout& layout, int64_t dim) {
  return MoveDimension(layout, dim, 0);
}

int64_t LayoutUtil::MemorySpace(const Shape& shape) {
  return shape.has_layout() ? shape.layout().memory_space() : Layout::kDefaultMemorySpace;
}

bool LayoutUtil::ByteStridesIsMajorToMinor(absl::Span<const int64_t> byte_strides,
                                           absl::Span<const int64_t> dims,
                                           PrimitiveType element_type) {
  CHECK_EQ(byte_strides.size(), dims.size());
  int64_t stride = ShapeUtil::ByteSizeOfPrimitiveType(element_type);
  for (int64_t i = static_cast<int64_t>(dims.size()) - 1; i >= 0; --i) {
    if (dims[i] != 1 && byte_strides[i] != stride) return false;
    stride = SaturatingMultiply(stride, dims[i]);
  }
  return true;
}

// ---- Splits -------------------------------------------------------------------------------------

int64_t LayoutUtil::MaxSplitSize(const Shape& shape, int64_t dim) {
  const int64_t size = shape.dimensions(dim);
  if (!shape.has_layout()) return size;
  for (const SplitConfig& config : shape.layout().split_configs()) {
    if (LayoutUtil::Major(shape.layout(), config.dimension()) != dim) continue;
    int64_t largest = 0;
    int64_t start = 0;
    for (int64_t index : config.split_indices()) {
      largest = std::max(largest, index - start);
      start = index;
    }
    return std::max(largest, size - start);
  }
  return size;
}

int64_t LayoutUtil::MaxElementsInPerSplit(const Shape& shape) {
  int64_t elements = 1;
  for (int64_t i = 0; i < shape.dimensions_size(); ++i) {
    if (shape.is_unbounded_dynamic_dimension(i)) continue;
    elements = SaturatingMultiply(elements, MaxSplitSize(shape, i));
  }
  return elements;
}

std::optional<SplitConfig> LayoutUtil::GetSplitConfig(const Shape& shape) {
  if (!shape.has_layout() || shape.layout().split_configs().empty()) return std::nullopt;
  return shape.layout().split_configs(0);
}

}  // namespace xla

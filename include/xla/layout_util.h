// Functions on layouts and on the layouts in shapes.
#ifndef HILO_INCLUDE_XLA_LAYOUT_UTIL_H_
#define HILO_INCLUDE_XLA_LAYOUT_UTIL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/layout.h"
#include "xla/printer.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla {

class LayoutUtil {
 public:
  LayoutUtil() = delete;

  static Layout MakeLayout(absl::Span<const int64_t> minor_to_major,
                           absl::Span<const Tile> tiles = {},
                           int64_t tail_padding_alignment_in_elements = 1,
                           PrimitiveType index_primitive_type = PRIMITIVE_TYPE_INVALID,
                           PrimitiveType pointer_primitive_type = PRIMITIVE_TYPE_INVALID,
                           int64_t element_size_in_bits = 0, int64_t memory_space = 0,
                           absl::Span<const SplitConfig> split_configs = {},
                           std::optional<Shape> physical_shape = std::nullopt,
                           int64_t dynamic_shape_metadata_prefix_bytes = 0);
  static Layout MakeLayoutFromMajorToMinor(absl::Span<const int64_t> major_to_minor);

  // minor_to_major is {n-1, ..., 0}: row-major.
  static Layout MakeDescendingLayout(int64_t num_dims);
  static bool HasDescendingLayout(const Layout& layout);
  // minor_to_major is {0, ..., n-1}: column-major.
  static Layout MakeAscendingLayout(int64_t num_dims);
  static bool HasAscendingLayout(const Layout& layout);

  // The default is descending. Only arrays have a layout; other shapes give an empty one.
  static Layout GetDefaultLayoutForShape(const Shape& shape);
  static Layout GetDefaultLayoutForRank(int64_t num_dims);
  static Layout GetDefaultLayoutForR2();
  static Layout GetDefaultLayoutForR3();
  static Layout GetDefaultLayoutForR4();

  // Replace the layouts of all arrays in the shape.
  static void SetToDefaultLayout(Shape* shape);
  static Shape GetWithDefaultLayout(const Shape& shape);
  static void SetToDefaultLayout(ProgramShape* program_shape);

  // InvalidArgument unless every array of the shape has a layout (or none, when missing ones are
  // allowed) that fits it.
  static absl::Status ValidateLayoutInShape(const Shape& shape, bool allow_missing_layouts = false);
  // InvalidArgument unless the layout is one for the shape: minor_to_major is a permutation of its
  // dimensions, tiles are positive, sizes are not negative, split points are increasing and inside
  // the dimension.
  static absl::Status ValidateLayoutForShape(const Layout& layout, const Shape& shape);

  static void ClearLayout(Shape* shape);
  static void ClearLayout(ProgramShape* program_shape);
  static void ClearTiles(Shape* shape);

  static bool IsDenseArray(const Shape& shape);

  // Dimension 0 is the most minor (major) one and the others follow in order.
  static bool IsMonotonicWithDim0Minor(const Layout& layout);
  static bool IsMonotonicWithDim0Major(const Layout& layout);

  // True when all arrays of the shape have a layout; true for tokens and opaque shapes.
  static bool HasLayout(const Shape& shape);
  static bool HasAnyLayout(const Shape& shape);
  static bool HasLayout(const ProgramShape& program_shape);
  // True when some array's layout gives an element size.
  static bool HasCustomElementSizeInBits(const Shape& shape);

  static bool Equal(const Layout& lhs, const Layout& rhs);

  static absl::Span<const int64_t> MinorToMajor(const Shape& shape);
  static absl::Span<const int64_t> MinorToMajor(const Layout& layout);
  // The logical dimension at a physical position, counted from the major or from the minor side.
  static int64_t Major(const Layout& layout, int64_t physical_dimension_number);
  static int64_t Minor(const Layout& layout, int64_t physical_dimension_number);
  // For each logical dimension its physical position, counted from the major side.
  static std::vector<int64_t> MakeLogicalToPhysical(const Layout& layout);

  static void PrintHumanString(Printer* printer, const Layout& layout);
  static std::string HumanString(const Layout& layout);

  // Copies the layouts of src onto the arrays of dst, which must have the same tuple structure and
  // ranks.
  static absl::Status CopyLayoutBetweenShapes(const Shape& src, Shape* dst);
  // True when the shapes have the same tuple structure and equal layouts, missing ones included.
  static bool LayoutsInShapesEqual(const Shape& lhs, const Shape& rhs,
                                   std::optional<Layout::Equal> equal = std::nullopt);

  // True when the dimensions are neighbours in minor_to_major, in any order.
  static bool AreDimensionsConsecutive(const Layout& layout, absl::Span<const int64_t> dims);

  static Layout MoveDimToMajor(const Layout& layout, int64_t dim);
  static Layout MoveDimToMinor(const Layout& layout, int64_t dim);

  // Position, in elements, of an element in memory; all levels of tiles are respected. A missing
  // layout counts as the default.
  static int64_t LinearIndex(const Shape& shape, absl::Span<const int64_t> indices);
  static int64_t LinearIndexForNestedTiling(const Shape& shape, absl::Span<const int64_t> indices);
  // The inverse of LinearIndexForNestedTiling. Positions in padding give indices outside the shape.
  static std::vector<int64_t> DelinearizeIndexForNestedTiling(const Shape& shape,
                                                              int64_t linear_index);

  // The memory space of the array's layout, 0 without one.
  static int64_t MemorySpace(const Shape& shape);

  // True when the strides (in bytes) are those of a dense row-major array; strides of dimensions of
  // size 1 count for nothing.
  static bool ByteStridesIsMajorToMinor(absl::Span<const int64_t> byte_strides,
                                        absl::Span<const int64_t> dims, PrimitiveType element_type);

  // The size along `dim` of the largest piece that the split config makes; the whole size without
  // one.
  static int64_t MaxSplitSize(const Shape& shape, int64_t dim);
  // The number of elements of the largest piece.
  static int64_t MaxElementsInPerSplit(const Shape& shape);
  // The first split config of the layout, if any.
  static std::optional<SplitConfig> GetSplitConfig(const Shape& shape);

  // True when the tiles do not change where any element of an array of these physical dimensions
  // (major to minor) lies.
  static bool IsUntiledLayout(absl::Span<const Tile> tiles, absl::Span<const int64_t> shape);
};

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_LAYOUT_UTIL_H_

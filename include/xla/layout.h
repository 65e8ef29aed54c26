// How the elements of an array are laid out in memory: order of dimensions, tiles, element size,
// memory space.
#ifndef HILO_INCLUDE_XLA_LAYOUT_H_
#define HILO_INCLUDE_XLA_LAYOUT_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/printer.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {

class Shape;

// One level of tiling, written T(8,128) in text. Dimensions are in elements, major to minor.
class Tile {
 public:
  // A tile dimension of this size merges the dimension into the next more minor one; '*' in text.
  static constexpr int64_t kCombineDimension = std::numeric_limits<int64_t>::min();

  Tile() = default;
  explicit Tile(absl::Span<const int64_t> dimensions)
      : dimensions_(dimensions.begin(), dimensions.end()) {}

  // InvalidArgument when a dimension is neither positive nor kCombineDimension.
  static absl::StatusOr<Tile> FromProto(const TileProto& tile_proto);
  void ToProto(TileProto& tile_proto) const;
  TileProto ToProto() const;

  void Print(Printer* printer) const;
  std::string ToString() const;

  int64_t dimension(int i) const { return dimensions_[i]; }
  absl::Span<const int64_t> dimensions() const { return dimensions_; }
  Tile& add_dimensions(int64_t value) {
    dimensions_.push_back(value);
    return *this;
  }
  Tile& clear_dimensions() {
    dimensions_.clear();
    return *this;
  }

  bool operator==(const Tile& other) const { return dimensions() == other.dimensions(); }
  bool operator!=(const Tile& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const Tile& tile) {
    return H::combine(std::move(h), tile.dimensions_);
  }

 private:
  absl::InlinedVector<int64_t, 2> dimensions_;
};

std::ostream& operator<<(std::ostream& out, const Tile& tile);

using TileVector = absl::InlinedVector<Tile, 3>;

// Where an array is cut into pieces along one dimension, written SC(0:8,16) in text. The dimension
// is a physical one: 0 is the most major dimension of the layout.
class SplitConfig {
 public:
  SplitConfig(int64_t dimension, absl::Span<const int64_t> split_indices)
      : dimension_(dimension), split_indices_(split_indices.begin(), split_indices.end()) {}

  static SplitConfig CreateFromProto(const SplitConfigProto& split_config_proto);
  void ToProto(SplitConfigProto& split_config_proto) const;
  SplitConfigProto ToProto() const;
  std::string ToString() const;

  int64_t dimension() const { return dimension_; }
  SplitConfig& set_dimension(int64_t dimension) {
    dimension_ = dimension;
    return *this;
  }
  absl::Span<const int64_t> split_indices() const { return split_indices_; }
  int64_t split_indices(int64_t idx) const { return split_indices_[idx]; }
  int64_t split_indices_size() const { return split_indices_.size(); }
  SplitConfig& add_split_indices(int64_t split_index) {
    split_indices_.push_back(split_index);
    return *this;
  }
  SplitConfig& clear_split_indices() {
    split_indices_.clear();
    return *this;
  }

  bool operator==(const SplitConfig& other) const {
    return dimension_ == other.dimension_ && split_indices() == other.split_indices();
  }
  bool operator!=(const SplitConfig& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const SplitConfig& config) {
    return H::combine(std::move(h), config.dimension_, config.split_indices_);
  }

 private:
  int64_t dimension_;
  absl::InlinedVector<int64_t, 1> split_indices_;
};

std::ostream& operator<<(std::ostream& out, const SplitConfig& config);

// A layout is a value. The order of dimensions is held inline; everything else is rare and is
// allocated when it is first set to something.
class Layout {
 public:
  static constexpr int64_t kDefaultMemorySpace = 0;
  static constexpr int64_t kGenericFastMemorySpace = 1;
  static constexpr int64_t kHostMemorySpace = 5;
  static constexpr int64_t kUnpinnedHostMemorySpace = 6;

  Layout() = default;
  explicit Layout(absl::Span<const int64_t> minor_to_major)
      : minor_to_major_(minor_to_major.begin(), minor_to_major.end()) {}
  Layout(absl::Span<const int64_t> minor_to_major, absl::Span<const Tile> tiles,
         int64_t element_size_in_bits);
  Layout(absl::Span<const int64_t> minor_to_major, absl::Span<const Tile> tiles,
         PrimitiveType index_primitive_type = PRIMITIVE_TYPE_INVALID,
         PrimitiveType pointer_primitive_type = PRIMITIVE_TYPE_INVALID,
         int64_t tail_padding_alignment_in_elements = 1, int64_t element_size_in_bits = 0,
         int64_t memory_space = 0, absl::Span<const SplitConfig> split_configs = {},
         std::unique_ptr<Shape> physical_shape = nullptr,
         int64_t dynamic_shape_metadata_prefix_bytes = 0);
  Layout(const Layout& other)
      : minor_to_major_(other.minor_to_major_),
        extra_(other.extra_ ? CopyExtra(*other.extra_) : nullptr) {}
  Layout(Layout&& other) = default;
  Layout& operator=(const Layout& other) {
    if (this != &other) {
      minor_to_major_ = other.minor_to_major_;
      extra_.reset(other.extra_ ? CopyExtra(*other.extra_) : nullptr);
    }
    return *this;
  }
  Layout& operator=(Layout&& other) = default;
  ~Layout() = default;

  // InvalidArgument when minor_to_major is not a permutation, a size is negative, a tile or a
  // physical shape is malformed. A tail padding alignment of 0 is read as 1.
  static absl::StatusOr<Layout> FromProto(const LayoutProto& proto);
  // The same for protos that are known to be good; a malformed one gives an empty layout.
  static Layout CreateFromProto(const LayoutProto& proto);
  void ToProto(LayoutProto& proto) const;
  LayoutProto ToProto() const;

  // The text form, "{1,0:T(8,128)E(4)S(1)}".
  void Print(Printer* printer) const;
  std::string ToString() const;

  // Compares two layouts; each method leaves one property out of the comparison.
  class Equal {
   public:
    Equal() = default;
    bool operator()(const Layout& lhs, const Layout& rhs) const;

    Equal& IgnoreTiles() { return Set(ignore_tiles_); }
    Equal& IgnoreTailPaddingAlignmentInElements() { return Set(ignore_tail_padding_alignment_); }
    Equal& IgnoreIndexPrimitiveType() { return Set(ignore_index_primitive_type_); }
    Equal& IgnorePointerPrimitiveType() { return Set(ignore_pointer_primitive_type_); }
    Equal& IgnoreMemorySpace() { return Set(ignore_memory_space_); }
    Equal& IgnoreSplitConfigs() { return Set(ignore_split_configs_); }
    Equal& IgnorePhysicalShape() { return Set(ignore_physical_shape_); }
    Equal& IgnoreElementSize() { return Set(ignore_element_size_); }
    Equal& IgnoreDynamicShapeMetadataPrefixBytes() { return Set(ignore_metadata_prefix_); }
    Equal& MinorToMajorOnly() {
      return IgnoreTiles()
          .IgnoreTailPaddingAlignmentInElements()
          .IgnoreIndexPrimitiveType()
          .IgnorePointerPrimitiveType()
          .IgnoreMemorySpace()
          .IgnoreSplitConfigs()
          .IgnorePhysicalShape()
          .IgnoreElementSize()
          .IgnoreDynamicShapeMetadataPrefixBytes();
    }

   private:
    Equal& Set(bool& flag) {
      flag = true;
      return *this;
    }

    bool ignore_tiles_ = false;
    bool ignore_tail_padding_alignment_ = false;
    bool ignore_index_primitive_type_ = false;
    bool ignore_pointer_primitive_type_ = false;
    bool ignore_memory_space_ = false;
    bool ignore_split_configs_ = false;
    bool ignore_physical_shape_ = false;
    bool ignore_element_size_ = false;
    bool ignore_metadata_prefix_ = false;
  };

  bool operator==(const Layout& other) const { return Equal()(*this, other); }
  bool operator!=(const Layout& other) const { return !(*this == other); }
  template <typename H>
  friend H AbslHashValue(H h, const Layout& layout) {
    const Extra& extra = layout.extra();
    return H::combine(std::move(h), layout.minor_to_major_, extra.tiles, extra.element_size_in_bits,
                      extra.memory_space, extra.split_configs,
                      extra.tail_padding_alignment_in_elements);
  }

  // The dimensions of the array from the fastest varying to the slowest varying one.
  int minor_to_major_size() const { return minor_to_major_.size(); }
  int64_t minor_to_major(int index) const { return minor_to_major_[index]; }
  Layout& set_minor_to_major(int index, int64_t value) {
    minor_to_major_[index] = value;
    return *this;
  }
  Layout& add_minor_to_major(int64_t value) {
    minor_to_major_.push_back(value);
    return *this;
  }
  Layout& clear_minor_to_major() {
    minor_to_major_.clear();
    return *this;
  }
  absl::Span<const int64_t> minor_to_major() const { return minor_to_major_; }
  DimensionVector* mutable_minor_to_major() { return &minor_to_major_; }

  // Removes one dimension of the array and the split configs along it; the ones above it move down
  // by one. CHECKs that it is there.
  Layout& DeleteDimension(int dim_to_delete);

  // Tiles from the outermost level to the innermost.
  int64_t tiles_size() const { return extra().tiles.size(); }
  const Tile& tiles(int index) const { return extra().tiles[index]; }
  Tile* mutable_tiles(int index) { return &mutable_extra().tiles[index]; }
  Tile* add_tiles() { return &mutable_extra().tiles.emplace_back(); }
  Layout& clear_tiles() {
    if (extra_ != nullptr) extra_->tiles.clear();
    return *this;
  }
  absl::Span<const Tile> tiles() const { return extra().tiles; }
  TileVector* mutable_tiles() { return &mutable_extra().tiles; }

  // Bits one element takes in memory; 0 means the natural size of the element type.
  int64_t element_size_in_bits() const { return extra().element_size_in_bits; }
  Layout& set_element_size_in_bits(int64_t value) {
    return SetExtra(&Extra::element_size_in_bits, value);
  }
  // The array is padded at its end to a multiple of this many elements.
  int64_t tail_padding_alignment_in_elements() const {
    return extra().tail_padding_alignment_in_elements;
  }
  Layout& set_tail_padding_alignment_in_elements(int64_t value) {
    return SetExtra(&Extra::tail_padding_alignment_in_elements, value);
  }
  PrimitiveType index_primitive_type() const { return extra().index_primitive_type; }
  Layout& set_index_primitive_type(PrimitiveType value) {
    return SetExtra(&Extra::index_primitive_type, value);
  }
  PrimitiveType pointer_primitive_type() const { return extra().pointer_primitive_type; }
  Layout& set_pointer_primitive_type(PrimitiveType value) {
    return SetExtra(&Extra::pointer_primitive_type, value);
  }
  int64_t memory_space() const { return extra().memory_space; }
  Layout& set_memory_space(int64_t value) { return SetExtra(&Extra::memory_space, value); }

  int split_configs_size() const { return extra().split_configs.size(); }
  const SplitConfig& split_configs(int index) const { return extra().split_configs[index]; }
  SplitConfig* mutable_split_configs(int index) { return &mutable_extra().split_configs[index]; }
  Layout& add_split_configs(const SplitConfig& split_config) {
    mutable_extra().split_configs.push_back(split_config);
    return *this;
  }
  void clear_split_configs() {
    if (extra_ != nullptr) extra_->split_configs.clear();
  }
  absl::Span<const SplitConfig> split_configs() const { return extra().split_configs; }

  // The shape of the buffer that really holds the data, for encodings that are not plain arrays.
  bool has_physical_shape() const { return extra().physical_shape != nullptr; }
  const Shape& physical_shape() const {
    CHECK(has_physical_shape()) << "The layout has no physical shape.";
    return *extra().physical_shape;
  }
  Shape* mutable_physical_shape();
  void clear_physical_shape();

  // Bytes before the elements that hold the sizes of dynamic dimensions.
  int64_t dynamic_shape_metadata_prefix_bytes() const {
    return extra().dynamic_shape_metadata_prefix_bytes;
  }
  Layout& set_dynamic_shape_metadata_prefix_bytes(int64_t bytes) {
    return SetExtra(&Extra::dynamic_shape_metadata_prefix_bytes, bytes);
  }

  void Swap(Layout* other) { std::swap(*this, *other); }
  void Clear() { *this = Layout(); }

 private:
  struct Extra {
    Extra();
    Extra(const Extra& other);
    ~Extra();

    TileVector tiles;
    absl::InlinedVector<SplitConfig, 1> split_configs;
    PrimitiveType index_primitive_type = PRIMITIVE_TYPE_INVALID;
    PrimitiveType pointer_primitive_type = PRIMITIVE_TYPE_INVALID;
    int64_t element_size_in_bits = 0;
    int64_t memory_space = kDefaultMemorySpace;
    int64_t tail_padding_alignment_in_elements = 1;
    int64_t dynamic_shape_metadata_prefix_bytes = 0;
    std::unique_ptr<Shape> physical_shape;
  };

  static const Extra& DefaultExtra();
  static Extra* CopyExtra(const Extra& extra);
  static bool EqualPhysicalShapes(const Extra& a, const Extra& b);
  const Extra& extra() const { return extra_ != nullptr ? *extra_ : DefaultExtra(); }
  Extra& mutable_extra();
  template <typename T>
  Layout& SetExtra(T Extra::*field, T value) {
    if (extra().*field != value) mutable_extra().*field = value;
    return *this;
  }

  DimensionVector minor_to_major_;
  std::unique_ptr<Extra> extra_;
};

std::ostream& operator<<(std::ostream& out, const Layout& layout);

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_LAYOUT_H_

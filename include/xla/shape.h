// The type of a value: an array of elements, a tuple of shapes, a token, an opaque object or a
// buffer.
#ifndef HILO_INCLUDE_XLA_SHAPE_H_
#define HILO_INCLUDE_XLA_SHAPE_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/layout.h"
#include "xla/primitive_util.h"
#include "xla/printer.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {

// A shape is a value type. Accessors CHECK that they are called on the right kind of shape. Of a
// buffer, which wraps one array, the accessors of element type, dimensions and layout see that
// array.
//
// A dimension is static (a size >= 0), bounded dynamic (the size is an upper bound, "<=4" in text)
// or unbounded dynamic (kUnboundedSize, "?" in text).
class Shape {
 public:
  static constexpr int64_t kUnboundedSize = std::numeric_limits<int64_t>::min();
  // The deepest nesting of tuples that the checks (FromProto, ShapeUtil::ValidateShape, ...) let
  // through.
  static constexpr int kMaxNestingDepth = 1000;

  // True for sizes >= 0, and for kUnboundedSize when is_dynamic.
  static bool IsValidDimensionSize(int64_t size, bool is_dynamic) {
    return size >= 0 || (size == kUnboundedSize && is_dynamic);
  }

  // An invalid shape: of element type PRIMITIVE_TYPE_INVALID.
  Shape() = default;
  // A scalar, an empty tuple, a token or an opaque shape.
  explicit Shape(PrimitiveType element_type) : element_type_(element_type) {
    if (element_type == BUFFER) tuple_shapes_.emplace_back();
  }
  // An array without layout. dynamic_dimensions is empty (all static) or as long as dimensions.
  explicit Shape(PrimitiveType element_type, absl::Span<const int64_t> dimensions,
                 absl::Span<const bool> dynamic_dimensions = {});
  explicit Shape(std::vector<Shape> tuple_shapes)
      : element_type_(TUPLE), tuple_shapes_(std::move(tuple_shapes)) {}

  // InvalidArgument, naming the field, when the proto is malformed: see
  // ShapeUtil::ValidateShapeWithOptionalLayout.
  static absl::StatusOr<Shape> FromProto(const ShapeProto& shape_proto);
  void ToProto(ShapeProto& proto) const;
  ShapeProto ToProto() const;

  // The text form: "f32[2,<=3]", "(s32[], token[])", with layout "f32[2,3]{1,0}".
  void Print(Printer* printer, bool print_layout = false) const;
  std::string ToString(bool print_layout = false) const;

  bool IsArrayExcludingBuffer() const { return primitive_util::IsArrayType(element_type_); }
  bool IsArray() const { return IsArrayExcludingBuffer() || IsBuffer(); }
  bool IsTuple() const { return element_type_ == TUPLE; }
  bool IsBuffer() const { return element_type_ == BUFFER; }
  bool IsToken() const { return element_type_ == TOKEN; }
  bool IsOpaque() const { return element_type_ == OPAQUE_TYPE; }

  // True when all leaves are arrays of an integral type.
  bool AreAllLeavesIntegers() const;

  // These look at every array of a tuple.
  bool is_static() const;
  bool is_dynamic() const { return !is_static(); }
  bool is_unbounded_dynamic() const;
  bool is_bounded_dynamic() const;

  bool is_dynamic_dimension(int dimension) const { return array().dynamic_dimensions_[dimension]; }
  bool is_static_dimension(int dimension) const { return !is_dynamic_dimension(dimension); }
  bool is_unbounded_dynamic_dimension(int dimension) const {
    return dimensions(dimension) == kUnboundedSize;
  }
  bool is_bounded_dynamic_dimension(int dimension) const {
    return is_dynamic_dimension(dimension) && !is_unbounded_dynamic_dimension(dimension);
  }
  void set_unbounded_dynamic_dimension(int dimension) {
    set_dimensions(dimension, kUnboundedSize, true);
  }
  // CHECKs that an unbounded dimension is not made static.
  void set_dynamic_dimension(int dimension, bool is_dynamic);
  absl::Span<const bool> dynamic_dimensions() const { return array().dynamic_dimensions_; }

  // Remove dimensions, from the layout too. The numbers must be within rank and, for
  // DeleteDimensions, distinct.
  void DeleteDimension(int64_t dim_to_delete);
  void DeleteDimensions(absl::Span<const int64_t> dims_to_delete);

  // BUFFER for a buffer, where element_type() is the type of the array's elements.
  PrimitiveType element_type_including_buffer() const { return element_type_; }
  PrimitiveType element_type() const { return array().element_type_; }
  // Drops what the new kind of shape cannot have: dimensions and layout, or tuple elements.
  void set_element_type(PrimitiveType value);

  // Empty for shapes that are no arrays.
  absl::Span<const int64_t> dimensions() const { return array().dimensions_; }
  int dimensions_size() const { return array().dimensions_.size(); }
  int64_t dimensions(int index) const { return array().dimensions_[index]; }
  // The size of the index-th dimension from the minor side of the layout.
  int64_t dimensions_minor(int index) const { return dimensions(layout().minor_to_major(index)); }
  // Without is_dynamic the dimension stays static or dynamic as it is (unbounded makes it dynamic).
  void set_dimensions(int index, int64_t size, std::optional<bool> is_dynamic = std::nullopt);
  void set_dimensions_minor(int index, int64_t size,
                            std::optional<bool> is_dynamic = std::nullopt) {
    set_dimensions(layout().minor_to_major(index), size, is_dynamic);
  }
  // Appends a dimension; the layout, if any, is not changed.
  void add_dimensions(int64_t value, bool is_dynamic = false);
  void clear_dimensions();

  int tuple_shapes_size() const { return tuple_shapes().size(); }
  const Shape& tuple_shapes(int index) const;
  Shape* mutable_tuple_shapes(int index);
  Shape* add_tuple_shapes() { return &mutable_tuple_shapes()->emplace_back(); }
  void clear_tuple_shapes() { mutable_tuple_shapes()->clear(); }
  const std::vector<Shape>& tuple_shapes() const {
    CHECK(IsTuple()) << ToString() << " is not a tuple shape.";
    return tuple_shapes_;
  }
  std::vector<Shape>* mutable_tuple_shapes() {
    CHECK(IsTuple()) << ToString() << " is not a tuple shape.";
    return &tuple_shapes_;
  }
  const Shape& buffer_shape() const {
    CHECK(IsBuffer()) << ToString() << " is not a buffer shape.";
    return tuple_shapes_.front();
  }

  bool has_layout() const { return array().layout_.has_value(); }
  const Layout& layout() const {
    CHECK(has_layout()) << ToString() << " has no layout.";
    return *array().layout_;
  }
  // Adds an empty layout when there is none. CHECKs that the shape is an array.
  Layout* mutable_layout();
  void clear_layout() { mutable_array().layout_.reset(); }

  // Makes bounded dynamic dimensions static, of every array in a tuple. CHECKs that none is
  // unbounded.
  void clear_dynamic_dimensions();

  void Clear() { *this = Shape(); }

  // Compares two shapes, of tuples element by element; each method leaves one property out of the
  // comparison.
  class Equal {
   public:
    Equal() = default;
    bool operator()(const Shape& lhs, const Shape& rhs) const;

    Equal& IgnoreLayout(bool ignore_layout = true) {
      ignore_layout_ = ignore_layout;
      return *this;
    }
    Equal& IgnoreTilesInLayout() { return Set(ignore_tiles_in_layout_); }
    Equal& IgnoreElementSizeInLayout() { return Set(ignore_element_size_in_layout_); }
    Equal& IgnoreMemorySpaceInLayout() { return Set(ignore_memory_space_in_layout_); }
    Equal& IgnoreTailPaddingAlignmentInElements() { return Set(ignore_tail_padding_alignment_); }
    Equal& IgnoreSplitConfigInLayout() { return Set(ignore_split_config_in_layout_); }
    Equal& MinorToMajorOnlyInLayout() { return Set(minor_to_major_only_in_layout_); }
    Equal& IgnoreElementType() { return Set(ignore_element_type_); }
    // All floating-point types are the same.
    Equal& IgnoreFpPrecision() { return Set(ignore_fp_precision_); }
    Equal& IgnoreDynamicDimension() { return Set(ignore_dynamic_dimension_); }
    // Sizes are not compared, ranks are.
    Equal& IgnoreDimensions() { return Set(ignore_dimensions_); }
    // A buffer is the same as its array.
    Equal& IgnoreBuffer(bool ignore_buffer = true) {
      ignore_buffer_ = ignore_buffer;
      return *this;
    }

   private:
    Equal& Set(bool& flag) {
      flag = true;
      return *this;
    }
    bool EqualElementTypes(const Shape& lhs, const Shape& rhs) const;
    bool EqualDimensions(const Shape& lhs, const Shape& rhs) const;
    bool EqualLayouts(const Shape& lhs, const Shape& rhs) const;

    bool ignore_layout_ = false;
    bool ignore_tiles_in_layout_ = false;
    bool ignore_element_size_in_layout_ = false;
    bool ignore_memory_space_in_layout_ = false;
    bool ignore_tail_padding_alignment_ = false;
    bool ignore_split_config_in_layout_ = false;
    bool minor_to_major_only_in_layout_ = false;
    bool ignore_element_type_ = false;
    bool ignore_fp_precision_ = false;
    bool ignore_dynamic_dimension_ = false;
    bool ignore_dimensions_ = false;
    bool ignore_buffer_ = false;
  };

  bool operator==(const Shape& other) const { return Equal()(*this, other); }
  bool operator!=(const Shape& other) const { return !(*this == other); }

  template <typename H, bool kIsLayoutSensitive = true>
  static H Hash(H h, const Shape& s) {
    h = H::combine(std::move(h), static_cast<int>(s.element_type_), s.dimensions_,
                   s.dynamic_dimensions_);
    if (kIsLayoutSensitive && s.layout_.has_value()) h = H::combine(std::move(h), *s.layout_);
    for (const Shape& element : s.tuple_shapes_) {
      h = Hash<H, kIsLayoutSensitive>(std::move(h), element);
    }
    return H::combine(std::move(h), s.tuple_shapes_.size());
  }
  template <typename H>
  friend H AbslHashValue(H h, const Shape& s) {
    return Hash(std::move(h), s);
  }

 private:
  friend class ShapeUtil;

  const Shape& array() const { return IsBuffer() ? tuple_shapes_.front() : *this; }
  Shape& mutable_array() { return IsBuffer() ? tuple_shapes_.front() : *this; }
  void PrintDimensions(Printer* printer) const;

  PrimitiveType element_type_ = PRIMITIVE_TYPE_INVALID;
  DimensionVector dimensions_;
  absl::InlinedVector<bool, InlineRank()> dynamic_dimensions_;  // One flag per dimension.
  std::optional<Layout> layout_;
  std::vector<Shape> tuple_shapes_;  // The elements of a tuple, the one array of a buffer.
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);

// The shapes of a computation's parameters and of its result.
class ProgramShape {
 public:
  ProgramShape() = default;

  // InvalidArgument when a shape is malformed or there are more names than parameters.
  static absl::StatusOr<ProgramShape> FromProto(const ProgramShapeProto& program_shape_proto);
  void ToProto(ProgramShapeProto& proto) const;
  ProgramShapeProto ToProto() const;

  // "(x: f32[2], y: s32[]) -> f32[2]", without layouts.
  void Print(Printer* printer) const;
  std::string ToString() const;

  int parameters_size() const { return parameters_.size(); }
  const Shape& parameters(int index) const { return parameters_[index]; }
  Shape* mutable_parameters(int index) { return &parameters_[index]; }
  void AddParameter(Shape shape, std::string name) {
    parameters_.push_back(std::move(shape));
    parameter_names_.push_back(std::move(name));
  }
  void clear_parameters() {
    parameters_.clear();
    parameter_names_.clear();
  }
  const std::vector<Shape>& parameters() const { return parameters_; }

  const Shape& result() const { return result_; }
  Shape* mutable_result() { return &result_; }

  const std::string& parameter_names(int index) const { return parameter_names_[index]; }
  void set_parameter_names(int index, const std::string& value) { parameter_names_[index] = value; }
  void clear_parameter_names() { parameter_names_.assign(parameters_.size(), ""); }
  const std::vector<std::string>& parameter_names() const { return parameter_names_; }

  bool operator==(const ProgramShape& other) const {
    return parameters_ == other.parameters_ && parameter_names_ == other.parameter_names_ &&
           result_ == other.result_;
  }
  bool operator!=(const ProgramShape& other) const { return !(*this == other); }

 private:
  std::vector<Shape> parameters_;
  std::vector<std::string> parameter_names_;  // As many as there are parameters.
  Shape result_;
};

std::ostream& operator<<(std::ostream& out, const ProgramShape& program_shape);

}  // namespace xla

#endif  // HILO_INCLUDE_XLA_SHAPE_H_

#include "xla/shape.h"

#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "data/shape_proto.h"
#include "xla/shape_util.h"

namespace xla {

Shape::Shape(PrimitiveType element_type, absl::Span<const int64_t> dimensions,
             absl::Span<const bool> dynamic_dimensions)
    : Shape(element_type) {
  dimensions_.assign(dimensions.begin(), dimensions.end());
  dynamic_dimensions_.assign(dynamic_dimensions.begin(), dynamic_dimensions.end());
  CHECK(IsArrayExcludingBuffer() || dimensions.empty())
      << ToString() << " is not an array and has no dimensions.";
  dynamic_dimensions_.resize(dimensions.size(), false);
  CHECK(dynamic_dimensions.empty() || dynamic_dimensions.size() == dimensions.size());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] == kUnboundedSize) dynamic_dimensions_[i] = true;
    CHECK(IsValidDimensionSize(dimensions[i], dynamic_dimensions_[i]))
        << "Dimension " << i << " has the invalid size " << dimensions[i];
  }
}

namespace {

absl::Status ArrayFromProto(const ShapeProto& proto, int depth, Shape& shape) {
  if (proto.tuple_shapes_size() != 0) {
    return InvalidArgument("ShapeProto: an array has %d tuple_shapes.", proto.tuple_shapes_size());
  }
  const int flags = proto.is_dynamic_dimension_size();
  if (flags != 0 && flags != proto.dimensions_size()) {
    return InvalidArgument("ShapeProto: %d dimensions but %d is_dynamic_dimension flags.",
                           proto.dimensions_size(), flags);
  }
  for (int i = 0; i < proto.dimensions_size(); ++i) {
    const int64_t size = proto.dimensions(i);
    const bool is_dynamic = flags != 0 && proto.is_dynamic_dimension(i);
    if (!Shape::IsValidDimensionSize(size, is_dynamic)) {
      return InvalidArgument("ShapeProto: dimension %d has the invalid size %d.", i, size);
    }
    shape.add_dimensions(size, is_dynamic);
  }
  if (!proto.has_layout()) return absl::OkStatus();
  HILO_ASSIGN_OR_RETURN(*shape.mutable_layout(), LayoutFromProto(proto.layout(), depth));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> ShapeFromProto(const ShapeProto& proto, int depth) {
  if (depth > Shape::kMaxNestingDepth) {
    return InvalidArgument("ShapeProto: nested deeper than %d levels.", Shape::kMaxNestingDepth);
  }
  const PrimitiveType type = proto.element_type();
  if (!PrimitiveType_IsValid(type) || type == PRIMITIVE_TYPE_INVALID) {
    return InvalidArgument("ShapeProto: invalid element_type %d.", static_cast<int>(type));
  }
  Shape shape(type);
  if (shape.IsArrayExcludingBuffer()) {
    HILO_RETURN_IF_ERROR(ArrayFromProto(proto, depth, shape));
    return shape;
  }
  const char* const name = primitive_util::LowercasePrimitiveTypeName(type).c_str();
  if (proto.dimensions_size() != 0 || proto.is_dynamic_dimension_size() != 0 ||
      proto.layout().minor_to_major_size() != 0) {
    return InvalidArgument("ShapeProto: a %s has dimensions or a layout.", name);
  }
  if (shape.IsBuffer()) {
    if (proto.tuple_shapes_size() != 1) {
      return InvalidArgument("ShapeProto: a buffer must have one of tuple_shapes, not %d.",
                             proto.tuple_shapes_size());
    }
    HILO_ASSIGN_OR_RETURN(Shape element, ShapeFromProto(proto.tuple_shapes(0), depth + 1));
    return ShapeUtil::MakeValidatedBufferShape(std::move(element));
  }
  if (!shape.IsTuple() && proto.tuple_shapes_size() != 0) {
    return InvalidArgument("ShapeProto: a %s has tuple_shapes.", name);
  }
  if (shape.IsTuple()) shape.mutable_tuple_shapes()->reserve(proto.tuple_shapes_size());
  for (const ShapeProto& element : proto.tuple_shapes()) {
    HILO_ASSIGN_OR_RETURN(*shape.add_tuple_shapes(), ShapeFromProto(element, depth + 1));
  }
  return shape;
}

absl::StatusOr<Shape> Shape::FromProto(const ShapeProto& shape_proto) {
  HILO_ASSIGN_OR_RETURN(Shape shape, ShapeFromProto(shape_proto, /*depth=*/0));
  HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
  return shape;
}

void Shape::ToProto(ShapeProto& proto) const {
  proto.Clear();
  proto.set_element_type(element_type_);
  proto.mutable_dimensions()->Assign(dimensions_.begin(), dimensions_.end());
  proto.mutable_is_dynamic_dimension()->Assign(dynamic_dimensions_.begin(),
                                               dynamic_dimensions_.end());
  for (const Shape& element : tuple_shapes_) element.ToProto(*proto.add_tuple_shapes());
  if (layout_.has_value()) layout_->ToProto(*proto.mutable_layout());
}

ShapeProto Shape::ToProto() const {
  ShapeProto proto;
  ToProto(proto);
  return proto;
}

void Shape::PrintDimensions(Printer* printer) const {
  printer->Append(primitive_util::LowercasePrimitiveTypeName(element_type_));
  printer->Append("[");
  for (size_t i = 0; i < dimensions_.size(); ++i) {
    if (i > 0) printer->Append(",");
    if (dimensions_[i] == kUnboundedSize) {
      printer->Append("?");
      continue;
    }
    if (dynamic_dimensions_[i]) printer->Append("<=");
    printer->Append(dimensions_[i]);
  }
  printer->Append("]");
}

void Shape::Print(Printer* printer, bool print_layout) const {
  if (IsBuffer()) {
    printer->Append("b(");
    buffer_shape().Print(printer, print_layout);
    printer->Append(")");
    return;
  }
  if (!IsTuple()) {
    PrintDimensions(printer);
    // A scalar's empty layout is not shown.
    if (print_layout && layout_.has_value() && (!dimensions_.empty() || *layout_ != Layout())) {
      layout_->Print(printer);
    }
    return;
  }
  constexpr int kIndexCommentInterval = 5;
  printer->Append("(");
  for (size_t i = 0; i < tuple_shapes_.size(); ++i) {
    if (i > 0) printer->Append(", ");
    if (i > 0 && i % kIndexCommentInterval == 0) AppendCat(printer, "/*index=", i, "*/");
    tuple_shapes_[i].Print(printer, print_layout);
  }
  printer->Append(")");
}

std::string Shape::ToString(bool print_layout) const {
  StringPrinter printer;
  Print(&printer, print_layout);
  return std::move(printer).ToString();
}

bool Shape::AreAllLeavesIntegers() const {
  if (!IsTuple()) return primitive_util::IsIntegralType(element_type());
  return std::all_of(tuple_shapes_.begin(), tuple_shapes_.end(),
                     [](const Shape& element) { return element.AreAllLeavesIntegers(); });
}

bool Shape::is_static() const {
  auto is_false = [](bool dynamic) { return !dynamic; };
  return std::all_of(dynamic_dimensions_.begin(), dynamic_dimensions_.end(), is_false) &&
         std::all_of(tuple_shapes_.begin(), tuple_shapes_.end(),
                     [](const Shape& element) { return element.is_static(); });
}

bool Shape::is_unbounded_dynamic() const {
  return std::find(dimensions_.begin(), dimensions_.end(), kUnboundedSize) != dimensions_.end() ||
         std::any_of(tuple_shapes_.begin(), tuple_shapes_.end(),
                     [](const Shape& element) { return element.is_unbounded_dynamic(); });
}

bool Shape::is_bounded_dynamic() const {
  for (size_t i = 0; i < dimensions_.size(); ++i) {
    if (dynamic_dimensions_[i] && dimensions_[i] != kUnboundedSize) return true;
  }
  return std::any_of(tuple_shapes_.begin(), tuple_shapes_.end(),
                     [](const Shape& element) { return element.is_bounded_dynamic(); });
}

void Shape::set_dynamic_dimension(int dimension, bool is_dynamic) {
  CHECK(IsValidDimensionSize(dimensions(dimension), is_dynamic))
      << "The unbounded dimension " << dimension << " of " << ToString() << " cannot be static.";
  mutable_array().dynamic_dimensions_[dimension] = is_dynamic;
}

void Shape::DeleteDimension(int64_t dim_to_delete) {
  Shape& array = mutable_array();
  CHECK(dim_to_delete >= 0 && dim_to_delete < array.dimensions_size())
      << "No dimension " << dim_to_delete << " in " << ToString();
  array.dimensions_.erase(array.dimensions_.begin() + dim_to_delete);
  array.dynamic_dimensions_.erase(array.dynamic_dimensions_.begin() + dim_to_delete);
  if (array.layout_.has_value()) array.layout_->DeleteDimension(dim_to_delete);
}

void Shape::DeleteDimensions(absl::Span<const int64_t> dims_to_delete) {
  std::vector<int64_t> sorted(dims_to_delete.begin(), dims_to_delete.end());
  std::sort(sorted.rbegin(), sorted.rend());
  for (int64_t dimension : sorted) DeleteDimension(dimension);
}

void Shape::set_element_type(PrimitiveType value) {
  if (IsBuffer() && primitive_util::IsArrayType(value)) {
    tuple_shapes_.front().set_element_type(value);
    return;
  }
  if (!primitive_util::IsArrayType(value) && value != PRIMITIVE_TYPE_INVALID) {
    clear_dimensions();
    layout_.reset();
  }
  if (value != element_type_) tuple_shapes_.clear();
  element_type_ = value;
  if (IsBuffer() && tuple_shapes_.empty()) tuple_shapes_.emplace_back();
}

void Shape::set_dimensions(int index, int64_t size, std::optional<bool> is_dynamic) {
  Shape& array = mutable_array();
  bool& dynamic = array.dynamic_dimensions_[index];
  dynamic = is_dynamic.value_or(dynamic || size == kUnboundedSize);
  CHECK(IsValidDimensionSize(size, dynamic))
      << "Dimension " << index << " of " << ToString() << " cannot have the size " << size;
  array.dimensions_[index] = size;
}

void Shape::add_dimensions(int64_t value, bool is_dynamic) {
  Shape& array = mutable_array();
  is_dynamic = is_dynamic || value == kUnboundedSize;
  CHECK(IsValidDimensionSize(value, is_dynamic)) << "Invalid dimension size " << value;
  CHECK(array.IsArrayExcludingBuffer() || array.element_type_ == PRIMITIVE_TYPE_INVALID)
      << ToString() << " cannot have dimensions.";
  array.dimensions_.push_back(value);
  array.dynamic_dimensions_.push_back(is_dynamic);
}

void Shape::clear_dimensions() {
  Shape& array = mutable_array();
  array.dimensions_.clear();
  array.dynamic_dimensions_.clear();
}

const Shape& Shape::tuple_shapes(int index) const {
  CHECK(index >= 0 && index < tuple_shapes_size())
      << "No element " << index << " in " << ToString();
  return tuple_shapes_[index];
}

Shape* Shape::mutable_tuple_shapes(int index) {
  CHECK(index >= 0 && index < tuple_shapes_size())
      << "No element " << index << " in " << ToString();
  return &tuple_shapes_[index];
}

Layout* Shape::mutable_layout() {
  Shape& array = mutable_array();
  CHECK(array.IsArrayExcludingBuffer() || array.element_type_ == PRIMITIVE_TYPE_INVALID)
      << ToString() << " cannot have a layout.";
  if (!array.layout_.has_value()) array.layout_.emplace();
  return &*array.layout_;
}

void Shape::clear_dynamic_dimensions() {
  CHECK(!is_unbounded_dynamic()) << ToString() << " has an unbounded dimension.";
  dynamic_dimensions_.assign(dimensions_.size(), false);
  for (Shape& element : tuple_shapes_) element.clear_dynamic_dimensions();
}

bool Shape::Equal::operator()(const Shape& lhs, const Shape& rhs) const {
  if (lhs.IsTuple() || rhs.IsTuple()) {
    return lhs.IsTuple() && rhs.IsTuple() &&
           std::equal(lhs.tuple_shapes_.begin(), lhs.tuple_shapes_.end(), rhs.tuple_shapes_.begin(),
                      rhs.tuple_shapes_.end(), *this);
  }
  if (!lhs.IsArray() || !rhs.IsArray()) {
    return lhs.element_type_ == rhs.element_type_ && lhs.dimensions_ == rhs.dimensions_;
  }
  if (!ignore_buffer_ && lhs.IsBuffer() != rhs.IsBuffer()) return false;
  return EqualElementTypes(lhs, rhs) && EqualDimensions(lhs, rhs) &&
         (ignore_layout_ || EqualLayouts(lhs, rhs));
}

bool Shape::Equal::EqualElementTypes(const Shape& lhs, const Shape& rhs) const {
  if (ignore_element_type_) return true;
  if (ignore_fp_precision_) return ShapeUtil::SameElementTypeIgnoringFpPrecision(lhs, rhs);
  return lhs.element_type() == rhs.element_type();
}

bool Shape::Equal::EqualDimensions(const Shape& lhs, const Shape& rhs) const {
  if (ignore_dimensions_ ? lhs.dimensions_size() != rhs.dimensions_size()
                         : lhs.dimensions() != rhs.dimensions()) {
    return false;
  }
  return ignore_dynamic_dimension_ || lhs.dynamic_dimensions() == rhs.dynamic_dimensions();
}

bool Shape::Equal::EqualLayouts(const Shape& lhs, const Shape& rhs) const {
  if (!lhs.has_layout() || !rhs.has_layout()) return lhs.has_layout() == rhs.has_layout();
  Layout::Equal equal;
  if (ignore_tiles_in_layout_) equal.IgnoreTiles();
  if (ignore_element_size_in_layout_) equal.IgnoreElementSize();
  if (ignore_memory_space_in_layout_) equal.IgnoreMemorySpace();
  if (ignore_tail_padding_alignment_) equal.IgnoreTailPaddingAlignmentInElements();
  if (ignore_split_config_in_layout_) equal.IgnoreSplitConfigs();
  if (minor_to_major_only_in_layout_) equal.MinorToMajorOnly();
  return equal(lhs.layout(), rhs.layout());
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.ToString(/*print_layout=*/true);
}

absl::StatusOr<ProgramShape> ProgramShape::FromProto(const ProgramShapeProto& program_shape_proto) {
  const int parameters = program_shape_proto.parameters_size();
  const int names = program_shape_proto.parameter_names_size();
  if (names > parameters) {
    return InvalidArgument("ProgramShapeProto: %d parameters but %d parameter_names.", parameters,
                           names);
  }
  ProgramShape program_shape;
  for (int i = 0; i < parameters; ++i) {
    HILO_ASSIGN_OR_RETURN(Shape shape, Shape::FromProto(program_shape_proto.parameters(i)));
    program_shape.AddParameter(std::move(shape),
                               i < names ? program_shape_proto.parameter_names(i) : "");
  }
  HILO_ASSIGN_OR_RETURN(program_shape.result_, Shape::FromProto(program_shape_proto.result()));
  return program_shape;
}

void ProgramShape::ToProto(ProgramShapeProto& proto) const {
  proto.Clear();
  for (const Shape& shape : parameters_) shape.ToProto(*proto.add_parameters());
  result_.ToProto(*proto.mutable_result());
  for (const std::string& name : parameter_names_) proto.add_parameter_names(name);
}

ProgramShapeProto ProgramShape::ToProto() const {
  ProgramShapeProto proto;
  ToProto(proto);
  return proto;
}

void ProgramShape::Print(Printer* printer) const {
  printer->Append("(");
  for (int i = 0; i < parameters_size(); ++i) {
    if (i > 0) printer->Append(", ");
    AppendCat(printer, parameter_names(i).empty() ? "(unknown)" : parameter_names(i), ": ");
    parameters(i).Print(printer);
  }
  printer->Append(") -> ");
  result_.Print(printer);
}

std::string ProgramShape::ToString() const {
  StringPrinter printer;
  Print(&printer);
  return std::move(printer).ToString();
}

std::ostream& operator<<(std::ostream& out, const ProgramShape& program_shape) {
  return out << program_shape.ToString();
}

}  // namespace xla

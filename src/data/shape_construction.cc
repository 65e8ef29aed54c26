// The members of ShapeUtil that make, validate and change shapes.
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "data/checked_math.h"
#include "xla/permutation_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// ---- Validation ---------------------------------------------------------------------------------

// Sizes of 0 count as 1, so that the strides of an array without elements fit as well.
bool SizesOverflow(const Shape& shape) {
  int64_t elements = 1;
  for (int64_t size : shape.dimensions()) {
    if (size > 0 && !CheckedMultiply(elements, size, &elements)) return true;
  }
  int64_t unused;
  if (!CheckedMultiply(elements, primitive_util::ByteWidth(shape.element_type()), &unused)) {
    return true;
  }
  if (!shape.has_layout()) return false;
  const int64_t element_bits = shape.layout().element_size_in_bits();
  return !CheckedMultiply(elements, element_bits, &unused) ||
         ShapeUtil::ArraySize(shape) == std::numeric_limits<int64_t>::max();
}

absl::Status ValidateArray(const Shape& shape, bool layout_required) {
  for (int i = 0; i < shape.dimensions_size(); ++i) {
    if (!Shape::IsValidDimensionSize(shape.dimensions(i), shape.is_dynamic_dimension(i))) {
      return InvalidArgument("Shape %s: dimension %d has the invalid size %d.", shape.ToString(), i,
                             shape.dimensions(i));
    }
  }
  if (shape.has_layout()) {
    HILO_RETURN_IF_ERROR(LayoutUtil::ValidateLayoutForShape(shape.layout(), shape));
  } else if (layout_required) {
    return InvalidArgument("Shape %s has no layout.", shape.ToString());
  }
  if (SizesOverflow(shape)) {
    return InvalidArgument("Shape %s: its size in bytes overflows int64.",
                           shape.ToString(/*print_layout=*/true));
  }
  return absl::OkStatus();
}

absl::Status Validate(const Shape& shape, bool layout_required, int depth) {
  if (depth > Shape::kMaxNestingDepth) {
    return InvalidArgument("The shape is nested deeper than %d levels.", Shape::kMaxNestingDepth);
  }
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      HILO_RETURN_IF_ERROR(Validate(element, layout_required, depth + 1));
    }
    return absl::OkStatus();
  }
  if (shape.IsToken() || shape.IsOpaque()) return absl::OkStatus();
  if (shape.IsBuffer()) {
    if (!shape.buffer_shape().IsArrayExcludingBuffer()) {
      return InvalidArgument("Shape %s: only an array can be in a buffer.", shape.ToString());
    }
    return ValidateArray(shape.buffer_shape(), layout_required);
  }
  if (!shape.IsArray()) {
    return InvalidArgument("Shape %s: invalid element type %d.", shape.ToString(),
                           static_cast<int>(shape.element_type()));
  }
  return ValidateArray(shape, layout_required);
}

absl::StatusOr<Shape> MakeArray(PrimitiveType element_type, absl::Span<const int64_t> dimensions,
                                absl::Span<const bool> dynamic_dimensions) {
  if (!primitive_util::IsArrayType(element_type)) {
    return InvalidArgument("Cannot make an array of element type %s.",
                           primitive_util::LowercasePrimitiveTypeName(element_type));
  }
  if (!dynamic_dimensions.empty() && dynamic_dimensions.size() != dimensions.size()) {
    return InvalidArgument("Cannot make an array of %d dimensions with %d dynamic flags.",
                           dimensions.size(), dynamic_dimensions.size());
  }
  for (int64_t size : dimensions) {
    if (size < 0 && size != Shape::kUnboundedSize) {
      return InvalidArgument("Cannot make an array %s[%s]: the size %d is negative.",
                             primitive_util::LowercasePrimitiveTypeName(element_type),
                             absl::StrJoin(dimensions, ","), size);
    }
  }
  return Shape(element_type, dimensions, dynamic_dimensions);
}

absl::StatusOr<Shape> MakeArrayWithLayout(PrimitiveType element_type,
                                          absl::Span<const int64_t> dimensions,
                                          absl::Span<const bool> dynamic_dimensions,
                                          Layout layout) {
  HILO_ASSIGN_OR_RETURN(Shape shape, MakeArray(element_type, dimensions, dynamic_dimensions));
  *shape.mutable_layout() = std::move(layout);
  HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShape(shape));
  return shape;
}

Shape ValueOrDie(absl::StatusOr<Shape> shape) {
  CHECK(shape.ok()) << shape.status();
  return *std::move(shape);
}

}  // namespace

absl::Status ShapeUtil::ValidateShape(const Shape& shape) {
  return Validate(shape, /*layout_required=*/true, /*depth=*/0);
}

absl::Status ShapeUtil::ValidateShapeWithOptionalLayout(const Shape& shape) {
  return Validate(shape, /*layout_required=*/false, /*depth=*/0);
}

// ---- Making shapes ------------------------------------------------------------------------------

ProgramShape ShapeUtil::MakeProgramShape(std::initializer_list<Shape> parameters, Shape result) {
  ProgramShape program_shape;
  for (const Shape& parameter : parameters) program_shape.AddParameter(parameter, "");
  *program_shape.mutable_result() = std::move(result);
  return program_shape;
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedShape(PrimitiveType element_type,
                                                    absl::Span<const int64_t> dimensions) {
  return MakeArrayWithLayout(element_type, dimensions, {},
                             LayoutUtil::GetDefaultLayoutForRank(dimensions.size()));
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedShape(PrimitiveType element_type,
                                                    absl::Span<const int64_t> dimensions,
                                                    const std::vector<bool>& dynamic_dimensions) {
  const absl::InlinedVector<bool, InlineRank()> flags(dynamic_dimensions.begin(),
                                                      dynamic_dimensions.end());
  return MakeArrayWithLayout(element_type, dimensions, flags,
                             LayoutUtil::GetDefaultLayoutForRank(dimensions.size()));
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedScalarShape(PrimitiveType element_type) {
  return MakeValidatedShape(element_type, {});
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedBufferShape(PrimitiveType element_type,
                                                          absl::Span<const int64_t> dimensions) {
  HILO_ASSIGN_OR_RETURN(Shape element, MakeValidatedShape(element_type, dimensions));
  return MakeValidatedBufferShape(std::move(element));
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedBufferShape(Shape element_shape) {
  if (!element_shape.IsArrayExcludingBuffer()) {
    return InvalidArgument("Only an array can be in a buffer, not %s.", element_shape.ToString());
  }
  HILO_RETURN_IF_ERROR(ValidateShapeWithOptionalLayout(element_shape));
  Shape buffer(BUFFER);
  buffer.tuple_shapes_.front() = std::move(element_shape);
  return buffer;
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedShapeWithDenseLayout(
    PrimitiveType element_type, absl::Span<const int64_t> dimensions,
    absl::Span<const int64_t> minor_to_major, absl::Span<const Tile> tiles,
    int64_t tail_padding_alignment_in_elements, int64_t element_size_in_bits, int64_t memory_space,
    absl::Span<const SplitConfig> split_configs) {
  return MakeArrayWithLayout(
      element_type, dimensions, {},
      LayoutUtil::MakeLayout(minor_to_major, tiles, tail_padding_alignment_in_elements,
                             PRIMITIVE_TYPE_INVALID, PRIMITIVE_TYPE_INVALID, element_size_in_bits,
                             memory_space, split_configs));
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedShapeWithSparseLayout(
    PrimitiveType element_type, absl::Span<const int64_t> dimensions,
    absl::Span<const int64_t> minor_to_major) {
  return Unimplemented("Sparse layouts have been withdrawn from XLA.");
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedShapeWithDescendingLayout(
    PrimitiveType element_type, absl::Span<const int64_t> dimensions) {
  return MakeValidatedShape(element_type, dimensions);
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedShapeWithDescendingLayoutAndSamePhysicalLayout(
    const Shape& shape) {
  if (!shape.IsArray() || !shape.has_layout()) {
    return InvalidArgument("The physical layout of %s is not known.", shape.ToString());
  }
  HILO_RETURN_IF_ERROR(ValidateShape(shape));
  const int rank = shape.dimensions_size();
  Shape result(shape.element_type());
  for (int i = rank - 1; i >= 0; --i) {
    const int64_t dimension = shape.layout().minor_to_major(i);
    result.add_dimensions(shape.dimensions(dimension), shape.is_dynamic_dimension(dimension));
  }
  Layout layout = shape.layout();
  for (int i = 0; i < rank; ++i) layout.set_minor_to_major(i, rank - 1 - i);
  *result.mutable_layout() = std::move(layout);
  return result;
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedTupleShape(absl::Span<const Shape> shapes) {
  Shape tuple(std::vector<Shape>(shapes.begin(), shapes.end()));
  HILO_RETURN_IF_ERROR(ValidateShapeWithOptionalLayout(tuple));
  return tuple;
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedTupleShapeWithPtrs(
    absl::Span<const Shape* const> shapes) {
  Shape tuple = MakeTupleShapeWithPtrs(shapes);
  HILO_RETURN_IF_ERROR(ValidateShapeWithOptionalLayout(tuple));
  return tuple;
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedMaybeTupleShape(absl::Span<const Shape> shapes) {
  if (shapes.size() == 1) return shapes.front();
  return MakeValidatedTupleShape(shapes);
}

Shape ShapeUtil::MakeShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions) {
  return ValueOrDie(MakeValidatedShape(element_type, dimensions));
}
Shape ShapeUtil::MakeShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions,
                           const std::vector<bool>& dynamic_dimensions) {
  return ValueOrDie(MakeValidatedShape(element_type, dimensions, dynamic_dimensions));
}
Shape ShapeUtil::MakeScalarShape(PrimitiveType element_type) { return MakeShape(element_type, {}); }
Shape ShapeUtil::MakeShapeWithDenseLayout(PrimitiveType element_type,
                                          absl::Span<const int64_t> dimensions,
                                          absl::Span<const int64_t> minor_to_major,
                                          absl::Span<const Tile> tiles,
                                          int64_t tail_padding_alignment_in_elements,
                                          int64_t element_size_in_bits, int64_t memory_space,
                                          absl::Span<const SplitConfig> split_configs) {
  return ValueOrDie(MakeValidatedShapeWithDenseLayout(
      element_type, dimensions, minor_to_major, tiles, tail_padding_alignment_in_elements,
      element_size_in_bits, memory_space, split_configs));
}
Shape ShapeUtil::MakeShapeWithDescendingLayout(PrimitiveType element_type,
                                               absl::Span<const int64_t> dimensions) {
  return MakeShape(element_type, dimensions);
}
Shape ShapeUtil::MakeShapeWithDescendingLayoutAndSamePhysicalLayout(const Shape& shape) {
  return ValueOrDie(MakeValidatedShapeWithDescendingLayoutAndSamePhysicalLayout(shape));
}
Shape ShapeUtil::MakeTupleShape(absl::Span<const Shape> shapes) {
  return Shape(std::vector<Shape>(shapes.begin(), shapes.end()));
}
Shape ShapeUtil::MakeTupleShapeWithPtrs(absl::Span<const Shape* const> shapes) {
  std::vector<Shape> elements;
  elements.reserve(shapes.size());
  for (const Shape* shape : shapes) elements.push_back(*shape);
  return Shape(std::move(elements));
}
Shape ShapeUtil::MakeMaybeTupleShape(absl::Span<const Shape> shapes) {
  return shapes.size() == 1 ? shapes.front() : MakeTupleShape(shapes);
}

absl::Status ShapeUtil::PopulateShape(PrimitiveType element_type,
                                      absl::Span<const int64_t> dimensions, Shape* shape) {
  HILO_ASSIGN_OR_RETURN(*shape, MakeValidatedShape(element_type, dimensions));
  return absl::OkStatus();
}

// ---- Changing shapes ----------------------------------------------------------------------------

Shape ShapeUtil::ChangeElementType(const Shape& original, PrimitiveType type) {
  Shape changed = original;
  ForEachMutableLeafShape(&changed, [&](Shape* leaf, const ShapeIndex&) {
    if (leaf->IsArray()) leaf->set_element_type(type);
  });
  return changed;
}

Shape ShapeUtil::MakeStaticShape(const Shape& original) {
  Shape result = original;
  result.clear_dynamic_dimensions();
  return result;
}

Shape ShapeUtil::MakeShapeWithStaticDimensions(const Shape& shape) {
  return MakeStaticShape(shape);
}

void ShapeUtil::AppendShapeToTuple(const Shape& shape, Shape* tuple_shape) {
  tuple_shape->mutable_tuple_shapes()->push_back(shape);
}

void ShapeUtil::UpdateTupleShape(const Shape& shape, int64_t index, Shape* tuple_shape) {
  *tuple_shape->mutable_tuple_shapes(index) = shape;
}

void ShapeUtil::UpdateDynamicDimension(Shape* shape, ShapeIndexView index, int64_t dim,
                                       bool is_dynamic) {
  GetMutableSubshape(shape, index)->set_dynamic_dimension(dim, is_dynamic);
}

namespace {

// Puts a dimension at a position of minor_to_major.
void InsertIntoLayout(Layout& layout, int64_t dimension, int64_t position) {
  DimensionVector& minor_to_major = *layout.mutable_minor_to_major();
  minor_to_major.insert(minor_to_major.begin() + position, dimension);
  const int64_t from_major = static_cast<int64_t>(minor_to_major.size()) - 1 - position;
  for (int i = 0; i < layout.split_configs_size(); ++i) {
    SplitConfig* config = layout.mutable_split_configs(i);
    if (config->dimension() >= from_major) config->set_dimension(config->dimension() + 1);
  }
}

}  // namespace

void ShapeUtil::AppendMajorDimension(int bound, Shape* shape) {
  const int rank = shape->dimensions_size();
  if (shape->has_layout()) InsertIntoLayout(*shape->mutable_layout(), rank, rank);
  shape->add_dimensions(bound);
}

void ShapeUtil::AppendMinorDimension(int bound, Shape* shape) {
  if (shape->has_layout()) InsertIntoLayout(*shape->mutable_layout(), shape->dimensions_size(), 0);
  shape->add_dimensions(bound);
}

Shape ShapeUtil::PrependMajorDimension(int64_t bound, Shape shape) {
  if (!shape.has_layout() || shape.dimensions_size() == 0) {
    return InsertDimensionAtIndex(std::move(shape), 0, bound);
  }
  Shape result = InsertDimensionAtIndex(std::move(shape), 0, bound);
  *result.mutable_layout() = LayoutUtil::MoveDimToMajor(result.layout(), 0);
  return result;
}

Shape ShapeUtil::InsertDimensionAtIndex(Shape shape, int64_t dim_idx, int64_t bound) {
  const int64_t rank = shape.dimensions_size();
  CHECK(dim_idx >= 0 && dim_idx <= rank) << "No place " << dim_idx << " in " << HumanString(shape);
  Shape result(shape.element_type());
  for (int64_t i = 0; i <= rank; ++i) {
    if (i == dim_idx) result.add_dimensions(bound);
    if (i < rank) result.add_dimensions(shape.dimensions(i), shape.is_dynamic_dimension(i));
  }
  if (!shape.has_layout()) return result;
  Layout layout = shape.layout();
  DimensionVector& minor_to_major = *layout.mutable_minor_to_major();
  // Position of the dimension that stood at dim_idx; the minor end for one behind the last.
  const auto place = absl::c_find(minor_to_major, dim_idx);
  const int64_t position = place == minor_to_major.end() ? 0 : place - minor_to_major.begin() + 1;
  for (int64_t& dimension : minor_to_major) dimension += dimension >= dim_idx;
  InsertIntoLayout(layout, dim_idx, position);
  *result.mutable_layout() = std::move(layout);
  return result;
}

Shape ShapeUtil::InsertDimensionsAtIndex(Shape shape, int64_t dim_idx,
                                         absl::Span<const int64_t> bounds) {
  for (size_t i = bounds.size(); i > 0; --i) {
    shape = InsertDimensionAtIndex(std::move(shape), dim_idx, bounds[i - 1]);
  }
  return shape;
}

void ShapeUtil::CopyDynamicDimensions(Shape* to, const Shape& from) {
  CHECK(SameRank(*to, from)) << HumanString(*to) << " and " << HumanString(from);
  for (int i = 0; i < from.dimensions_size(); ++i) {
    to->set_dynamic_dimension(i, from.is_dynamic_dimension(i));
  }
}

Shape ShapeUtil::MoveDimToMajor(const Shape& shape, int64_t dim) {
  Shape result = shape;
  ForEachMutableLeafShape(&result, [&](Shape* leaf, const ShapeIndex&) {
    if (!leaf->IsArray()) return;
    const Layout layout =
        leaf->has_layout() ? leaf->layout() : LayoutUtil::GetDefaultLayoutForShape(*leaf);
    *leaf->mutable_layout() = LayoutUtil::MoveDimToMajor(layout, dim);
  });
  return result;
}

Shape ShapeUtil::DropDegenerateDimensions(const Shape& shape) {
  return FilterDimensions([&](int64_t dimension) { return shape.dimensions(dimension) != 1; },
                          shape);
}

Shape ShapeUtil::DeleteDimension(int64_t dim_to_delete, Shape shape) {
  shape.DeleteDimension(dim_to_delete);
  return shape;
}

Shape ShapeUtil::DeleteDimensions(absl::Span<int64_t const> dims_to_delete, Shape shape) {
  shape.DeleteDimensions(dims_to_delete);
  return shape;
}

Shape ShapeUtil::FilterDimensions(absl::FunctionRef<bool(int64_t)> p, Shape shape) {
  DimensionVector dropped;
  for (int64_t i = 0; i < shape.dimensions_size(); ++i) {
    if (!p(i)) dropped.push_back(i);
  }
  return DeleteDimensions(dropped, std::move(shape));
}

Shape ShapeUtil::PermuteDimensionsIgnoringLayout(absl::Span<const int64_t> permutation,
                                                 const Shape& shape) {
  CHECK(IsPermutation(permutation) &&
        permutation.size() == static_cast<size_t>(shape.dimensions_size()))
      << "{" << absl::StrJoin(permutation, ",") << "} for " << HumanString(shape);
  Shape result = shape;
  for (size_t i = 0; i < permutation.size(); ++i) {
    result.set_dimensions(i, shape.dimensions(permutation[i]),
                          shape.is_dynamic_dimension(permutation[i]));
  }
  return result;
}

Shape ShapeUtil::PermuteDimensions(absl::Span<const int64_t> permutation, const Shape& shape) {
  Shape result = PermuteDimensionsIgnoringLayout(permutation, shape);
  if (!shape.has_layout()) return result;
  const std::vector<int64_t> new_number = InversePermutation(permutation);
  Layout layout = shape.layout();
  for (int64_t& dimension : *layout.mutable_minor_to_major()) dimension = new_number[dimension];
  *result.mutable_layout() = std::move(layout);
  return result;
}

Shape ShapeUtil::ReorderLogicalDimensions(const Shape& shape,
                                          absl::Span<const int64_t> permutation) {
  return PermuteDimensions(permutation, shape);
}

Shape ShapeUtil::ComplexComponentShape(const Shape& complex_shape) {
  return ChangeElementType(complex_shape,
                           primitive_util::ComplexComponentType(complex_shape.element_type()));
}

bool ShapeUtil::DeviceShapeIsHostShape(const Shape& shape) {
  return DeviceShapeToHostShape(shape) == shape;
}

Shape ShapeUtil::DeviceShapeToHostShape(Shape s) {
  ForEachMutableLeafShape(&s, [](Shape* leaf, const ShapeIndex&) {
    if (leaf->has_layout()) *leaf->mutable_layout() = Layout(leaf->layout().minor_to_major());
  });
  return s;
}

}  // namespace xla

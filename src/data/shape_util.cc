#include "xla/shape_util.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "data/checked_math.h"
#include "data/tiled_layout.h"

namespace xla {

std::string ShapeIndex::ToString() const {
  return absl::StrCat("{", absl::StrJoin(*this, ","), "}");
}

ShapeIndexProto ShapeIndex::ToProto() const {
  ShapeIndexProto proto;
  proto.mutable_indexes()->Add(begin(), end());
  return proto;
}

std::ostream& operator<<(std::ostream& out, const ShapeIndex& shape_index) {
  return out << shape_index.ToString();
}

// ---- Counting -----------------------------------------------------------------------------------

std::pair<int64_t, bool> ShapeUtil::ExtentProductImpl(const Shape& shape) {
  int64_t product = 1;
  bool overflow = false;
  for (int64_t size : shape.dimensions()) {
    if (size == 0) return {0, false};
    if (size == Shape::kUnboundedSize) continue;
    overflow = !CheckedMultiply(product, size, &product) || overflow;
  }
  return {product, overflow};
}

int64_t ShapeUtil::ElementsIn(const Shape& shape) {
  return shape.IsArray() ? ExtentProductImpl(shape).first : 0;
}

int64_t ShapeUtil::ElementsInRecursive(const Shape& shape) {
  int64_t total = 0;
  ForEachLeafShape(shape, [&](const Shape& leaf, const ShapeIndex&) {
    total = SaturatingAdd(total, ElementsIn(leaf));
  });
  return total;
}

bool ShapeUtil::IsZeroElementArray(const Shape& shape) {
  return shape.IsArray() && absl::c_linear_search(shape.dimensions(), 0);
}

int64_t ShapeUtil::ByteSizeOfPrimitiveType(PrimitiveType primitive_type) {
  return primitive_util::ByteWidth(primitive_type);
}

int64_t ShapeUtil::ByteSizeOfTupleIndexTable(const Shape& shape, int64_t pointer_size) {
  if (pointer_size < 0) pointer_size = sizeof(void*);
  return SaturatingMultiply(pointer_size, TupleElementCount(shape));
}

int64_t ShapeUtil::ElementSizeInBits(const Shape& shape) {
  if (shape.has_layout() && shape.layout().element_size_in_bits() != 0) {
    return shape.layout().element_size_in_bits();
  }
  return 8 * ByteSizeOfPrimitiveType(shape.element_type());
}

namespace {

// Bytes of `count` elements, packed when the layout gives an element size.
int64_t ByteSizeOfCount(const Shape& shape, int64_t count) {
  if (!shape.has_layout() || shape.layout().element_size_in_bits() == 0) {
    return SaturatingMultiply(count, ShapeUtil::ByteSizeOfPrimitiveType(shape.element_type()));
  }
  const int64_t bits = SaturatingMultiply(count, shape.layout().element_size_in_bits());
  return CeilOfRatio<int64_t>(bits, 8);
}

}  // namespace

int64_t ShapeUtil::ByteSizeOfElements(const Shape& shape) {
  return ByteSizeOfCount(shape, ElementsIn(shape));
}

int64_t ShapeUtil::ByteSizeOfElementsRecursive(const Shape& shape) {
  int64_t total = 0;
  ForEachLeafShape(shape, [&](const Shape& leaf, const ShapeIndex&) {
    total = SaturatingAdd(total, ByteSizeOfElements(leaf));
  });
  return total;
}

int64_t ShapeUtil::ByteSizeOf(const Shape& shape, int64_t pointer_size) {
  if (shape.IsTuple()) return ByteSizeOfTupleIndexTable(shape, pointer_size);
  if (shape.IsOpaque()) return pointer_size < 0 ? sizeof(void*) : pointer_size;
  return ByteSizeOfElements(shape);
}

absl::StatusOr<int64_t> ShapeUtil::SerializedSize(const Shape& shape) {
  return SerializedSizeWithProto(shape, shape.ToProto());
}

absl::StatusOr<int64_t> ShapeUtil::SerializedSizeWithProto(const Shape& shape,
                                                           const ShapeProto& proto) {
  HILO_RETURN_IF_ERROR(ValidateShapeWithOptionalLayout(shape));
  int64_t size = sizeof(int64_t) + proto.ByteSizeLong();
  HILO_RETURN_IF_ERROR(
      ForEachLeafShapeWithStatus(shape, [&](const Shape& leaf, const ShapeIndex&) -> absl::Status {
        if (leaf.IsToken()) return absl::OkStatus();
        if (!leaf.IsArray()) {
          return Unimplemented("A literal of shape %s cannot be serialized.", shape.ToString());
        }
        if (leaf.is_dynamic()) size += sizeof(DynamicSizeType) * leaf.dimensions_size();
        const int64_t bits = primitive_util::StorageBitWidth(leaf.element_type());
        const int64_t bytes = CeilOfRatio<int64_t>(SaturatingMultiply(ElementsIn(leaf), bits), 8);
        size = SaturatingAdd(size, bytes);
        return absl::OkStatus();
      }));
  return size;
}

int64_t ShapeUtil::ArraySize(const Shape& shape) {
  CHECK(shape.IsArray()) << HumanString(shape);
  if (!shape.has_layout()) return ByteSizeOfElements(shape);
  int64_t elements = shape.layout().tiles().empty() ? ElementsIn(shape) : PaddedElementsIn(shape);
  elements = SaturatingRoundUp(elements, shape.layout().tail_padding_alignment_in_elements());
  return ByteSizeOfCount(shape, elements);
}

int64_t ShapeUtil::ArrayDataSize(const Shape& shape) {
  CHECK(shape.IsArray()) << HumanString(shape);
  if (!shape.has_layout() || shape.layout().tiles().empty()) return ByteSizeOfElements(shape);
  if (IsZeroElementArray(shape)) return 0;
  // With nested tiles the element with the largest index need not be the last one in memory.
  if (shape.layout().tiles_size() > 1) return ArraySize(shape);
  DimensionVector last(shape.dimensions().begin(), shape.dimensions().end());
  for (int64_t& index : last) index = std::max<int64_t>(index, 1) - 1;
  return ByteSizeOfCount(shape, LayoutUtil::LinearIndex(shape, last) + 1);
}

void ShapeUtil::UpdateElementSizeInBits(Shape* s, bool pack_subbyte_types) {
  ForEachMutableSubshape(s, [&](Shape* subshape, const ShapeIndex&) {
    if (!subshape->IsArray() || !subshape->has_layout()) return;
    const PrimitiveType type = subshape->element_type();
    const bool packed = pack_subbyte_types && primitive_util::IsSubByteNonPredType(type);
    subshape->mutable_layout()->set_element_size_in_bits(packed ? primitive_util::BitWidth(type)
                                                                : 0);
  });
}

// ---- Text ---------------------------------------------------------------------------------------

void ShapeUtil::PrintHumanString(Printer* printer, const Shape& shape) { shape.Print(printer); }
void ShapeUtil::PrintHumanStringWithLayout(Printer* printer, const Shape& shape) {
  shape.Print(printer, /*print_layout=*/true);
}
void ShapeUtil::PrintHumanString(Printer* printer, const ProgramShape& program_shape) {
  program_shape.Print(printer);
}
std::string ShapeUtil::HumanString(const Shape& shape) { return shape.ToString(); }
std::string ShapeUtil::HumanStringWithLayout(const Shape& shape) {
  return shape.ToString(/*print_layout=*/true);
}
std::string ShapeUtil::HumanString(const ProgramShape& program_shape) {
  return program_shape.ToString();
}

// ---- Comparison ---------------------------------------------------------------------------------

bool ShapeUtil::HasPrimitiveType(const Shape& shape, PrimitiveType primitive_type) {
  if (shape.element_type() == primitive_type) return true;
  return shape.IsTuple() && absl::c_any_of(shape.tuple_shapes(), [&](const Shape& element) {
           return HasPrimitiveType(element, primitive_type);
         });
}

bool ShapeUtil::SameDimensions(const Shape& lhs, const Shape& rhs) {
  return lhs.dimensions() == rhs.dimensions();
}
bool ShapeUtil::SameRank(const Shape& lhs, const Shape& rhs) {
  return lhs.dimensions_size() == rhs.dimensions_size();
}
bool ShapeUtil::SameElementType(const Shape& lhs, const Shape& rhs) {
  return lhs.element_type() == rhs.element_type();
}
bool ShapeUtil::SameElementTypeIgnoringFpPrecision(const Shape& a, const Shape& b) {
  return SameElementType(a, b) || (ElementIsFloating(a) && ElementIsFloating(b));
}
PrimitiveType ShapeUtil::HigherPrecisionElementType(const Shape& a, const Shape& b) {
  return primitive_util::HigherPrecisionType(a.element_type(), b.element_type());
}

bool ShapeUtil::Compatible(const Shape& lhs, const Shape& rhs) {
  return Shape::Equal().IgnoreDynamicDimension().IgnoreLayout()(lhs, rhs);
}
bool ShapeUtil::CompatibleIgnoringElementType(const Shape& lhs, const Shape& rhs) {
  return Shape::Equal().IgnoreDynamicDimension().IgnoreElementType().IgnoreLayout()(lhs, rhs);
}
bool ShapeUtil::CompatibleKind(const Shape& lhs, const Shape& rhs, bool ignore_buffer) {
  return Shape::Equal()
      .IgnoreElementType()
      .IgnoreLayout()
      .IgnoreDimensions()
      .IgnoreDynamicDimension()
      .IgnoreBuffer(ignore_buffer)(lhs, rhs);
}
bool ShapeUtil::CompatibleIgnoringFpPrecision(const Shape& lhs, const Shape& rhs) {
  return Shape::Equal().IgnoreDynamicDimension().IgnoreFpPrecision().IgnoreLayout()(lhs, rhs);
}
bool ShapeUtil::Equal(const Shape& lhs, const Shape& rhs) { return Shape::Equal()(lhs, rhs); }
bool ShapeUtil::EqualIgnoringElementType(const Shape& lhs, const Shape& rhs) {
  return Shape::Equal().IgnoreElementType()(lhs, rhs);
}
bool ShapeUtil::EqualIgnoringFpPrecision(const Shape& lhs, const Shape& rhs) {
  return Shape::Equal().IgnoreFpPrecision()(lhs, rhs);
}

bool ShapeUtil::EqualStructure(const Shape& lhs, const Shape& rhs) {
  if (!lhs.IsTuple() || !rhs.IsTuple()) return lhs.IsTuple() == rhs.IsTuple();
  return absl::c_equal(lhs.tuple_shapes(), rhs.tuple_shapes(), EqualStructure);
}

bool ShapeUtil::IsPrefix(const Shape& expected_prefix, const Shape& shape,
                         absl::FunctionRef<bool(const Shape&, const Shape&)> equal_fn) {
  if (!expected_prefix.IsTuple() || !shape.IsTuple()) return equal_fn(expected_prefix, shape);
  if (expected_prefix.tuple_shapes_size() > shape.tuple_shapes_size()) return false;
  for (int i = 0; i < expected_prefix.tuple_shapes_size(); ++i) {
    if (!IsPrefix(expected_prefix.tuple_shapes(i), shape.tuple_shapes(i), equal_fn)) return false;
  }
  return true;
}

bool ShapeUtil::DynamicArrayShapeIsCompatible(const Shape& dynamic_shape,
                                              const Shape& bounded_shape) {
  if (!SameElementType(dynamic_shape, bounded_shape) || !SameRank(dynamic_shape, bounded_shape)) {
    return false;
  }
  for (int i = 0; i < dynamic_shape.dimensions_size(); ++i) {
    if (bounded_shape.is_unbounded_dynamic_dimension(i)) continue;
    if (dynamic_shape.is_unbounded_dynamic_dimension(i) ||
        dynamic_shape.dimensions(i) > bounded_shape.dimensions(i)) {
      return false;
    }
  }
  return true;
}

bool ShapeUtil::DynamicShapeIsCompatible(const Shape& dynamic_shape, const Shape& bounded_shape) {
  if (!bounded_shape.IsTuple() || !dynamic_shape.IsTuple()) {
    return bounded_shape.IsTuple() == dynamic_shape.IsTuple() &&
           DynamicArrayShapeIsCompatible(dynamic_shape, bounded_shape);
  }
  return absl::c_equal(dynamic_shape.tuple_shapes(), bounded_shape.tuple_shapes(),
                       DynamicShapeIsCompatible);
}

// ---- Queries ------------------------------------------------------------------------------------

int64_t ShapeUtil::TrueNumDimensions(const Shape& array_shape) {
  return absl::c_count_if(array_shape.dimensions(), [](int64_t size) { return size != 1; });
}

bool ShapeUtil::IsScalarWithElementType(const Shape& shape, PrimitiveType element_type) {
  return IsScalar(shape) && shape.element_type() == element_type;
}

DimensionVector ShapeUtil::CreateDimensionVectorFromShape(const Shape& shape) {
  return DimensionVector(shape.dimensions().begin(), shape.dimensions().end());
}

int64_t ShapeUtil::GetDimensionNumber(const Shape& shape, int64_t dimension_number) {
  const int64_t rank = shape.dimensions_size();
  const int64_t number = dimension_number < 0 ? dimension_number + rank : dimension_number;
  CHECK(number >= 0 && number < rank)
      << "No dimension " << dimension_number << " in " << HumanString(shape);
  return number;
}

int64_t ShapeUtil::GetDimension(const Shape& shape, int64_t dimension_number) {
  return shape.dimensions(GetDimensionNumber(shape, dimension_number));
}

bool ShapeUtil::IsInitialized(const Shape& shape) {
  return shape.element_type_including_buffer() != PRIMITIVE_TYPE_INVALID;
}
bool ShapeUtil::ElementIsIntegral(const Shape& shape) {
  return primitive_util::IsIntegralType(shape.element_type());
}
bool ShapeUtil::ElementIsFloating(const Shape& shape) {
  return primitive_util::IsFloatingPointType(shape.element_type());
}
bool ShapeUtil::ElementIsComplex(const Shape& shape) {
  return primitive_util::IsComplexType(shape.element_type());
}
bool ShapeUtil::ElementHasBitWidth(const Shape& shape, int bits) {
  return shape.IsArray() && primitive_util::BitWidth(shape.element_type()) == bits;
}
bool ShapeUtil::ElementIsIntegralWithBits(const Shape& shape, int bits) {
  return ElementIsIntegral(shape) && ElementHasBitWidth(shape, bits);
}
bool ShapeUtil::ElementIsSigned(const Shape& shape) {
  return primitive_util::IsSignedIntegralType(shape.element_type()) || ElementIsFloating(shape);
}
bool ShapeUtil::ElementCanUpcast(const Shape& from, const Shape& to) {
  return primitive_util::CastPreservesValues(from.element_type(), to.element_type());
}
bool ShapeUtil::HasDegenerateDimensions(const Shape& shape) {
  return absl::c_linear_search(shape.dimensions(), 1);
}

bool ShapeUtil::IsEffectivelyMostMajorDimension(const Shape& shape, int64_t dimension) {
  const absl::Span<const int64_t> minor_to_major = shape.layout().minor_to_major();
  for (int64_t i = shape.dimensions_size() - 1; i >= 0; --i) {
    if (minor_to_major[i] == dimension) return true;
    if (shape.dimensions(minor_to_major[i]) != 1) return false;
  }
  return false;
}

bool ShapeUtil::LastDimIsMinorMost(const Shape& shape) {
  return shape.layout().minor_to_major_size() > 0 &&
         shape.layout().minor_to_major(0) == shape.dimensions_size() - 1;
}

absl::StatusOr<int64_t> ShapeUtil::PackedFactorFor1DInterleavedArray(const Shape& shape) {
  if (!shape.IsArray() || !shape.has_layout()) {
    return InvalidArgument("The packing factor needs an array with layout, not %s.",
                           HumanString(shape));
  }
  const absl::Span<const Tile> tiles = shape.layout().tiles();
  if (shape.dimensions_size() != 1 || tiles.size() != 3 || tiles[2].dimensions().size() != 2) {
    return 1;
  }
  return tiles[2].dimension(0);
}

// ---- Tuples and subshapes -----------------------------------------------------------------------

bool ShapeUtil::IsNestedTuple(const Shape& shape) {
  return shape.IsTuple() && absl::c_any_of(shape.tuple_shapes(),
                                           [](const Shape& element) { return element.IsTuple(); });
}

bool ShapeUtil::IsEmptyTuple(const Shape& shape) {
  return shape.IsTuple() && shape.tuple_shapes().empty();
}

int64_t ShapeUtil::TupleElementCount(const Shape& shape) { return shape.tuple_shapes_size(); }

const Shape& ShapeUtil::GetTupleElementShape(const Shape& shape, int64_t index) {
  CHECK(index >= 0 && index < TupleElementCount(shape))
      << "No element " << index << " in " << HumanString(shape);
  return shape.tuple_shapes(index);
}

Shape ShapeUtil::SliceTuple(const Shape& tuple, int64_t start, int64_t limit) {
  CHECK(start >= 0 && start <= limit && limit <= TupleElementCount(tuple))
      << "No elements [" << start << ", " << limit << ") in " << HumanString(tuple);
  const auto begin = tuple.tuple_shapes().begin();
  return Shape(std::vector<Shape>(begin + start, begin + limit));
}

int64_t ShapeUtil::SubshapeCount(const Shape& shape) {
  int64_t count = 0;
  ForEachSubshape(shape, [&](const Shape&, const ShapeIndex&) { ++count; });
  return count;
}

absl::StatusOr<const Shape*> ShapeUtil::TryGetSubshape(const Shape& shape, ShapeIndexView index) {
  const Shape* subshape = &shape;
  for (int64_t i : index) {
    if (!subshape->IsTuple() || i < 0 || i >= subshape->tuple_shapes_size()) {
      return InvalidArgument("Shape index {%s} not a valid subshape index for %s.",
                             absl::StrJoin(index, ","), HumanString(shape));
    }
    subshape = &subshape->tuple_shapes(i);
  }
  return subshape;
}

bool ShapeUtil::IndexIsValid(const Shape& shape, ShapeIndexView index) {
  return TryGetSubshape(shape, index).ok();
}

const Shape& ShapeUtil::GetSubshape(const Shape& shape, ShapeIndexView index) {
  const Shape* subshape = &shape;
  for (int64_t i : index) subshape = &subshape->tuple_shapes(i);
  return *subshape;
}

Shape* ShapeUtil::GetMutableSubshape(Shape* shape, ShapeIndexView index) {
  for (int64_t i : index) shape = shape->mutable_tuple_shapes(i);
  return shape;
}

bool ShapeUtil::IsLeafIndex(const Shape& shape, const ShapeIndex& index) {
  return !GetSubshape(shape, index).IsTuple();
}

int64_t ShapeUtil::GetLeafCount(const Shape& shape) {
  int64_t count = 0;
  ForEachLeafShape(shape, [&](const Shape&, const ShapeIndex&) { ++count; });
  return count;
}

int64_t ShapeUtil::GetLeafCountTuple(const Shape& shape) {
  CHECK(shape.IsTuple()) << HumanString(shape) << " is not a tuple shape.";
  return GetLeafCount(shape);
}

std::vector<ShapeUtil::IndexedShape> ShapeUtil::GetLeafShapes(const Shape& shape) {
  std::vector<IndexedShape> leaves;
  ForEachLeafShape(
      shape, [&](const Shape& leaf, const ShapeIndex& index) { leaves.emplace_back(index, leaf); });
  return leaves;
}

std::vector<const Shape*> ShapeUtil::FlattenTupleShape(const Shape& shape) {
  std::vector<const Shape*> leaves;
  FlattenTupleShape(shape, leaves);
  return leaves;
}

void ShapeUtil::FlattenTupleShape(const Shape& shape, std::vector<const Shape*>& flattened) {
  ForEachLeafShape(shape,
                   [&](const Shape& leaf, const ShapeIndex&) { flattened.push_back(&leaf); });
}

// ---- Strides ------------------------------------------------------------------------------------

namespace {

absl::Status FillByteStrides(const Shape& shape, int64_t element_bits,
                             absl::Span<int64_t> strides) {
  if (!shape.IsArray() || !shape.has_layout() || !shape.layout().tiles().empty()) {
    return InvalidArgument("Byte strides need an array with an untiled layout, not %s.",
                           shape.ToString(/*print_layout=*/true));
  }
  if (static_cast<int64_t>(strides.size()) != shape.dimensions_size()) {
    return InvalidArgument("%d strides for the shape %s.", strides.size(), shape.ToString());
  }
  if (shape.is_unbounded_dynamic()) {
    return InvalidArgument("%s has no byte strides: a dimension is unbounded.", shape.ToString());
  }
  if (element_bits % 8 != 0) {
    return InvalidArgument("The elements of %s are not whole bytes.",
                           shape.ToString(/*print_layout=*/true));
  }
  int64_t stride = element_bits / 8;
  for (int64_t dimension : shape.layout().minor_to_major()) {
    strides[dimension] = stride;
    if (!CheckedMultiply(stride, shape.dimensions(dimension), &stride)) {
      return InvalidArgument("The byte strides of %s do not fit int64.", shape.ToString());
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ShapeUtil::UnpackedByteStrides(const Shape& shape, absl::Span<int64_t> strides) {
  return FillByteStrides(shape, 8 * ByteSizeOfPrimitiveType(shape.element_type()), strides);
}

absl::Status ShapeUtil::ByteStrides(const Shape& shape, absl::Span<int64_t> strides) {
  return FillByteStrides(shape, ElementSizeInBits(shape), strides);
}

std::optional<absl::InlinedVector<int64_t, 4>> ShapeUtil::UnpackedByteStrides(const Shape& shape) {
  absl::InlinedVector<int64_t, 4> strides(shape.dimensions_size());
  if (!UnpackedByteStrides(shape, absl::MakeSpan(strides)).ok()) return std::nullopt;
  return strides;
}

std::optional<absl::InlinedVector<int64_t, 4>> ShapeUtil::ByteStrides(const Shape& shape) {
  absl::InlinedVector<int64_t, 4> strides(shape.dimensions_size());
  if (!ByteStrides(shape, absl::MakeSpan(strides)).ok()) return std::nullopt;
  return strides;
}

}  // namespace xla

// Types of the dialects builtin and vhlo, as shapes where values have them.
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "front/stablehlo/bytecode/entry_reader.h"
#include "xla/overflow_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::stablehlo {
namespace {

constexpr uint64_t kTypeExtensions = 18;  // the attribute of vhlo

// By their codes in vhlo; what is no element type of arrays is PRIMITIVE_TYPE_INVALID. Complex
// types say of what.
constexpr PrimitiveType kNoElement = PRIMITIVE_TYPE_INVALID;
constexpr std::array<PrimitiveType, 43> kVhloElementTypes = {
    PRED,       kNoElement, BF16,       F16,        F32,        F64,
    F8E4M3FN,   F8E5M2,     kNoElement, S64,        S4,         S8,
    S16,        S32,        S64,        U4,         U8,         U16,
    U32,        U64,        kNoElement, kNoElement, kNoElement, kNoElement,
    kNoElement, kNoElement, kNoElement, F8E4M3FNUZ, F8E5M2FNUZ, F8E4M3B11FNUZ,
    kNoElement, S2,         U2,         kNoElement, kNoElement, F8E4M3,
    F8E3M4,     F4E2M1FN,   F6E2M3FN,   F6E3M2FN,   F8E8M0FNU,  kNoElement,
    kNoElement};
static_assert(kVhloElementTypes[19] == U64 && kVhloElementTypes[27] == F8E4M3FNUZ &&
              kVhloElementTypes[31] == S2 && kVhloElementTypes[35] == F8E4M3 &&
              kVhloElementTypes[40] == F8E8M0FNU);

struct VhloTypeCode {
  enum : uint64_t {
    kComplex = 1,
    kFunction = 8,
    kRankedTensor = 20,
    kRankedTensorWithEncoding = 21,
    kToken = 22,
    kTuple = 23,
    kNoneType = 33,
    kTensorFloat32 = 34,
    kBuffer = 41,
    kFuture = 42,
  };
};

struct BuiltinTypeCode {
  enum : uint64_t {
    kInteger = 0,
    kIndex = 1,
    kFunction = 2,
    kBf16 = 3,
    kF16 = 4,
    kF32 = 5,
    kF64 = 6,
    kComplex = 9,
    kNone = 12,
    kTensor = 13,
    kTensorWithEncoding = 14,
    kTuple = 15,
  };
};

PrimitiveType BuiltinIntegerType(uint64_t width, bool is_unsigned) {
  switch (width) {
    case 1:
      return PRED;
    case 2:
      return is_unsigned ? U2 : S2;
    case 4:
      return is_unsigned ? U4 : S4;
    case 8:
      return is_unsigned ? U8 : S8;
    case 16:
      return is_unsigned ? U16 : S16;
    case 32:
      return is_unsigned ? U32 : S32;
    case 64:
      return is_unsigned ? U64 : S64;
    default:
      return kNoElement;
  }
}

PrimitiveType ComplexTypeOf(PrimitiveType part) {
  return part == F32 ? C64 : part == F64 ? C128 : kNoElement;
}

uint64_t ShapeBytes(const Shape& shape) {
  uint64_t bytes = sizeof(Shape);
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) bytes += ShapeBytes(element);
  }
  return bytes;
}

}  // namespace

PrimitiveType EntryReader::element_type(uint64_t index) {
  const Type* found = type(index);
  if (const auto* element = std::get_if<PrimitiveType>(&found->value)) return *element;
  Fail(absl::InvalidArgumentError(
      absl::StrCat("StableHLO bytecode: type ", index, " is not one that elements have")));
  return PRED;
}

FunctionType EntryReader::Function(ByteReader& reader) {
  FunctionType function;
  for (std::vector<const Type*>* types : {&function.inputs, &function.results}) {
    types->resize(reader.Count());
    for (const Type*& each : *types) each = type(reader.Varint());
  }
  return function;
}

// An unknown size is a dynamic dimension, with the size of its bound if there is one.
Shape EntryReader::ArrayShape(PrimitiveType element_type, absl::Span<const int64_t> sizes,
                              absl::Span<const int64_t> bounds) {
  Shape shape(element_type, {});
  int64_t bytes = primitive_util::ByteWidth(element_type);
  bool is_valid = bounds.empty() || bounds.size() == sizes.size();
  for (size_t i = 0; i < sizes.size() && is_valid; ++i) {
    const bool is_dynamic = sizes[i] == Shape::kUnboundedSize;
    const int64_t size = is_dynamic && !bounds.empty() ? bounds[i] : sizes[i];
    is_valid = Shape::IsValidDimensionSize(size, is_dynamic);
    if (!is_valid) break;
    shape.add_dimensions(size, is_dynamic);
    if (size > 0) {
      const auto [product, overflows] = OverflowSafeMultiply(bytes, size);
      bytes = product;
      is_valid = !overflows;
    }
  }
  if (!is_valid) {
    Fail(absl::InvalidArgumentError(absl::StrCat(
        "StableHLO bytecode: a tensor cannot have the sizes ", absl::StrJoin(sizes, ", "),
        bounds.empty() ? "" : absl::StrCat(" bounded by ", absl::StrJoin(bounds, ", ")))));
    return empty_shape_;
  }
  return shape;
}

Shape EntryReader::ReadArrayShape(ByteReader& reader, std::optional<uint64_t> encoding) {
  const std::vector<int64_t> sizes = SignedList(reader);
  const PrimitiveType element = element_type(reader.Varint());
  std::vector<int64_t> bounds;
  if (encoding.has_value()) {
    ByteReader extensions = Open(AttributeEntry(*encoding), "vhlo", kTypeExtensions);
    bounds = SignedList(extensions);
    if (!extensions.Complete()) reader.Fail();
  }
  if (!ok() || !reader.ok()) return empty_shape_;
  return ArrayShape(element, sizes, bounds);
}

Shape EntryReader::ReadTupleShape(ByteReader& reader) {
  std::vector<Shape> elements;
  for (uint64_t count = reader.Count(); count > 0 && ok(); --count) {
    const Shape* element = shape(reader.Varint());
    Spend(ShapeBytes(*element));
    if (ok()) elements.push_back(*element);
  }
  return Shape(std::move(elements));
}

bool EntryReader::ReadVhloType(uint64_t code, ByteReader& reader, Type& type) {
  switch (code) {
    case VhloTypeCode::kComplex:
      type.value = ComplexTypeOf(element_type(reader.Varint()));
      return std::get<PrimitiveType>(type.value) != kNoElement;
    case VhloTypeCode::kFunction:
      type.value = Function(reader);
      return true;
    case VhloTypeCode::kRankedTensor:
      type.value = ReadArrayShape(reader, std::nullopt);
      return true;
    case VhloTypeCode::kRankedTensorWithEncoding: {
      const uint64_t encoding = reader.Varint();
      type.value = ReadArrayShape(reader, encoding);
      return true;
    }
    case VhloTypeCode::kToken:
      type.value = ShapeUtil::MakeTokenShape();
      return true;
    case VhloTypeCode::kTuple:
    case VhloTypeCode::kFuture:
      type.value = ReadTupleShape(reader);
      return true;
    case VhloTypeCode::kNoneType:
      type.value = NoType();
      return true;
    case VhloTypeCode::kTensorFloat32:
      type.value = TensorFloat32();
      return true;
    case VhloTypeCode::kBuffer: {
      absl::StatusOr<Shape> buffer =
          ShapeUtil::MakeValidatedBufferShape(ReadArrayShape(reader, std::nullopt));
      if (!buffer.ok()) return Fail(buffer.status()), true;
      type.value = *std::move(buffer);
      return true;
    }
    default:
      if (code >= kVhloElementTypes.size() || kVhloElementTypes[code] == kNoElement) return false;
      type.value = kVhloElementTypes[code];
      return true;
  }
}

bool EntryReader::ReadBuiltinType(uint64_t code, ByteReader& reader, Type& type) {
  switch (code) {
    case BuiltinTypeCode::kInteger: {
      const uint64_t bits = reader.Varint();
      type.value = BuiltinIntegerType(bits >> 2, (bits & 3) == 2);
      return std::get<PrimitiveType>(type.value) != kNoElement;
    }
    case BuiltinTypeCode::kIndex:
      type.value = S64;
      return true;
    case BuiltinTypeCode::kFunction:
      type.value = Function(reader);
      return true;
    case BuiltinTypeCode::kBf16:
      type.value = BF16;
      return true;
    case BuiltinTypeCode::kF16:
      type.value = F16;
      return true;
    case BuiltinTypeCode::kF32:
      type.value = F32;
      return true;
    case BuiltinTypeCode::kF64:
      type.value = F64;
      return true;
    case BuiltinTypeCode::kComplex:
      type.value = ComplexTypeOf(element_type(reader.Varint()));
      return std::get<PrimitiveType>(type.value) != kNoElement;
    case BuiltinTypeCode::kNone:
      type.value = NoType();
      return true;
    case BuiltinTypeCode::kTensor:
      type.value = ReadArrayShape(reader, std::nullopt);
      return true;
    case BuiltinTypeCode::kTensorWithEncoding: {
      const uint64_t encoding = reader.Varint();
      type.value = ReadArrayShape(reader, encoding);
      return true;
    }
    case BuiltinTypeCode::kTuple:
      type.value = ReadTupleShape(reader);
      return true;
    default:
      return false;
  }
}

}  // namespace xla::stablehlo

#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "front/stablehlo/text/attribute_reader.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::stablehlo {
namespace {

struct ElementTypeName {
  absl::string_view name;
  PrimitiveType type;
};
constexpr ElementTypeName kElementTypes[] = {
    {"i1", PRED},
    {"i2", S2},
    {"i4", S4},
    {"i8", S8},
    {"i16", S16},
    {"i32", S32},
    {"i64", S64},
    {"si2", S2},
    {"si4", S4},
    {"si8", S8},
    {"si16", S16},
    {"si32", S32},
    {"si64", S64},
    {"ui2", U2},
    {"ui4", U4},
    {"ui8", U8},
    {"ui16", U16},
    {"ui32", U32},
    {"ui64", U64},
    {"index", S64},
    {"bf16", BF16},
    {"f16", F16},
    {"f32", F32},
    {"f64", F64},
    {"f4E2M1FN", F4E2M1FN},
    {"f6E2M3FN", F6E2M3FN},
    {"f6E3M2FN", F6E3M2FN},
    {"f8E3M4", F8E3M4},
    {"f8E4M3", F8E4M3},
    {"f8E4M3FN", F8E4M3FN},
    {"f8E4M3FNUZ", F8E4M3FNUZ},
    {"f8E4M3B11FNUZ", F8E4M3B11FNUZ},
    {"f8E5M2", F8E5M2},
    {"f8E5M2FNUZ", F8E5M2FNUZ},
    {"f8E8M0FNU", F8E8M0FNU},
};

// Types of MLIR that arrays of XLA do not have.
constexpr absl::string_view kOtherTypes[] = {"f80",  "f128",   "vector", "none",
                                             "tf32", "memref", "tensor", "tuple"};

absl::string_view MlirName(PrimitiveType type) {
  if (type == C64) return "complex<f32>";
  if (type == C128) return "complex<f64>";
  for (const ElementTypeName& candidate : kElementTypes) {
    if (candidate.type == type) return candidate.name;
  }
  return "?";
}

// The nodes of the tree that a shape is.
int64_t NodeCount(const Shape& shape) {
  int64_t count = 1;
  if (!shape.IsTuple()) return count;
  for (const Shape& element : shape.tuple_shapes()) count += NodeCount(element);
  return count;
}

}  // namespace

std::string AttributeReader::TypeName(const Shape& shape) {
  if (shape.IsToken()) return "!stablehlo.token";
  if (shape.IsTuple()) {
    return absl::StrCat("tuple<",
                        absl::StrJoin(shape.tuple_shapes(), ", ",
                                      [](std::string* out, const Shape& element) {
                                        absl::StrAppend(out, TypeName(element));
                                      }),
                        ">");
  }
  std::string sizes;
  std::string bounds;
  bool has_bounds = false;
  const Shape& array = shape.IsBuffer() ? shape.buffer_shape() : shape;
  for (int i = 0; i < array.dimensions_size(); ++i) {
    const bool is_bounded =
        array.is_dynamic_dimension(i) && !array.is_unbounded_dynamic_dimension(i);
    has_bounds |= is_bounded;
    absl::StrAppend(&bounds, i == 0 ? "" : ", ",
                    is_bounded ? absl::StrCat(array.dimensions(i)) : "?");
    absl::StrAppend(&sizes, array.is_dynamic_dimension(i) ? "?" : absl::StrCat(array.dimensions(i)),
                    "x");
  }
  return absl::StrCat(shape.IsBuffer() ? "memref<" : "tensor<", sizes,
                      MlirName(array.element_type()),
                      has_bounds ? absl::StrCat(", #stablehlo.bounds<", bounds, ">") : "", ">");
}

bool AttributeReader::Spend(int64_t nodes) {
  budget_ -= nodes;
  return budget_ >= 0 || Fail("the types or attributes that aliases stand for are too large");
}

const Shape* AttributeReader::ShapeOf(const Type* type, const char* position) {
  if (type == nullptr) return nullptr;
  const Shape* shape = std::get_if<Shape>(&type->value);
  if (shape == nullptr) FailAt(position, "values have no such type: tensors, tuples, tokens do");
  return shape;
}

const Shape* AttributeReader::ReadShape() {
  const char* position = place();
  return ShapeOf(ReadType(), position);
}

bool AttributeReader::ReadTypes(std::vector<const Type*>* types) {
  const auto read_one = [&] {
    types->push_back(ReadType());
    return types->back() != nullptr;
  };
  return Accept('(') ? ReadListUntil(')', read_one) : read_one();
}

bool AttributeReader::ReadShapes(std::vector<const Shape*>* shapes) {
  const auto read_one = [&] {
    shapes->push_back(ReadShape());
    return shapes->back() != nullptr;
  };
  return Accept('(') ? ReadListUntil(')', read_one) : read_one();
}

const Type* AttributeReader::ReadType() {
  Nesting nesting(this);
  if (nesting.TooDeep() || !Spend(1)) return nullptr;
  if (At('(')) return ReadFunctionType();
  if (At(TokenKind::kExclamation)) return ReadDialectType();
  if (!At(TokenKind::kWord)) {
    FailExpected("a type");
    return nullptr;
  }
  return ReadWordType();
}

const Type* AttributeReader::ReadWordType() {
  if (AcceptWord("tensor")) return ReadTensorType(/*is_buffer=*/false);
  if (AcceptWord("memref")) return ReadTensorType(/*is_buffer=*/true);
  if (AcceptWord("tuple")) return ReadTupleType();
  if (AcceptWord("none")) return program_->Add(Type{NoType{}});
  if (AcceptWord("tf32")) return program_->Add(Type{TensorFloat32{}});
  PrimitiveType type;
  if (!ReadElementType(&type)) return nullptr;
  return program_->Add(Type{type});
}

bool AttributeReader::ReadElementType(PrimitiveType* type) {
  if (At(TokenKind::kExclamation) && absl::StartsWith(token().text, "quant.")) {
    return FailUnimplemented(place(), "quantized types are not supported");
  }
  if (!At(TokenKind::kWord)) return FailExpected("an element type");
  for (const ElementTypeName& candidate : kElementTypes) {
    if (token().text != candidate.name) continue;
    *type = candidate.type;
    Next();
    return true;
  }
  const char* position = place();
  if (AcceptWord("complex")) {
    if (!Expect('<') || !ReadElementType(type)) return false;
    if (*type != F32 && *type != F64) {
      return FailAt(position, "complex numbers are made of f32 or f64");
    }
    *type = *type == F32 ? C64 : C128;
    return Expect('>');
  }
  for (absl::string_view other : kOtherTypes) {
    if (token().text == other) {
      return FailUnimplemented(position, "tensors of ", other, " are not supported");
    }
  }
  return FailExpected("a type");
}

// 2x?x3x, behind which stands the element type. The current token is the one before.
bool AttributeReader::ReadDimensions(std::vector<int64_t>* dimensions) {
  const char* p = lexer().cursor();
  const char* end = lexer().end();
  while (true) {
    while (p != end && absl::ascii_isspace(*p)) ++p;
    const char* begin = p;
    if (p != end && *p == '?') {
      ++p;
      dimensions->push_back(Shape::kUnboundedSize);
    } else {
      while (p != end && absl::ascii_isdigit(*p)) ++p;
      if (p == begin) break;
      int64_t size;
      if (!absl::SimpleAtoi(absl::string_view(begin, p - begin), &size)) {
        return FailAt(begin, "the size of a dimension does not fit into 63 bits");
      }
      dimensions->push_back(size);
    }
    while (p != end && absl::ascii_isspace(*p)) ++p;
    if (p == end || *p != 'x') return FailAt(p, "expected 'x' behind the size of a dimension");
    ++p;
  }
  lexer().ContinueAt(p);
  return true;
}

// #stablehlo.bounds<?, 3>, behind its name.
bool AttributeReader::ReadBounds(std::vector<int64_t>* bounds) {
  return ReadList('<', '>', [&] {
    bounds->push_back(Shape::kUnboundedSize);
    return Accept('?') || ReadSignedInteger(&bounds->back());
  });
}

const Type* AttributeReader::ReadTensorType(bool is_buffer) {
  const char* position = place();
  if (!At('<')) {
    FailExpected("'<'");
    return nullptr;
  }
  std::vector<int64_t> dimensions;
  PrimitiveType type;
  if (!ReadDimensions(&dimensions)) return nullptr;
  if (At('*')) {
    FailUnimplemented(position, "tensors of unknown rank are not supported");
    return nullptr;
  }
  if (!ReadElementType(&type)) return nullptr;
  std::vector<int64_t> bounds(dimensions.size(), Shape::kUnboundedSize);
  if (Accept(',')) {
    if (!At(TokenKind::kHash) || token().text != "stablehlo.bounds") {
      FailUnimplemented(place(), "of encodings of tensors only #stablehlo.bounds is supported");
      return nullptr;
    }
    Next();
    bounds.clear();
    if (!ReadBounds(&bounds)) return nullptr;
    if (bounds.size() != dimensions.size()) {
      FailAt(position, "there must be a bound, or '?', for each dimension");
      return nullptr;
    }
  }
  if (!Expect('>')) return nullptr;
  absl::InlinedVector<bool, 6> is_dynamic(dimensions.size());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    is_dynamic[i] = dimensions[i] == Shape::kUnboundedSize;
    if (bounds[i] == Shape::kUnboundedSize) continue;
    if (!is_dynamic[i]) {
      FailAt(position, "only dimensions of size '?' have bounds");
      return nullptr;
    }
    dimensions[i] = bounds[i];
  }
  Shape shape(type, dimensions, absl::MakeConstSpan(is_dynamic.data(), is_dynamic.size()));
  absl::Status status = ShapeUtil::ValidateShapeWithOptionalLayout(shape);
  absl::StatusOr<Shape> buffer;
  if (status.ok() && is_buffer) {
    buffer = ShapeUtil::MakeValidatedBufferShape(std::move(shape));
    status = buffer.status();
  }
  if (!status.ok()) {
    FailAt(position, status.message());
    return nullptr;
  }
  return program_->Add(Type{is_buffer ? *std::move(buffer) : std::move(shape)});
}

const Type* AttributeReader::ReadTupleType() {
  std::vector<Shape> elements;
  const auto read_one = [&] {
    const Shape* element = ReadShape();
    if (element == nullptr) return false;
    elements.push_back(*element);
    return Spend(NodeCount(*element));
  };
  if (!ReadList('<', '>', read_one)) return nullptr;
  return program_->Add(Type{Shape(std::move(elements))});
}

const Type* AttributeReader::ReadFunctionType() {
  FunctionType type;
  if (!ReadTypes(&type.inputs) || !ExpectArrow() || !ReadTypes(&type.results)) return nullptr;
  return program_->Add(Type{std::move(type)});
}

const Type* AttributeReader::ReadDialectType() {
  const absl::string_view name = token().text;
  const char* position = place();
  // What an asynchronous operation gives is like a tuple of its results.
  if (name == "stablehlo.future") {
    Next();
    return ReadTupleType();
  }
  if (name == "stablehlo.token") {
    Next();
    return program_->Add(Type{ShapeUtil::MakeTokenShape()});
  }
  const auto alias = type_aliases_.find(name);
  if (alias != type_aliases_.end()) {
    Next();
    return UseAlias(alias->second.extent) ? alias->second.value : nullptr;
  }
  if (absl::StrContains(name, '.')) {
    FailUnimplemented(position, "the type !", name, " is not supported");
  } else {
    Fail("there is no type alias !", name);
  }
  return nullptr;
}

}  // namespace xla::stablehlo

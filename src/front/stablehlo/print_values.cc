#include "front/stablehlo/print_values.h"

#include <cmath>
#include <cstring>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::stablehlo {
namespace {

// Tensors with more elements are written as the bytes that they are.
constexpr int64_t kMaxReadableElements = 100;

bool IsBareName(absl::string_view text) {
  if (text.empty() || absl::ascii_isdigit(text[0])) return false;
  for (char c : text) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '$' && c != '.') return false;
  }
  return text[0] != '$' && text[0] != '.';
}

template <typename Range, typename Append>
void AppendList(const Range& range, std::string* out, const Append& append) {
  absl::string_view separator = "";
  for (const auto& element : range) {
    absl::StrAppend(out, separator);
    append(element);
    separator = ", ";
  }
}

void AppendIntegers(absl::Span<const int64_t> values, std::string* out) {
  absl::StrAppend(out, "[", absl::StrJoin(values, ", "), "]");
}

// With as many digits as give the same number again.
template <typename T>
void AppendFloat(T value, std::string* out) {
  const double number = static_cast<double>(value);
  if (!std::isfinite(number)) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    absl::StrAppendFormat(out, "0x%0*X", static_cast<int>(2 * sizeof(T)), bits);
    return;
  }
  constexpr int kDigits[] = {6, 8, 16};
  for (int digits : kDigits) {
    const std::string text = absl::StrFormat("%.*e", digits, number);
    double read = 0;
    if (digits == 16 ||
        (absl::SimpleAtod(text, &read) && static_cast<double>(static_cast<T>(read)) == number)) {
      absl::StrAppend(out, text);
      return;
    }
  }
}

int64_t IntegerAt(const char* bytes, PrimitiveType type) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, primitive_util::ByteWidth(type));
  const int unused = 64 - primitive_util::BitWidth(type);
  bits <<= unused;
  return primitive_util::IsSignedIntegralType(type) ? static_cast<int64_t>(bits) >> unused
                                                    : static_cast<int64_t>(bits >> unused);
}

void AppendInteger(int64_t value, PrimitiveType type, std::string* out) {
  if (primitive_util::IsUnsignedIntegralType(type)) {
    absl::StrAppend(out, static_cast<uint64_t>(value));
  } else {
    absl::StrAppend(out, value);
  }
}

void AppendElement(const char* bytes, PrimitiveType type, std::string* out) {
  if (type == PRED) {
    absl::StrAppend(out, *bytes != 0 ? "true" : "false");
  } else if (primitive_util::IsComplexType(type)) {
    const PrimitiveType part = primitive_util::ComplexComponentType(type);
    absl::StrAppend(out, "(");
    AppendElement(bytes, part, out);
    absl::StrAppend(out, ", ");
    AppendElement(bytes + primitive_util::ByteWidth(part), part, out);
    absl::StrAppend(out, ")");
  } else if (primitive_util::IsFloatingPointType(type)) {
    primitive_util::FloatingPointTypeSwitch(
        [&](auto constant) {
          primitive_util::NativeTypeOf<decltype(constant)::value> value;
          std::memcpy(static_cast<void*>(&value), bytes, sizeof(value));
          AppendFloat(value, out);
        },
        type);
  } else {
    AppendInteger(IntegerAt(bytes, type), type, out);
  }
}

// The elements from `*bytes` on that the dimensions from `dimension` on have, in brackets.
void AppendElements(const Shape& shape, int dimension, const char** bytes, std::string* out) {
  if (dimension == shape.dimensions_size()) {
    AppendElement(*bytes, shape.element_type(), out);
    *bytes += primitive_util::ByteWidth(shape.element_type());
    return;
  }
  absl::StrAppend(out, "[");
  for (int64_t i = 0; i < shape.dimensions(dimension); ++i) {
    if (i > 0) absl::StrAppend(out, ", ");
    AppendElements(shape, dimension + 1, bytes, out);
  }
  absl::StrAppend(out, "]");
}

void AppendDenseBody(const TensorAttribute& tensor, std::string* out) {
  const PrimitiveType type = tensor.shape->element_type();
  const int64_t count = ShapeUtil::ElementsIn(*tensor.shape);
  absl::StrAppend(out, "dense<");
  if (count > 0 && tensor.is_splat) {
    AppendElement(tensor.bytes.data(), type, out);
  } else if (count > kMaxReadableElements && primitive_util::BitWidth(type) >= 8) {
    absl::StrAppend(out, "\"0x", absl::AsciiStrToUpper(absl::BytesToHexString(tensor.bytes)), "\"");
  } else if (count > 0) {
    const char* bytes = tensor.bytes.data();
    AppendElements(*tensor.shape, 0, &bytes, out);
  }
  absl::StrAppend(out, ">");
}

void AppendAxis(const AxisReference& axis, std::string* out) {
  AppendQuoted(axis.name, out);
  if (axis.sub_axis.has_value()) {
    absl::StrAppend(out, ":(", axis.sub_axis->first, ")", axis.sub_axis->second);
  }
}

void AppendAxes(absl::Span<const AxisReference> axes, std::string* out) {
  absl::StrAppend(out, "{");
  AppendList(axes, out, [&](const AxisReference& axis) { AppendAxis(axis, out); });
  absl::StrAppend(out, "}");
}

void AppendDimensionSharding(const DimensionSharding& dimension, std::string* out) {
  absl::StrAppend(out, "{");
  AppendList(dimension.axes, out, [&](const AxisReference& axis) { AppendAxis(axis, out); });
  if (!dimension.is_closed) absl::StrAppend(out, dimension.axes.empty() ? "?" : ", ?");
  absl::StrAppend(out, "}");
  if (dimension.priority.has_value()) absl::StrAppend(out, "p", *dimension.priority);
}

// What std::visit of an attribute calls.
struct AttributeAppender {
  std::string* out;

  void operator()(const UnitAttribute&) const { absl::StrAppend(out, "unit"); }
  void operator()(bool value) const { absl::StrAppend(out, value ? "true" : "false"); }
  void operator()(const IntegerAttribute& integer) const {
    AppendInteger(integer.value, integer.type, out);
    absl::StrAppend(out, " : ");
    AppendElementType(integer.type, out);
  }
  void operator()(const FloatAttribute& number) const {
    primitive_util::FloatingPointTypeSwitch(
        [&](auto constant) {
          using T = primitive_util::NativeTypeOf<decltype(constant)::value>;
          AppendFloat(static_cast<T>(number.value), out);
        },
        number.type);
    absl::StrAppend(out, " : ");
    AppendElementType(number.type, out);
  }
  void operator()(const StringAttribute& string) const { AppendQuoted(string.value, out); }
  void operator()(const SymbolAttribute& symbol) const { AppendSymbol(symbol.name, out); }
  // Which enumeration it is of, an operation knows; elsewhere it is a string.
  void operator()(const KeywordAttribute& keyword) const { AppendQuoted(keyword.name, out); }
  void operator()(const TypeAttribute& type) const { AppendType(*type.type, out); }
  void operator()(const ArrayAttribute& array) const {
    absl::StrAppend(out, "[");
    AppendList(array.elements, out, [&](const Attribute* each) { AppendAttribute(*each, out); });
    absl::StrAppend(out, "]");
  }
  void operator()(const DictionaryAttribute& dictionary) const {
    AppendDictionary(dictionary.entries, out);
  }
  void operator()(const TensorAttribute& tensor) const { AppendDense(tensor, false, out); }
  void operator()(const OutputOperandAlias& alias) const {
    absl::StrAppend(out, "#stablehlo.output_operand_alias<output_tuple_indices = ");
    AppendIntegers(alias.output_indices, out);
    absl::StrAppend(out, ", operand_index = ", alias.operand, ", operand_tuple_indices = ");
    AppendIntegers(alias.operand_indices, out);
    absl::StrAppend(out, ">");
  }
  void operator()(const ResultAccuracyAttribute& accuracy) const {
    absl::StrAppend(out, "#stablehlo.result_accuracy<atol = ");
    AppendFloat(accuracy.absolute_tolerance, out);
    absl::StrAppend(out, ", rtol = ");
    AppendFloat(accuracy.relative_tolerance, out);
    absl::StrAppend(out, ", ulps = ", accuracy.units, ", mode = #stablehlo.result_accuracy_mode<",
                    accuracy.mode, ">>");
  }
  void operator()(const MeshAttribute& mesh) const {
    absl::StrAppend(out, "#sdy.mesh");
    AppendMeshBody(mesh, out);
  }
  void operator()(const TensorShardingAttribute& sharding) const {
    absl::StrAppend(out, "#sdy.sharding");
    AppendShardingBody(sharding, out);
  }
  void operator()(const ShardingPerValueAttribute& shardings) const {
    absl::StrAppend(out, "#sdy.sharding_per_value<[");
    AppendList(shardings.shardings, out, [&](const Attribute* each) {
      if (const auto* sharding = std::get_if<TensorShardingAttribute>(&each->value)) {
        AppendShardingBody(*sharding, out);
      }
    });
    absl::StrAppend(out, "]>");
  }
  void operator()(const ReplicaGroupMeshAxes& groups) const {
    absl::StrAppend(out, "#stablehlo.replica_group_mesh_axes<mesh = ");
    AppendAttribute(*groups.mesh, out);
    absl::StrAppend(out, ", axes = [");
    AppendList(groups.axes, out, [&](const AxisReference& axis) {
      absl::StrAppend(out, "#stablehlo.axis_ref<name = ");
      AppendQuoted(axis.name, out);
      if (axis.sub_axis.has_value()) {
        absl::StrAppend(out, ", sub_axis_info = (", axis.sub_axis->first, ")",
                        axis.sub_axis->second);
      }
      absl::StrAppend(out, ">");
    });
    absl::StrAppend(out, "]>");
  }
  void operator()(const OpaqueAttribute& opaque) const { absl::StrAppend(out, opaque.text); }
};

}  // namespace

void AppendElementType(PrimitiveType type, std::string* out) {
  if (type == PRED) {
    absl::StrAppend(out, "i1");
  } else if (primitive_util::IsComplexType(type)) {
    absl::StrAppend(out, "complex<");
    AppendElementType(primitive_util::ComplexComponentType(type), out);
    absl::StrAppend(out, ">");
  } else if (primitive_util::IsIntegralType(type)) {
    const bool is_signed = primitive_util::IsSignedIntegralType(type);
    absl::StrAppend(out, is_signed ? "i" : "ui", primitive_util::BitWidth(type));
  } else {
    // f8e4m3fn is f8E4M3FN; bf16, f16, f32 and f64 are the same.
    std::string name = primitive_util::LowercasePrimitiveTypeName(type);
    if (name[0] == 'f') {
      for (char& c : absl::MakeSpan(name).subspan(1)) c = absl::ascii_toupper(c);
    }
    absl::StrAppend(out, name);
  }
}

void AppendShape(const Shape& shape, std::string* out) {
  if (shape.IsTuple()) {
    absl::StrAppend(out, "tuple<");
    AppendList(shape.tuple_shapes(), out, [&](const Shape& each) { AppendShape(each, out); });
    absl::StrAppend(out, ">");
    return;
  }
  if (!shape.IsArray()) {
    absl::StrAppend(out, "!stablehlo.token");
    return;
  }
  const Shape& array = shape.IsBuffer() ? shape.buffer_shape() : shape;
  absl::StrAppend(out, shape.IsBuffer() ? "memref<" : "tensor<");
  for (int i = 0; i < array.dimensions_size(); ++i) {
    if (array.is_dynamic_dimension(i)) {
      absl::StrAppend(out, "?x");
    } else {
      absl::StrAppend(out, array.dimensions(i), "x");
    }
  }
  AppendElementType(array.element_type(), out);
  if (array.is_bounded_dynamic()) {
    absl::StrAppend(out, ", #stablehlo.bounds<");
    for (int i = 0; i < array.dimensions_size(); ++i) {
      absl::StrAppend(out, i > 0 ? ", " : "");
      if (array.is_bounded_dynamic_dimension(i)) {
        absl::StrAppend(out, array.dimensions(i));
      } else {
        absl::StrAppend(out, "?");
      }
    }
    absl::StrAppend(out, ">");
  }
  absl::StrAppend(out, ">");
}

void AppendFuture(const Shape& tuple, std::string* out) {
  absl::StrAppend(out, "!stablehlo.future<");
  AppendList(tuple.tuple_shapes(), out, [&](const Shape& each) { AppendShape(each, out); });
  absl::StrAppend(out, ">");
}

void AppendType(const Type& type, std::string* out) {
  if (const auto* shape = std::get_if<Shape>(&type.value)) {
    AppendShape(*shape, out);
  } else if (const auto* element = std::get_if<PrimitiveType>(&type.value)) {
    AppendElementType(*element, out);
  } else if (const auto* function = std::get_if<FunctionType>(&type.value)) {
    const auto append = [&](const Type* each) { AppendType(*each, out); };
    absl::StrAppend(out, "(");
    AppendList(function->inputs, out, append);
    absl::StrAppend(out, ") -> (");
    AppendList(function->results, out, append);
    absl::StrAppend(out, ")");
  } else {
    absl::StrAppend(out, std::holds_alternative<NoType>(type.value) ? "none" : "tf32");
  }
}

void AppendAttribute(const Attribute& attribute, std::string* out) {
  std::visit(AttributeAppender{out}, attribute.value);
}

void AppendDictionary(const NamedAttributes& entries, std::string* out) {
  absl::StrAppend(out, "{");
  AppendList(entries, out, [&](const NamedAttribute& entry) {
    AppendKey(entry.name, out);
    if (std::holds_alternative<UnitAttribute>(entry.value->value)) return;
    absl::StrAppend(out, " = ");
    AppendAttribute(*entry.value, out);
  });
  absl::StrAppend(out, "}");
}

void AppendDense(const TensorAttribute& tensor, bool is_index, std::string* out) {
  AppendDenseBody(tensor, out);
  absl::StrAppend(out, " : ");
  if (is_index) {
    absl::StrAppend(out, "tensor<", absl::StrJoin(tensor.shape->dimensions(), "x"), "xindex>");
  } else {
    AppendShape(*tensor.shape, out);
  }
}

void AppendShardingBody(const TensorShardingAttribute& sharding, std::string* out) {
  absl::StrAppend(out, "<");
  if (const auto* mesh = std::get_if<MeshAttribute>(&sharding.mesh->value)) {
    absl::StrAppend(out, "mesh");
    AppendMeshBody(*mesh, out);
  } else {
    AppendAttribute(*sharding.mesh, out);
  }
  absl::StrAppend(out, ", [");
  AppendList(sharding.dimensions, out,
             [&](const DimensionSharding& each) { AppendDimensionSharding(each, out); });
  absl::StrAppend(out, "]");
  if (!sharding.replicated_axes.empty()) {
    absl::StrAppend(out, ", replicated=");
    AppendAxes(sharding.replicated_axes, out);
  }
  if (!sharding.unreduced_axes.empty()) {
    absl::StrAppend(out, ", unreduced=");
    AppendAxes(sharding.unreduced_axes, out);
  }
  absl::StrAppend(out, ">");
}

void AppendMeshBody(const MeshAttribute& mesh, std::string* out) {
  absl::StrAppend(out, "<[");
  AppendList(mesh.axes, out, [&](const MeshAxis& axis) {
    AppendQuoted(axis.name, out);
    absl::StrAppend(out, "=", axis.size);
  });
  absl::StrAppend(out, "]");
  if (!mesh.device_ids.empty()) {
    absl::StrAppend(out, ", device_ids=");
    AppendIntegers(mesh.device_ids, out);
  }
  absl::StrAppend(out, ">");
}

void AppendQuoted(absl::string_view text, std::string* out) {
  absl::StrAppend(out, "\"");
  for (char c : text) {
    if (absl::ascii_isprint(c) && c != '"' && c != '\\') {
      out->push_back(c);
    } else {
      absl::StrAppendFormat(out, "\\%02X", static_cast<uint8_t>(c));
    }
  }
  absl::StrAppend(out, "\"");
}

void AppendSymbol(absl::string_view name, std::string* out) {
  absl::StrAppend(out, "@");
  AppendKey(name, out);
}

void AppendKey(absl::string_view name, std::string* out) {
  if (IsBareName(name)) {
    absl::StrAppend(out, name);
  } else {
    AppendQuoted(name, out);
  }
}

std::vector<int64_t> IntegersOf(const Attribute* attribute) {
  std::vector<int64_t> values;
  const auto* tensor =
      attribute == nullptr ? nullptr : std::get_if<TensorAttribute>(&attribute->value);
  if (tensor == nullptr) return values;
  const PrimitiveType type = tensor->shape->element_type();
  if (type != PRED && !primitive_util::IsIntegralType(type)) return values;
  const int64_t count = ShapeUtil::ElementsIn(*tensor->shape);
  const int64_t step = tensor->is_splat ? 0 : primitive_util::ByteWidth(type);
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(IntegerAt(tensor->bytes.data() + i * step, type));
  }
  return values;
}

}  // namespace xla::stablehlo

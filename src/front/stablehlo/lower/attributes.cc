#include "front/stablehlo/lower/attributes.h"

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {
namespace {

// Lists of integers are about dimensions, devices and the like.
constexpr int64_t kMostIntegers = int64_t{1} << 24;

absl::Status IsNot(absl::string_view name, absl::string_view what) {
  return InvalidArgument("the attribute %s must be %s", name, what);
}

template <typename Value>
absl::StatusOr<Value> Insist(absl::StatusOr<std::optional<Value>> found, absl::string_view name) {
  if (!found.ok()) return found.status();
  if (!found->has_value()) return InvalidArgument("the attribute %s is missing", name);
  return **std::move(found);
}

// Numbers of fewer than eight bits have one form in memory, as predicates have.
template <typename Native>
void CopyElements(absl::string_view bytes, int bit_width, absl::Span<Native> to) {
  if constexpr (std::is_same_v<Native, bool>) {
    for (size_t i = 0; i < to.size(); ++i) to[i] = bytes[i] != 0;
  } else if constexpr (is_intN_v<Native>) {
    // The bits of the number are the low ones; those above it may be anything.
    const int unused = 32 - bit_width;
    for (size_t i = 0; i < to.size(); ++i) {
      const uint32_t bits = static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << unused;
      if constexpr (std::numeric_limits<Native>::is_signed) {
        to[i] = static_cast<Native>(static_cast<int32_t>(bits) >> unused);
      } else {
        to[i] = static_cast<Native>(bits >> unused);
      }
    }
  } else {
    if (bytes.empty()) return;
    std::memcpy(to.data(), bytes.data(), bytes.size());
    if constexpr (sizeof(Native) == 1) {
      auto* memory = reinterpret_cast<uint8_t*>(to.data());
      const auto mask = static_cast<uint8_t>((1 << bit_width) - 1);
      for (size_t i = 0; bit_width < 8 && i < to.size(); ++i) memory[i] &= mask;
    }
  }
}

absl::Status CheckArray(const Shape& shape) {
  HILO_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
  if (!shape.IsArrayExcludingBuffer() || !shape.is_static()) {
    return InvalidArgument("a tensor of constants cannot be %s", shape.ToString());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Literal> ToLiteral(const TensorAttribute& tensor) {
  const Shape& given = *tensor.shape;
  HILO_RETURN_IF_ERROR(CheckArray(given));
  const Shape shape = tensor.is_splat
                          ? ShapeUtil::MakeShape(given.element_type(), {})
                          : ShapeUtil::MakeShape(given.element_type(), given.dimensions());
  // Known to be short before memory is asked for.
  const int64_t wanted =
      ShapeUtil::ElementsIn(shape) * primitive_util::ByteWidth(given.element_type());
  if (static_cast<int64_t>(tensor.bytes.size()) != wanted) {
    return InvalidArgument("%s has %d bytes, but needs %d", given.ToString(), tensor.bytes.size(),
                           wanted);
  }
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::Make(shape));
  primitive_util::ArrayTypeSwitch(
      [&](auto type) {
        using Native = primitive_util::NativeTypeOf<type>;
        CopyElements<Native>(tensor.bytes, primitive_util::BitWidth(type), literal.data<Native>());
      },
      shape.element_type());
  return literal;
}

absl::StatusOr<Integers> ToIntegers(const TensorAttribute& tensor) {
  HILO_ASSIGN_OR_RETURN(const Literal literal, ToLiteral(tensor));
  const PrimitiveType type = literal.shape().element_type();
  if (!primitive_util::IsIntegralType(type) && type != PRED) {
    return InvalidArgument("%s holds no integers", tensor.shape->ToString());
  }
  const int64_t count = ShapeUtil::ElementsIn(*tensor.shape);
  if (count > kMostIntegers) return InvalidArgument("%d integers are too many", count);
  Integers integers;
  primitive_util::ArrayTypeSwitch(
      [&](auto native) {
        using Native = primitive_util::NativeTypeOf<native>;
        if constexpr (primitive_util::IsIntegralType(native) || native == PRED) {
          for (const Native value : literal.data<Native>()) {
            integers.push_back(static_cast<int64_t>(value));
          }
        }
      },
      type);
  if (tensor.is_splat) integers.assign(count, integers.front());
  return integers;
}

absl::StatusOr<std::optional<Integers>> FindIntegers(const Operation& op, absl::string_view name) {
  const Attribute* attribute = op.attribute(name);
  if (attribute == nullptr) return std::nullopt;
  if (const auto* tensor = As<TensorAttribute>(attribute)) {
    absl::StatusOr<Integers> integers = ToIntegers(*tensor);
    if (!integers.ok()) {
      return InvalidArgument("the attribute %s: %s", name, integers.status().message());
    }
    return *std::move(integers);
  }
  const auto* array = As<ArrayAttribute>(attribute);
  if (array == nullptr) return IsNot(name, "a list of integers");
  Integers integers;
  for (const Attribute* element : array->elements) {
    const auto* integer = As<IntegerAttribute>(element);
    if (integer == nullptr) return IsNot(name, "a list of integers");
    integers.push_back(integer->value);
  }
  return integers;
}

absl::StatusOr<std::optional<int64_t>> FindInteger(const Operation& op, absl::string_view name) {
  const Attribute* attribute = op.attribute(name);
  if (attribute == nullptr) return std::nullopt;
  const auto* integer = As<IntegerAttribute>(attribute);
  if (integer == nullptr) return IsNot(name, "an integer");
  return integer->value;
}

absl::StatusOr<std::optional<absl::string_view>> FindKeyword(const Operation& op,
                                                             absl::string_view name) {
  const Attribute* attribute = op.attribute(name);
  if (attribute == nullptr) return std::nullopt;
  const auto* keyword = As<KeywordAttribute>(attribute);
  if (keyword == nullptr) return IsNot(name, "a keyword");
  return keyword->name;
}

absl::StatusOr<std::optional<absl::string_view>> FindString(const Operation& op,
                                                            absl::string_view name) {
  const Attribute* attribute = op.attribute(name);
  if (attribute == nullptr) return std::nullopt;
  if (const auto* text = As<StringAttribute>(attribute)) return text->value;
  if (const auto* symbol = As<SymbolAttribute>(attribute)) return symbol->name;
  return IsNot(name, "a string or a symbol");
}

absl::StatusOr<Integers> GetIntegers(const Operation& op, absl::string_view name) {
  return Insist(FindIntegers(op, name), name);
}
absl::StatusOr<int64_t> GetInteger(const Operation& op, absl::string_view name) {
  return Insist(FindInteger(op, name), name);
}
absl::StatusOr<absl::string_view> GetKeyword(const Operation& op, absl::string_view name) {
  return Insist(FindKeyword(op, name), name);
}
absl::StatusOr<absl::string_view> GetString(const Operation& op, absl::string_view name) {
  return Insist(FindString(op, name), name);
}

absl::StatusOr<double> GetFloat(const Operation& op, absl::string_view name) {
  const auto* number = As<FloatAttribute>(op.attribute(name));
  if (number == nullptr) return IsNot(name, "a floating-point number");
  return number->value;
}

absl::StatusOr<bool> GetBool(const Operation& op, absl::string_view name) {
  const Attribute* attribute = op.attribute(name);
  if (attribute == nullptr) return false;
  if (As<UnitAttribute>(attribute) != nullptr) return true;
  if (const auto* value = As<bool>(attribute)) return *value;
  return IsNot(name, "true or false");
}

absl::StatusOr<int64_t> GetIntegerOr(const Operation& op, absl::string_view name, int64_t value) {
  HILO_ASSIGN_OR_RETURN(const std::optional<int64_t> found, FindInteger(op, name));
  return found.value_or(value);
}

absl::StatusOr<Integers> GetIntegersOrNone(const Operation& op, absl::string_view name) {
  HILO_ASSIGN_OR_RETURN(std::optional<Integers> found, FindIntegers(op, name));
  return std::move(found).value_or(Integers());
}

absl::StatusOr<Integers> GetIntegersOr(const Operation& op, absl::string_view name, int64_t count,
                                       int64_t value) {
  HILO_ASSIGN_OR_RETURN(std::optional<Integers> found, FindIntegers(op, name));
  if (!found.has_value()) return Integers(count, value);
  if (static_cast<int64_t>(found->size()) != count) {
    return InvalidArgument("the attribute %s has %d elements, but needs %d", name, found->size(),
                           count);
  }
  return *std::move(found);
}

absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> GetPairs(const Operation& op,
                                                                  absl::string_view name) {
  HILO_ASSIGN_OR_RETURN(const Integers flat, GetIntegersOrNone(op, name));
  if (const auto* tensor = As<TensorAttribute>(op.attribute(name));
      tensor != nullptr && !flat.empty() &&
      (tensor->shape->dimensions_size() != 2 || tensor->shape->dimensions(1) != 2)) {
    return IsNot(name, "a list of pairs");
  }
  if (flat.size() % 2 != 0) return IsNot(name, "a list of pairs");
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < flat.size(); i += 2) pairs.emplace_back(flat[i], flat[i + 1]);
  return pairs;
}

}  // namespace xla::stablehlo::lowering

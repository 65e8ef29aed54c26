#include "front/stablehlo/defaults.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "xla/shape_util.h"

namespace xla::stablehlo {
namespace {

const TensorAttribute* AsTensor(const Attribute& attribute) {
  return std::get_if<TensorAttribute>(&attribute.value);
}

bool IsZero(const Attribute& attribute) {
  const TensorAttribute* tensor = AsTensor(attribute);
  return tensor != nullptr && tensor->bytes.find_first_not_of('\0') == absl::string_view::npos;
}

bool AreOnes(const Attribute& attribute) {
  const TensorAttribute* tensor = AsTensor(attribute);
  if (tensor == nullptr || tensor->shape->element_type() != S64) return false;
  for (size_t i = 0; i < tensor->bytes.size(); ++i) {
    if (tensor->bytes[i] != (i % sizeof(int64_t) == 0 ? 1 : 0)) return false;
  }
  return true;
}

bool AreDefaults(const Attribute& attribute) {
  const auto* array = std::get_if<ArrayAttribute>(&attribute.value);
  return array != nullptr &&
         std::all_of(array->elements.begin(), array->elements.end(), [](const Attribute* element) {
           const auto* keyword = std::get_if<KeywordAttribute>(&element->value);
           return keyword != nullptr && keyword->name == "DEFAULT";
         });
}

bool IsFalse(const Attribute& attribute) {
  const bool* flag = std::get_if<bool>(&attribute.value);
  return flag != nullptr && !*flag;
}

bool IsEmpty(const Attribute& attribute) {
  const auto* string = std::get_if<StringAttribute>(&attribute.value);
  return string != nullptr && string->value.empty();
}

bool HasNoEntries(const Attribute& attribute) {
  const auto* dictionary = std::get_if<DictionaryAttribute>(&attribute.value);
  return dictionary != nullptr && dictionary->entries.empty();
}

template <int64_t kValue>
bool IsInteger(const Attribute& attribute) {
  const auto* integer = std::get_if<IntegerAttribute>(&attribute.value);
  return integer != nullptr && integer->value == kValue;
}

// What VHLO writes where there is no list.
bool IsEmptyList(const Attribute& attribute) {
  const TensorAttribute* tensor = AsTensor(attribute);
  return tensor != nullptr && tensor->shape->dimensions_size() == 1 &&
         ShapeUtil::ElementsIn(*tensor->shape) == 0;
}

struct Default {
  absl::string_view attribute;
  bool (*is_default)(const Attribute& attribute);
};
constexpr Default kDefaults[] = {
    {"api_version", IsInteger<1>},
    {"backend_config", IsEmpty},
    {"base_dilations", AreOnes},
    {"channel_id", IsInteger<0>},
    {"composite_attributes", HasNoEntries},
    {"dimension", IsInteger<-1>},
    {"has_side_effect", IsFalse},
    {"indices_are_sorted", IsFalse},
    {"is_host_transfer", IsFalse},
    {"is_stable", IsFalse},
    {"known_expanding_dimensions", IsEmptyList},
    {"known_nonexpanding_dimensions", IsEmptyList},
    {"lhs_dilation", AreOnes},
    {"padding", IsZero},
    {"precision_config", AreDefaults},
    {"rhs_dilation", AreOnes},
    {"sym_visibility", IsEmpty},
    {"source_target_pairs", IsEmptyList},
    {"unique_indices", IsFalse},
    {"use_global_device_ids", IsFalse},
    {"window_dilations", AreOnes},
    {"window_reversal", IsZero},
    {"window_strides", AreOnes},
};

}  // namespace

bool IsAbsent(absl::string_view name, const Attribute& attribute) {
  if (const auto* type = std::get_if<TypeAttribute>(&attribute.value)) {
    return std::holds_alternative<NoType>(type->type->value);
  }
  if (const auto* array = std::get_if<ArrayAttribute>(&attribute.value)) {
    if (array->elements.empty()) return true;
  }
  if (const auto* keyword = std::get_if<KeywordAttribute>(&attribute.value)) {
    return keyword->name == "NOTYPE";
  }
  if (const auto* accuracy = std::get_if<ResultAccuracyAttribute>(&attribute.value)) {
    return accuracy->mode == "DEFAULT";
  }
  return std::any_of(std::begin(kDefaults), std::end(kDefaults), [&](const Default& entry) {
    return entry.attribute == name && entry.is_default(attribute);
  });
}

bool IsLongSplat(const Attribute& attribute) {
  constexpr int64_t kMaxSplatList = 1000;
  const TensorAttribute* tensor = AsTensor(attribute);
  return tensor != nullptr && tensor->is_splat &&
         ShapeUtil::ElementsIn(*tensor->shape) > kMaxSplatList;
}

}  // namespace xla::stablehlo

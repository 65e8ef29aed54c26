#include "ir/field.h"

#include <algorithm>

#include "absl/log/check.h"
#include "ir/messages.h"

namespace xla {
namespace {

template <typename T>
constexpr bool kIsMessage = std::is_base_of_v<google::protobuf::Message, T>;

// Whether two references of one kind refer to equal values.
struct ValuesEqual {
  template <typename T>
  bool operator()(const T* a, const T* b) const {
    if constexpr (kIsMessage<T>) {
      return AreEqual(*a, *b);
    } else {
      return *a == *b;
    }
  }
  bool operator()(const std::optional<Window>* a, const std::optional<Window>* b) const {
    return a->has_value() == b->has_value() && (!a->has_value() || (*this)(&**a, &**b));
  }
  bool operator()(const SharedLiteral* a, const SharedLiteral* b) const {
    if (*a == *b) return true;
    return *a != nullptr && *b != nullptr && **a == **b;
  }
  bool operator()(const EnumReference& a, const EnumReference& b) const {
    return a.value() == b.value();
  }
  bool operator()(const OptionalEnumReference& a, const OptionalEnumReference& b) const {
    return *a.value == *b.value;
  }
  bool operator()(const EnumListReference& a, const EnumListReference& b) const {
    const auto is_zero = [](int value) { return value == 0; };
    if (std::all_of(a.values->begin(), a.values->end(), is_zero)) {
      return std::all_of(b.values->begin(), b.values->end(), is_zero);
    }
    return std::equal(a.values->begin(), a.values->end(), b.values->begin(), b.values->end());
  }
};

}  // namespace

int EnumReference::value() const {
  if (int* const* number = std::get_if<int*>(&holder)) return **number;
  return std::get<PrecisionConfig*>(holder)->algorithm();
}

void EnumReference::set_value(int value) const {
  if (int* const* number = std::get_if<int*>(&holder)) {
    **number = value;
  } else {
    std::get<PrecisionConfig*>(holder)->set_algorithm(
        static_cast<PrecisionConfig::Algorithm>(value));
  }
}

bool FieldEqual(const Field& field, const Attributes& a, const Attributes& b) {
  const FieldReference left = ReadField(field, a);
  const FieldReference right = ReadField(field, b);
  return std::visit(
      [&](const auto& reference) {
        using Reference = std::decay_t<decltype(reference)>;
        return ValuesEqual()(reference, std::get<Reference>(right));
      },
      left);
}

bool AttributesEqual(const Attributes& a, const Attributes& b) {
  for (const Field& field : a.Fields()) {
    if (!FieldEqual(field, a, b)) return false;
  }
  return true;
}

bool FieldHasDefaultValue(const Field& field, const Attributes& attributes) {
  return FieldEqual(field, attributes, *attributes.Fresh());
}

}  // namespace xla

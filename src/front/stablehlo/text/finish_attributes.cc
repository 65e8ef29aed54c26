// Attributes as the newest version of StableHLO has them, however the text gave them.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "front/stablehlo/defaults.h"
#include "front/stablehlo/text/operation_reader.h"

namespace xla::stablehlo {
bool OperationReader::FinishAttributes(Draft& draft) {
  Operation& operation = *draft.operation;
  for (absl::string_view entry : absl::StrSplit(draft.syntax->attributes, ' ', absl::SkipEmpty())) {
    if (absl::ConsumePrefix(&entry, "<")) {
      if (!Splice(entry, draft)) return false;
      continue;
    }
    const bool is_optional = absl::ConsumeSuffix(&entry, "?");
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(entry, absl::MaxSplits('=', 1));
    const absl::string_view name = parts.first;
    const auto given =
        std::find_if(draft.attributes.begin(), draft.attributes.end(),
                     [&](const NamedAttribute& attribute) { return attribute.name == name; });
    const Attribute* value = nullptr;
    if (given != draft.attributes.end()) {
      value = Normalized(*given);
      if (value == nullptr) return FailAt(draft.place, "the attribute ", name, " is malformed");
      if (name != "value" && IsLongSplat(*value)) {
        return FailAt(draft.place, "the list ", name, " is too long");
      }
      draft.attributes.erase(given);
    } else if (!parts.second.empty()) {
      value = DefaultValue(parts.second, operation);
    } else if (!is_optional) {
      return FailAt(draft.place, operation.name, " must have the attribute ", name);
    }
    if (value != nullptr && !IsAbsent(name, *value)) operation.attributes.push_back({name, value});
  }
  operation.discardable = std::move(draft.attributes);
  return SortByName(&operation.attributes, draft.place) &&
         SortByName(&operation.discardable, draft.place);
}

// Replaces a structured attribute by its parts.
bool OperationReader::Splice(absl::string_view name, Draft& draft) {
  for (size_t i = 0; i < draft.attributes.size(); ++i) {
    if (draft.attributes[i].name != name) continue;
    const auto* parts = std::get_if<DictionaryAttribute>(&draft.attributes[i].value->value);
    if (parts == nullptr) return FailAt(draft.place, "the attribute ", name, " is malformed");
    const bool has_channel_type = absl::StrContains(draft.syntax->attributes, "channel_type");
    draft.attributes.erase(draft.attributes.begin() + i);
    for (const NamedAttribute& part : parts->entries) {
      if (part.name != "channel_type" || has_channel_type) draft.attributes.push_back(part);
    }
    return true;
  }
  return true;
}

// Null if the value is none that the attribute can have.
const Attribute* OperationReader::Normalized(const NamedAttribute& entry) {
  const Attribute* value = entry.value;
  if (entry.name == "use_global_device_ids") {
    const bool* flag = std::get_if<bool>(&value->value);
    return flag != nullptr && *flag ? program().Add(Attribute{UnitAttribute{}}) : value;
  }
  if (entry.name == "allowed_direction") {
    const auto* integer = std::get_if<IntegerAttribute>(&value->value);
    if (integer == nullptr) return value;
    constexpr absl::string_view kDirections[] = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
    return integer->value >= 0 && integer->value < 4 ? Keyword(kDirections[integer->value])
                                                     : nullptr;
  }
  return value;
}

const Attribute* OperationReader::DefaultValue(absl::string_view value,
                                               const Operation& operation) {
  if (value == "list") return IntegerList({});
  if (value == "false") return program().Add(Attribute{false});
  if (value == "empty") return StringValue("");
  if (value == "0i32") return Integer(S32, 0);
  // ones, for each dimension of the first operand
  int64_t rank = 0;
  if (!operation.operands.empty()) {
    const Shape& shape = program().shape(operation.operands[0]);
    if (shape.IsArray()) rank = static_cast<int64_t>(shape.dimensions().size());
  }
  return IntegerList(std::vector<int64_t>(rank, 1));
}

}  // namespace xla::stablehlo

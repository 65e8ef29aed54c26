#include "front/stablehlo/print_attributes.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "front/stablehlo/print_values.h"

namespace xla::stablehlo {
namespace {

// Attributes that text writes as fields of one.
struct AttributeGroup {
  absl::string_view operation;
  absl::string_view attribute;
  absl::string_view kind;
  absl::string_view fields;
};

constexpr absl::string_view kGatherFields =
    "offset_dims collapsed_slice_dims operand_batching_dims start_indices_batching_dims "
    "start_index_map index_vector_dim";
constexpr AttributeGroup kAttributeGroups[] = {
    {"stablehlo.gather", "dimension_numbers", "gather", kGatherFields},
    {"stablehlo.dynamic_gather", "dimension_numbers", "gather", kGatherFields},
    {"stablehlo.scatter", "scatter_dimension_numbers", "scatter",
     "update_window_dims inserted_window_dims input_batching_dims scatter_indices_batching_dims "
     "scatter_dims_to_operand_dims index_vector_dim"},
    {"stablehlo.dot_general", "dot_dimension_numbers", "dot",
     "lhs_batching_dimensions rhs_batching_dimensions lhs_contracting_dimensions "
     "rhs_contracting_dimensions"},
    {"stablehlo.dot_general", "algorithm", "dot_algorithm",
     "lhs_precision_type rhs_precision_type accumulation_type lhs_component_count "
     "rhs_component_count num_primitive_operations allow_imprecise_accumulation"},
};

constexpr absl::string_view kConvolutionFields[] = {
    "input_batch_dimension",           "input_feature_dimension",
    "input_spatial_dimensions",        "kernel_input_feature_dimension",
    "kernel_output_feature_dimension", "kernel_spatial_dimensions",
    "output_batch_dimension",          "output_feature_dimension",
    "output_spatial_dimensions"};

bool Contains(absl::string_view fields, absl::string_view name) {
  for (absl::string_view field : absl::StrSplit(fields, ' ')) {
    if (field == name) return true;
  }
  return false;
}

bool IsConvolution(const Operation& operation) {
  return operation.name == "stablehlo.convolution" || operation.name == "stablehlo.dynamic_conv";
}

// Whether another attribute of the text holds it.
bool IsGrouped(const Operation& operation, absl::string_view name) {
  if (name == "channel_id" || name == "channel_type") return true;
  if (IsConvolution(operation)) {
    return std::find(std::begin(kConvolutionFields), std::end(kConvolutionFields), name) !=
           std::end(kConvolutionFields);
  }
  return std::any_of(std::begin(kAttributeGroups), std::end(kAttributeGroups),
                     [&](const AttributeGroup& group) {
                       return group.operation == operation.name && Contains(group.fields, name);
                     });
}

int64_t IntegerOr(const Attribute* attribute, int64_t otherwise) {
  const auto* integer =
      attribute == nullptr ? nullptr : std::get_if<IntegerAttribute>(&attribute->value);
  return integer == nullptr ? otherwise : integer->value;
}

// The value of a field, empty if it can be left out.
std::string FieldText(const Attribute& attribute) {
  if (const auto* tensor = std::get_if<TensorAttribute>(&attribute.value)) {
    if (tensor->bytes.empty()) return "";
    return absl::StrCat("[", absl::StrJoin(IntegersOf(&attribute), ", "), "]");
  }
  if (const auto* integer = std::get_if<IntegerAttribute>(&attribute.value)) {
    return absl::StrCat(integer->value);
  }
  std::string text;
  AppendAttribute(attribute, &text);
  return text;
}

void AddGroup(const Operation& operation, const AttributeGroup& group,
              std::vector<AttributeText>& texts) {
  std::vector<std::string> fields;
  bool is_there = group.kind != "dot_algorithm";
  for (absl::string_view field : absl::StrSplit(group.fields, ' ')) {
    const Attribute* attribute = operation.attribute(field);
    if (attribute == nullptr) continue;
    is_there = true;
    const std::string text = FieldText(*attribute);
    if (!text.empty()) fields.push_back(absl::StrCat(field, " = ", text));
  }
  if (!is_there) return;
  texts.push_back({std::string(group.attribute),
                   absl::StrCat("#stablehlo.", group.kind, "<", absl::StrJoin(fields, ", "), ">")});
}

// Such as [b, 0, 1, f]: what each dimension of one array is.
std::string DimensionLabels(const Operation& operation, absl::string_view array,
                            absl::string_view first_name, char first, absl::string_view second_name,
                            char second) {
  const std::vector<int64_t> spatial =
      IntegersOf(operation.attribute(absl::StrCat(array, "_spatial_dimensions")));
  std::vector<std::string> labels(spatial.size() + 2, "?");
  const auto set = [&](int64_t dimension, std::string label) {
    if (dimension >= 0 && dimension < static_cast<int64_t>(labels.size())) {
      labels[dimension] = std::move(label);
    }
  };
  const auto dimension = [&](absl::string_view name) {
    return IntegerOr(operation.attribute(absl::StrCat(array, "_", name, "_dimension")), -1);
  };
  set(dimension(first_name), std::string(1, first));
  set(dimension(second_name), std::string(1, second));
  for (size_t i = 0; i < spatial.size(); ++i) set(spatial[i], absl::StrCat(i));
  return absl::StrCat("[", absl::StrJoin(labels, ", "), "]");
}

void AddConvolutionDimensions(const Operation& operation, std::vector<AttributeText>& texts) {
  texts.push_back(
      {"dimension_numbers",
       absl::StrCat(
           "#stablehlo.conv<", DimensionLabels(operation, "input", "batch", 'b', "feature", 'f'),
           "x", DimensionLabels(operation, "kernel", "input_feature", 'i', "output_feature", 'o'),
           "->", DimensionLabels(operation, "output", "batch", 'b', "feature", 'f'), ">")});
}

void AddChannel(const Operation& operation, std::vector<AttributeText>& texts) {
  const int64_t id = IntegerOr(operation.attribute("channel_id"), 0);
  const Attribute* type = operation.attribute("channel_type");
  if (id == 0 && type == nullptr) return;
  texts.push_back({"channel_handle", absl::StrCat("#stablehlo.channel_handle<handle = ", id,
                                                  ", type = ", IntegerOr(type, 0), ">")});
}

std::string EnumerationText(absl::string_view attribute, absl::string_view keyword) {
  absl::string_view kind = attribute;
  if (attribute == "compare_type") kind = "comparison_type";
  if (attribute == "transpose_a") kind = "transpose";
  if (attribute == "precision_config") kind = "precision";
  return absl::StrCat("#stablehlo<", kind, " ", keyword, ">");
}

std::string ArrayText(absl::string_view name, const ArrayAttribute& array) {
  std::vector<std::string> elements;
  for (const Attribute* element : array.elements) {
    std::string& text = elements.emplace_back();
    if (const auto* keyword = std::get_if<KeywordAttribute>(&element->value)) {
      text = EnumerationText(name, keyword->name);
    } else if (const auto* tensor = std::get_if<TensorAttribute>(&element->value)) {
      AppendDense(*tensor, /*is_index=*/true, &text);  // layouts
    } else {
      AppendAttribute(*element, &text);
    }
  }
  const std::string list = absl::StrJoin(elements, ", ");
  return name == "manual_axes" ? absl::StrCat("#sdy<manual_axes{", list, "}>")
                               : absl::StrCat("[", list, "]");
}

// Lists of one dimension have a form of their own.
std::string TensorText(absl::string_view name, const Attribute& attribute,
                       const TensorAttribute& tensor) {
  const PrimitiveType type = tensor.shape->element_type();
  if (name == "value" || tensor.shape->dimensions_size() != 1 || (type != S64 && type != PRED)) {
    std::string text;
    AppendDense(tensor, /*is_index=*/false, &text);
    return text;
  }
  const std::vector<int64_t> values = IntegersOf(&attribute);
  const std::string list = type == S64
                               ? absl::StrJoin(values, ", ")
                               : absl::StrJoin(values, ", ", [](std::string* out, int64_t value) {
                                   absl::StrAppend(out, value != 0 ? "true" : "false");
                                 });
  return absl::StrCat("array<", type == S64 ? "i64" : "i1", list.empty() ? "" : ": ", list, ">");
}

std::string AttributeValueText(absl::string_view name, const Attribute& attribute) {
  if (std::holds_alternative<UnitAttribute>(attribute.value)) return "";
  if (const auto* keyword = std::get_if<KeywordAttribute>(&attribute.value)) {
    return EnumerationText(name, keyword->name);
  }
  if (const auto* array = std::get_if<ArrayAttribute>(&attribute.value)) {
    return ArrayText(name, *array);
  }
  if (const auto* tensor = std::get_if<TensorAttribute>(&attribute.value)) {
    return TensorText(name, attribute, *tensor);
  }
  std::string text;
  AppendAttribute(attribute, &text);
  return text;
}

}  // namespace

std::vector<AttributeText> AttributeTexts(const Operation& operation) {
  std::vector<AttributeText> texts;
  for (const NamedAttribute& attribute : operation.attributes) {
    if (IsGrouped(operation, attribute.name)) continue;
    texts.push_back(
        {std::string(attribute.name), AttributeValueText(attribute.name, *attribute.value)});
  }
  for (const AttributeGroup& group : kAttributeGroups) {
    if (group.operation == operation.name) AddGroup(operation, group, texts);
  }
  if (IsConvolution(operation)) AddConvolutionDimensions(operation, texts);
  AddChannel(operation, texts);
  std::sort(texts.begin(), texts.end(),
            [](const AttributeText& a, const AttributeText& b) { return a.name < b.name; });
  return texts;
}

}  // namespace xla::stablehlo

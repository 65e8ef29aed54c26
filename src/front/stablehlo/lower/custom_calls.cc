// Calls of what StableHLO does not define: functions of the host by name, and composites, which are
// operations with a definition of their own.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "front/stablehlo/lower/attribute_text.h"
#include "front/stablehlo/lower/attributes.h"
#include "front/stablehlo/lower/shapes.h"
#include "front/stablehlo/lower/table.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {
namespace {

// The layout that element `number` of a list of layouts names, set on the shape. Tuples and tokens
// keep theirs.
absl::Status SetLayout(const ArrayAttribute& layouts, size_t number, Shape& shape) {
  const auto* order = As<TensorAttribute>(layouts.elements[number]);
  if (order == nullptr) return InvalidArgument("layout %d is no list of dimensions", number);
  if (!shape.IsArrayExcludingBuffer()) return absl::OkStatus();
  HILO_ASSIGN_OR_RETURN(const Integers minor_to_major, ToIntegers(*order));
  const Layout layout(minor_to_major);
  HILO_RETURN_IF_ERROR(LayoutUtil::ValidateLayoutForShape(layout, shape));
  *shape.mutable_layout() = layout;
  return absl::OkStatus();
}

// Null where nothing is said.
absl::StatusOr<const ArrayAttribute*> FindLayouts(const Operation& op, absl::string_view name,
                                                  size_t count) {
  const Attribute* attribute = op.attribute(name);
  if (attribute == nullptr) return nullptr;
  const auto* layouts = As<ArrayAttribute>(attribute);
  if (layouts == nullptr) return InvalidArgument("the attribute %s must be a list", name);
  if (layouts->elements.empty() && count != 0) return nullptr;
  if (layouts->elements.size() != count) {
    return InvalidArgument("the attribute %s has %d layouts, but needs %d", name,
                           layouts->elements.size(), count);
  }
  return layouts;
}

absl::StatusOr<CustomCallApiVersion> GetApiVersion(const Operation& op) {
  const Attribute* attribute = op.attribute("api_version");
  if (attribute == nullptr) return API_VERSION_ORIGINAL;
  if (const auto* integer = As<IntegerAttribute>(attribute)) {
    if (integer->value < 0 || integer->value > API_VERSION_TYPED_FFI) {
      return InvalidArgument("there is no api_version %d", integer->value);
    }
    return integer->value == 0 ? API_VERSION_ORIGINAL
                               : static_cast<CustomCallApiVersion>(integer->value);
  }
  HILO_ASSIGN_OR_RETURN(const absl::string_view name, GetKeyword(op, "api_version"));
  CustomCallApiVersion version;
  if (!CustomCallApiVersion_Parse(std::string(name), &version)) {
    return InvalidArgument("there is no api_version %s", name);
  }
  return version == API_VERSION_UNSPECIFIED ? API_VERSION_ORIGINAL : version;
}

struct BackendConfig {
  CustomCallApiVersion version;
  std::string text;
};

// A dictionary says that the target is a handler with typed attributes, whatever version is named.
absl::StatusOr<BackendConfig> GetBackendConfig(const Operation& op) {
  BackendConfig config;
  HILO_ASSIGN_OR_RETURN(config.version, GetApiVersion(op));
  const Attribute* attribute = op.discardable_attribute("mhlo.backend_config");
  if (As<DictionaryAttribute>(attribute) == nullptr) attribute = op.attribute("backend_config");
  if (const auto* dictionary = As<DictionaryAttribute>(attribute)) {
    config.version = API_VERSION_TYPED_FFI;
    HILO_ASSIGN_OR_RETURN(config.text, ToText(*dictionary));
    if (config.text == "{}") config.text.clear();
    return config;
  }
  HILO_ASSIGN_OR_RETURN(const std::optional<absl::string_view> text,
                        FindString(op, "backend_config"));
  config.text = std::string(text.value_or(""));
  return config;
}

absl::Status SetAliases(const Operation& op, CustomCallAttributes& attributes) {
  const Attribute* attribute = op.attribute("output_operand_aliases");
  if (attribute == nullptr) return absl::OkStatus();
  const auto* list = As<ArrayAttribute>(attribute);
  if (list == nullptr) return InvalidArgument("output_operand_aliases must be a list");
  for (const Attribute* element : list->elements) {
    const auto* alias = As<OutputOperandAlias>(element);
    if (alias == nullptr) return InvalidArgument("output_operand_aliases holds no alias");
    attributes.output_to_operand_aliasing.push_back(
        {ShapeIndex(alias->output_indices.begin(), alias->output_indices.end()),
         {alias->operand,
          ShapeIndex(alias->operand_indices.begin(), alias->operand_indices.end())}});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<HloComputation*>> GetCalledComputations(Body& body,
                                                                   const Operation& op) {
  std::vector<HloComputation*> called;
  const Attribute* attribute = op.attribute("called_computations");
  if (attribute == nullptr) return called;
  const auto* list = As<ArrayAttribute>(attribute);
  if (list == nullptr) return InvalidArgument("called_computations must be a list");
  for (const Attribute* element : list->elements) {
    absl::string_view name;
    if (const auto* symbol = As<SymbolAttribute>(element)) {
      name = symbol->name;
    } else if (const auto* text = As<StringAttribute>(element)) {
      name = text->value;
    } else {
      return InvalidArgument("called_computations holds no name");
    }
    HILO_ASSIGN_OR_RETURN(HloComputation * computation, body.lowering().Function(name));
    called.push_back(computation);
  }
  return called;
}

// The result with the layouts that are asked for.
absl::StatusOr<Shape> ResultWithLayouts(Body& body, const Operation& op) {
  HILO_ASSIGN_OR_RETURN(Shape shape, body.ResultShape(op));
  const bool is_tuple = shape.IsTuple();
  const size_t count = is_tuple ? shape.tuple_shapes().size() : 1;
  HILO_ASSIGN_OR_RETURN(const ArrayAttribute* layouts, FindLayouts(op, "result_layouts", count));
  for (size_t i = 0; layouts != nullptr && i < count; ++i) {
    Shape& part = is_tuple ? *shape.mutable_tuple_shapes(static_cast<int>(i)) : shape;
    HILO_RETURN_IF_ERROR(SetLayout(*layouts, i, part));
  }
  return shape;
}

// Operations of HLO that StableHLO lacks travel as calls of targets that begin with "mhlo.": they
// are lowered like the client operations of the same name.
const OpRow* FindHloRow(absl::string_view target) {
  if (!absl::ConsumePrefix(&target, "mhlo.")) return nullptr;
  if (target == "topk") return FindOpRow("chlo.top_k");
  return FindOpRow(absl::StrCat("chlo.", target));
}

// An operation of another name with attributes of its own, which lies on the stack.
Operation Renamed(const Operation& op, absl::string_view name, const Attribute* attributes) {
  Operation renamed = op;
  renamed.name = name;
  renamed.attributes.clear();
  if (const auto* dictionary = As<DictionaryAttribute>(attributes)) {
    renamed.attributes = dictionary->entries;
  }
  return renamed;
}

bool HasCounts(const Operation& op, const OpRow& row) {
  const auto operands = static_cast<int>(op.operands.size());
  return row.operands.min <= operands && operands <= row.operands.max &&
         (row.results == kAnyNumber || row.results == static_cast<int>(op.results.size())) &&
         row.regions == static_cast<int>(op.regions.size());
}

// The first of the elements in the order that the called computation says, which is more than is
// asked for: nearly the first would do. Operands are as many arrays and then initial values.
absl::Status LowerApproxTopK(Body& body, const Operation& op) {
  const size_t count = op.results.size();
  if (count == 0 || op.operands.size() != 2 * count) {
    return InvalidArgument("there are %d operands and %d results", op.operands.size(), count);
  }
  const auto* said = As<DictionaryAttribute>(op.discardable_attribute("mhlo.backend_config"));
  if (said == nullptr) return InvalidArgument("there is no dictionary mhlo.backend_config");
  Operation options;
  options.attributes = said->entries;
  auto attributes = std::make_unique<SortAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->dimension, GetInteger(options, "reduction_dim"));
  attributes->is_stable = true;
  HILO_ASSIGN_OR_RETURN(const std::vector<HloComputation*> called, GetCalledComputations(body, op));
  HILO_ASSIGN_OR_RETURN(std::vector<HloInstruction*> arrays, body.Operands(op));
  arrays.resize(count);
  std::vector<Shape> shapes;
  for (const HloInstruction* array : arrays) shapes.push_back(array->shape());
  HILO_ASSIGN_OR_RETURN(
      HloInstruction * sorted,
      body.Add(HloOpcode::kSort, count == 1 ? shapes[0] : Shape(std::move(shapes)), arrays,
               std::move(attributes), called));
  for (size_t i = 0; i < count; ++i) {
    HILO_ASSIGN_OR_RETURN(const Shape* shape, body.ResultShape(op, static_cast<int64_t>(i)));
    HloInstruction* array = sorted;
    if (count > 1) {
      HILO_ASSIGN_OR_RETURN(array, body.AddElement(sorted, static_cast<int64_t>(i)));
    }
    if (!shape->IsArrayExcludingBuffer()) return InvalidArgument("the results must be arrays");
    const Integers limits(shape->dimensions().begin(), shape->dimensions().end());
    HILO_ASSIGN_OR_RETURN(HloInstruction * first, AddSlice(body, array, Integers(limits.size(), 0),
                                                           limits, Integers(limits.size(), 1)));
    body.Bind(op.results[i], first);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status LowerCustomCall(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const absl::string_view target, GetString(op, "call_target_name"));
  if (const OpRow* row = FindHloRow(target); row != nullptr && HasCounts(op, *row)) {
    const Operation plain = Renamed(op, row->name, op.discardable_attribute("mhlo.attributes"));
    return row->lower(body, plain, row->opcode);
  }
  if (target == "ApproxTopK") return LowerApproxTopK(body, op);
  auto attributes = std::make_unique<CustomCallAttributes>();
  attributes->target = std::string(target);
  HILO_ASSIGN_OR_RETURN(BackendConfig config, GetBackendConfig(op));
  attributes->api_version = config.version;
  HILO_ASSIGN_OR_RETURN(attributes->has_side_effect, GetBool(op, "has_side_effect"));
  HILO_RETURN_IF_ERROR(SetAliases(op, *attributes));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloComputation*> called, GetCalledComputations(body, op));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(const ArrayAttribute* layouts,
                        FindLayouts(op, "operand_layouts", operands.size()));
  if (layouts != nullptr) {
    attributes->operand_layouts.emplace();
    for (size_t i = 0; i < operands.size(); ++i) {
      HILO_ASSIGN_OR_RETURN(const Shape* given, body.lowering().ShapeOf(op.operands[i]));
      Shape shape =
          ShapeUtil::Compatible(*given, operands[i]->shape()) ? *given : operands[i]->shape();
      HILO_RETURN_IF_ERROR(SetLayout(*layouts, i, shape));
      attributes->operand_layouts->push_back(std::move(shape));
    }
  }
  HILO_ASSIGN_OR_RETURN(const Shape shape, ResultWithLayouts(body, op));
  HILO_ASSIGN_OR_RETURN(HloInstruction * call, body.Add(HloOpcode::kCustomCall, shape, operands,
                                                        std::move(attributes), called));
  if (!config.text.empty()) call->set_raw_backend_config_string(std::move(config.text));
  if (const Attribute* rule = op.discardable_attribute("sdy.sharding_rule")) {
    FrontendAttributes attributes;
    HILO_ASSIGN_OR_RETURN((*attributes.mutable_map())["xla.sdy.sharding_rule"], ToText(*rule));
    call->add_frontend_attributes(attributes);
  }
  return body.Define(op, call);
}

absl::Status LowerComposite(Body& body, const Operation& op, HloOpcode) {
  HILO_ASSIGN_OR_RETURN(const absl::string_view name, GetString(op, "name"));
  HILO_ASSIGN_OR_RETURN(const int64_t version, GetIntegerOr(op, "version", 0));
  const Attribute* said = op.attribute("composite_attributes");
  const OpRow* row = absl::StartsWith(name, "chlo.") ? FindOpRow(name) : nullptr;
  if (row != nullptr && version <= 1 && HasCounts(op, *row)) {
    const Operation plain = Renamed(op, row->name, said);
    // What does not fit the operation is what its definition says.
    if (row->lower(body, plain, row->opcode).ok()) return absl::OkStatus();
  }
  HILO_ASSIGN_OR_RETURN(const absl::string_view decomposition, GetString(op, "decomposition"));
  HILO_ASSIGN_OR_RETURN(HloComputation * computation, body.lowering().Function(decomposition));
  HILO_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, body.Operands(op));
  HILO_ASSIGN_OR_RETURN(const Shape shape, body.ResultShape(op));
  auto attributes = std::make_unique<CallAttributes>();
  attributes->is_composite = true;
  HILO_ASSIGN_OR_RETURN(HloInstruction * call, body.Add(HloOpcode::kCall, shape, operands,
                                                        std::move(attributes), {computation}));
  call->set_frontend_attribute("composite.name", name);
  call->set_frontend_attribute("composite.version", absl::StrCat(version));
  const absl::StatusOr<std::string> text =
      As<DictionaryAttribute>(said) != nullptr ? ToText(*said) : std::string("{}");
  if (text.ok()) call->set_frontend_attribute("composite.attributes", *text);
  return body.Define(op, call);
}

}  // namespace xla::stablehlo::lowering

#include "ir/attribute_printer.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "ir/records.h"
#include "xla/shape_util.h"
#include "xla/window_util.h"

namespace xla {
namespace {

// {0,1}
void PrintInts(Printer* printer, absl::Span<const int64_t> values) {
  printer->Append("{");
  printer->AppendInt64List(values, /*leading_comma=*/false);
  printer->Append("}");
}

absl::string_view EnumText(absl::Span<const EnumName> names, int value) {
  for (const EnumName& name : names) {
    if (name.value == value) return name.text;
  }
  return "unknown";
}

void PrintShape(Printer* printer, const Shape& shape) {
  ShapeUtil::PrintHumanStringWithLayout(printer, shape);
}

// 1_2x0_0, or 1_2_0x0_0_3 when a dimension has interior padding.
void PrintPadding(Printer* printer, const PaddingConfig& padding) {
  const bool has_interior =
      std::any_of(padding.dimensions().begin(), padding.dimensions().end(),
                  [](const auto& dimension) { return dimension.interior_padding() != 0; });
  AppendJoin(printer, padding.dimensions(), "x", [&](Printer* out, const auto& dimension) {
    AppendCat(out, dimension.edge_padding_low(), "_", dimension.edge_padding_high());
    if (has_interior) AppendCat(out, "_", dimension.interior_padding());
  });
}

// One of the three groups of dim_labels.
std::string DimLabels(char first, int64_t first_position, char second, int64_t second_position,
                      absl::Span<const int64_t> spatial) {
  int64_t last = std::max(first_position, second_position);
  for (int64_t position : spatial) last = std::max(last, position);
  constexpr int64_t kMostLabels = 64;
  std::string labels(std::clamp<int64_t>(last, -1, kMostLabels - 1) + 1, '?');
  const auto set = [&](int64_t position, char label) {
    if (position >= 0 && position < static_cast<int64_t>(labels.size())) labels[position] = label;
  };
  set(first_position, first);
  set(second_position, second);
  for (size_t i = 0; i < spatial.size(); ++i) set(spatial[i], static_cast<char>('0' + i));
  return labels;
}

struct ValuePrinter {
  Printer* printer;
  const HloPrintOptions& options;
  const Field& field;

  void operator()(const int64_t* value) const {
    const bool in_braces = field.form == Form::kOneInBraces;
    AppendCat(printer, in_braces ? "{" : "", *value, in_braces ? "}" : "");
  }
  void operator()(const bool* value) const { printer->Append(*value ? "true" : "false"); }
  void operator()(const float* value) const { printer->Append(*value); }
  void operator()(const std::string* value) const {
    AppendCat(printer, "\"", absl::CEscape(*value), "\"");
  }
  void operator()(const std::optional<int64_t>* value) const { (*this)(&**value); }
  void operator()(const std::optional<bool>* value) const { (*this)(&**value); }
  void operator()(const Int64List* values) const { PrintInts(printer, *values); }
  void operator()(const std::vector<Int64List>* lists) const {
    printer->Append("{");
    AppendJoin(printer, *lists, ",",
               [](Printer* out, const Int64List& list) { PrintInts(out, list); });
    printer->Append("}");
  }
  void operator()(const std::vector<bool>* values) const {
    printer->Append("{");
    AppendJoin(printer, *values, ",",
               [](Printer* out, bool value) { out->Append(value ? "true" : "false"); });
    printer->Append("}");
  }
  void operator()(const EnumReference& reference) const {
    printer->Append(EnumText(reference.names, reference.value()));
  }
  void operator()(const OptionalEnumReference& reference) const {
    printer->Append(EnumText(reference.names, **reference.value));
  }
  void operator()(const EnumListReference& reference) const {
    printer->Append("{");
    AppendJoin(printer, *reference.values, ",",
               [&](Printer* out, int value) { out->Append(EnumText(reference.names, value)); });
    printer->Append("}");
  }
  void operator()(const Window* window) const {
    AppendCat(printer, "{", window_util::ToString(*window), "}");
  }
  void operator()(const std::optional<Window>* window) const { (*this)(&**window); }
  void operator()(const PaddingConfig* padding) const { PrintPadding(printer, *padding); }
  void operator()(const ConvolutionDimensionNumbers* d) const {
    AppendCat(printer,
              DimLabels('b', d->input_batch_dimension(), 'f', d->input_feature_dimension(),
                        d->input_spatial_dimensions()),
              "_",
              DimLabels('i', d->kernel_input_feature_dimension(), 'o',
                        d->kernel_output_feature_dimension(), d->kernel_spatial_dimensions()),
              "->",
              DimLabels('b', d->output_batch_dimension(), 'f', d->output_feature_dimension(),
                        d->output_spatial_dimensions()));
  }
  void operator()(const SparsityConfig* sparsity) const {
    const auto print = [&](absl::string_view name, const auto& tensor) {
      AppendCat(printer, name, "={sparsity=", tensor.num_non_zero(), "x", tensor.block_size(),
                " dimension=", tensor.dimension(), " stride=", tensor.stride());
      if (tensor.idx() != 0) AppendCat(printer, " idx=", tensor.idx());
      printer->Append("}");
    };
    printer->Append("{");
    if (sparsity->has_lhs()) print("lhs", sparsity->lhs());
    if (sparsity->has_rhs()) print(sparsity->has_lhs() ? " rhs" : "rhs", sparsity->rhs());
    printer->Append("}");
  }
  // {[0:4], [2:8:2]}: all strides or none.
  void operator()(const std::vector<SliceRange>* ranges) const {
    const bool has_strides = std::any_of(ranges->begin(), ranges->end(),
                                         [](const SliceRange& range) { return range.stride != 1; });
    printer->Append("{");
    AppendJoin(printer, *ranges, ", ", [&](Printer* out, const SliceRange& range) {
      AppendCat(out, "[", range.start, ":", range.limit);
      if (has_strides) AppendCat(out, ":", range.stride);
      out->Append("]");
    });
    printer->Append("}");
  }
  void operator()(const std::vector<std::pair<int64_t, int64_t>>* pairs) const {
    printer->Append("{");
    AppendJoin(printer, *pairs, ",", [](Printer* out, const std::pair<int64_t, int64_t>& pair) {
      AppendCat(out, "{", pair.first, ",", pair.second, "}");
    });
    printer->Append("}");
  }
  void operator()(const CollectiveDeviceList* devices) const {
    const auto uses_part_of_axis = [](const AxisRef& axis) {
      return axis.sub_axis_info().has_value();
    };
    const bool has_subaxes =
        std::any_of(devices->axes().begin(), devices->axes().end(), uses_part_of_axis);
    devices->Print(printer, options.print_full_replica_group_list() ||
                                (has_subaxes && options.print_replica_groups_without_subaxes()));
  }
  void operator()(const SharedLiteral* literal) const {
    (*literal)->PrintWithLayoutOneline(printer);
  }
  void operator()(const std::optional<std::vector<Shape>>* shapes) const {
    printer->Append("{");
    AppendJoin(printer, **shapes, ", ",
               [](Printer* out, const Shape& shape) { PrintShape(out, shape); });
    printer->Append("}");
  }
  void operator()(const std::optional<Shape>* shape) const { PrintShape(printer, **shape); }
  void operator()(const std::vector<OutputOperandAlias>* aliases) const {
    printer->Append("{");
    AppendJoin(printer, *aliases, ", ", [](Printer* out, const OutputOperandAlias& alias) {
      AppendCat(out, alias.first.ToString(), ": (", alias.second.first, ", ",
                alias.second.second.ToString(), ")");
    });
    printer->Append("}");
  }
  void operator()(const DomainShardings* domain) const {
    printer->Append("{kind=\"sharding\", entry=");
    domain->entry.Print(printer);
    printer->Append(", exit=");
    domain->exit.Print(printer);
    printer->Append("}");
  }
};

// A record of the same type in which nothing was set.
const Attributes& FreshRecord(const Attributes& attributes) {
  thread_local absl::flat_hash_map<const Field*, std::unique_ptr<Attributes>> records;
  std::unique_ptr<Attributes>& record = records[attributes.Fields().data()];
  if (record == nullptr) record = attributes.Fresh();
  return *record;
}

// The short form, which is made to be read again, spells out defaults that later versions added.
bool IsSpelledOut(const Field& field, const Attributes& attributes,
                  const HloPrintOptions& options) {
  if (options.print_percent() || options.print_program_shape()) return false;
  return field.name == "has_dynamic_root" ||
         (field.name == "is_stable" && dynamic_cast<const TopKAttributes*>(&attributes) != nullptr);
}

bool IsPrinted(const Field& field, const Attributes& attributes, const HloPrintOptions& options) {
  if (field.form == Form::kPositional || field.form == Form::kNotInText) return false;
  if (IsSpelledOut(field, attributes, options)) return true;
  if (!options.print_infeed_outfeed_config() &&
      (field.name == "infeed_config" || field.name == "outfeed_config")) {
    return false;
  }
  switch (field.presence) {
    case Presence::kRequired:
    case Presence::kAlways:
      return true;
    case Presence::kReadOnly:
      return false;
    case Presence::kUnlessEqual:
      break;
  }
  const FieldReference reference = ReadField(field, attributes);
  if (const EnumListReference* list = std::get_if<EnumListReference>(&reference)) {
    // A list of nothing but defaults says nothing.
    return std::any_of(list->values->begin(), list->values->end(),
                       [](int value) { return value != 0; });
  }
  return !FieldEqual(field, attributes, FreshRecord(attributes));
}

void PrintFields(Printer* printer, const Attributes& attributes, bool after_callees,
                 const HloPrintOptions& options) {
  for (const Field& field : attributes.Fields()) {
    if ((field.form == Form::kAfterCallees) != after_callees) continue;
    if (!IsPrinted(field, attributes, options)) continue;
    AppendCat(printer, ", ", field.name, "=");
    if (field.name == "channel_id" && !options.print_channel_id()) {
      printer->Append("_");
    } else {
      std::visit(ValuePrinter{printer, options, field}, ReadField(field, attributes));
    }
  }
}

}  // namespace

void PrintAttributes(Printer* printer, const Attributes& attributes,
                     const HloPrintOptions& options) {
  PrintFields(printer, attributes, /*after_callees=*/false, options);
}

void PrintAttributeValue(Printer* printer, const Field& field, const Attributes& attributes) {
  const HloPrintOptions options;
  std::visit(ValuePrinter{printer, options, field}, ReadField(field, attributes));
}

void PrintAttributesAfterCallees(Printer* printer, const Attributes& attributes,
                                 const HloPrintOptions& options) {
  PrintFields(printer, attributes, /*after_callees=*/true, options);
}

}  // namespace xla

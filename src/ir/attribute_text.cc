// Attributes of instructions as text, for clients: each function prints what the printer of instructions prints.
#include <string>

#include "absl/strings/str_join.h"
#include "ir/annotation_text.h"
#include "ir/attribute_printer.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/printer.h"
#include "xla/util.h"

namespace xla {
namespace {

// The value of the attribute of the record that is called `name`.
std::string TextOf(const Attributes& attributes, absl::string_view name) {
  for (const Field& field : attributes.Fields()) {
    if (field.name != name) continue;
    StringPrinter printer;
    PrintAttributeValue(&printer, field, attributes);
    return std::move(printer).ToString();
  }
  return "";
}

template <typename Record, typename Value>
std::string TextOfEnum(Value Record::*member, int value, absl::string_view name) {
  Record record;
  record.*member = value;
  return TextOf(record, name);
}

// What the names in the table of a record's enumeration stand for.
template <typename Enum>
absl::StatusOr<Enum> FromText(Attributes& attributes, absl::string_view name,
                              absl::string_view text) {
  for (const Field& field : attributes.Fields()) {
    if (field.name != name) continue;
    for (const EnumName& each : std::get<EnumReference>(field.reference(attributes)).names) {
      if (each.text == text) return static_cast<Enum>(each.value);
    }
  }
  return InvalidArgument("%s: there is no %s", name, text);
}

}  // namespace

std::string PaddingConfigToString(const PaddingConfig& padding) {
  PadAttributes attributes;
  attributes.padding = padding;
  return TextOf(attributes, "padding");
}

std::string ConvolutionDimensionNumbersToString(const ConvolutionDimensionNumbers& numbers) {
  ConvolutionAttributes attributes;
  attributes.dimension_numbers = numbers;
  return TextOf(attributes, "dim_labels");
}

std::string DotDimensionNumbersToString(const DotDimensionNumbers& numbers) {
  const auto list = [](absl::string_view name, const auto& dimensions, bool always) {
    if (dimensions.empty() && !always) return std::string();
    return absl::StrCat(", ", name, "={", absl::StrJoin(dimensions, ","), "}");
  };
  const std::string text =
      absl::StrCat(list("lhs_batch_dims", numbers.lhs_batch_dimensions(), false),
                   list("lhs_contracting_dims", numbers.lhs_contracting_dimensions(), true),
                   list("rhs_batch_dims", numbers.rhs_batch_dimensions(), false),
                   list("rhs_contracting_dims", numbers.rhs_contracting_dimensions(), true));
  return text.substr(2);
}

std::string FrontendAttributesToString(const FrontendAttributes& frontend_attributes) {
  StringPrinter printer;
  printer.Append("{");
  PrintFrontendAttributes(&printer, frontend_attributes);
  printer.Append("}");
  return std::move(printer).ToString();
}

std::string StatisticsVizToString(const StatisticsViz& statistics_viz) {
  if (statistics_viz.statistics().empty()) return "{}";
  StringPrinter printer;
  printer.Append("{");
  PrintStatisticsViz(&printer, statistics_viz);
  printer.Append("}");
  return std::move(printer).ToString();
}

std::string RandomDistributionToString(const RandomDistribution& distribution) {
  return TextOfEnum(&RngAttributes::distribution, distribution, "distribution");
}

absl::StatusOr<RandomDistribution> StringToRandomDistribution(const std::string& name) {
  RngAttributes attributes;
  return FromText<RandomDistribution>(attributes, "distribution", name);
}

std::string RandomAlgorithmToString(const RandomAlgorithm& algorithm) {
  return TextOfEnum(&RngBitGeneratorAttributes::algorithm, algorithm, "algorithm");
}

absl::StatusOr<RandomAlgorithm> StringToRandomAlgorithm(const std::string& name) {
  RngBitGeneratorAttributes attributes;
  return FromText<RandomAlgorithm>(attributes, "algorithm", name);
}

std::string AlgorithmToString(const PrecisionConfig::Algorithm& algorithm) {
  DotAttributes attributes;
  attributes.precision.set_algorithm(algorithm);
  return TextOf(attributes, "algorithm");
}

absl::StatusOr<PrecisionConfig::Algorithm> StringToAlgorithm(const std::string& name) {
  DotAttributes attributes;
  return FromText<PrecisionConfig::Algorithm>(attributes, "algorithm", name);
}

std::string ResultAccuracyToString(ResultAccuracy::Mode mode) {
  return absl::AsciiStrToLower(ResultAccuracy::Mode_Name(mode));
}

std::string ResultAccuracyToleranceToString(const ResultAccuracy::Tolerance& tolerance) {
  ResultAccuracy accuracy;
  *accuracy.mutable_tolerance() = tolerance;
  StringPrinter printer;
  PrintResultAccuracy(&printer, accuracy);
  return std::move(printer).ToString();
}

absl::StatusOr<ResultAccuracy::Mode> StringToResultAccuracy(absl::string_view name) {
  ResultAccuracy::Mode mode;
  if (ResultAccuracy::Mode_Parse(absl::AsciiStrToUpper(name), &mode)) return mode;
  return InvalidArgument("there is no accuracy mode %s", name);
}

}  // namespace xla

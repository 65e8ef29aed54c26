#include "xla/hlo/parser/hlo_parser.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "front/text/module_parser.h"
#include "front/text/value_parser.h"

namespace xla {
namespace {

// The whole text is one value.
template <typename Value>
absl::StatusOr<Value> ParseWhole(absl::string_view text, absl::string_view what,
                                 Value value = Value()) {
  ValueParser parser(text, HloParserOptions());
  if (parser.Parse(&value) && parser.ExpectEnd()) return value;
  return parser.status(what);
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> ParseAndReturnUnverifiedModule(
    absl::string_view str, const HloModuleConfig& config, const HloParserOptions& options) {
  return ModuleParser(str, config, options).Run();
}

absl::StatusOr<Shape> ParseShape(absl::string_view str) { return ParseWhole<Shape>(str, "shape"); }

absl::StatusOr<std::vector<Shape>> ParseShapeList(absl::string_view str) {
  return ParseWhole<std::vector<Shape>>(str, "list of shapes");
}

absl::StatusOr<Layout> ParseLayout(absl::string_view str) {
  ValueParser parser(str, HloParserOptions());
  Layout layout;
  if (parser.ParseLayout(&layout) && parser.ExpectEnd()) return layout;
  return parser.status("layout");
}

absl::StatusOr<Literal> ParseLiteral(absl::string_view str) {
  ValueParser parser(str, HloParserOptions());
  Literal literal;
  if (parser.ParseLiteralWithShape(&literal) && parser.ExpectEnd()) return literal;
  return parser.status("literal");
}

absl::StatusOr<HloSharding> ParseSharding(absl::string_view str) {
  return ParseWhole<HloSharding>(str, "sharding", HloSharding::Replicate());
}

absl::StatusOr<std::shared_ptr<OriginalValue>> ParseOriginalValue(absl::string_view str) {
  HILO_ASSIGN_OR_RETURN(const OriginalValueProto proto,
                        ParseWhole<OriginalValueProto>(str, "original value"));
  return OriginalValue::CreateFromProto(proto);
}

absl::StatusOr<FrontendAttributes> ParseFrontendAttributes(absl::string_view str) {
  return ParseWhole<FrontendAttributes>(str, "list of frontend attributes");
}

absl::StatusOr<StatisticsViz> ParseStatisticsViz(absl::string_view str) {
  return ParseWhole<StatisticsViz>(str, "list of statistics");
}

absl::StatusOr<std::vector<bool>> ParseParameterReplication(absl::string_view str) {
  return ParseWhole<std::vector<bool>>(str, "parameter replication");
}

absl::StatusOr<Window> ParseWindow(absl::string_view str) {
  const absl::string_view trimmed = absl::StripAsciiWhitespace(str);
  if (!trimmed.empty() && trimmed[0] == '{') return ParseWhole<Window>(str, "window");
  return ParseWhole<Window>(absl::StrCat("{", str, "}"), "window");
}

absl::StatusOr<ConvolutionDimensionNumbers> ParseConvolutionDimensionNumbers(
    absl::string_view str) {
  return ParseWhole<ConvolutionDimensionNumbers>(str, "list of dimension labels");
}

absl::StatusOr<PaddingConfig> ParsePaddingConfig(absl::string_view str) {
  return ParseWhole<PaddingConfig>(str, "padding");
}

absl::StatusOr<std::vector<ReplicaGroup>> ParseReplicaGroupsOnly(absl::string_view str) {
  absl::StatusOr<CollectiveDeviceList> devices = ParseCollectiveDeviceList(str);
  if (!devices.ok()) return devices.status();
  return devices->replica_groups();
}

absl::StatusOr<CollectiveDeviceList> ParseCollectiveDeviceList(absl::string_view str) {
  return ParseWhole<CollectiveDeviceList>(str, "list of replica groups");
}

absl::StatusOr<std::unique_ptr<CollectiveDeviceListBase>> ParseCollectiveDeviceListBase(
    absl::string_view str) {
  absl::StatusOr<CollectiveDeviceList> devices = ParseCollectiveDeviceList(str);
  if (!devices.ok()) return devices.status();
  return std::make_unique<CollectiveDeviceList>(*std::move(devices));
}

}  // namespace xla

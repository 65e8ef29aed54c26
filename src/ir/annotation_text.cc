#include "ir/annotation_text.h"

#include "xla/hlo/ir/hlo_instruction.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla/hlo/ir/hlo_original_value.h"
#include "xla/util.h"

namespace xla {
namespace {

// Writes name=value pairs with a space between them.
class PairPrinter {
 public:
  explicit PairPrinter(Printer* printer) : printer_(printer) {}

  void Text(absl::string_view name, absl::string_view value) {
    if (value.empty()) return;
    AppendCat(printer_, separator_, name, "=\"", absl::CEscape(value), "\"");
    separator_ = " ";
  }
  void Number(absl::string_view name, int64_t value) {
    if (value == 0) return;
    AppendCat(printer_, separator_, name, "=", value);
    separator_ = " ";
  }
  void Numbers(absl::string_view name, absl::Span<const int> values) {
    if (values.empty()) return;
    AppendCat(printer_, separator_, name, "={", absl::StrJoin(values, ","), "}");
    separator_ = " ";
  }

 private:
  Printer* printer_;
  absl::string_view separator_ = "";
};

// Deprecated in the message, but still part of the text.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
std::vector<int> ProfileTypes(const OpMetadata& metadata) {
  return {metadata.profile_type().begin(), metadata.profile_type().end()};
}
#pragma GCC diagnostic pop

}  // namespace

// ---- Metadata ---------------------------------------------------------------------------------

void PrintOpMetadata(Printer* printer, const OpMetadata& metadata, bool only_op_name) {
  PairPrinter pairs(printer);
  if (only_op_name) return pairs.Text("op_name", metadata.op_name());
  pairs.Text("op_type", metadata.op_type());
  pairs.Text("op_name", metadata.op_name());
  pairs.Text("source_file", metadata.source_file());
  pairs.Number("source_line", metadata.source_line());
  pairs.Number("source_end_line", metadata.source_end_line());
  pairs.Number("source_column", metadata.source_column());
  pairs.Number("source_end_column", metadata.source_end_column());
  pairs.Numbers("profile_type", ProfileTypes(metadata));
  pairs.Text("deduplicated_name", metadata.deduplicated_name());
  pairs.Text("scheduling_name", metadata.scheduling_name());
  pairs.Number("stack_frame_id", metadata.stack_frame_id());
  pairs.Text("metadata_payload", metadata.metadata_payload().value());
}

std::string OpMetadataToString(const OpMetadata& metadata, bool only_op_name) {
  StringPrinter printer;
  PrintOpMetadata(&printer, metadata, only_op_name);
  return std::move(printer).ToString();
}

bool HasPrintedMetadata(const OpMetadata& metadata) {
  return !metadata.op_type().empty() || !metadata.op_name().empty() ||
         !metadata.source_file().empty() || !metadata.scheduling_name().empty() ||
         metadata.stack_frame_id() != 0 || !metadata.metadata_payload().value().empty();
}

void PrintShardingMetadata(Printer* printer, absl::Span<const OpMetadata> metadata,
                           bool always_as_list) {
  printer->Append("metadata={");
  if (metadata.size() == 1 && !always_as_list) {
    PrintOpMetadata(printer, metadata[0]);
  } else {
    AppendJoin(printer, metadata, ", ", [](Printer* out, const OpMetadata& item) {
      out->Append("{");
      PrintOpMetadata(out, item);
      out->Append("}");
    });
  }
  printer->Append("}");
}

// ---- Small attributes -------------------------------------------------------------------------

bool LexesAsJsonDict(absl::string_view text) {
  if (text.empty() || text.front() != '{') return false;
  int64_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '\0':
        return false;
      case '{':
        ++depth;
        break;
      case '}':
        if (--depth == 0) return i + 1 == text.size();
        break;
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          if (text[i] == '\0') return false;
          if (text[i] == '\\') ++i;
        }
        break;
      default:
        break;
    }
  }
  return false;
}

void PrintStringOrJson(Printer* printer, absl::string_view text) {
  if (LexesAsJsonDict(text)) {
    printer->Append(text);
  } else {
    AppendCat(printer, "\"", absl::CEscape(text), "\"");
  }
}

void PrintFrontendAttributes(Printer* printer, const FrontendAttributes& attributes) {
  std::vector<std::pair<absl::string_view, absl::string_view>> sorted(attributes.map().begin(),
                                                                      attributes.map().end());
  absl::c_sort(sorted);
  AppendJoin(printer, sorted, ",", [](Printer* out, const auto& attribute) {
    AppendCat(out, attribute.first, "=");
    PrintStringOrJson(out, attribute.second);
  });
}

void PrintStatisticsViz(Printer* printer, const StatisticsViz& statistics) {
  if (statistics.statistics().empty()) return;
  AppendCat(printer, "visualizing_index=", statistics.stat_index_to_visualize());
  for (const Statistic& statistic : statistics.statistics()) {
    AppendCat(printer, ",", statistic.stat_name(), "=", RoundTripFpToString(statistic.stat_val()));
  }
}

bool HasPrintedAccuracy(const ResultAccuracy& accuracy) {
  return accuracy.has_tolerance() || accuracy.mode() != ResultAccuracy::DEFAULT;
}

void PrintResultAccuracy(Printer* printer, const ResultAccuracy& accuracy) {
  if (!accuracy.has_tolerance()) {
    printer->Append("mode=");
    return printer->Append(absl::AsciiStrToLower(ResultAccuracy::Mode_Name(accuracy.mode())));
  }
  const ResultAccuracy::Tolerance& tolerance = accuracy.tolerance();
  AppendCat(printer, "tolerance={atol=", RoundTripFpToString(tolerance.atol()),
            ",rtol=", RoundTripFpToString(tolerance.rtol()), ",ulps=", tolerance.ulps(), "}");
}

// ---- Tables of a module -----------------------------------------------------------------------

void PrintOriginalValueRecoveryTable(
    Printer* printer, const OriginalValueRecoveryTableProto& table,
    absl::FunctionRef<std::string(const HloModuleProto&)> print_module) {
  for (const OriginalValueRecoveryTableProto::Entry& entry : table.entries()) {
    printer->Append("\n  ");
    PrintOriginalArray(printer, entry.old_original_array());
    printer->Append(" : ");
    PrintOriginalArray(printer, entry.new_original_array());
    if (!entry.has_recovery_module()) continue;
    printer->Append(",\n  \"\n");
    std::string text = print_module(entry.recovery_module());
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      const std::string escaped = absl::CEscape(line);
      AppendCat(printer, escaped.empty() ? "" : "    ", escaped, "\n");
    }
    printer->Append("  \"");
  }
  printer->Append("\n");
}

absl::string_view DebugLogModeToString(DebugAttributesProto::DebugLogModeProto mode) {
  switch (mode) {
    case DebugAttributesProto::DEFAULT:
      return "default";
    case DebugAttributesProto::FUSION_DEBUGGER:
      return "fusion_debugger";
    case DebugAttributesProto::NO_FUSION:
      return "no_fusion";
    case DebugAttributesProto::GUARANTEED:
      return "guaranteed";
    default:
      return "none";
  }
}

int StringToDebugLogMode(absl::string_view text) {
  for (int mode = 0; mode < DebugAttributesProto::DebugLogModeProto_ARRAYSIZE; ++mode) {
    const auto value = static_cast<DebugAttributesProto::DebugLogModeProto>(mode);
    if (DebugLogModeToString(value) == text) return mode;
  }
  return -1;
}

namespace {

// Those that say anything.
std::vector<std::string> DebugAttributeTexts(const DebugAttributesProto& attributes) {
  std::vector<std::string> texts;
  if (attributes.log_mode() != DebugAttributesProto::NONE) {
    texts.push_back(absl::StrCat("log_mode=", DebugLogModeToString(attributes.log_mode())));
  }
  if (attributes.callback_id() != 0) {
    texts.push_back(absl::StrCat("callback_id=", attributes.callback_id()));
  }
  if (attributes.partitioned()) texts.push_back("partitioned=true");
  if (attributes.op_id() != 0) texts.push_back(absl::StrCat("op_id=", attributes.op_id()));
  if (!attributes.operands_sharding().empty()) {
    texts.push_back(absl::StrCat("operands_sharding=\"",
                                 absl::CEscape(attributes.operands_sharding()), "\""));
  }
  return texts;
}

}  // namespace

void PrintDebugAttributes(Printer* printer, absl::Span<const DebugAttributeTableEntryProto> table) {
  AppendJoin(printer, table, ",", [](Printer* out, const DebugAttributeTableEntryProto& entry) {
    out->Append("\n  ");
    PrintOriginalArray(out, entry.original_array());
    out->Append(":(");
    AppendJoin(out, entry.debug_attributes(), ",",
               [](Printer* list, const DebugAttributesProto& attributes) {
                 AppendCat(list, "{", absl::StrJoin(DebugAttributeTexts(attributes), ","), "}");
               });
    out->Append(")");
  });
  printer->Append("\n");
}

}  // namespace xla

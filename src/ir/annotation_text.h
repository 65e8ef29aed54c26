// The text of what any instruction may carry besides its attributes, and of what a module has in
// its header.
#ifndef HILO_IR_ANNOTATION_TEXT_H_
#define HILO_IR_ANNOTATION_TEXT_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/printer.h"
#include "xla/service/hlo.pb.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Each function appends what stands between the outer braces of the attribute it is named after.

// op_type="..." op_name="..." source_file="..." source_line=1 ...
void PrintOpMetadata(Printer* printer, const OpMetadata& metadata, bool only_op_name = false);
// Whether metadata={...} is worth printing.
bool HasPrintedMetadata(const OpMetadata& metadata);
// Of a sharding: metadata={...} for one and metadata={{...}, {...}} for several, or always the
// second form.
void PrintShardingMetadata(Printer* printer, absl::Span<const OpMetadata> metadata,
                           bool always_as_list = false);

// a="x",b={"k":1}, in the order of the keys.
void PrintFrontendAttributes(Printer* printer, const FrontendAttributes& attributes);

// visualizing_index=1,stat-1=33,stat-2=44
void PrintStatisticsViz(Printer* printer, const StatisticsViz& statistics);

// mode=highest, tolerance={atol=0,rtol=0.1,ulps=2}
void PrintResultAccuracy(Printer* printer, const ResultAccuracy& accuracy);
// Whether it says anything but the default.
bool HasPrintedAccuracy(const ResultAccuracy& accuracy);

// Lines {"old"} : {"new"}. `print_module` writes the module of an entry as HLO text, which is
// quoted.
void PrintOriginalValueRecoveryTable(
    Printer* printer, const OriginalValueRecoveryTableProto& table,
    absl::FunctionRef<std::string(const HloModuleProto&)> print_module);

// Lines {"name"}:({log_mode=default,callback_id=1,partitioned=true,op_id=2}),
void PrintDebugAttributes(Printer* printer, absl::Span<const DebugAttributeTableEntryProto> table);
// "none", "default", "fusion_debugger", ... and back; -1 for another text.
absl::string_view DebugLogModeToString(DebugAttributesProto::DebugLogModeProto mode);
int StringToDebugLogMode(absl::string_view text);

// Whether a text is exactly one dictionary in braces, which HLO text holds without quotes. Braces
// and quotes have to balance; what is between them is not looked at.
bool LexesAsJsonDict(absl::string_view text);

// The text itself when it lexes as a dictionary, else quoted.
void PrintStringOrJson(Printer* printer, absl::string_view text);

}  // namespace xla

#endif  // HILO_IR_ANNOTATION_TEXT_H_

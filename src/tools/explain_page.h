// What a compile did, as one page for browsers.
#ifndef HILO_TOOLS_EXPLAIN_PAGE_H_
#define HILO_TOOLS_EXPLAIN_PAGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cpu/report.h"

namespace xla {

// The page needs nothing but itself: style, script and data stand in it, and its policy for
// browsers forbids to load anything. The report must have data. The profile is what `hilo profile
// --json` prints, or empty; InvalidArgument where it is no JSON.
absl::StatusOr<std::string> ExplainPage(const cpu::CompileReport& report,
                                        absl::string_view profile);

}  // namespace xla

#endif  // HILO_TOOLS_EXPLAIN_PAGE_H_

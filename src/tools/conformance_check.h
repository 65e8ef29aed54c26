// What it takes for one recorded program to pass.
#ifndef HILO_TOOLS_CONFORMANCE_CHECK_H_
#define HILO_TOOLS_CONFORMANCE_CHECK_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tools/conformance_data.h"

namespace xla {

// Why the entry fails in this mode; empty when it passes.
//   parse  a `bad` module is refused; any other is read, printed, and read again to the same text, directly and through
//          protobuf, and prints as the reference prints it where that is a fixpoint of the reference
//   run    the back end gives the recorded results
std::string CheckConformanceEntry(const ConformanceGroup& group, const ConformanceEntry& entry,
                                  absl::string_view mode, absl::string_view backend);

}  // namespace xla

#endif  // HILO_TOOLS_CONFORMANCE_CHECK_H_

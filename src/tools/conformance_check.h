// What it takes for one recorded program to pass.
#ifndef HILO_TOOLS_CONFORMANCE_CHECK_H_
#define HILO_TOOLS_CONFORMANCE_CHECK_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tools/conformance_data.h"

namespace xla {

enum class Verdict {
  kPassed,
  kFailed,
  // The expectation is one that the specification does not bear out, and the check has found out
  // why.
  kSetAside,
};

struct ConformanceResult {
  Verdict verdict = Verdict::kPassed;
  std::string reason;  // of what did not pass
};

// Checks one entry:
//   parse  a `bad` module is refused; any other is read, printed, and read again to the same text,
//          directly and through protobuf, and prints as the reference prints it where that is a
//          fixpoint of the reference. Not compared: elements that are not in the text (`{...}`),
//          and complex numbers of which one part is NaN, which the reference misreads. Set aside:
//          text that may be newer than the reference; asynchronous operations that the reference
//          prints in a short form which does not say all.
//   run    the back end gives the recorded results. Set aside, when they differ: results of
//          elements that are not in the text, or of zeros whose sign the reference loses when it
//          prints; modules that break a rule, when the values agree; what `TakeReferenceHabits`
//          explains. What is set aside must still agree with the evaluator, on inputs of our own.
//   stablehlo  the program from which the module was made, as a portable artifact and as text,
//          gives the recorded results, too.
ConformanceResult CheckConformanceEntry(const ConformanceGroup& group,
                                        const ConformanceEntry& entry, absl::string_view mode,
                                        absl::string_view backend,
                                        const std::string& target = "host");

}  // namespace xla

#endif  // HILO_TOOLS_CONFORMANCE_CHECK_H_

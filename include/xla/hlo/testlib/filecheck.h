// Checks that a text has the lines that a pattern describes, in the language of LLVM's FileCheck:
//
//   CHECK: %[[SUM:[a-z.0-9]+]] = f32[2]{0} add({{.*}})    somewhere from here on, on one line
//   CHECK-NEXT: negate(%[[SUM]])                          on the next line
//   CHECK-SAME: metadata                                  further on the same line
//   CHECK-NOT: multiply                                   nowhere before the next match
//   CHECK-DAG: ...                                        these, one after the other, in any order
//   CHECK-COUNT-3: ...                                    three times
//   CHECK-EMPTY:                                          the next line is empty
//   CHECK-LABEL: ...                                      as CHECK
//
// White space stands for any white space; {{...}} is a regular expression (of ECMAScript);
// [[NAME:...]] is one whose match [[NAME]] stands for afterwards.
#ifndef XLA_HLO_TESTLIB_FILECHECK_H_
#define XLA_HLO_TESTLIB_FILECHECK_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla {

// NotFound says which line of the pattern the text does not have; InvalidArgument what is wrong
// with the pattern, which must have at least one such line.
absl::Status CheckFile(const std::string& input, absl::string_view pattern);

// The same; false for NotFound.
absl::StatusOr<bool> RunFileCheck(const std::string& input, absl::string_view pattern);

}  // namespace xla

#endif  // XLA_HLO_TESTLIB_FILECHECK_H_

// Self-checking test files: modules of HLO text with their inputs and expected results, or expected
// errors, in comments.
#ifndef HILO_TOOLS_CHECK_FILE_H_
#define HILO_TOOLS_CHECK_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace xla {

// One module of a test file. A file holds several, divided by lines `// -----`.
//
//   // run: (1, {2, 3}) == {3, 4}      runs the module on the arguments; each result must be equal
//   // run: ({1, 2}) ~ {1.6, 2.7}      the same with a relative tolerance of 1e-5 (2e-2 for 16-bit
//   and narrower floats)
//   // replicas: 2, // partitions: 2   (a line each) runs the module on that many devices;
//   arguments and results are
//                                      then lists: [(1), (2)] == [3, 3], first all partitions of
//                                      replica 0
//   // infeed: s32[2] {1, 2}          a value, with its shape, that infeed instructions of device 0
//   read; one a line. All
//                                      must be read in each run. `// infeed 3: ...` is for device 3
//   // outfeed: f32[] 4                a value that the program must put out in each run; the same
//   for `// outfeed 3: ...` x = ... // error: concatenate_c2   reading or verifying the module must
//   fail with a message that contains this text,
//                                      and a syntax error must be in this line
//   // error: no entry                 the same without the line, when it stands alone in its line
//   // passes: inline-calls, expand-dots   runs these passes over the module before anything else
//   is done with it
//   // target: x86-64-v3            the target that the module is compiled for
//   // profile: regions             it is compiled to be profiled (runtime::kProfileOption)
//   // CHECK: add(x, y)                what they make of it, as text without % before names,
//   contains this text; several such lines
//                                      in this order
//   // CHECK-NOT: multiply(            it does not contain this text
//   // test: EX-slice-1, EX-slice-2    names of the case, shown when it fails
//
// A line `// run:` may be continued in following lines that begin with `//   `. Literals are
// written with or without their shape; without it they have the shape of the parameter or result. A
// module without any of these lines must be valid.
struct CheckCase {
  std::string file;
  int64_t first_line = 1;  // of the file
  std::string text;
  std::vector<std::string> names;
  std::string passes;
  std::string to;  // a pass over loops
  std::string target;
  std::string profile;
  struct Expectation {
    int64_t line;
    std::string text;
  };
  std::vector<Expectation> contained;
  std::vector<Expectation> absent;
  std::vector<Expectation> unknown;  // lines of other kinds of CHECK, with which the case fails

  int64_t replicas = 1;
  int64_t partitions = 1;

  struct Feed {
    int64_t line;
    int64_t device;
    std::string value;
  };
  std::vector<Feed> infeeds;
  std::vector<Feed> outfeeds;

  struct Run {
    int64_t line;
    std::string arguments;
    std::string expected;
    bool exact;
  };
  std::vector<Run> runs;
  std::string error;       // empty when the module is valid
  int64_t error_line = 0;  // of the file; 0 when the error is not bound to a line
};

// The cases of a file, in order.
std::vector<CheckCase> SplitCheckFile(const std::string& path, absl::string_view contents);

// What went wrong, with file, line and the difference; empty when the case passes. A case with a
// target of its own has that one.
std::string RunCheckCase(const CheckCase& check, absl::string_view backend,
                         const std::string& target = "host");

}  // namespace xla

#endif  // HILO_TOOLS_CHECK_FILE_H_

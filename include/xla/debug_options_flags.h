// The options of the compiler, and how the environment variable XLA_FLAGS changes them.
//
// XLA_FLAGS holds flags separated by white space: --name=value or, for booleans, --name. A name is
// that of a field of DebugOptions, a value is a number, true or false, the name or number of an
// enumerator, or text; quotes keep white space together. The value of a list is its elements
// separated by commas, that of a map key=value pairs separated by commas. A list of enumerators is
// changed rather than replaced when each element has "+" (add) or "-" (remove) before it. When
// XLA_FLAGS does not begin with "-" it is the name of a file that holds the flags.
#ifndef XLA_DEBUG_OPTIONS_FLAGS_H_
#define XLA_DEBUG_OPTIONS_FLAGS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/xla.pb.h"

namespace xla {

// What holds when XLA_FLAGS says nothing. One instance for the whole process; the second form is a
// copy of it.
const DebugOptions& DefaultDebugOptions();
DebugOptions DefaultDebugOptionsIgnoringFlags();

// The defaults with the flags of XLA_FLAGS, read anew at each call. A flag that cannot be read is
// left out and reported in the log; TryGetDebugOptionsFromFlags returns it as an error instead.
DebugOptions GetDebugOptionsFromFlags();
absl::StatusOr<DebugOptions> TryGetDebugOptionsFromFlags();

// Sets one field from text. NotFound for a name that DebugOptions does not have, InvalidArgument
// for a value that is none of the field's type.
absl::Status SetDebugOption(absl::string_view name, absl::string_view value, DebugOptions* options);

// Applies all flags of a text in the form above (without file names). An error names the flags that
// could not be read; the others are set nonetheless.
absl::Status ParseDebugOptionFlags(absl::string_view flags, DebugOptions* options);

}  // namespace xla

#endif  // XLA_DEBUG_OPTIONS_FLAGS_H_

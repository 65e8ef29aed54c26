// Reading and writing what the commands take and give: modules, literals, arrays.
#ifndef HILO_TOOLS_FILES_H_
#define HILO_TOOLS_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla {

// The error of what has this name, such as a file.
absl::Status Annotate(const absl::Status& status, absl::string_view name);

// The whole file; "-" is standard input. NotFound or FailedPrecondition with the reason of the
// system.
absl::StatusOr<std::string> ReadFile(const std::string& path);
absl::Status WriteFile(const std::string& path, absl::string_view contents);

// The module in a file: HLO text, a serialised HloModuleProto, HloProto or HloSnapshot, or a
// program in StableHLO, as text or as a portable artifact. Errors of text name the file.
absl::StatusOr<std::unique_ptr<HloModule>> ReadModule(const std::string& path);

// The same for what was read from `path`.
absl::StatusOr<std::unique_ptr<HloModule>> ParseModule(const std::string& contents,
                                                       const std::string& path);

// Has the compiler heed the flags of XLA_FLAGS and make code for a target, as
// codegen::Target::Parse knows it.
void SetCompileOptions(HloModule& module, const std::string& target);

// Has the compiler make code that is profiled, as runtime::kProfileOption says.
void SetProfile(HloModule& module, const std::string& profile);

// What is in a file as StableHLO text, whatever ReadModule reads.
absl::StatusOr<std::string> ReadStablehloText(const std::string& path);

// The arrays in literal files (one a line), .npy and .npz files, in order, as arguments for
// parameters of `shapes`: a tuple parameter takes its leaves one after the other.
absl::StatusOr<std::vector<Literal>> ReadArguments(const std::vector<std::string>& paths,
                                                   absl::Span<const Shape> shapes);

// The same for the parameters of a module.
absl::StatusOr<std::vector<Literal>> ReadArguments(const std::vector<std::string>& paths,
                                                   const HloModule& module);

// The literals in a file, one a line, empty lines and lines that begin with // left out.
absl::StatusOr<std::vector<Literal>> ReadLiteralFile(const std::string& path);

// The array leaves of a result, depth first.
std::vector<Literal> Leaves(Literal literal);

// Leaves put together to a literal of `shape`. InvalidArgument when they do not fit; `next` is
// moved on.
absl::StatusOr<Literal> Assemble(const Shape& shape, absl::Span<Literal> leaves, size_t* next);

}  // namespace xla

#endif  // HILO_TOOLS_FILES_H_

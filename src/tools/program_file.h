// Files that can be run: modules, which a back end compiles, and saved programs.
#ifndef HILO_TOOLS_PROGRAM_FILE_H_
#define HILO_TOOLS_PROGRAM_FILE_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "api/backend.h"

namespace xla {

struct ProgramFile {
  std::unique_ptr<CompiledModule> program;
  // The same compiled to be profiled, as runtime::kProfileOption says, where that is wanted.
  std::function<absl::StatusOr<std::unique_ptr<CompiledModule>>(const std::string& how)> profiled;
  double parse_ms = 0;
  double compile_ms = 0;  // or of loading what is compiled
};

// "-" is standard input. A saved program runs on "cpu" whatever the back end, and has its target.
absl::StatusOr<ProgramFile> ReadProgramFile(const std::string& path, absl::string_view backend,
                                            const std::string& target, bool wants_profile = false);

}  // namespace xla

#endif  // HILO_TOOLS_PROGRAM_FILE_H_

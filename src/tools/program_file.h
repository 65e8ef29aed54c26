// Files that can be run: modules, which a back end compiles, and saved programs.
#ifndef HILO_TOOLS_PROGRAM_FILE_H_
#define HILO_TOOLS_PROGRAM_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "api/backend.h"

namespace xla {

struct ProgramFile {
  std::unique_ptr<CompiledModule> program;
  std::unique_ptr<CompiledModule> profiled;  // the same where it is wanted; else null
  double parse_ms = 0;
  double compile_ms = 0;  // or of loading what is compiled
};

// "-" is standard input. A saved program runs on "cpu" whatever the back end, and has its target.
// Where `profile` is not empty, it says how the module is profiled (runtime::kProfileOption).
absl::StatusOr<ProgramFile> ReadProgramFile(const std::string& path, absl::string_view backend,
                                            const std::string& target,
                                            const std::string& profile = "");

}  // namespace xla

#endif  // HILO_TOOLS_PROGRAM_FILE_H_

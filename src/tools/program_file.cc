#include "tools/program_file.h"

#include <utility>

#include "api/cpu_backend.h"
#include "base/status_macros.h"
#include "runtime/saved_program.h"
#include "tools/files.h"
#include "tools/stopwatch.h"
#include "xla/util.h"

namespace xla {

absl::StatusOr<ProgramFile> ReadProgramFile(const std::string& path, absl::string_view backend,
                                            const std::string& target, bool wants_profile) {
  ProgramFile file;
  const Stopwatch parse;
  HILO_ASSIGN_OR_RETURN(const std::string contents, ReadFile(path));
  if (runtime::IsSavedProgram(contents)) {
    if (wants_profile) {
      return InvalidArgument(
          "%s is a saved program, which makes no stamps: give the module to profile it", path);
    }
    file.parse_ms = parse.Milliseconds();
    const Stopwatch load;
    HILO_ASSIGN_OR_RETURN(file.program, LoadFromBytes(contents));
    file.compile_ms = load.Milliseconds();
    return file;
  }
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ParseModule(contents, path));
  file.parse_ms = parse.Milliseconds();
  SetCompileOptions(*module, target);
  HILO_ASSIGN_OR_RETURN(ExecutionBackend * found, FindBackend(backend));
  found->WarmUp();  // once in a process, whatever the program
  if (wants_profile) {
    file.profiled = [found, copy = std::shared_ptr<HloModule>(module->Clone(""))](
                        const std::string& how) -> absl::StatusOr<std::unique_ptr<CompiledModule>> {
      std::unique_ptr<HloModule> profiled = copy->Clone("");
      SetProfile(*profiled, how);
      return found->Compile(std::move(profiled));
    };
  }
  const Stopwatch compile;
  HILO_ASSIGN_OR_RETURN(file.program, found->Compile(std::move(module)));
  file.compile_ms = compile.Milliseconds();
  return file;
}

}  // namespace xla

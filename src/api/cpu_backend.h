// The back end that compiles modules to native code.
#ifndef HILO_API_CPU_BACKEND_H_
#define HILO_API_CPU_BACKEND_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "api/backend.h"
#include "cpu/report.h"

namespace xla {

// "cpu". Compile gives Unimplemented, with the instruction, for operations that have no code yet,
// and for every module where Hilo was built without LLVM.
ExecutionBackend& CpuBackend();

// Where the back end keeps what it has compiled and looks for it: nowhere when empty. At first it
// is what HILO_CACHE_DIR of the environment says. See ProgramCache in api/cpu_backend_cache.h.
void SetCacheDirectory(const std::string& folder);

// Compiles to bytes that LoadFromBytes makes a program of, in this process or in another one on a
// CPU that can do as much. What the compiler did is in `report` where that is not null.
absl::StatusOr<std::string> CompileToBytes(const HloModule& module,
                                           cpu::CompileReport* report = nullptr);
// The module of such a program only says what its parameters and its result are. Errors are those
// of RestoreProgram in runtime/saved_program.h.
absl::StatusOr<std::unique_ptr<CompiledModule>> LoadFromBytes(absl::string_view bytes);

}  // namespace xla

#endif  // HILO_API_CPU_BACKEND_H_

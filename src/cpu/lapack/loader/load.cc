// Most programs need no linear algebra, whose libraries take longer to load than all else that
// commands and the plug-in are linked with. So libhilo_lapack_module.so has the function that uses
// them; this one of the same name loads it when it is first called.
#include <dlfcn.h>

#include "absl/log/log.h"
#include "cpu/lapack/solve.h"
#include "platform/own_libraries.h"

namespace {

using Solve = decltype(hilo_solve_by_lapack);

Solve* Load() {
  const absl::StatusOr<void*> library = xla::OpenOwnLibrary("libhilo_lapack_module.so");
  if (library.ok()) return reinterpret_cast<Solve*>(dlsym(*library, "hilo_solve_by_lapack"));
  LOG(WARNING) << "Linear algebra runs without LAPACK and is slower: "
               << library.status().message();
  return nullptr;
}

}  // namespace

int64_t hilo_solve_by_lapack(const xla::linalg::LapackProblem& problem, int64_t count,
                             const void* const* operands, void* const* results) {
  static Solve* const solve = Load();
  return solve == nullptr ? 0 : solve(problem, count, operands, results);
}

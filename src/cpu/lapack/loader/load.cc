// Most programs need no linear algebra, whose libraries take longer to load than all else that
// commands and the plug-in are linked with. So libhilo_lapack_module.so has the function that uses
// them; this one of the same name loads it when it is first called.
#include <dlfcn.h>

#include <string>

#include "cpu/lapack/solve.h"
#include "platform/own_libraries.h"

namespace {

using Solve = decltype(hilo_solve_by_lapack);

Solve* Load() {
  for (const std::string& folder : xla::OwnLibraryFolders()) {
    void* const library =
        dlopen((folder + "libhilo_lapack_module.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return reinterpret_cast<Solve*>(dlsym(library, "hilo_solve_by_lapack"));
  }
  return nullptr;
}

}  // namespace

bool hilo_solve_by_lapack(const xla::linalg::LapackProblem& problem, const void* const* operands,
                          void* const* results) {
  static Solve* const solve = Load();
  return solve != nullptr && solve(problem, operands, results);
}

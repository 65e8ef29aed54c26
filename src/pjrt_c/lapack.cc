// The libraries of linear algebra are half of what the plug-in would load, and most programs do not
// need them. So libhilo_lapack.so, which lies beside it, has the function that uses them; this one
// of the same name loads it when it is first called.
#include <dlfcn.h>

#include <string>

#include "cpu/lapack/solve.h"

namespace {

using Solve = decltype(hilo_solve_by_lapack);

Solve* Load() {
  Dl_info plugin;
  if (dladdr(reinterpret_cast<void*>(&Load), &plugin) == 0) return nullptr;
  const std::string path = plugin.dli_fname;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  void* const library = dlopen((folder + "libhilo_lapack.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  return reinterpret_cast<Solve*>(dlsym(library, "hilo_solve_by_lapack"));
}

}  // namespace

bool hilo_solve_by_lapack(const xla::linalg::LapackProblem& problem, const void* const* operands,
                          void* const* results) {
  static Solve* const solve = Load();
  return solve != nullptr && solve(problem, operands, results);
}

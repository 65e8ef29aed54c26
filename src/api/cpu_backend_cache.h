// Compiled programs in files, for processes that compile the same modules again.
#ifndef HILO_API_CPU_BACKEND_CACHE_H_
#define HILO_API_CPU_BACKEND_CACHE_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "runtime/program.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// A folder with a file for each program, as SaveProgram writes them, named by what it was compiled
// from. Files hold machine code: whoever may write to the folder decides what runs. For any number
// of threads and processes.
class ProgramCache {
 public:
  explicit ProgramCache(std::string folder) : folder_(std::move(folder)) {}

  // Names all that decides what is compiled: the module, its configuration, the CPU, Hilo's
  // version. Empty for modules that are too large.
  static std::string KeyOf(const HloModule& module);

  // Nothing when there is no such program, or the file is damaged or another's.
  std::optional<runtime::ProgramImage> Find(const std::string& key) const;
  // Puts the whole file in place at once. A folder that cannot be written to stays as it is.
  void Store(const std::string& key, runtime::ProgramImage& image) const;

 private:
  std::string PathOf(const std::string& key) const;

  const std::string folder_;
};

}  // namespace xla

#endif  // HILO_API_CPU_BACKEND_CACHE_H_

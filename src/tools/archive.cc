#include "tools/archive.h"

#include <dlfcn.h>

#include "base/status_macros.h"
#include "platform/own_libraries.h"
#include "tools/archive/functions.h"

namespace xla {
namespace {

// Few runs of a command read an archive, and the libraries for all kinds of compression take as
// long to load as the rest of it.
absl::StatusOr<const ArchiveFunctions*> Functions() {
  HILO_ASSIGN_OR_RETURN(void* const library, OpenOwnLibrary("libhilo_archive_module.so"));
  void* const functions = dlsym(library, "hilo_archive_functions");
  if (functions == nullptr) return absl::NotFoundError(dlerror());
  return reinterpret_cast<decltype(hilo_archive_functions)*>(functions)();
}

}  // namespace

absl::Status UnpackArchive(const std::string& archive, const std::string& folder) {
  HILO_ASSIGN_OR_RETURN(const ArchiveFunctions* const functions, Functions());
  return functions->unpack(archive, folder);
}

absl::StatusOr<std::vector<std::string>> ReadZip(const std::string& archive) {
  HILO_ASSIGN_OR_RETURN(const ArchiveFunctions* const functions, Functions());
  return functions->read_zip(archive);
}

}  // namespace xla

#include "runtime/collectives/transport.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"
#include "platform/own_libraries.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

std::vector<std::string> Folders() {
  std::vector<std::string> folders = OwnLibraryFolders();
  if (const char* given = std::getenv("HILO_ENGINE_PATH"))
    folders.insert(folders.begin(), absl::StrCat(given, "/"));
  return folders;
}

absl::StatusOr<MakeTransportFunction*> LoadEngine(absl::string_view engine) {
  // The linker's own lock is unknown to the thread sanitizer.
  static absl::Mutex mutex;
  absl::MutexLock lock(&mutex);
  std::string reason;
  for (const std::string& folder : Folders()) {
    const std::string path = absl::StrCat(folder, "libhilo_", engine, ".so");
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      reason = dlerror();
      if (access(path.c_str(), F_OK) == 0) break;
      continue;
    }
    auto* const make = reinterpret_cast<MakeTransportFunction*>(dlsym(library, kMakeTransport));
    if (make == nullptr) return NotFound("%s has no %s", path, kMakeTransport);
    return make;
  }
  return NotFound("there is no engine %s for messages between processes: %s", engine, reason);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> ConnectProcesses(absl::string_view engine,
                                                            const TransportOptions& options) {
  HILO_ASSIGN_OR_RETURN(MakeTransportFunction* const make, LoadEngine(engine));
  absl::Status status;
  std::unique_ptr<Transport> transport(make(&options, &status));
  if (transport == nullptr) return status;
  return transport;
}

}  // namespace xla::runtime

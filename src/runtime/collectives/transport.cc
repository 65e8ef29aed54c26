#include "runtime/collectives/transport.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"
#include "platform/own_libraries.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

absl::StatusOr<MakeTransportFunction*> LoadEngine(absl::string_view engine) {
  // The linker's own lock is unknown to the thread sanitizer.
  static absl::Mutex mutex;
  absl::MutexLock lock(&mutex);
  const std::string file_name = absl::StrCat("libhilo_", engine, ".so");
  const char* const folder = std::getenv("HILO_ENGINE_PATH");
  const absl::StatusOr<void*> library = OpenOwnLibrary(file_name, folder == nullptr ? "" : folder);
  if (!library.ok()) {
    return NotFound("there is no engine %s for messages between processes: %s", engine,
                    library.status().message());
  }
  auto* const make = reinterpret_cast<MakeTransportFunction*>(dlsym(*library, kMakeTransport));
  if (make == nullptr) return NotFound("%s has no %s", file_name, kMakeTransport);
  return make;
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

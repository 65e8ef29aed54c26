// Libraries that belong to Hilo and are loaded when they are first needed.
#ifndef HILO_PLATFORM_OWN_LIBRARIES_H_
#define HILO_PLATFORM_OWN_LIBRARIES_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla {

// Opens the library with that file name, as dlopen does, and keeps it. It may lie in the folder
// that is given, if one is, beside the library or program that has this code, in the folder lib
// next to that one's, or wherever the system has its libraries. The first file that is there
// counts, also if it cannot be loaded. Errors (NotFound) have the loader's reason.
absl::StatusOr<void*> OpenOwnLibrary(absl::string_view file_name, absl::string_view folder = "");

}  // namespace xla

#endif  // HILO_PLATFORM_OWN_LIBRARIES_H_

// Unpacking archives.
#ifndef HILO_TOOLS_ARCHIVE_H_
#define HILO_TOOLS_ARCHIVE_H_

#include <string>

#include "absl/status/status.h"

namespace xla {

// Unpacks a tar archive of any compression into `folder`, which is made. Entries that would lie outside are refused.
absl::Status UnpackArchive(const std::string& archive, const std::string& folder);

}  // namespace xla

#endif  // HILO_TOOLS_ARCHIVE_H_

// Unpacking archives.
#ifndef HILO_TOOLS_ARCHIVE_H_
#define HILO_TOOLS_ARCHIVE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace xla {

// Unpacks a tar archive of any compression into `folder`, which is made. Entries that would lie outside are refused.
absl::Status UnpackArchive(const std::string& archive, const std::string& folder);

// The contents of the files in a zip archive, in order.
absl::StatusOr<std::vector<std::string>> ReadZip(const std::string& archive);

}  // namespace xla

#endif  // HILO_TOOLS_ARCHIVE_H_

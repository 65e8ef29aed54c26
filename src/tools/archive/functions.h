// What libhilo_archive_module.so has.
#ifndef HILO_TOOLS_ARCHIVE_FUNCTIONS_H_
#define HILO_TOOLS_ARCHIVE_FUNCTIONS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace xla {

// As tools/archive.h says.
struct ArchiveFunctions {
  absl::Status (*unpack)(const std::string& archive, const std::string& folder);
  absl::StatusOr<std::vector<std::string>> (*read_zip)(const std::string& archive);
};

}  // namespace xla

extern "C" __attribute__((visibility("default"))) const xla::ArchiveFunctions*
hilo_archive_functions();

#endif  // HILO_TOOLS_ARCHIVE_FUNCTIONS_H_

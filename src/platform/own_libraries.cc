#include "platform/own_libraries.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/util.h"

namespace xla {
namespace {

std::string OwnPath() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&OpenOwnLibrary), &info) == 0) return "";
  const std::string path = info.dli_fname;
  // A program has the name by which it was called.
  if (path.find('/') != std::string::npos) return path;
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

// Each with a '/' at its end, but "", which stands for those of the system.
std::vector<std::string> OwnLibraryFolders() {
  const std::string path = OwnPath();
  const size_t slash = path.rfind('/');
  const std::string own = slash == std::string::npos ? "." : path.substr(0, slash);
  return {absl::StrCat(own, "/"), absl::StrCat(own, "/../lib/"), ""};
}

}  // namespace

absl::StatusOr<void*> OpenOwnLibrary(absl::string_view file_name, absl::string_view folder) {
  std::vector<std::string> folders = OwnLibraryFolders();
  if (!folder.empty()) folders.insert(folders.begin(), absl::StrCat(folder, "/"));
  std::string reason;
  for (const std::string& candidate : folders) {
    const std::string path = absl::StrCat(candidate, file_name);
    if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    reason = dlerror();
    if (access(path.c_str(), F_OK) == 0) break;
  }
  return NotFound("the library %s cannot be loaded: %s", file_name, reason);
}

}  // namespace xla

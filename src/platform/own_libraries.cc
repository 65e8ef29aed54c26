#include "platform/own_libraries.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace xla {
namespace {

std::string OwnPath() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&OwnLibraryFolders), &info) == 0) return "";
  const std::string path = info.dli_fname;
  // A program has the name by which it was called.
  if (path.find('/') != std::string::npos) return path;
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

}  // namespace

std::vector<std::string> OwnLibraryFolders() {
  const std::string path = OwnPath();
  const size_t slash = path.rfind('/');
  const std::string own = slash == std::string::npos ? "." : path.substr(0, slash);
  return {absl::StrCat(own, "/"), absl::StrCat(own, "/../lib/"), ""};
}

}  // namespace xla

#include "runtime/collectives/folder_store.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla/util.h"

namespace xla::runtime {

std::string FolderStore::PathOf(absl::string_view key) const {
  return absl::StrCat(folder_, "/", absl::WebSafeBase64Escape(key));
}

// A file has its name when it is whole.
absl::Status FolderStore::Set(absl::string_view key, absl::string_view value) {
  const std::string path = PathOf(key);
  const std::string unfinished = absl::StrCat(path, ".", getpid());
  std::ofstream file(unfinished, std::ios::binary);
  file.write(value.data(), static_cast<std::streamsize>(value.size()));
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0)
    return FailedPrecondition("%s cannot be written", path);
  return absl::OkStatus();
}

absl::StatusOr<std::string> FolderStore::Get(absl::string_view key, absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  while (true) {
    std::ifstream file(PathOf(key), std::ios::binary);
    if (file) {
      std::ostringstream value;
      value << file.rdbuf();
      return std::move(value).str();
    }
    if (absl::Now() >= deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat("nobody has set ", key, " within ", absl::FormatDuration(timeout)));
    }
    absl::SleepFor(absl::Milliseconds(2));
  }
}

}  // namespace xla::runtime

#include "runtime/perf_map.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace xla::runtime {

bool WantsPerfMap() {
  static const bool wanted = [] {
    const char* kind = std::getenv("HILO_PERF");
    return kind != nullptr && absl::string_view(kind) == "map";
  }();
  return wanted;
}

void AddToPerfMap(absl::Span<const PerfFunction> functions) {
  std::string lines;
  for (const PerfFunction& each : functions) {
    std::string name = each.name;
    for (char& letter : name) {
      if (letter == '\n') letter = '_';
    }
    absl::StrAppendFormat(&lines, "%x %x %s\n", each.address, each.bytes, name);
  }
  // Others may have left a link or a pipe there under a name that this process gets.
  const std::string path = absl::StrCat("/tmp/perf-", getpid(), ".map");
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const int file = open(path.c_str(), kFlags, 0644);
  if (file < 0) return;
  static std::mutex* const mutex = new std::mutex();
  const std::lock_guard<std::mutex> lock(*mutex);
  for (absl::string_view rest = lines; !rest.empty();) {
    const ssize_t written = write(file, rest.data(), rest.size());
    if (written <= 0) break;
    rest.remove_prefix(static_cast<size_t>(written));
  }
  close(file);
}

}  // namespace xla::runtime

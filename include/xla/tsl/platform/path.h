// Paths of files as text.
#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_PATH_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_PATH_H_

#include <initializer_list>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tsl {
namespace io {

namespace internal {
std::string JoinPathImpl(std::initializer_list<absl::string_view> parts);
}  // namespace internal

// The parts with one slash between them, also where a part begins with one: JoinPath("/a", "/b") is
// "/a/b". Empty parts are left out.
template <typename... Parts>
std::string JoinPath(const Parts&... parts) {
  return internal::JoinPathImpl({absl::string_view(parts)...});
}

bool IsAbsolutePath(absl::string_view path);

// "/a/b.txt" has the folder "/a", the name "b.txt", its prefix "b" and the extension "txt". What
// stands in front of a scheme's path ("gs://bucket") belongs to the folder.
absl::string_view Dirname(absl::string_view path);
absl::string_view Basename(absl::string_view path);
absl::string_view BasenamePrefix(absl::string_view path);
absl::string_view Extension(absl::string_view path);

// The same path without empty parts, "." and, where that needs no look at the disk, "..".
std::string CleanPath(absl::string_view path);
// The longest folder that all paths have in common, with a slash at its end; "" if there is none.
std::string CommonPathPrefix(const std::vector<std::string>& paths);

// "scheme://host/path". Without a scheme everything is the path.
void ParseURI(absl::string_view uri, absl::string_view* scheme, absl::string_view* host,
              absl::string_view* path);
std::string CreateURI(absl::string_view scheme, absl::string_view host, absl::string_view path);

// A path in the folder for temporary files that nobody uses yet, with that extension unless it is
// empty.
std::string GetTempFilename(const std::string& extension);

// The folders that a test gets from whoever starts it: TEST_SRCDIR/TEST_WORKSPACE and
// TEST_UNDECLARED_OUTPUTS_DIR of the environment. False where they are not set. `folder` may be
// null.
bool GetTestWorkspaceDir(std::string* folder);
bool GetTestUndeclaredOutputsDir(std::string* folder);
// Replaces TEST_WORKSPACE or TEST_UNDECLARED_OUTPUTS_DIR at the beginning of a path by what it
// stands for. False where that is not set.
bool ResolveTestPrefixes(absl::string_view path, std::string& resolved_path);

// The path itself: programs have no extension here.
std::string AppendDotExeIfWindows(absl::string_view path);

}  // namespace io
}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_PATH_H_

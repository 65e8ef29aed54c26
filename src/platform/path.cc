#include "xla/tsl/platform/path.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla/tsl/platform/env.h"

namespace tsl {
namespace io {
namespace {

bool IsSchemeCharacter(char c) { return absl::ascii_isalnum(c) || c == '.' || c == '_'; }

// What lies before the last slash of the path, and behind it.
std::pair<absl::string_view, absl::string_view> Split(absl::string_view uri) {
  absl::string_view scheme, host, path;
  ParseURI(uri, &scheme, &host, &path);
  const size_t front = uri.size() - path.size();
  const size_t slash = path.rfind('/');
  if (slash == absl::string_view::npos) return {uri.substr(0, front), path};
  // The root keeps its slash.
  return {uri.substr(0, front + std::max<size_t>(slash, 1)), path.substr(slash + 1)};
}

bool GetVariable(const char* name, std::string* value) {
  const char* const found = std::getenv(name);
  if (found != nullptr && value != nullptr) *value = found;
  return found != nullptr;
}

bool ReplacePrefix(absl::string_view path, absl::string_view prefix,
                   bool (*get_folder)(std::string*), std::string& resolved, bool& succeeded) {
  if (!absl::ConsumePrefix(&path, prefix)) return false;
  std::string folder;
  succeeded = get_folder(&folder);
  if (succeeded) resolved = JoinPath(folder, path);
  return true;
}

}  // namespace

namespace internal {

std::string JoinPathImpl(std::initializer_list<absl::string_view> parts) {
  std::string result;
  for (absl::string_view part : parts) {
    if (part.empty()) continue;
    if (result.empty()) {
      result = std::string(part);
      continue;
    }
    if (result.back() == '/') result.pop_back();
    absl::ConsumePrefix(&part, "/");
    absl::StrAppend(&result, "/", part);
  }
  return result;
}

}  // namespace internal

bool IsAbsolutePath(absl::string_view path) { return absl::StartsWith(path, "/"); }

absl::string_view Dirname(absl::string_view path) { return Split(path).first; }

absl::string_view Basename(absl::string_view path) { return Split(path).second; }

absl::string_view BasenamePrefix(absl::string_view path) {
  const absl::string_view name = Basename(path);
  return name.substr(0, name.rfind('.'));
}

absl::string_view Extension(absl::string_view path) {
  const absl::string_view name = Basename(path);
  const size_t dot = name.rfind('.');
  return dot == absl::string_view::npos ? name.substr(name.size()) : name.substr(dot + 1);
}

std::string CleanPath(absl::string_view path) {
  const bool is_absolute = IsAbsolutePath(path);
  std::vector<absl::string_view> parts;
  for (absl::string_view part : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (part != ".." || !is_absolute) {
      parts.push_back(part);
    }
  }
  const std::string result = absl::StrCat(is_absolute ? "/" : "", absl::StrJoin(parts, "/"));
  return result.empty() ? "." : result;
}

std::string CommonPathPrefix(const std::vector<std::string>& paths) {
  if (paths.empty()) return "";
  const auto [least, greatest] = std::minmax_element(paths.begin(), paths.end());
  const size_t most = std::min(least->size(), greatest->size());
  size_t common = 0;
  while (common < most && (*least)[common] == (*greatest)[common]) ++common;
  const size_t slash = least->substr(0, common).rfind('/');
  return slash == std::string::npos ? "" : least->substr(0, slash + 1);
}

void ParseURI(absl::string_view uri, absl::string_view* scheme, absl::string_view* host,
              absl::string_view* path) {
  *scheme = *host = uri.substr(0, 0);
  *path = uri;
  const size_t end = uri.find("://");
  if (end == absl::string_view::npos || end == 0 || !absl::ascii_isalpha(uri[0]) ||
      !std::all_of(uri.begin(), uri.begin() + end, IsSchemeCharacter))
    return;
  *scheme = uri.substr(0, end);
  const absl::string_view rest = uri.substr(end + 3);
  const size_t slash = std::min(rest.find('/'), rest.size());
  *host = rest.substr(0, slash);
  *path = rest.substr(slash);
}

std::string CreateURI(absl::string_view scheme, absl::string_view host, absl::string_view path) {
  return scheme.empty() ? std::string(path) : absl::StrCat(scheme, "://", host, path);
}

std::string GetTempFilename(const std::string& extension) {
  std::string path;
  CHECK(Env::Default()->LocalTempFilename(&path)) << "there is no folder for temporary files";
  return extension.empty() ? path : absl::StrCat(path, ".", extension);
}

bool GetTestWorkspaceDir(std::string* folder) {
  std::string sources, workspace;
  if (!GetVariable("TEST_SRCDIR", &sources) || !GetVariable("TEST_WORKSPACE", &workspace))
    return false;
  if (folder != nullptr) *folder = JoinPath(sources, workspace);
  return true;
}

bool GetTestUndeclaredOutputsDir(std::string* folder) {
  return GetVariable("TEST_UNDECLARED_OUTPUTS_DIR", folder);
}

bool ResolveTestPrefixes(absl::string_view path, std::string& resolved_path) {
  bool succeeded = true;
  if (!ReplacePrefix(path, "TEST_WORKSPACE", GetTestWorkspaceDir, resolved_path, succeeded) &&
      !ReplacePrefix(path, "TEST_UNDECLARED_OUTPUTS_DIR", GetTestUndeclaredOutputsDir,
                     resolved_path, succeeded))
    resolved_path = std::string(path);
  return succeeded;
}

std::string AppendDotExeIfWindows(absl::string_view path) { return std::string(path); }

}  // namespace io
}  // namespace tsl

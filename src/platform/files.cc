// The files of Env.
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "xla/tsl/platform/env.h"
#include "xla/tsl/platform/path.h"

namespace tsl {
namespace {

namespace fs = std::filesystem;

fs::path Local(const std::string& path) {
  return fs::path(std::string(absl::StripPrefix(path, "file://")));
}

absl::Status ErrorAt(int number, const std::string& path) {
  if (number == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(number, path);
}
absl::Status ErrorAt(const std::error_code& error, const std::string& path) {
  return ErrorAt(error.value(), path);
}

class PosixReader : public RandomAccessFile {
 public:
  PosixReader(std::string path, int file) : path_(std::move(path)), file_(file) {}
  ~PosixReader() override { close(file_); }

  absl::Status Name(absl::string_view* result) const override {
    *result = path_;
    return absl::OkStatus();
  }

  absl::Status Read(uint64_t offset, absl::string_view& result,
                    absl::Span<char> scratch) const override {
    size_t done = 0;
    int error = 0;
    while (done < scratch.size()) {
      const ssize_t count = pread(file_, scratch.data() + done, scratch.size() - done,
                                  static_cast<off_t>(offset + done));
      if (count == 0) break;
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        error = errno;
        break;
      }
      done += static_cast<size_t>(count);
    }
    result = absl::string_view(scratch.data(), done);
    if (error != 0) return ErrorAt(error, path_);
    if (done == scratch.size()) return absl::OkStatus();
    return absl::OutOfRangeError(absl::StrCat(path_, ": ", scratch.size(),
                                              " bytes were to be read from byte ", offset,
                                              " on, but the file ends after ", done));
  }

 private:
  const std::string path_;
  const int file_;
};

class PosixWriter : public WritableFile {
 public:
  PosixWriter(std::string path, FILE* file) : path_(std::move(path)), file_(file) {}
  ~PosixWriter() override {
    if (file_ != nullptr) fclose(file_);
  }

  using WritableFile::Append;
  absl::Status Append(absl::string_view data) override {
    HILO_RETURN_IF_ERROR(CheckOpen());
    if (fwrite(data.data(), 1, data.size(), file_) == data.size()) return absl::OkStatus();
    return ErrorAt(errno, path_);
  }
  absl::Status Close() override {
    HILO_RETURN_IF_ERROR(CheckOpen());
    const int failed = fclose(std::exchange(file_, nullptr));
    return ErrorAt(failed ? errno : 0, path_);
  }
  absl::Status Flush() override {
    HILO_RETURN_IF_ERROR(CheckOpen());
    return ErrorAt(fflush(file_) != 0 ? errno : 0, path_);
  }
  absl::Status Sync() override {
    HILO_RETURN_IF_ERROR(Flush());
    return ErrorAt(fsync(fileno(file_)) != 0 ? errno : 0, path_);
  }
  absl::Status Name(absl::string_view* result) const override {
    *result = path_;
    return absl::OkStatus();
  }
  absl::Status Tell(int64_t* position) override {
    HILO_RETURN_IF_ERROR(CheckOpen());
    *position = ftell(file_);
    return ErrorAt(*position < 0 ? errno : 0, path_);
  }

 private:
  absl::Status CheckOpen() const {
    if (file_ != nullptr) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat(path_, " has been closed"));
  }

  const std::string path_;
  FILE* file_;
};

absl::Status OpenWriter(const std::string& path, const char* mode,
                        std::unique_ptr<WritableFile>* result) {
  FILE* const file = fopen(Local(path).c_str(), mode);
  if (file == nullptr) return ErrorAt(errno, path);
  fseek(file, 0, SEEK_END);
  *result = std::make_unique<PosixWriter>(path, file);
  return absl::OkStatus();
}

bool HasPattern(const std::string& name) {
  return name.find_first_of("*?[\\") != std::string::npos;
}

// Adds what below `folder` matches the names from `name` on.
void Match(const fs::path& folder, fs::path::iterator name, const fs::path::iterator& end,
           std::vector<std::string>& found) {
  const fs::path wanted = *name++;
  const auto go_on = [&](const fs::path& path) {
    std::error_code error;
    if (name == end) {
      if (fs::exists(path, error)) found.push_back(path.string());
    } else if (fs::is_directory(path, error)) {
      Match(path, name, end, found);
    }
  };
  if (!HasPattern(wanted.string())) return go_on(folder / wanted);
  std::error_code error;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), last; !error && it != last;
       it.increment(error)) {
    const fs::path child = it->path().filename();
    if (fnmatch(wanted.c_str(), child.c_str(), FNM_PERIOD) == 0) go_on(folder / child);
  }
}

}  // namespace

absl::Status WritableFile::Append(const absl::Cord& data) {
  for (const absl::string_view chunk : data.Chunks()) HILO_RETURN_IF_ERROR(Append(chunk));
  return absl::OkStatus();
}

absl::Status Env::NewRandomAccessFile(const std::string& path,
                                      std::unique_ptr<RandomAccessFile>* result) {
  const int file = open(Local(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return ErrorAt(errno, path);
  *result = std::make_unique<PosixReader>(path, file);
  return absl::OkStatus();
}

absl::Status Env::NewWritableFile(const std::string& path, std::unique_ptr<WritableFile>* result) {
  return OpenWriter(path, "we", result);
}

absl::Status Env::NewAppendableFile(const std::string& path,
                                    std::unique_ptr<WritableFile>* result) {
  return OpenWriter(path, "ae", result);
}

absl::Status Env::FileExists(const std::string& path) {
  return access(Local(path).c_str(), F_OK) == 0 ? absl::OkStatus() : ErrorAt(errno, path);
}

bool Env::FilesExist(const std::vector<std::string>& paths, std::vector<absl::Status>* status) {
  bool all = true;
  if (status != nullptr) status->clear();
  for (const std::string& path : paths) {
    absl::Status one = FileExists(path);
    all = all && one.ok();
    if (status != nullptr) status->push_back(std::move(one));
  }
  return all;
}

absl::Status Env::Stat(const std::string& path, FileStatistics* result) {
  struct stat facts;
  if (stat(Local(path).c_str(), &facts) != 0) return ErrorAt(errno, path);
  result->length = facts.st_size;
  result->mtime_nsec = facts.st_mtim.tv_sec * int64_t{1'000'000'000} + facts.st_mtim.tv_nsec;
  result->is_directory = S_ISDIR(facts.st_mode);
  return absl::OkStatus();
}

absl::Status Env::IsDirectory(const std::string& path) {
  FileStatistics facts;
  HILO_RETURN_IF_ERROR(Stat(path, &facts));
  if (facts.is_directory) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(path, " is not a folder"));
}

absl::Status Env::GetFileSize(const std::string& path, uint64_t* bytes) {
  FileStatistics facts;
  HILO_RETURN_IF_ERROR(Stat(path, &facts));
  *bytes = static_cast<uint64_t>(facts.length);
  return absl::OkStatus();
}

absl::Status Env::GetChildren(const std::string& folder, std::vector<std::string>* result) {
  result->clear();
  std::error_code error;
  for (fs::directory_iterator it(Local(folder), error), last; !error && it != last;
       it.increment(error))
    result->push_back(it->path().filename().string());
  return ErrorAt(error, folder);
}

absl::Status Env::GetMatchingPaths(const std::string& pattern, std::vector<std::string>* result) {
  result->clear();
  const fs::path path = Local(pattern).lexically_normal();
  if (path.empty()) return absl::OkStatus();
  const fs::path names = path.relative_path();
  Match(path.root_path(), names.begin(), names.end(), *result);
  std::sort(result->begin(), result->end());
  return absl::OkStatus();
}

bool Env::MatchPath(const std::string& path, const std::string& pattern) {
  return fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME) == 0;
}

absl::Status Env::DeleteFile(const std::string& path) {
  return ErrorAt(unlink(Local(path).c_str()) != 0 ? errno : 0, path);
}

absl::Status Env::DeleteRecursively(const std::string& folder, int64_t* undeleted_files,
                                    int64_t* undeleted_folders) {
  *undeleted_files = *undeleted_folders = 0;
  absl::Status status = FileExists(folder);
  if (!status.ok()) {
    *undeleted_folders = 1;
    return status;
  }
  std::error_code error;
  std::vector<fs::path> paths = {Local(folder)};
  if (!fs::is_symlink(paths[0], error) && fs::is_directory(paths[0], error)) {
    for (fs::recursive_directory_iterator it(paths[0], error), last; !error && it != last;
         it.increment(error))
      paths.push_back(it->path());
    status = ErrorAt(error, folder);
  }
  // What lies in a folder stands behind it.
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    const bool is_folder = !fs::is_symlink(*path, error) && fs::is_directory(*path, error);
    if (fs::remove(*path, error)) continue;
    ++(is_folder ? *undeleted_folders : *undeleted_files);
    status.Update(ErrorAt(error, path->string()));
  }
  return status;
}

absl::Status Env::CreateDir(const std::string& folder) {
  return ErrorAt(mkdir(Local(folder).c_str(), 0755) != 0 ? errno : 0, folder);
}

absl::Status Env::RecursivelyCreateDir(const std::string& folder) {
  std::error_code error;
  fs::create_directories(Local(folder), error);
  if (error) return ErrorAt(error, folder);
  return IsDirectory(folder);
}

absl::Status Env::DeleteDir(const std::string& folder) {
  if (rmdir(Local(folder).c_str()) == 0) return absl::OkStatus();
  if (errno == ENOTEMPTY || errno == EEXIST)
    return absl::FailedPreconditionError(absl::StrCat(folder, " is not empty"));
  return ErrorAt(errno, folder);
}

absl::Status Env::RenameFile(const std::string& from, const std::string& to) {
  return ErrorAt(rename(Local(from).c_str(), Local(to).c_str()) != 0 ? errno : 0, from);
}

absl::Status Env::CopyFile(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::copy_file(Local(from), Local(to), fs::copy_options::overwrite_existing, error);
  return ErrorAt(error, absl::StrCat(from, " to ", to));
}

absl::Status Env::HasAtomicMove(const std::string& path, bool* has_atomic_move) {
  *has_atomic_move = true;
  return absl::OkStatus();
}

void Env::GetLocalTempDirectories(std::vector<std::string>* folders) {
  folders->clear();
  for (const char* variable : {"TEST_TMPDIR", "TMPDIR", "TMP"}) {
    const char* const folder = std::getenv(variable);
    if (folder != nullptr && IsDirectory(folder).ok()) folders->push_back(folder);
  }
  if (IsDirectory("/tmp").ok()) folders->push_back("/tmp");
}

bool Env::LocalTempFilename(std::string* path) {
  std::vector<std::string> folders;
  GetLocalTempDirectories(&folders);
  for (const std::string& folder : folders) {
    *path = io::JoinPath(folder, "tsl_");
    if (CreateUniqueFileName(path, "")) return true;
  }
  return false;
}

bool Env::CreateUniqueFileName(std::string* prefix, const std::string& suffix) {
  static std::atomic<int64_t> last = 0;
  *prefix = absl::StrCat(*prefix, GetCurrentThreadId(), "_", GetProcessId(), "_", NowMicros(), "_",
                         ++last, suffix);
  return !FileExists(*prefix).ok();
}

std::string Env::GetExecutablePath() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).string();
}

}  // namespace tsl

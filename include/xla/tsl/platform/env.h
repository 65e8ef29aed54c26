// The operating system: files, clock, threads.
#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_ENV_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_ENV_H_

#include <google/protobuf/message.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla/tsl/platform/env_time.h"
#include "xla/tsl/platform/errors.h"
#include "xla/tsl/platform/file_statistics.h"
#include "xla/tsl/platform/file_system.h"
#include "xla/tsl/platform/logging.h"
#include "xla/tsl/platform/macros.h"
#include "xla/tsl/platform/status.h"
#include "xla/tsl/platform/types.h"

namespace tsl {

// A thread. The destructor waits for its function to return.
class Thread {
 public:
  Thread() = default;
  virtual ~Thread();
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
};

struct ThreadOptions {
  size_t stack_size = 0;  // in bytes; 0 for the system's default
  size_t guard_size = 0;
  int numa_node = -1;  // ignored: threads run anywhere
};

// Paths are those of the local file system; "file://" in front of one is taken away. Errors of
// files have the code that fits (NotFound, AlreadyExists, PermissionDenied, ...) and name the path.
// All functions may be called from several threads at once.
class Env {
 public:
  Env() = default;
  virtual ~Env() = default;
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;

  static Env* Default();

  absl::Status NewRandomAccessFile(const std::string& path,
                                   std::unique_ptr<RandomAccessFile>* result);
  // Write a new file, in the place of one that is there, or behind what is in one.
  absl::Status NewWritableFile(const std::string& path, std::unique_ptr<WritableFile>* result);
  absl::Status NewAppendableFile(const std::string& path, std::unique_ptr<WritableFile>* result);

  // OK when there is a file or folder, else NotFound.
  absl::Status FileExists(const std::string& path);
  // Whether all are there, and FileExists of each where `status` is not null.
  bool FilesExist(const std::vector<std::string>& paths, std::vector<absl::Status>* status);
  absl::Status Stat(const std::string& path, FileStatistics* result);
  // OK for a folder, FailedPrecondition for a file.
  absl::Status IsDirectory(const std::string& path);
  absl::Status GetFileSize(const std::string& path, uint64_t* bytes);

  // The names in a folder, without the folder.
  absl::Status GetChildren(const std::string& folder, std::vector<std::string>* result);
  // The paths that match a pattern, in alphabetical order: * and ? and [...] match within a name.
  // None is no error.
  absl::Status GetMatchingPaths(const std::string& pattern, std::vector<std::string>* result);
  bool MatchPath(const std::string& path, const std::string& pattern);

  absl::Status DeleteFile(const std::string& path);
  // What could not be deleted is counted; the error is the first one.
  absl::Status DeleteRecursively(const std::string& folder, int64_t* undeleted_files,
                                 int64_t* undeleted_folders);
  // CreateDir gives AlreadyExists for a folder that is there; RecursivelyCreateDir does not.
  absl::Status CreateDir(const std::string& folder);
  absl::Status RecursivelyCreateDir(const std::string& folder);
  // FailedPrecondition when it is not empty.
  absl::Status DeleteDir(const std::string& folder);
  // Takes the place of a file that is there.
  absl::Status RenameFile(const std::string& from, const std::string& to);
  absl::Status CopyFile(const std::string& from, const std::string& to);
  absl::Status HasAtomicMove(const std::string& path, bool* has_atomic_move);

  // A path that nobody uses yet, in the folder for temporary files. False when there is none.
  bool LocalTempFilename(std::string* path);
  // Appends to `prefix` what makes it, with `suffix` behind it, the path of no file yet.
  bool CreateUniqueFileName(std::string* prefix, const std::string& suffix);
  // Folders for temporary files, the best one first.
  void GetLocalTempDirectories(std::vector<std::string>* folders);
  std::string GetExecutablePath();

  // Since 1970.
  virtual uint64_t NowNanos() const { return EnvTime::NowNanos(); }
  virtual uint64_t NowMicros() const { return EnvTime::NowMicros(); }
  virtual uint64_t NowSeconds() const { return EnvTime::NowSeconds(); }
  virtual void SleepForMicroseconds(int64_t micros);

  int64_t GetProcessId();
  // The caller deletes the thread. Names are cut to what the system allows.
  virtual Thread* StartThread(const ThreadOptions& options, const std::string& name,
                              absl::AnyInvocable<void()> function) ABSL_MUST_USE_RESULT;
  virtual int64_t GetCurrentThreadId();
  virtual bool GetCurrentThreadName(std::string* name);
  // Run a function on some thread, now or after a time. Nobody waits for it.
  virtual void SchedClosure(absl::AnyInvocable<void()> closure);
  virtual void SchedClosureAfter(int64_t micros, absl::AnyInvocable<void()> closure);

  // Shared libraries. They stay loaded.
  virtual absl::Status LoadDynamicLibrary(const char* path, void** handle);
  virtual absl::Status GetSymbolFromLibrary(void* handle, const char* name, void** symbol);
  // "libNAME.so.VERSION", or without the version if that is empty.
  virtual std::string FormatLibraryFileName(const std::string& name, const std::string& version);
};

// Whole files.
absl::Status ReadFileToString(Env* env, const std::string& path, std::string* data);
absl::Status WriteStringToFile(Env* env, const std::string& path, absl::string_view data);
absl::Status AppendStringToFile(Env* env, const std::string& path, absl::string_view data);

// Protocol buffers, as bytes or as text. DataLoss when the file is not one of the message's type.
absl::Status WriteBinaryProto(Env* env, const std::string& path,
                              const google::protobuf::MessageLite& proto);
absl::Status ReadBinaryProto(Env* env, const std::string& path,
                             google::protobuf::MessageLite* proto);
absl::Status WriteTextProto(Env* env, const std::string& path,
                            const google::protobuf::Message& proto);
absl::Status ReadTextProto(Env* env, const std::string& path, google::protobuf::Message* proto);
// Whichever of the two the file is.
absl::Status ReadTextOrBinaryProto(Env* env, const std::string& path,
                                   google::protobuf::Message* proto);

// The environment's variables, as POSIX has them.
int setenv(const char* name, const char* value, int overwrite);
int unsetenv(const char* name);

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_ENV_H_

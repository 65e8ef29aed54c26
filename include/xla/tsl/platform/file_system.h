// Files that are read and written piece by piece.
#ifndef HILO_INCLUDE_XLA_TSL_PLATFORM_FILE_SYSTEM_H_
#define HILO_INCLUDE_XLA_TSL_PLATFORM_FILE_SYSTEM_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/tsl/platform/file_statistics.h"

namespace tsl {

// A file that is read at any place. For any number of threads.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;

  // The path with which the file was opened.
  virtual absl::Status Name(absl::string_view* result) const = 0;

  // Reads as many bytes as `scratch` has from `offset` on. `result` is what was read, in `scratch`.
  // OutOfRange when the file ends before; `result` then has what there was.
  virtual absl::Status Read(uint64_t offset, absl::string_view& result,
                            absl::Span<char> scratch) const = 0;
  absl::Status Read(uint64_t offset, size_t n, absl::string_view* result, char* scratch) const {
    return Read(offset, *result, absl::MakeSpan(scratch, n));
  }
};

// A file that is written from its beginning to its end. Not for several threads at once.
class WritableFile {
 public:
  virtual ~WritableFile() = default;

  virtual absl::Status Append(absl::string_view data) = 0;
  absl::Status Append(const absl::Cord& data);

  // Close also writes what is still in the process; so does the destructor, which loses errors.
  virtual absl::Status Close() = 0;
  // Hand what has been appended to the operating system, or to the disk.
  virtual absl::Status Flush() = 0;
  virtual absl::Status Sync() = 0;

  virtual absl::Status Name(absl::string_view* result) const = 0;
  // The number of bytes in the file, those that were there before included.
  virtual absl::Status Tell(int64_t* position) = 0;
};

}  // namespace tsl

#endif  // HILO_INCLUDE_XLA_TSL_PLATFORM_FILE_SYSTEM_H_

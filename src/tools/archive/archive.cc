#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tools/archive/functions.h"
#include "xla/util.h"

namespace xla {
namespace {

using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;
using Writer = std::unique_ptr<archive, decltype(&archive_write_free)>;

absl::Status CopyData(archive* from, archive* to) {
  const void* block;
  size_t size;
  la_int64_t offset;
  while (true) {
    const int result = archive_read_data_block(from, &block, &size, &offset);
    if (result == ARCHIVE_EOF) return absl::OkStatus();
    if (result < ARCHIVE_WARN) return InvalidArgument("%s", archive_error_string(from));
    if (archive_write_data_block(to, block, size, offset) < ARCHIVE_WARN) {
      return FailedPrecondition("%s", archive_error_string(to));
    }
  }
}

// Reads in pieces: the sizes that a damaged archive states may be anything.
absl::StatusOr<std::string> ReadEntry(archive* from) {
  std::string contents;
  char piece[1 << 16];
  while (true) {
    const la_ssize_t count = archive_read_data(from, piece, sizeof(piece));
    if (count == 0) return contents;
    if (count < 0) return InvalidArgument("%s", archive_error_string(from));
    contents.append(piece, static_cast<size_t>(count));
  }
}

absl::Status Unpack(const std::string& path, const std::string& folder) {
  Reader reader(archive_read_new(), &archive_read_free);
  archive_read_support_filter_all(reader.get());
  archive_read_support_format_tar(reader.get());
  if (archive_read_open_filename(reader.get(), path.c_str(), 1 << 16) != ARCHIVE_OK) {
    return InvalidArgument("%s: %s", path, archive_error_string(reader.get()));
  }
  Writer writer(archive_write_disk_new(), &archive_write_free);
  archive_write_disk_set_options(writer.get(),
                                 ARCHIVE_EXTRACT_SECURE_NODOTDOT | ARCHIVE_EXTRACT_SECURE_SYMLINKS);
  archive_entry* entry;
  while (true) {
    const int result = archive_read_next_header(reader.get(), &entry);
    if (result == ARCHIVE_EOF) return absl::OkStatus();
    if (result < ARCHIVE_WARN) {
      return InvalidArgument("%s: %s", path, archive_error_string(reader.get()));
    }
    archive_entry_set_pathname(entry,
                               absl::StrCat(folder, "/", archive_entry_pathname(entry)).c_str());
    if (archive_write_header(writer.get(), entry) < ARCHIVE_WARN) {
      return FailedPrecondition("%s: %s", path, archive_error_string(writer.get()));
    }
    HILO_RETURN_IF_ERROR(CopyData(reader.get(), writer.get()));
  }
}

absl::StatusOr<std::vector<std::string>> ReadZip(const std::string& path) {
  Reader reader(archive_read_new(), &archive_read_free);
  archive_read_support_format_zip(reader.get());
  if (archive_read_open_filename(reader.get(), path.c_str(), 1 << 16) != ARCHIVE_OK) {
    return InvalidArgument("%s: %s", path, archive_error_string(reader.get()));
  }
  std::vector<std::string> files;
  archive_entry* entry;
  while (true) {
    const int result = archive_read_next_header(reader.get(), &entry);
    if (result == ARCHIVE_EOF) return files;
    if (result < ARCHIVE_WARN) {
      return InvalidArgument("%s: %s", path, archive_error_string(reader.get()));
    }
    HILO_ASSIGN_OR_RETURN(std::string contents, ReadEntry(reader.get()));
    files.push_back(std::move(contents));
  }
}

}  // namespace
}  // namespace xla

const xla::ArchiveFunctions* hilo_archive_functions() {
  static constexpr xla::ArchiveFunctions kFunctions = {&xla::Unpack, &xla::ReadZip};
  return &kFunctions;
}

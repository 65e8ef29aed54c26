#include "tools/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <memory>

#include "absl/strings/str_cat.h"
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

}  // namespace

absl::Status UnpackArchive(const std::string& path, const std::string& folder) {
  Reader reader(archive_read_new(), &archive_read_free);
  archive_read_support_filter_all(reader.get());
  archive_read_support_format_tar(reader.get());
  if (archive_read_open_filename(reader.get(), path.c_str(), 1 << 16) != ARCHIVE_OK) {
    return InvalidArgument("%s: %s", path, archive_error_string(reader.get()));
  }
  Writer writer(archive_write_disk_new(), &archive_write_free);
  archive_write_disk_set_options(writer.get(), ARCHIVE_EXTRACT_SECURE_NODOTDOT |
                                                   ARCHIVE_EXTRACT_SECURE_SYMLINKS);
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
    const absl::Status status = CopyData(reader.get(), writer.get());
    if (!status.ok()) return status;
  }
}

}  // namespace xla

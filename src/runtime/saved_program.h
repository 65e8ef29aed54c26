// Programs as bytes, for files.
//
//   "HILOPROG"        8 bytes
//   format version    4 bytes
//   checksum          8 bytes, of all that follows
//   Hilo's version    the only one that loads the file: programs call what is in it
//   target            its name, its triple and the list of its features
//   the fields of ProgramImage in order
//
// Numbers are little-endian, of 8 bytes where nothing else is said; lists and strings begin with
// their length; shapes and instructions are strings with their protocol buffers. A file that is
// damaged, cut off or foreign is an error, and so is one for another version. Files are trusted
// otherwise: they hold machine code. Whether a machine can run it, LoadProgram says.
#ifndef HILO_RUNTIME_SAVED_PROGRAM_H_
#define HILO_RUNTIME_SAVED_PROGRAM_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/program.h"

namespace xla::runtime {

std::string SaveProgram(const ProgramImage& image);
// InvalidArgument for bytes that SaveProgram has not written, FailedPrecondition for another
// version.
absl::StatusOr<ProgramImage> RestoreProgram(absl::string_view bytes);
// Whether the bytes begin as SaveProgram writes them.
bool IsSavedProgram(absl::string_view bytes);

// 64 bits that differ for different bytes, the same in every process.
uint64_t Checksum(absl::string_view bytes, uint64_t seed = 0);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_SAVED_PROGRAM_H_

#include "runtime/memory.h"

#include <unistd.h>

#include "xla/util.h"

namespace xla::runtime {
namespace {

int64_t MachineBytes() {
  static const int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return bytes;
}

}  // namespace

absl::StatusOr<Memory> Allocate(int64_t bytes) {
  if (bytes > MachineBytes()) {
    return ResourceExhausted("%d bytes of memory are more than the %d that the machine has", bytes,
                             MachineBytes());
  }
  // A block of no bytes has an address, too.
  const int64_t rounded = (bytes / kAlignment + 1) * kAlignment;
  Memory memory(static_cast<char*>(std::aligned_alloc(kAlignment, rounded)));
  if (memory == nullptr) return ResourceExhausted("there are no %d bytes of memory left", rounded);
  return memory;
}

}  // namespace xla::runtime

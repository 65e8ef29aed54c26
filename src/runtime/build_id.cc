#include "runtime/build_id.h"

#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/types/span.h"

namespace xla::runtime {
namespace {

struct BuildIdSearch {
  uintptr_t address;  // in the program or library
  std::string id;
};

int FindBuildId(dl_phdr_info* object, size_t, void* argument) {
  auto& search = *static_cast<BuildIdSearch*>(argument);
  const absl::Span<const ElfW(Phdr)> segments(object->dlpi_phdr, object->dlpi_phnum);
  const auto contains = [&](const ElfW(Phdr) & segment) {
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    return segment.p_type == PT_LOAD && search.address - begin < segment.p_memsz;
  };
  if (std::none_of(segments.begin(), segments.end(), contains)) return 0;
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type != PT_NOTE) continue;
    const char* place = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    const char* const end = place + segment.p_memsz;
    while (end - place >= static_cast<ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, place, sizeof(note));
      const char* const name = place + sizeof(note);
      const char* const content = name + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
        search.id.assign(content, note.n_descsz);
      place = content + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return 1;
}

}  // namespace

const std::string& BuildId() {
  static const std::string* const id = [] {
    BuildIdSearch search = {reinterpret_cast<uintptr_t>(&FindBuildId), ""};
    dl_iterate_phdr(FindBuildId, &search);
    return new std::string(absl::BytesToHexString(search.id));
  }();
  return *id;
}

}  // namespace xla::runtime

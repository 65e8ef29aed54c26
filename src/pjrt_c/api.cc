// The table, and the functions that the library exports.
#include <link.h>

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "pjrt_c/error.h"
#include "pjrt_c/export.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/python.h"
#include "pjrt_c/tables.h"
#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

// The identification that the linker gives the library, which differs for builds that differ.
struct BuildIdSearch {
  uintptr_t address;  // in the library
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

absl::Status PluginInitialize(PJRT_Plugin_Initialize_Args&) {
  ConnectPython();
  return absl::OkStatus();
}

absl::Status PluginAttributes(PJRT_Plugin_Attributes_Args& args) {
  static NamedValues* const attributes = [] {
    auto* const made = new NamedValues();
    made->Add("stablehlo_current_version", std::vector<int64_t>{1, 13, 0});
    made->Add("stablehlo_minimum_version", std::vector<int64_t>{0, 9, 0});
    made->Add("xla_version", int64_t{2});
    made->values();
    return made;
  }();
  args.attributes = const_cast<PJRT_NamedValue*>(attributes->values().data());
  args.num_attributes = attributes->values().size();
  return absl::OkStatus();
}

PJRT_Api MakeTable() {
  PJRT_Api api = {};
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.extension_start = Extensions();
  api.pjrt_api_version = {PJRT_Api_Version_STRUCT_SIZE, nullptr, PJRT_API_MAJOR, PJRT_API_MINOR};
  api.PJRT_Plugin_Initialize = Entry<PluginInitialize, PJRT_Plugin_Initialize_Args_STRUCT_SIZE>;
  api.PJRT_Plugin_Attributes = Entry<PluginAttributes, PJRT_Plugin_Attributes_Args_STRUCT_SIZE>;
  SetErrorFunctions(api);
  SetEventFunctions(api);
  SetClientFunctions(api);
  SetDeviceFunctions(api);
  SetMemoryFunctions(api);
  SetExecutableFunctions(api);
  SetLoadedExecutableFunctions(api);
  SetExecuteFunctions(api);
  SetBufferFunctions(api);
  SetHostBufferFunctions(api);
  SetTransferFunctions(api);
  SetTopologyFunctions(api);
  return api;
}

}  // namespace

const std::string& PlatformVersion() {
  static const std::string* const version = [] {
    BuildIdSearch search = {reinterpret_cast<uintptr_t>(&FindBuildId), ""};
    dl_iterate_phdr(FindBuildId, &search);
    auto* const text = new std::string(absl::StrCat("hilo ", HILO_VERSION, " "));
    for (const char byte : search.id)
      absl::StrAppend(text, absl::Hex(static_cast<unsigned char>(byte), absl::kZeroPad2));
    return text;
  }();
  return *version;
}

}  // namespace xla::pjrt_c

extern "C" {

HILO_EXPORT const PJRT_Api* GetPjrtApi(void) {
  static const PJRT_Api api = xla::pjrt_c::MakeTable();
  return &api;
}

}  // extern "C"
